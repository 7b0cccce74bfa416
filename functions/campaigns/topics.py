"""The gateway to a campaign's SNS topic: made, probed, published to once, deleted."""

from collections.abc import Mapping
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

# The key that AWS manages for SNS: encryption at rest without a key of our own to keep.
# https://docs.aws.amazon.com/sns/latest/dg/sns-server-side-encryption.html
TOPIC_KEY = "alias/aws/sns"


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
    """SNS may or may not have taken the message; only a receipt can tell."""

    code: str


PublishAnswer = Accepted | NotAccepted | Unknown


class Topics:
    """SNS, as far as campaigns use it. For `publish` the client must not retry by itself."""

    def __init__(self, sns: "SNSClient") -> None:
        self._sns = sns

    def create(self, name: str) -> str:
        """The ARN of the topic of that name, new or not."""
        answer = self._sns.create_topic(Name=name, Attributes={"KmsMasterKeyId": TOPIC_KEY})
        return answer["TopicArn"]

    def subscribe_probe(self, topic_arn: str, queue_arn: str) -> None:
        """Lets the probe queue hear what every device hears; again changes nothing."""
        self._sns.subscribe(TopicArn=topic_arn, Protocol="sqs", Endpoint=queue_arn)

    def delete(self, topic_arn: str) -> None:
        """Removes the topic with all its subscriptions; one that is gone is no error."""
        self._sns.delete_topic(TopicArn=topic_arn)

    def publish(self, topic_arn: str, message: str, attributes: Mapping[str, Any]) -> PublishAnswer:
        """One call, never repeated, and what is known after it.

        A connection that was never made has sent nothing. A refusal (4xx, throttles among them) is
        an answer. Anything else leaves it open.
        https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
        """
        try:
            answer = self._sns.publish(
                TopicArn=topic_arn,
                Message=message,
                MessageStructure="json",
                MessageAttributes=attributes,
            )
        except ClientError as error:
            if is_server_error(error):
                return Unknown(code=code_of(error))
            return NotAccepted(code=code_of(error), later=is_throttle(error))
        except (EndpointConnectionError, ConnectTimeoutError) as error:
            return NotAccepted(code=type(error).__name__, later=True)
        except (BotoCoreError, ResponseParserError) as error:
            return Unknown(code=type(error).__name__)
        return Accepted(message_id=answer["MessageId"])
