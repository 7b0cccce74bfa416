"""Lambda: EventBridge Scheduler calls it when a campaign's publish_at has come."""

from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.campaigns.publishing import publish_when_due
from functions.campaigns.refresh_store import RefreshStore
from functions.shared import clients
from functions.shared.clock import Clock, to_wire, utc_now
from functions.shared.errors import ConflictError
from functions.shared.observability import logger, tracer
from functions.shared.settings import Settings
from functions.shared.task_tokens import Wake, wake


class DueSettings(Settings):
    """Where the campaigns are."""

    campaigns_table: str


@cache
def _parts() -> tuple[RefreshStore, Wake]:
    settings = DueSettings.from_environment()
    store = RefreshStore(clients.table(settings.campaigns_table), clock=utc_now)
    return store, partial(wake, clients.stepfunctions())


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], _context: LambdaContext) -> None:
    """Nothing; the campaign is published if it is READY, and left alone if it is not."""
    store, wake_workflow = _parts()
    campaign_id = event["campaign_id"]
    logger.append_keys(campaign_id=campaign_id)
    due(
        campaign_id,
        event.get("publish_at"),
        store=store,
        wake=wake_workflow,
        clock=utc_now,
    )


def due(
    campaign_id: str,
    publish_at: str | None,
    *,
    store: RefreshStore,
    wake: Wake,
    clock: Clock,
) -> None:
    """Publishes the campaign if it is there and READY. Called twice, it publishes once.

    `publish_at` is the time that the schedule was made for. The record decides: if its time was
    moved on meanwhile, another schedule calls for that. A schedule's own time has come, whatever
    this machine's clock says.
    """
    campaign = store.find(campaign_id)
    if campaign is None or campaign.deleting:
        logger.info("campaign is gone")
        return
    at, now = campaign.due_at, clock()
    if at is not None and at > now and to_wire(at) != publish_at:
        logger.info("its time was moved", extra={"publish_at": to_wire(at)})
        return
    try:
        publish_when_due(campaign, store=store, wake=wake, now=now)
    except ConflictError as error:
        logger.info("not due any more", extra={"detail": str(error)})
