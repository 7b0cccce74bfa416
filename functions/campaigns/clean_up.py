"""Lambda: removes everything of a campaign that is to be deleted."""

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.batch import EventType
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.audience.lists import ListStore
from functions.campaigns.deletion import Deletion
from functions.campaigns.executions import Executions
from functions.campaigns.schedule import Schedules
from functions.campaigns.store import CampaignStore
from functions.campaigns.topics import Topics
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.observability import logger, tracer
from functions.shared.record_batches import work_off
from functions.shared.settings import Settings


class CleanUpSettings(Settings):
    """What there is to be removed."""

    campaigns_table: str
    lists_table: str
    schedule_group: str
    topic_arn_prefix: str


@cache
def _deletion() -> Deletion:
    settings = CleanUpSettings.from_environment()
    return Deletion(
        store=CampaignStore(clients.table(settings.campaigns_table), clock=utc_now),
        lists=ListStore(clients.table(settings.lists_table)),
        topics=Topics(clients.sns()),
        executions=Executions(clients.stepfunctions()),
        schedules=Schedules(clients.scheduler(), group=settings.schedule_group),
        topic_arn_prefix=settings.topic_arn_prefix,
    )


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """The partial batch response; what fails or runs out of time is delivered again."""
    return work_off(event, context, kind=EventType.SQS, record_handler=_record)


def _record(record: SQSRecord) -> None:
    campaign_id = record.json_body["campaign_id"]
    logger.append_keys(campaign_id=campaign_id)
    _deletion().run(campaign_id)
    logger.info("campaign deleted")
