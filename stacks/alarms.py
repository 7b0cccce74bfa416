"""Alarms on one plain metric each; their descriptions say what an operator should look at."""

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sns as sns
from aws_cdk.aws_cloudwatch_actions import SnsAction
from constructs import Construct

from stacks.config import Config


class AlarmAbove(cloudwatch.Alarm):
    """Goes off when the metric is above the limit for one period, and ends with it."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        metric: cloudwatch.Metric,
        limit: float,
        description: str,
    ) -> None:
        super().__init__(
            scope,
            id,
            metric=metric,
            threshold=limit,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            evaluation_periods=1,
            # A quiet system sends no data, and that is no reason to wake anybody.
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
            alarm_description=description,
        )
        if config.alarm_topic_arn:
            topic = sns.Topic.from_topic_arn(self, "Topic", config.alarm_topic_arn)
            self.add_alarm_action(SnsAction(topic))
