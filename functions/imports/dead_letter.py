"""Lambda: gives up slices that the queue has given up, so that no import waits for them."""

import math
from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.batch import EventType
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.imports.bucket import Bucket
from functions.imports.loading import SliceLoader
from functions.imports.queue import decode
from functions.imports.registering import give_up
from functions.imports.slices import Slices
from functions.imports.store import ImportStore
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.observability import ROWS_REJECTED, count, logger, metrics, tracer
from functions.shared.record_batches import work_off
from functions.shared.settings import Settings
from functions.shared.task_tokens import wake


class DeadLetterSettings(Settings):
    """Where the import is."""

    imports_table: str
    import_bucket: str


# Nothing is called but DynamoDB and S3, so that a step may be as large as it can.
_DEVICES_PER_SECOND = 100.0


@cache
def _loader() -> SliceLoader:
    settings = DeadLetterSettings.from_environment()
    bucket = Bucket(clients.s3(), settings.import_bucket)
    return SliceLoader(
        store=ImportStore(clients.table(settings.imports_table), clock=utc_now),
        bucket=bucket,
        slices=Slices(bucket),
        settle_of=lambda _import: give_up,
        devices_per_second=lambda: _DEVICES_PER_SECOND,
        wake=partial(wake, clients.stepfunctions()),
    )


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """The partial batch response; a message that names no slice fails, and ends up parked."""
    return work_off(event, context, kind=EventType.SQS, record_handler=_record)


def _record(record: SQSRecord) -> None:
    key = decode(record.body)
    logger.append_keys(import_id=key.import_id, slice=key.number)
    given_up = _loader().load(key, deadline=math.inf)
    count(ROWS_REJECTED, given_up.rejected)
    logger.error("slice given up", rows=given_up.rejected)
