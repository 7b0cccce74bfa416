"""The gateway to SNS Subscribe and Unsubscribe: one endpoint, one topic, every answer sorted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from functions.audience.records import (
    FAILED_ENDPOINT_GONE,
    FAILED_REFUSED,
    FAILED_TOPIC_FULL,
    FAILED_TOPIC_GONE,
)
from functions.shared.aws_errors import code_of, is_throttle

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient


@dataclass(frozen=True, kw_only=True)
class Subscribed:
    """The endpoint is on the topic."""

    subscription_arn: str


@dataclass(frozen=True, kw_only=True)
class Refused:
    """SNS will never take this endpoint; the reason is one of the FAILED_ constants."""

    reason: str


@dataclass(frozen=True)
class Throttled:
    """Too fast: the same call may be made again later."""


@dataclass(frozen=True, kw_only=True)
class Unsettled:
    """Not known, or broken for now: the same call may be made again, both are idempotent."""

    code: str


@dataclass(frozen=True)
class Unsubscribed:
    """The subscription is not on the topic, now or already."""


Answer = Subscribed | Refused | Throttled | Unsettled
Subscribe = Callable[[str, str], Answer]
UnsubscribeAnswer = Unsubscribed | Throttled | Unsettled
Unsubscribe = Callable[[str], UnsubscribeAnswer]

# https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
_REFUSALS = {
    "NotFound": FAILED_TOPIC_GONE,
    "NotFoundException": FAILED_TOPIC_GONE,
    "SubscriptionLimitExceeded": FAILED_TOPIC_FULL,
}
_GONE = frozenset({"NotFound", "NotFoundException"})
_INVALID = frozenset({"InvalidParameter", "InvalidParameterException"})


def subscribe(sns: "SNSClient", topic_arn: str, endpoint_arn: str) -> Answer:
    """What SNS answers to subscribing the endpoint; the client must not retry by itself.

    Subscribing again answers the subscription that is there:
    https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
    """
    try:
        answer = sns.subscribe(
            TopicArn=topic_arn,
            Protocol="application",
            Endpoint=endpoint_arn,
            ReturnSubscriptionArn=True,
        )
    except ClientError as error:
        return _sorted(error)
    except (
        BotoCoreError,
        ResponseParserError,
    ) as error:  # no connection, no answer in time, or none that can be read
        return Unsettled(code=type(error).__name__)
    return Subscribed(subscription_arn=answer["SubscriptionArn"])


def unsubscribe(sns: "SNSClient", subscription_arn: str) -> UnsubscribeAnswer:
    """What SNS answers to unsubscribing; the client must not retry by itself.

    One that is gone is gone: https://docs.aws.amazon.com/sns/latest/api/API_Unsubscribe.html
    """
    try:
        sns.unsubscribe(SubscriptionArn=subscription_arn)
    except ClientError as error:
        code = code_of(error)
        if is_throttle(error):
            return Throttled()
        return Unsubscribed() if code in _GONE else Unsettled(code=code)
    except (BotoCoreError, ResponseParserError) as error:
        return Unsettled(code=type(error).__name__)
    return Unsubscribed()


def _sorted(error: ClientError) -> Answer:
    code = code_of(error)
    if is_throttle(error):
        return Throttled()
    if code in _REFUSALS:
        return Refused(reason=_REFUSALS[code])
    if code in _INVALID:
        gone = "endpoint" in error.response["Error"].get("Message", "").lower()
        return Refused(reason=FAILED_ENDPOINT_GONE if gone else FAILED_REFUSED)
    return Unsettled(code=code)
