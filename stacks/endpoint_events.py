"""What SNS tells of endpoints: the topic that platform applications send to, and who listens."""

from aws_cdk import Duration, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk.aws_sns_subscriptions import SqsSubscription
from constructs import Construct

from stacks.acknowledged import acknowledge
from stacks.config import Config
from stacks.function import Package, PythonFunction, part_environment
from stacks.queues import Queue, WorkQueue
from stacks.table import Table

TIMEOUT = Duration.seconds(60)
# Most events are about what a registration does at this moment; when it is written, too, there is
# nothing left to do about them.
DELAY = Duration.seconds(30)
# Each event asks SNS once, out of a quota that registrations live on: 30 a second at worst.
CONCURRENCY = 2
BATCH_SIZE = 10


class EndpointEvents(Construct):
    """Topic, queue and function; the function reads endpoints, and changes only devices."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        package: Package,
        devices: Table,
        tokens: Table,
    ) -> None:
        super().__init__(scope, id)
        self.function = PythonFunction(
            self,
            "EndpointEvents",
            handler="functions.devices.endpoint_events.handler",
            package=package,
            timeout=TIMEOUT,
            environment=part_environment(
                "devices", devices_table=devices.table_name, tokens_table=tokens.table_name
            ),
        )
        self.queue = WorkQueue(
            self,
            "EndpointEventsQueue",
            config=config,
            consumer_timeout=TIMEOUT,
            delivery_delay=DELAY,
            dead_letters=Queue(self, "EndpointEventsDeadLetters", config=config),
        )
        self.queue.work_off(self.function, batch_size=BATCH_SIZE, max_concurrency=CONCURRENCY)
        self._add_topic(config)

    def _add_topic(self, config: Config) -> None:
        """A topic without a key: what SNS itself sends cannot use the key `alias/aws/sns`, whose
        policy nobody may change, and a key of our own costs more than this topic is worth. An event
        names an endpoint; the queue, in which it stays, is encrypted.

        https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
        """
        self.topic = sns.Topic(self, "EndpointEventsTopic", enforce_ssl=config.enforce_ssl)
        if not config.enforce_ssl:
            acknowledge(self.topic, "SNS3", "The context's enforce_ssl switches this off.")
        account = Stack.of(self).account
        # AWS does not say as whom SNS sends application events. They are known to come through a
        # topic's default policy, which is the second; what is sent here is not believed anyway.
        for principal, condition in (
            (iam.ServicePrincipal("sns.amazonaws.com"), "aws:SourceAccount"),
            (iam.AnyPrincipal(), "aws:SourceOwner"),
        ):
            self.topic.add_to_resource_policy(
                iam.PolicyStatement(
                    principals=[principal],
                    actions=["sns:Publish"],
                    resources=[self.topic.topic_arn],
                    conditions={"StringEquals": {condition: account}},
                )
            )
        self.topic.add_subscription(SqsSubscription(self.queue))
