"""What the campaigns table's stream sets off: a workflow for a new campaign or for a refresh, a
clean-up."""

from collections.abc import Mapping
from typing import Any

from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_
from aws_cdk.aws_lambda_event_sources import DynamoEventSource, SqsDlq
from constructs import Construct

from stacks.acknowledged import acknowledge
from stacks.config import Config
from stacks.function import Package, PythonFunction, part_environment
from stacks.queues import Queue, WorkQueue
from stacks.table import Table
from stacks.workflow import CampaignWorkflow

TIMEOUT = Duration.seconds(30)
# The function gives a campaign up after half of it: functions/campaigns/launcher.py.
MAX_RECORD_AGE = Duration.hours(1)


class CampaignLauncher(Construct):
    """The function that sees to what the API wrote down, and its event source."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        package: Package,
        campaigns: Table,
        workflow: CampaignWorkflow,
        clean_up_queue: WorkQueue,
    ) -> None:
        super().__init__(scope, id)
        launcher = PythonFunction(
            self,
            "Launcher",
            handler="functions.campaigns.launcher.handler",
            package=package,
            timeout=TIMEOUT,
            environment=part_environment(
                "campaigns",
                campaigns_table=campaigns.table_name,
                state_machine_arn=workflow.state_machine.state_machine_arn,
                clean_up_queue_url=clean_up_queue.queue_url,
            ),
        )
        campaigns.allow_items(launcher)
        workflow.state_machine.grant_start_execution(launcher)
        clean_up_queue.grant_send_messages(launcher)
        dead_letters = Queue(self, "LaunchDeadLetters", config=config)
        dead_letters.alarm_on_messages(
            "For an hour a campaign could not be started or cleaned up. The message says where in "
            "the table's stream it is; the Launcher's log tells which one and why."
        )
        acknowledge(dead_letters, "SQS3", "It holds the dead letters of a stream, not of a queue.")
        launcher.add_event_source(
            DynamoEventSource(
                campaigns,
                starting_position=lambda_.StartingPosition.TRIM_HORIZON,
                filters=[
                    _campaign("INSERT"),
                    _campaign("MODIFY", deleting={"BOOL": [True]}),
                    # More than once for each refresh: the execution's name is taken then.
                    _campaign("MODIFY", state={"S": ["REFRESHING"]}),
                ],
                report_batch_item_failures=True,
                bisect_batch_on_error=True,
                max_record_age=MAX_RECORD_AGE,
                on_failure=SqsDlq(dead_letters),
            )
        )


def _campaign(event: str, **more: object) -> Mapping[str, Any]:
    """The stream's records of campaigns, not of their publishes."""
    is_equal = lambda_.FilterRule.is_equal
    image = {"record": {"S": is_equal("campaign")}, **more}
    return lambda_.FilterCriteria.filter(
        {"eventName": is_equal(event), "dynamodb": {"NewImage": image}}
    )
