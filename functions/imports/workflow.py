"""Lambda: the steps of an import's workflow that Step Functions calls by name."""

from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.imports.bucket import Bucket
from functions.imports.queue import SliceQueue
from functions.imports.steps import Steps
from functions.imports.store import ImportStore
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.observability import logger, tracer
from functions.shared.settings import Settings
from functions.shared.task_tokens import wake


class WorkflowSettings(Settings):
    """What the steps work on."""

    imports_table: str
    import_bucket: str
    load_queue_url: str


@cache
def _steps() -> Steps:
    settings = WorkflowSettings.from_environment()
    return Steps(
        store=ImportStore(clients.table(settings.imports_table), clock=utc_now),
        bucket=Bucket(clients.s3(), settings.import_bucket),
        queue=SliceQueue(clients.sqs(), settings.load_queue_url),
        wake=partial(wake, clients.stepfunctions()),
    )


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any] | None:
    """What the step named in the event answers."""
    logger.append_keys(import_id=event["import_id"], step=event["step"])
    logger.info("step begins")
    return run(_steps(), event)


def run(steps: Steps, event: dict[str, Any]) -> dict[str, Any] | None:
    """Calls the step with what the workflow hands over; KeyError for a step that there is not."""
    import_id = event["import_id"]
    match event["step"]:
        case "begin":
            return steps.begin(import_id)
        case "decide":
            return steps.decide(import_id)
        case "queue_slices":
            steps.queue_slices(import_id)
        case "await_load":
            steps.await_load(import_id, event["task_token"])
        case "finish":
            steps.finish(import_id)
        case "fail":
            steps.fail(import_id, event["error"])
        case unknown:
            raise KeyError(unknown)
    return None
