"""One-time schedules that publish a campaign at its `publish_at`: made at run time, one group."""

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from stacks.function import PythonFunction


class PublishSchedules(Construct):
    """The group of the schedules, and the role in which they invoke the function that is due."""

    def __init__(self, scope: Construct, id: str, *, due: PythonFunction) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        group = scheduler.CfnScheduleGroup(self, "Group")
        self.group_name = group.ref
        self._schedules = stack.format_arn(
            service="scheduler", resource="schedule", resource_name=f"{self.group_name}/*"
        )
        # Only for this group, so that no schedule of another can borrow the role:
        # https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
        self.role = iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal(
                "scheduler.amazonaws.com",
                conditions={
                    "StringEquals": {
                        "aws:SourceAccount": stack.account,
                        "aws:SourceArn": group.attr_arn,
                    }
                },
            ),
        )
        self.role.add_to_policy(
            iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=[due.function_arn])
        )

    def allow(self, function: PythonFunction, *actions: str) -> None:
        """Lets the function do this to any schedule of the group."""
        function.allow(
            *[f"scheduler:{action}" for action in actions],
            on=self._schedules,
            because="Schedules are made at run time, by campaign; the group is this stack's.",
        )

    def allow_pass_role(self, function: PythonFunction) -> None:
        """Lets the function hand the role to EventBridge Scheduler."""
        function.add_to_role_policy(
            iam.PolicyStatement(
                actions=["iam:PassRole"],
                resources=[self.role.role_arn],
                conditions={"StringEquals": {"iam:PassedToService": "scheduler.amazonaws.com"}},
            )
        )
