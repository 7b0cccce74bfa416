"""SNS's answers to Subscribe and Unsubscribe, sorted: done, never, later, not known."""

import pytest
from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError
from botocore.stub import Stubber

from functions.audience.topic import (
    Answer,
    Refused,
    Subscribed,
    Throttled,
    Unsettled,
    UnsubscribeAnswer,
    Unsubscribed,
    subscribe,
    unsubscribe,
)
from functions.shared import clients

TOPIC = "arn:aws:sns:us-east-1:123456789012:fanfare-campaign-c1"
ENDPOINT = "arn:aws:sns:us-east-1:123456789012:endpoint/GCM/app/e1"


def test_an_endpoint_is_subscribed_and_its_subscription_is_told() -> None:
    sns = clients.sns_single_attempt()
    with Stubber(sns) as stub:
        stub.add_response(
            "subscribe",
            {"SubscriptionArn": f"{TOPIC}:s1"},
            {
                "TopicArn": TOPIC,
                "Protocol": "application",
                "Endpoint": ENDPOINT,
                "ReturnSubscriptionArn": True,
            },
        )
        answer = subscribe(sns, TOPIC, ENDPOINT)
    assert answer == Subscribed(subscription_arn=f"{TOPIC}:s1")


@pytest.mark.parametrize(
    ("code", "message", "answer"),
    [
        ("Throttling", "Rate exceeded", Throttled()),
        ("ThrottledException", "Rate exceeded", Throttled()),
        ("NotFound", "Topic does not exist", Refused(reason="topic_gone")),
        ("SubscriptionLimitExceeded", "too many", Refused(reason="topic_full")),
        (
            "InvalidParameter",
            "Invalid parameter: Endpoint Reason: Endpoint does not exist",
            Refused(reason="endpoint_gone"),
        ),
        ("InvalidParameter", "Invalid parameter: Protocol", Refused(reason="refused")),
        ("InternalError", "", Unsettled(code="InternalError")),
        ("AuthorizationError", "not authorized", Unsettled(code="AuthorizationError")),
    ],
)
def test_an_error_is_sorted_by_what_can_be_done_about_it(
    code: str, message: str, answer: Answer
) -> None:
    sns = clients.sns_single_attempt()
    with Stubber(sns) as stub:
        stub.add_client_error("subscribe", service_error_code=code, service_message=message)
        assert subscribe(sns, TOPIC, ENDPOINT) == answer


@pytest.mark.parametrize("error", [ReadTimeoutError, ConnectTimeoutError])
def test_no_answer_in_time_is_not_settled_and_not_repeated_by_the_sdk(
    error: type[ReadTimeoutError | ConnectTimeoutError],
) -> None:
    sns = clients.sns_single_attempt()
    calls: list[None] = []

    def fail(**_: object) -> None:
        calls.append(None)
        raise error(endpoint_url="x")

    sns.meta.events.register("before-send.sns.Subscribe", fail)
    assert subscribe(sns, TOPIC, ENDPOINT) == Unsettled(code=error.__name__)
    assert len(calls) == 1


def test_a_subscription_is_unsubscribed_by_its_own_name() -> None:
    sns = clients.sns_single_attempt()
    with Stubber(sns) as stub:
        stub.add_response("unsubscribe", {}, {"SubscriptionArn": f"{TOPIC}:s1"})
        assert unsubscribe(sns, f"{TOPIC}:s1") == Unsubscribed()


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("NotFound", Unsubscribed()),
        ("Throttling", Throttled()),
        ("InternalError", Unsettled(code="InternalError")),
        ("AuthorizationError", Unsettled(code="AuthorizationError")),
        ("InvalidParameter", Unsettled(code="InvalidParameter")),
    ],
)
def test_what_is_gone_is_unsubscribed_and_what_is_refused_is_not(
    code: str, answer: UnsubscribeAnswer
) -> None:
    sns = clients.sns_single_attempt()
    with Stubber(sns) as stub:
        stub.add_client_error("unsubscribe", service_error_code=code)
        assert unsubscribe(sns, f"{TOPIC}:s1") == answer


def test_no_answer_to_unsubscribing_is_not_settled() -> None:
    sns = clients.sns_single_attempt()

    def fail(**_: object) -> None:
        raise ReadTimeoutError(endpoint_url="x")

    sns.meta.events.register("before-send.sns.Unsubscribe", fail)
    assert unsubscribe(sns, f"{TOPIC}:s1") == Unsettled(code="ReadTimeoutError")
