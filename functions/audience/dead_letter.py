"""Lambda: gives up chunks that the queue has given up, so that no campaign waits for them."""

from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.batch import EventType
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.audience.lists import ListStore, Tick
from functions.audience.progress import settle, wake_if_complete
from functions.audience.queue import decode
from functions.audience.records import (
    FAILED_GIVEN_UP,
    Candidate,
    ChunkKey,
    ChunkState,
    ListState,
    Member,
    MemberStatus,
)
from functions.shared import clients
from functions.shared.observability import SUBSCRIBE_FAILED, count, logger, metrics, tracer
from functions.shared.record_batches import work_off
from functions.shared.settings import Settings
from functions.shared.task_tokens import Wake, wake


class DeadLetterSettings(Settings):
    """Where the list is."""

    lists_table: str


@cache
def _parts() -> tuple[ListStore, Wake]:
    settings = DeadLetterSettings.from_environment()
    lists = ListStore(clients.table(settings.lists_table))
    return lists, partial(wake, clients.stepfunctions())


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """The partial batch response; a message that names no chunk fails, and ends up parked."""
    return work_off(event, context, kind=EventType.SQS, record_handler=_record)


def _record(record: SQSRecord) -> None:
    lists, wake_workflow = _parts()
    key = decode(record.body).key
    logger.append_keys(campaign_id=key.campaign_id)
    given_up = give_up(key, lists=lists, wake=wake_workflow)
    count(SUBSCRIBE_FAILED, given_up)
    logger.error("chunk given up", devices=given_up)


def give_up(key: ChunkKey, *, lists: ListStore, wake: Wake) -> int:
    """How many devices of the chunk had no result and now are failed members; idempotent.

    Who could not leave stays a member, as it is: the list does not add up then, and says so.
    """
    progress = lists.progress([key.campaign_id]).get(key.campaign_id)
    chunk = lists.chunks([key]).get(key)
    if progress is None or progress.state is not ListState.OPEN or chunk is None:
        return 0
    if progress.generation != key.generation:
        return 0
    given_up: list[Member] = []
    if chunk.state is ChunkState.PENDING:
        ids = [candidate.device_id for candidate in chunk.candidates]
        settled = {member.device_id for member in lists.members(key.campaign_id, ids)}
        left = [each for each in chunk.candidates if each.device_id not in settled]
        for candidate in left:
            # One by one: a second copy of the message may be at work on the same devices.
            member = _given_up(key.campaign_id, candidate)
            if lists.add_member(member):
                given_up.append(member)
        tick = Tick(key=key, state=ChunkState.DEAD, devices=chunk.devices)
        settle(lists, key.campaign_id, [tick], [], written_before=given_up)
    wake_if_complete(lists, [key.campaign_id], wake)
    return sum(member.status is MemberStatus.FAILED for member in given_up)


def _given_up(campaign_id: str, candidate: Candidate) -> Member:
    skipped = candidate.skip_reason is not None
    return Member(
        campaign_id=campaign_id,
        device_id=candidate.device_id,
        status=MemberStatus.SKIPPED if skipped else MemberStatus.FAILED,
        endpoint_arn=candidate.endpoint_arn,
        reason=candidate.skip_reason or FAILED_GIVEN_UP,
    )
