"""Lambda: turns what the probe queue hears into receipts."""

from functools import cache, partial
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import EventType
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.campaigns.probe import decode
from functions.campaigns.publishing import note_receipt
from functions.campaigns.store import CampaignStore
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.observability import PUBLISH_TO_RECEIPT_MS, logger, metrics, tracer
from functions.shared.record_batches import work_off
from functions.shared.settings import Settings
from functions.shared.task_tokens import Wake, wake


class ReceiptSettings(Settings):
    """Where the campaigns are."""

    campaigns_table: str


@cache
def _parts() -> tuple[CampaignStore, Wake]:
    settings = ReceiptSettings.from_environment()
    store = CampaignStore(clients.table(settings.campaigns_table), clock=utc_now)
    return store, partial(wake, clients.stepfunctions())


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """The partial batch response."""
    return work_off(event, context, kind=EventType.SQS, record_handler=_record)


def _record(record: SQSRecord) -> None:
    store, wake_workflow = _parts()
    receipt = decode(record.body)
    logger.append_keys(campaign_id=receipt.campaign_id)
    milliseconds = note_receipt(
        receipt.campaign_id,
        receipt.publish_id,
        receipt.message_id,
        store=store,
        wake=wake_workflow,
    )
    logger.info("receipt", message_id=receipt.message_id)
    if milliseconds is not None:
        metrics.add_metric(
            name=PUBLISH_TO_RECEIPT_MS, unit=MetricUnit.Milliseconds, value=milliseconds
        )
