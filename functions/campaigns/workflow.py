"""Lambda: the steps of the campaign workflow that Step Functions calls by name."""

from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.audience.lists import ListStore
from functions.campaigns.schedule import Schedules
from functions.campaigns.steps import Steps
from functions.campaigns.store import CampaignStore
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
    return Steps(
        store=CampaignStore(clients.table(settings.campaigns_table), clock=utc_now),
        lists=ListStore(clients.table(settings.lists_table)),
        topics=Topics(clients.sns()),
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
    campaign_id = event["campaign_id"]
    match event["step"]:
        case "prepare":
            return steps.prepare(campaign_id, event["execution_arn"])
        case "await_list":
            steps.await_list(campaign_id, event["task_token"])
        case "mark_ready":
            steps.mark_ready(campaign_id)
        case "await_gate":
            steps.await_gate(campaign_id, event["task_token"])
        case "expire":
            steps.expire(campaign_id)
        case "await_receipt":
            steps.await_receipt(campaign_id, event["task_token"])
        case "settle":
            return steps.settle(campaign_id)
        case "fail":
            steps.fail(campaign_id, event["error"])
        case unknown:
            raise KeyError(unknown)
    return None
