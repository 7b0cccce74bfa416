"""Lambda: the steps of the campaign workflow that Step Functions calls by name."""

from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.audience.lists import ListStore
from functions.audience.refresh_lists import RefreshLists
from functions.campaigns.executions import generation_of
from functions.campaigns.refresh_steps import RefreshSteps
from functions.campaigns.refresh_store import RefreshStore
from functions.campaigns.schedule import Schedules
from functions.campaigns.steps import Steps
from functions.campaigns.topics import Topics
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.observability import logger, metrics, tracer
from functions.shared.settings import Settings
from functions.shared.task_tokens import wake


class WorkflowSettings(Settings):
    """What the steps work on."""

    campaigns_table: str
    lists_table: str
    topic_name_prefix: str
    probe_queue_arn: str
    scan_segments: int
    schedule_group: str
    schedule_role_arn: str
    due_function_arn: str


@cache
def _steps() -> Steps:
    settings = WorkflowSettings.from_environment()
    store = RefreshStore(clients.table(settings.campaigns_table), clock=utc_now)
    topics = Topics(clients.sns())
    refreshing = RefreshSteps(
        store=store,
        refreshes=RefreshLists(clients.table(settings.lists_table)),
        topics=topics,
        clock=utc_now,
        probe_queue_arn=settings.probe_queue_arn,
        scan_segments=settings.scan_segments,
    )
    return Steps(
        store=store,
        lists=ListStore(clients.table(settings.lists_table)),
        refreshing=refreshing,
        topics=topics,
        schedules=Schedules(
            clients.scheduler(),
            group=settings.schedule_group,
            role_arn=settings.schedule_role_arn,
            function_arn=settings.due_function_arn,
        ),
        wake=partial(wake, clients.stepfunctions()),
        clock=utc_now,
        topic_name_prefix=settings.topic_name_prefix,
        probe_queue_arn=settings.probe_queue_arn,
        scan_segments=settings.scan_segments,
    )


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any] | None:
    """What the step named in the event answers."""
    campaign_id = event["campaign_id"]
    logger.append_keys(campaign_id=campaign_id, step=event["step"])
    logger.info("step begins")
    return run(_steps(), event)


def run(steps: Steps, event: dict[str, Any]) -> dict[str, Any] | None:
    """Calls the step with what the workflow hands over; KeyError for a step that there is not."""
    campaign_id, generation = event["campaign_id"], generation_of(event)
    match event["step"]:
        case "prepare":
            return steps.prepare(campaign_id, event["execution_arn"], generation)
        case "begin_listing":
            steps.refreshing.begin_listing(campaign_id, generation, event["segments_total"])
        case "await_list":
            steps.await_list(campaign_id, event["task_token"])
        case "mark_ready":
            steps.mark_ready(campaign_id, generation)
        case "await_gate":
            steps.await_gate(campaign_id, event["task_token"], generation)
        case "expire":
            steps.expire(campaign_id, generation)
        case "await_receipt":
            steps.await_receipt(campaign_id, event["task_token"], generation)
        case "settle":
            return steps.settle(campaign_id, generation)
        case "fail":
            steps.fail(campaign_id, event["error"], generation)
        case unknown:
            raise KeyError(unknown)
    return None
