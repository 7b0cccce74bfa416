"""Lambda: takes batches of chunks from the queue and subscribes or unsubscribes their devices."""

import time
from collections import Counter
from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.audience.lists import ListStore
from functions.audience.queue import (
    ChunkMessage,
    SubscribeQueue,
    decode,
)
from functions.audience.subscribing import SubscribeWorker
from functions.audience.topic import subscribe, unsubscribe
from functions.shared import clients
from functions.shared.fair_queue import UnreadableMessageError
from functions.shared.observability import (
    DEVICES_SKIPPED,
    DEVICES_SUBSCRIBED,
    DEVICES_UNSUBSCRIBED,
    SUBSCRIBE_FAILED,
    SUBSCRIBE_THROTTLED,
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
# An outage of SNS that lasts for minutes must not use up all receives of a message.
FIRST_POSTPONE_SECONDS = 10
LONGEST_POSTPONE_SECONDS = 900


class SubscriberSettings(Settings):
    """This worker's share of the quota, and where the list is."""

    lists_table: str
    subscribe_queue_url: str
    subscribes_per_second: float
    subscribe_threads: int


@cache
def _queue() -> SubscribeQueue:
    settings = SubscriberSettings.from_environment()
    return SubscribeQueue(clients.sqs(), settings.subscribe_queue_url)


@cache
def _worker() -> SubscribeWorker:
    """One a process: the pace must not start afresh with every batch."""
    settings = SubscriberSettings.from_environment()
    sns = clients.sns_single_attempt()
    return SubscribeWorker(
        lists=ListStore(clients.table(settings.lists_table)),
        subscribe=partial(subscribe, sns),
        unsubscribe=partial(unsubscribe, sns),
        pace=Pace(settings.subscribes_per_second),
        wake=partial(wake, clients.stepfunctions()),
        threads=settings.subscribe_threads,
    )


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """The partial batch response: the messages that SQS shall deliver again."""
    return take(
        event["Records"],
        worker=_worker(),
        queue=_queue(),
        seconds_left=context.get_remaining_time_in_millis() / 1000,
    )


def take(
    records: list[dict[str, Any]],
    *,
    worker: SubscribeWorker,
    queue: SubscribeQueue,
    seconds_left: float,
) -> dict[str, Any]:
    """Works a batch off. What time did not suffice for is queued anew, so that waiting for SNS
    never counts as a failed delivery; what SNS would not settle is left to the queue's redrive.

    https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
    """
    readable: dict[str, ChunkMessage] = {}
    again: set[str] = set()
    for record in records:
        try:
            message = decode(record["body"])
        except UnreadableMessageError as error:
            logger.error("unreadable message", message_id=record["messageId"], reason=str(error))
            again.add(record["messageId"])
        else:
            redelivered = int(record["attributes"]["ApproximateReceiveCount"]) > 1
            begun = message.begun or redelivered
            readable[record["messageId"]] = ChunkMessage(key=message.key, begun=begun)
    worked = worker.work(
        list(readable.values()), deadline=time.monotonic() + seconds_left - MARGIN_SECONDS
    )
    queue.send([ChunkMessage(key=key, begun=True) for key in worked.out_of_time])
    for key, code in worked.unsettled.items():
        logger.error("chunk not settled", campaign_id=key.campaign_id, code=code)
    again |= {name for name, message in readable.items() if message.key in worked.unsettled}
    _postpone(queue, [record for record in records if record["messageId"] in again])
    for name, value in (
        (DEVICES_SUBSCRIBED, worked.subscribed),
        (DEVICES_UNSUBSCRIBED, worked.unsubscribed),
        (DEVICES_SKIPPED, worked.skipped),
        (SUBSCRIBE_FAILED, worked.failed),
        (SUBSCRIBE_THROTTLED, worked.throttled),
    ):
        count(name, value)
    campaigns = Counter(message.key.campaign_id for message in readable.values())
    for campaign_id, messages in campaigns.items():
        logger.info("messages worked off", campaign_id=campaign_id, messages=messages)
    return {"batchItemFailures": [{"itemIdentifier": each} for each in sorted(again)]}


def _postpone(queue: SubscribeQueue, records: list[dict[str, Any]]) -> None:
    for record in records:
        received = int(record["attributes"]["ApproximateReceiveCount"])
        seconds = min(FIRST_POSTPONE_SECONDS * 3 ** (received - 1), LONGEST_POSTPONE_SECONDS)
        queue.postpone([record["receiptHandle"]], seconds)
