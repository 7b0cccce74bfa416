"""The bus that campaigns' changes of state are put on, and the function that does it."""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_lambda as lambda_
from aws_cdk.aws_lambda_event_sources import DynamoEventSource, SqsDlq
from constructs import Construct

from stacks.acknowledged import acknowledge
from stacks.config import Config
from stacks.function import Package, PythonFunction, part_environment
from stacks.queues import Queue
from stacks.table import Table

TIMEOUT = Duration.seconds(30)
# A stream keeps its records for a day; what is told later is of no use.
MAX_RECORD_AGE = Duration.hours(12)


class CampaignEvents(Construct):
    """An event for every change of a campaign's state, on a bus that others may hang rules on.

    Beside the launcher it is the second and last reader that a stream's shards should have:
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
    """

    def __init__(
        self, scope: Construct, id: str, *, config: Config, package: Package, campaigns: Table
    ) -> None:
        super().__init__(scope, id)
        self.bus = events.EventBus(self, "Bus", description="Changes of campaigns' states")
        announcer = PythonFunction(
            self,
            "Announcer",
            handler="functions.campaigns.announcer.handler",
            package=package,
            timeout=TIMEOUT,
            environment=part_environment("campaigns", event_bus_name=self.bus.event_bus_name),
        )
        announcer.allow("events:PutEvents", on=self.bus.event_bus_arn)
        dead_letters = Queue(self, "AnnounceDeadLetters", config=config)
        dead_letters.alarm_on_messages(
            "For twelve hours a campaign's change could not be put on the event bus, and is not "
            "told any more. The campaign itself is not touched by it; the Announcer's log tells "
            "which and why."
        )
        acknowledge(dead_letters, "SQS3", "It holds the dead letters of a stream, not of a queue.")
        is_equal = lambda_.FilterRule.is_equal
        announcer.add_event_source(
            DynamoEventSource(
                campaigns,
                starting_position=lambda_.StartingPosition.TRIM_HORIZON,
                filters=[
                    lambda_.FilterCriteria.filter(
                        {"dynamodb": {"NewImage": {"record": {"S": is_equal("campaign")}}}}
                    )
                ],
                report_batch_item_failures=True,
                bisect_batch_on_error=True,
                max_record_age=MAX_RECORD_AGE,
                on_failure=SqsDlq(dead_letters),
            )
        )
