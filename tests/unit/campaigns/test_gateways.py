"""The gateways tell SNS's, Step Functions' and Scheduler's answers apart."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import boto3
import pytest
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)
from botocore.parsers import ResponseParserError
from botocore.stub import Stubber
from moto import mock_aws

from functions.campaigns.executions import Executions, NeverStartedError
from functions.campaigns.publish_call import (
    Accepted,
    NotAccepted,
    PublishAnswer,
    Unknown,
    publish_to_endpoint,
)
from functions.campaigns.schedule import Schedules
from functions.campaigns.topics import Topics
from functions.shared import clients
from functions.shared.task_tokens import wake

TOPIC = "arn:aws:sns:us-east-1:123456789012:fanfare-campaign-c1"
ENDPOINT = "arn:aws:sns:us-east-1:123456789012:endpoint/GCM/Fanfare-platform-GCM/e1"
EXECUTION = "arn:aws:states:us-east-1:123456789012:execution:machine:c1"
MACHINE = "arn:aws:states:us-east-1:123456789012:stateMachine:machine"


def publish_answered(code: str | None, status: int) -> PublishAnswer:
    sns = clients.sns_single_attempt()
    with Stubber(sns) as stub:
        if code is None:
            stub.add_response("publish", {"MessageId": "m1"})
        else:
            stub.add_client_error("publish", service_error_code=code, http_status_code=status)
        return Topics(sns).publish(TOPIC, "{}", {})


def test_an_accepted_message_has_an_id() -> None:
    assert publish_answered(None, 200) == Accepted(message_id="m1")


@pytest.mark.parametrize(
    ("code", "status", "answer"),
    [
        ("InvalidParameter", 400, NotAccepted(code="InvalidParameter", later=False)),
        ("NotFound", 404, NotAccepted(code="NotFound", later=False)),
        ("AuthorizationError", 403, NotAccepted(code="AuthorizationError", later=False)),
        ("Throttling", 400, NotAccepted(code="Throttling", later=True)),
        ("KMSThrottling", 400, NotAccepted(code="KMSThrottling", later=True)),
        ("InternalError", 500, Unknown(code="InternalError")),
        ("ServiceUnavailable", 503, Unknown(code="ServiceUnavailable")),
    ],
)
def test_a_refusal_is_known_and_a_server_error_is_not(
    code: str, status: int, answer: PublishAnswer
) -> None:
    assert publish_answered(code, status) == answer


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (EndpointConnectionError(endpoint_url="x"), NotAccepted),
        (ConnectTimeoutError(endpoint_url="x"), NotAccepted),
        (ReadTimeoutError(endpoint_url="x"), Unknown),
        (ConnectionClosedError(endpoint_url="x"), Unknown),
        (ResponseParserError("no XML"), Unknown),
    ],
)
def test_what_never_left_is_not_accepted_and_what_broke_off_is_unknown(
    error: Exception, answer: type[PublishAnswer]
) -> None:
    sns = clients.sns_single_attempt()

    def fail(**_: Any) -> None:
        raise error

    sns.meta.events.register("before-send.sns.Publish", fail)
    assert isinstance(Topics(sns).publish(TOPIC, "{}", {}), answer)


def test_the_client_that_publishes_never_sends_twice_by_itself() -> None:
    sns = clients.sns_single_attempt()
    calls: list[None] = []

    def lose_the_answer(**_: Any) -> None:
        calls.append(None)
        raise ReadTimeoutError(endpoint_url="x")

    sns.meta.events.register("before-send.sns.Publish", lose_the_answer)
    Topics(sns).publish(TOPIC, "{}", {})
    assert len(calls) == 1


def test_a_single_device_is_named_as_the_target() -> None:
    sns = clients.sns_single_attempt()
    attributes = {"A": {"DataType": "String", "StringValue": "1"}}
    expected = {
        "TargetArn": ENDPOINT,
        "Message": "{}",
        "MessageStructure": "json",
        "MessageAttributes": attributes,
    }
    with Stubber(sns) as stub:
        stub.add_response("publish", {"MessageId": "m1"}, expected)
        answer = publish_to_endpoint(sns, ENDPOINT, "{}", attributes)
    assert answer == Accepted(message_id="m1")


@pytest.fixture
def topics(aws: None) -> Topics:
    return Topics(clients.sns())


def test_a_topic_is_encrypted_probed_once_and_gone_after_deletion(topics: Topics) -> None:
    queue = boto3.client("sqs").create_queue(QueueName="probe")["QueueUrl"]
    arn = boto3.client("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])
    topic = topics.create("fanfare-campaign-c1")
    assert topics.create("fanfare-campaign-c1") == topic
    for _ in range(2):
        topics.subscribe_probe(topic, arn["Attributes"]["QueueArn"])
    sns = boto3.client("sns")
    attributes = sns.get_topic_attributes(TopicArn=topic)["Attributes"]
    assert attributes["KmsMasterKeyId"] == "alias/aws/sns"
    assert len(sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]) == 1
    topics.delete(topic)
    topics.delete(topic)
    assert sns.list_topics()["Topics"] == []


def started(code: str | None) -> None:
    stepfunctions = clients.stepfunctions()
    with Stubber(stepfunctions) as stub:
        if code is None:
            expected = {
                "stateMachineArn": MACHINE,
                "name": "c1-1",
                "input": json.dumps({"campaign_id": "c1", "generation": 1}),
            }
            answer = {"executionArn": EXECUTION, "startDate": datetime.now(UTC)}
            stub.add_response("start_execution", answer, expected)
        else:
            stub.add_client_error("start_execution", service_error_code=code)
        Executions(stepfunctions, MACHINE).start("c1", "c1-1")


@pytest.mark.parametrize("code", [None, "ExecutionAlreadyExists"])
def test_started_once_or_before_is_started(code: str | None) -> None:
    started(code)


@pytest.mark.parametrize("code", ["AccessDeniedException", "StateMachineDoesNotExist"])
def test_a_workflow_that_can_never_start_is_told_apart(code: str) -> None:
    with pytest.raises(NeverStartedError, match=code):
        started(code)


def test_a_start_that_may_work_later_raises_for_a_repeat() -> None:
    with pytest.raises(Exception, match="ExecutionLimitExceeded"):
        started("ExecutionLimitExceeded")


@pytest.mark.parametrize("code", ["ExecutionDoesNotExist", "ValidationException"])
def test_an_execution_that_does_not_run_counts_as_stopped(code: str) -> None:
    stepfunctions = clients.stepfunctions()
    with Stubber(stepfunctions) as stub:
        stub.add_client_error("stop_execution", service_error_code=code)
        Executions(stepfunctions).stop(EXECUTION, "deleted")


@pytest.mark.parametrize(
    ("code", "woken"),
    [(None, True), ("TaskDoesNotExist", False), ("TaskTimedOut", False), ("InvalidToken", False)],
)
def test_a_token_used_twice_too_late_or_of_a_stopped_execution_wakes_nobody(
    code: str | None, woken: bool
) -> None:
    stepfunctions = clients.stepfunctions()
    with Stubber(stepfunctions) as stub:
        if code is None:
            stub.add_response("send_task_success", {}, {"taskToken": "t", "output": "{}"})
        else:
            stub.add_client_error("send_task_success", service_error_code=code)
        assert wake(stepfunctions, "t") is woken


@pytest.fixture
def schedules() -> Iterator[Schedules]:
    with mock_aws():
        boto3.client("scheduler").create_schedule_group(Name="campaigns")
        yield Schedules(
            clients.scheduler(),
            group="campaigns",
            role_arn="arn:aws:iam::123456789012:role/due",
            function_arn="arn:aws:lambda:us-east-1:123456789012:function:due",
        )


def test_a_schedule_calls_once_at_its_time_in_utc_and_removes_itself(schedules: Schedules) -> None:
    at = datetime(2026, 12, 24, 18, 0, 0, 1, tzinfo=timezone(timedelta(hours=8)))
    for _ in range(2):
        schedules.set("c1", at)
    schedule = boto3.client("scheduler").get_schedule(
        Name="c1-1798106400000", GroupName="campaigns"
    )
    # A microsecond after ten: the next whole second, never before.
    assert schedule["ScheduleExpression"] == "at(2026-12-24T10:00:01)"
    assert schedule["ScheduleExpressionTimezone"] == "UTC"
    assert schedule["ActionAfterCompletion"] == "DELETE"
    assert json.loads(schedule["Target"]["Input"]) == {
        "campaign_id": "c1",
        "publish_at": "2026-12-24T10:00:00.000Z",
    }


def test_a_schedule_is_removed_once_or_twice(schedules: Schedules) -> None:
    at = datetime(2026, 12, 24, tzinfo=UTC)
    schedules.set("c1", at)
    schedules.remove("c1", at)
    schedules.remove("c1", at)
    assert boto3.client("scheduler").list_schedules()["Schedules"] == []
