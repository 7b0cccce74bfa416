"""The gateway to a campaign's SNS topic: made, probed, published to once, deleted."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from functions.campaigns.publish_call import PublishAnswer, publish_to_topic

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient

# The key that AWS manages for SNS: encryption at rest without a key of our own to keep.
# https://docs.aws.amazon.com/sns/latest/dg/sns-server-side-encryption.html
TOPIC_KEY = "alias/aws/sns"


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
        """One call, never repeated, and what is known after it."""
        return publish_to_topic(self._sns, topic_arn, message, attributes)
