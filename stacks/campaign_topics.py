"""The SNS topics of campaigns: made at run time, so that a template can only name their pattern."""

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from stacks.function import PythonFunction
from stacks.queues import Queue


class CampaignTopics(Construct):
    """What the names of the topics begin with, and grants on all topics that match it."""

    def __init__(self, scope: Construct, id: str) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        self.name_prefix = f"{stack.stack_name}-campaign-"
        self.arn_prefix = stack.format_arn(service="sns", resource=self.name_prefix)
        self.arn_pattern = f"{self.arn_prefix}*"

    def allow(self, function: PythonFunction, *actions: str) -> None:
        """Lets the function do this to any campaign's topic.

        Unsubscribe names a subscription and is authorised on its topic, as the texts of SNS's
        refusals have it ("not authorized to perform: SNS:Unsubscribe on resource: <topic>").
        """
        function.allow(
            *[f"sns:{action}" for action in actions],
            on=self.arn_pattern,
            because="Campaigns' topics are made at run time; the prefix is this stack's alone.",
        )

    def allow_delivery_to(self, queue: Queue) -> None:
        """Lets these topics, and no other sender of SNS, put messages into the queue."""
        queue.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal("sns.amazonaws.com")],
                actions=["sqs:SendMessage"],
                resources=[queue.queue_arn],
                conditions={"ArnLike": {"aws:SourceArn": self.arn_pattern}},
            )
        )
