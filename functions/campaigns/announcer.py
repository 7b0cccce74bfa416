"""Lambda: puts each change of a campaign's state on the event bus (DynamoDB stream).

At least once, and in the order of the changes while EventBridge answers: who is told twice knows
it by the event's id.
"""

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.batch import EventType
from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.campaigns.bus import Bus
from functions.campaigns.events import event_of
from functions.campaigns.items import CAMPAIGN
from functions.shared import clients
from functions.shared.observability import logger, tracer
from functions.shared.record_batches import work_off
from functions.shared.settings import Settings


class AnnouncerSettings(Settings):
    """Where the events go."""

    event_bus_name: str


@cache
def _bus() -> Bus:
    return Bus(clients.events(), AnnouncerSettings.from_environment().event_bus_name)


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """The partial batch response."""
    return work_off(event, context, kind=EventType.DynamoDBStreams, record_handler=_record)


def _record(record: DynamoDBRecord) -> None:
    images = record.dynamodb
    old = (images.old_image if images else None) or {}
    new = (images.new_image if images else None) or {}
    if new.get("record") != CAMPAIGN:
        return
    event = event_of(str(record.event_id), old, new)
    if event is None:
        return
    _bus().put(event)
    logger.info(
        "announced", extra={"campaign_id": new["campaign_id"], "detail_type": event.detail_type}
    )
