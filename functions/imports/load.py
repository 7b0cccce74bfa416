"""Lambda: takes slices from the queue and registers their devices, at its share of the quota."""

import time
from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.parameters import SSMProvider
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.devices.endpoints import Endpoints
from functions.devices.platforms import Platforms
from functions.devices.quotas import endpoint_calls_per_second
from functions.devices.registry import Registry
from functions.devices.store import DeviceStore
from functions.imports.bucket import Bucket
from functions.imports.loading import Loaded, SliceLoader
from functions.imports.queue import SliceQueue, decode
from functions.imports.records import Import
from functions.imports.registering import Register, Registrar, Settle, as_if, order_of
from functions.imports.slices import Slices
from functions.imports.store import ImportStore
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.errors import FanfareError
from functions.shared.fair_queue import UnreadableMessageError
from functions.shared.observability import (
    ENDPOINTS_THROTTLED,
    ROWS_REJECTED,
    ROWS_STORED,
    count,
    logger,
    metrics,
    tracer,
)
from functions.shared.pacing import Pace
from functions.shared.settings import Settings
from functions.shared.task_tokens import wake

# One last call to SNS may take 13 s (clients.py), the writes after it the rest. The check at synth
# counts with the same margin: stacks/config.py.
MARGIN_SECONDS = 15
# An outage of half an hour must not use up all receives of a message: 1, 3, 9 and 15 minutes.
FIRST_POSTPONE_SECONDS = 60
LONGEST_POSTPONE_SECONDS = 900


class LoadSettings(Settings):
    """This worker's share of the quota, and where everything is."""

    imports_table: str
    import_bucket: str
    load_queue_url: str
    devices_table: str
    tokens_table: str
    platform_parameter_path: str
    aws_region: str
    endpoint_quota_per_second: float  # 0: what the Region has
    endpoint_headroom: float
    import_concurrency: int
    import_threads: int

    @property
    def calls_per_second(self) -> float:
        """One worker's share of the account's quota for calls of endpoints."""
        quota = self.endpoint_quota_per_second or endpoint_calls_per_second(self.aws_region)
        return quota * self.endpoint_headroom / self.import_concurrency


@cache
def _pace() -> Pace:
    """One a process: it must not start afresh with every message."""
    return Pace(LoadSettings.from_environment().calls_per_second)


@cache
def _queue() -> SliceQueue:
    return SliceQueue(clients.sqs(), LoadSettings.from_environment().load_queue_url)


@cache
def _loader() -> SliceLoader:
    settings = LoadSettings.from_environment()
    bucket = Bucket(clients.s3(), settings.import_bucket)
    devices = DeviceStore(
        clients.table(settings.devices_table), clients.table(settings.tokens_table)
    )
    parameters = SSMProvider(boto3_client=clients.ssm())
    registry = Registry(
        store=devices,
        endpoints=Endpoints(clients.sns_single_attempt(), _pace()),
        application_of=Platforms(parameters, settings.platform_parameter_path).application_arn,
        threads=settings.import_threads,
    )

    def settle_of(found: Import) -> Settle:
        register: Register = as_if if found.dry_run else registry.outcomes
        return Registrar(devices=devices, register=register, order=order_of(found)).settle

    return SliceLoader(
        store=ImportStore(clients.table(settings.imports_table), clock=utc_now),
        bucket=bucket,
        slices=Slices(bucket),
        settle_of=settle_of,
        devices_per_second=lambda: _pace().per_second,
        wake=partial(wake, clients.stepfunctions()),
    )


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """The partial batch response: the messages that SQS shall deliver again."""
    throttles = _pace().throttles
    answer = take(
        event["Records"],
        loader=_loader(),
        queue=_queue(),
        seconds_left=context.get_remaining_time_in_millis() / 1000,
    )
    count(ENDPOINTS_THROTTLED, _pace().throttles - throttles)
    return answer


def take(
    records: list[dict[str, Any]],
    *,
    loader: SliceLoader,
    queue: SliceQueue,
    seconds_left: float,
) -> dict[str, Any]:
    """Works messages off. What time did not suffice for is queued anew, so that waiting for SNS
    never counts as a failed delivery; what may work later is left to the queue's redrive.

    https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
    """
    deadline = time.monotonic() + seconds_left - MARGIN_SECONDS
    again = []
    for record in records:
        try:
            key = decode(record["body"])
            logger.append_keys(import_id=key.import_id, slice=key.number)
            loaded = loader.load(key, deadline=deadline)
            if loaded.out_of_time:
                queue.send([key])
        except (FanfareError, UnreadableMessageError) as error:
            logger.error("slice not loaded", reason=str(error))
            _postpone(queue, record)
            again.append(record["messageId"])
        else:
            _tell(loaded)
    return {"batchItemFailures": [{"itemIdentifier": each} for each in again]}


def _tell(loaded: Loaded) -> None:
    count(ROWS_STORED, loaded.stored)
    count(ROWS_REJECTED, loaded.rejected)
    logger.info(
        "slice worked off",
        stored=loaded.stored,
        rejected=loaded.rejected,
        out_of_time=loaded.out_of_time,
    )


def _postpone(queue: SliceQueue, record: dict[str, Any]) -> None:
    received = int(record["attributes"]["ApproximateReceiveCount"])
    seconds = min(FIRST_POSTPONE_SECONDS * 3 ** (received - 1), LONGEST_POSTPONE_SECONDS)
    queue.postpone(record["receiptHandle"], seconds)
