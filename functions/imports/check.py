"""Lambda: checks a group of an import's files."""

import time
import uuid
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.parameters import SSMProvider
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.devices.platforms import Platforms
from functions.devices.registry import ApplicationOf
from functions.imports import keys
from functions.imports.bucket import Bucket, FileChangedError
from functions.imports.checking import Checker
from functions.imports.records import Group, Import, ImportState
from functions.imports.results import group_to_json
from functions.imports.store import ImportStore
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.errors import FanfareError
from functions.shared.observability import ROWS_CHECKED, count, logger, metrics, tracer
from functions.shared.settings import Settings

# The last buffers are put, and what was found is written down.
MARGIN_SECONDS = 60


class CheckSettings(Settings):
    """Where the import and its files are, and the platform applications."""

    imports_table: str
    import_bucket: str
    platform_parameter_path: str


class UploadChangedError(FanfareError):
    """A file is no more as it was when the import was started."""


@cache
def _parts() -> tuple[ImportStore, Bucket, ApplicationOf]:
    settings = CheckSettings.from_environment()
    parameters = SSMProvider(boto3_client=clients.ssm())
    return (
        ImportStore(clients.table(settings.imports_table), clock=utc_now),
        Bucket(clients.s3(), settings.import_bucket),
        Platforms(parameters, settings.platform_parameter_path).application_arn,
    )


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> None:
    """Nothing; what was found is in the bucket and the table."""
    import_id, number = event["import_id"], int(event["group"])
    logger.append_keys(import_id=import_id, group=number)
    store, bucket, application_of = _parts()
    deadline = time.monotonic() + context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS
    rows = check(
        import_id,
        number,
        store=store,
        bucket=bucket,
        application_of=application_of,
        deadline=deadline,
    )
    count(ROWS_CHECKED, rows)
    logger.info("group checked", rows=rows)


def check(
    import_id: str,
    number: int,
    *,
    store: ImportStore,
    bucket: Bucket,
    application_of: ApplicationOf,
    deadline: float,
) -> int:
    """The rows that were read. An attempt has a name of its own, under which everything of it
    lies; the first one that is through counts, and the others were harmless."""
    found = store.find(import_id)
    if found is None or found.state is not ImportState.CHECKING:
        return 0
    if number in store.attempts(import_id):
        return 0
    attempt = uuid.uuid4().hex[:12]
    group = _group(found, number)
    progress = _Progress(partial(store.note_checked, import_id, number))
    checker = Checker(
        import_id=import_id,
        group=number,
        attempt=attempt,
        slices=found.partitions,
        bucket=bucket,
        application_of=application_of,
        deadline=deadline,
        progress=progress.add,
    )
    try:
        checked = checker.check(store.uploads(import_id, group))
    except FileChangedError as error:
        raise UploadChangedError("A file was uploaded again after the import had begun.") from error
    bucket.put(keys.check(import_id, number, attempt), group_to_json(checked))
    store.claim_check(import_id, number, attempt, bytes_=progress.bytes)
    return sum(file.rows for file in checked.files)


class _Progress:
    """Bytes read so far, noted whenever they have become more."""

    def __init__(self, note: Callable[[int], None]) -> None:
        self._note = note
        self.bytes = 0

    def add(self, more: int) -> None:
        self.bytes += more
        self._note(self.bytes)


def _group(found: Import, number: int) -> Group:
    [group] = [group for group in found.groups if group.number == number]
    return group
