"""Lambda: lists one segment of the devices table for a campaign."""

from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.audience.devices import scan_segment
from functions.audience.listing import list_segment
from functions.audience.lists import ListStore
from functions.audience.queue import SubscribeQueue
from functions.shared import clients
from functions.shared.observability import logger, tracer
from functions.shared.settings import Settings


class ListSegmentSettings(Settings):
    """Where the devices are and where the list goes."""

    devices_table: str
    lists_table: str
    subscribe_queue_url: str
    chunk_size: int


@cache
def _settings() -> ListSegmentSettings:
    return ListSegmentSettings.from_environment()


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, int]:
    """The numbers of devices matched and of chunks made and queued."""
    settings = _settings()
    campaign_id, segment = event["campaign_id"], event["segment"]
    generation = event.get("generation", 1)
    logger.append_keys(campaign_id=campaign_id, segment=segment, generation=generation)
    listed = list_segment(
        campaign_id=campaign_id,
        segment=segment,
        generation=generation,
        scan=partial(
            scan_segment,
            clients.table(settings.devices_table),
            segment=segment,
            segments_total=event["segments_total"],
        ),
        lists=ListStore(clients.table(settings.lists_table)),
        queue=SubscribeQueue(clients.sqs(), settings.subscribe_queue_url),
        chunk_size=settings.chunk_size,
    )
    answer = {"matched": listed.matched, "chunks": listed.chunks, "queued": listed.queued}
    logger.info("segment listed", extra=answer)
    return answer
