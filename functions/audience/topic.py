"""The gateway to SNS Subscribe: one endpoint onto one topic, every answer sorted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError

from functions.audience.records import (
    FAILED_ENDPOINT_GONE,
    FAILED_REFUSED,
    FAILED_TOPIC_FULL,
    FAILED_TOPIC_GONE,
)

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

# https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html and its CommonErrors
THROTTLES = frozenset(
    {"Throttling", "ThrottlingException", "Throttled", "ThrottledException", "RequestLimitExceeded"}
)
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
    except (ConnectionError, HTTPClientError) as error:  # no connection, or no answer in time
        return Unsettled(code=type(error).__name__)
    return Subscribed(subscription_arn=answer["SubscriptionArn"])


def _sorted(error: ClientError) -> Answer:
    code = error.response["Error"]["Code"]
    if code in THROTTLES:
        return Throttled()
    if code in _REFUSALS:
        return Refused(reason=_REFUSALS[code])
    if code in _INVALID:
        gone = "endpoint" in error.response["Error"].get("Message", "").lower()
        return Refused(reason=FAILED_ENDPOINT_GONE if gone else FAILED_REFUSED)
    return Unsettled(code=code)
