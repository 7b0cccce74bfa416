"""Lambda: starts the workflow of every campaign that was stored (DynamoDB stream).

The API only stores the campaign. A campaign that is stored is started, whatever happens to the
function that stored it.
"""

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.batch import EventType
from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.campaigns.executions import Executions, NeverStartedError
from functions.campaigns.items import CAMPAIGN
from functions.campaigns.states import State
from functions.campaigns.store import CampaignStore
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.observability import logger, tracer
from functions.shared.record_batches import work_off
from functions.shared.settings import Settings


class LauncherSettings(Settings):
    """Which workflow, and where the campaigns are."""

    campaigns_table: str
    state_machine_arn: str


@cache
def _parts() -> tuple[CampaignStore, Executions]:
    settings = LauncherSettings.from_environment()
    store = CampaignStore(clients.table(settings.campaigns_table), clock=utc_now)
    return store, Executions(clients.stepfunctions(), settings.state_machine_arn)


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """The partial batch response."""
    return work_off(event, context, kind=EventType.DynamoDBStreams, record_handler=_record)


def _record(record: DynamoDBRecord) -> None:
    image = record.dynamodb.new_image if record.dynamodb else None
    if not image or image["record"] != CAMPAIGN:
        return
    store, executions = _parts()
    launch(image["campaign_id"], image["created_at"], store=store, executions=executions)


def launch(
    campaign_id: str, created_at: str, *, store: CampaignStore, executions: Executions
) -> None:
    """Starts the workflow once; if Step Functions will never start it, the campaign is FAILED.

    The time is part of the execution's name, since an Idempotency-Key may give a later campaign
    the id of a deleted one.
    """
    digits = "".join(filter(str.isdigit, created_at))
    try:
        executions.start(campaign_id, name=f"{campaign_id}-{digits}")
    except NeverStartedError as error:
        logger.error("workflow not started", campaign_id=campaign_id, reason=str(error))
        store.change_state(campaign_id, State.FAILED, reason=str(error))
    else:
        logger.info("workflow started", campaign_id=campaign_id)
