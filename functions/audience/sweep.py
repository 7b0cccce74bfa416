"""Lambda: finds who has to leave a list that is refreshed."""

from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.audience.device_reader import look_up
from functions.audience.lists import ListStore
from functions.audience.queue import SubscribeQueue
from functions.audience.refresh_lists import RefreshLists
from functions.audience.sweeping import Sweep
from functions.shared import clients
from functions.shared.observability import logger, tracer
from functions.shared.settings import Settings


class SweepSettings(Settings):
    """Where the devices are, and the list with its queue."""

    devices_table: str
    lists_table: str
    subscribe_queue_url: str
    chunk_size: int


@cache
def _settings() -> SweepSettings:
    return SweepSettings.from_environment()


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, int]:
    """The numbers of members that leave and of chunks made and queued."""
    settings = _settings()
    campaign_id, generation = event["campaign_id"], event["generation"]
    logger.append_keys(campaign_id=campaign_id, generation=generation)
    table = clients.table(settings.lists_table)
    swept = Sweep(
        lists=ListStore(table),
        refreshes=RefreshLists(table),
        queue=SubscribeQueue(clients.sqs(), settings.subscribe_queue_url),
        chunk_size=settings.chunk_size,
    ).run(
        campaign_id,
        generation,
        partial(look_up, clients.table(settings.devices_table)),
    )
    answer = {"leaving": swept.matched, "chunks": swept.chunks, "queued": swept.queued}
    logger.info("list swept", extra=answer)
    return answer
