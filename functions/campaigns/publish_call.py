"""Calling SNS Publish, once, by a client that does not retry by itself; and what is known then."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
)
from botocore.parsers import ResponseParserError

from functions.shared.aws_errors import code_of, is_server_error, is_throttle

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient
    from mypy_boto3_sns.type_defs import PublishResponseTypeDef


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """SNS took the message."""

    message_id: str


@dataclass(frozen=True, kw_only=True)
class NotAccepted:
    """SNS is known not to have taken the message; the code says why, `later` whether it may."""

    code: str
    later: bool


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """SNS may or may not have taken the message."""

    code: str


PublishAnswer = Accepted | NotAccepted | Unknown


def publish_to_topic(
    sns: "SNSClient", topic_arn: str, message: str, attributes: Mapping[str, Any]
) -> PublishAnswer:
    """What SNS answers to the message for everybody who is subscribed to the topic."""
    return _answer(
        lambda: sns.publish(
            TopicArn=topic_arn,
            Message=message,
            MessageStructure="json",
            MessageAttributes=attributes,
        )
    )


def publish_to_endpoint(
    sns: "SNSClient", endpoint_arn: str, message: str, attributes: Mapping[str, Any]
) -> PublishAnswer:
    """What SNS answers to the message for one device."""
    return _answer(
        lambda: sns.publish(
            TargetArn=endpoint_arn,
            Message=message,
            MessageStructure="json",
            MessageAttributes=attributes,
        )
    )


def _answer(call: "Callable[[], PublishResponseTypeDef]") -> PublishAnswer:
    """What is known after one call.

    A connection that was never made has sent nothing. A refusal (4xx, throttles among them) is
    an answer. Anything else leaves it open.
    https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
    """
    try:
        answer = call()
    except ClientError as error:
        if is_server_error(error):
            return Unknown(code=code_of(error))
        return NotAccepted(code=code_of(error), later=is_throttle(error))
    except (EndpointConnectionError, ConnectTimeoutError) as error:
        return NotAccepted(code=type(error).__name__, later=True)
    except (BotoCoreError, ResponseParserError) as error:
        return Unknown(code=type(error).__name__)
    return Accepted(message_id=answer["MessageId"])
