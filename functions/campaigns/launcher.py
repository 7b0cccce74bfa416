"""Lambda: sees to what the API wrote down (DynamoDB stream): start a campaign, refresh one, clean
one up.

The API only writes to the campaign's record. What is written is done, whatever happens to the
function that wrote it.
"""

from datetime import datetime, timedelta
from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.batch import EventType
from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.exceptions import BotoCoreError, ClientError

from functions.campaigns.deletion import CleanUpQueue
from functions.campaigns.executions import Executions, NeverStartedError
from functions.campaigns.items import CAMPAIGN
from functions.campaigns.refresh_steps import drop_waiting_publish
from functions.campaigns.refresh_store import RefreshStore
from functions.campaigns.states import State
from functions.shared import clients
from functions.shared.aws_errors import code_of
from functions.shared.clock import Clock, from_wire, to_wire, utc_now
from functions.shared.errors import ConflictError, NotFoundError
from functions.shared.observability import logger, tracer
from functions.shared.record_batches import work_off
from functions.shared.settings import Settings

# Step Functions not answering for so long is no passing fault; the stream keeps a record of a
# campaign for an hour (stacks/launcher.py).
GIVE_UP_AFTER = timedelta(minutes=30)


class LauncherSettings(Settings):
    """Which workflow, where the campaigns are, and where those to be deleted go."""

    campaigns_table: str
    state_machine_arn: str
    clean_up_queue_url: str


@cache
def _parts() -> tuple[RefreshStore, Executions, CleanUpQueue]:
    settings = LauncherSettings.from_environment()
    return (
        RefreshStore(clients.table(settings.campaigns_table), clock=utc_now),
        Executions(clients.stepfunctions(), settings.state_machine_arn),
        CleanUpQueue(clients.sqs(), settings.clean_up_queue_url),
    )


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """The partial batch response."""
    return work_off(event, context, kind=EventType.DynamoDBStreams, record_handler=_record)


def _record(record: DynamoDBRecord) -> None:
    image = record.dynamodb.new_image if record.dynamodb else None
    if not image or image["record"] != CAMPAIGN:
        return
    store, executions, clean_up = _parts()
    campaign_id = image["campaign_id"]
    logger.append_keys(campaign_id=campaign_id)
    if image.get("deleting"):
        clean_up.send(campaign_id)
        return
    asked_at = image.get("refresh_asked_at")
    launch(
        campaign_id,
        from_wire(image["created_at"]),
        generation=int(image.get("generation", 1)),
        asked_at=None if asked_at is None else from_wire(asked_at),
        store=store,
        executions=executions,
        clock=utc_now,
    )


def launch(
    campaign_id: str,
    created_at: datetime,
    *,
    generation: int = 1,
    asked_at: datetime | None = None,
    store: RefreshStore,
    executions: Executions,
    clock: Clock,
) -> None:
    """Starts the workflow of this generation once; if it cannot be started, the campaign is FAILED
    with the reason. `asked_at` is when a refresh was asked for.

    The time is part of the execution's name, since an Idempotency-Key may give a later campaign
    the id of a deleted one. A fault that may pass is raised, for the stream to repeat.
    """
    digits = "".join(filter(str.isdigit, to_wire(created_at)))
    name = f"{campaign_id}-{digits}" + (f"-r{generation}" if generation > 1 else "")
    try:
        executions.start(campaign_id, name=name, generation=generation)
    except NeverStartedError as error:
        _give_up(campaign_id, str(error), generation, store)
    except (ClientError, BotoCoreError) as error:
        if clock() - (asked_at or created_at) < GIVE_UP_AFTER:
            raise
        code = code_of(error) if isinstance(error, ClientError) else type(error).__name__
        _give_up(campaign_id, f"The workflow could not be started: {code}", generation, store)
    else:
        logger.info("workflow started")


def _give_up(campaign_id: str, reason: str, generation: int, store: RefreshStore) -> None:
    logger.error("workflow not started", reason=reason)
    try:
        if generation > 1:
            store.end_refresh(campaign_id, State.FAILED, generation=generation, reason=reason)
            drop_waiting_publish(store.get(campaign_id), reason, store=store)
            return
        store.change_state(campaign_id, State.FAILED, reason=reason)
    except (ConflictError, NotFoundError) as over:
        logger.info("nothing to fail", extra={"detail": str(over)})
