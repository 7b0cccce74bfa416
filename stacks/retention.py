"""What outlives what: log lines by the days of the config, data by its removal policy."""

from typing import cast

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct

from stacks.config import Config


class RetainedLogs(logs.LogGroup):
    """A log group that keeps its lines for as many days as the config says."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id, removal_policy=removal_policy(config))
        # The L2's own property is an enum of names; the config has CloudWatch's number of days.
        cast(
            logs.CfnLogGroup, self.node.default_child
        ).retention_in_days = config.log_retention_days


def removal_policy(config: Config) -> RemovalPolicy:
    """What becomes of that which holds data when its stack is deleted."""
    return RemovalPolicy.RETAIN if config.retain else RemovalPolicy.DESTROY
