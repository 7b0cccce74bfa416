"""Lambda: applies what SNS tells of endpoints to their devices."""

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.batch import EventType
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.devices.endpoints import Endpoints
from functions.devices.event_message import endpoint_of
from functions.devices.reconciling import reconcile
from functions.devices.store import DeviceStore
from functions.shared import clients
from functions.shared.observability import logger, tracer
from functions.shared.record_batches import work_off
from functions.shared.settings import Settings


class EndpointEventsSettings(Settings):
    """Where the devices are."""

    devices_table: str
    tokens_table: str


@cache
def _parts() -> tuple[DeviceStore, Endpoints]:
    settings = EndpointEventsSettings.from_environment()
    store = DeviceStore(clients.table(settings.devices_table), clients.table(settings.tokens_table))
    return store, Endpoints(clients.sns())


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """The partial batch response."""
    return work_off(event, context, kind=EventType.SQS, record_handler=_record)


def _record(record: SQSRecord) -> None:
    changed = reconcile(endpoint_of(record.body), *_parts())
    if changed:
        logger.info("endpoint event applied", extra={"device_ids": sorted(changed)})
