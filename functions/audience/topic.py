"""The gateway to SNS Subscribe: one endpoint onto one topic, every answer sorted."""

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
    """Not known, or broken for now: the same call may be made again, Subscribe is idempotent."""

    code: str


Answer = Subscribed | Refused | Throttled | Unsettled
Subscribe = Callable[[str, str], Answer]

# https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
_REFUSALS = {
    "NotFound": FAILED_TOPIC_GONE,
    "NotFoundException": FAILED_TOPIC_GONE,
    "SubscriptionLimitExceeded": FAILED_TOPIC_FULL,
}
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
