"""The subscriber's handler: what SQS is told about each message of a batch."""

import json
from typing import Any

import pytest

from functions.audience.lists import Claim, ListStore
from functions.audience.queue import ChunkMessage, decode, encode
from functions.audience.records import Chunk, ChunkKey, ChunkState, Tally
from functions.audience.subscriber import take
from functions.audience.subscribing import SubscribeWorker
from functions.audience.topic import Answer, Refused, Throttled, Unsettled
from functions.shared.fair_queue import UnreadableMessageError
from functions.shared.observability import metrics
from tests.unit.audience.conftest import CAMPAIGN, EVERYBODY, TOPIC, FakeQueue, FakeSns, devices

FIVE_MINUTES = 300.0


def key(number: int) -> ChunkKey:
    return ChunkKey(campaign_id=CAMPAIGN, segment=0, attempt="a1", number=number)


def listed(lists: ListStore, chunks: int, size: int) -> None:
    lists.open(CAMPAIGN, criteria=EVERYBODY, topic_arn=TOPIC, segments_total=1)
    lists.write_chunks(
        Chunk(
            key=key(number),
            state=ChunkState.PENDING,
            candidates=tuple(devices(number * size + 1, (number + 1) * size)),
        )
        for number in range(chunks)
    )
    lists.claim(CAMPAIGN, 0, Claim(attempt="a1", chunks=chunks, matched=chunks * size))


def record(message_id: str, body: str, received: int = 1) -> dict[str, Any]:
    return {
        "messageId": message_id,
        "receiptHandle": f"handle-{message_id}",
        "body": body,
        "attributes": {"ApproximateReceiveCount": str(received)},
    }


def record_of(number: int, *, received: int = 1) -> dict[str, Any]:
    return record(f"m{number}", encode(ChunkMessage(key=key(number))), received)


def call(
    records: list[dict[str, Any]],
    worker: SubscribeWorker,
    queue: FakeQueue,
    seconds_left: float = FIVE_MINUTES,
) -> list[str]:
    answer = take(
        records,
        worker=worker,
        queue=queue,  # type: ignore[arg-type]
        seconds_left=seconds_left,
    )
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def test_a_batch_that_is_done_reports_no_failure(
    lists: ListStore, worker: SubscribeWorker, queue: FakeQueue
) -> None:
    listed(lists, chunks=3, size=4)
    assert call([record_of(0), record_of(1), record_of(2)], worker, queue) == []
    assert lists.tally(CAMPAIGN) == Tally(subscribed=12)
    assert queue.sent == []


def test_ten_thousand_records_are_one_batch(
    lists: ListStore, worker: SubscribeWorker, queue: FakeQueue, sns: FakeSns
) -> None:
    listed(lists, chunks=40, size=5)
    records = [record(f"m{n}", encode(ChunkMessage(key=key(n % 40)))) for n in range(10_000)]
    assert call(records, worker, queue) == []
    assert sns.calls.total() == 200
    assert lists.tally(CAMPAIGN) == Tally(subscribed=200)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no json",
        "[]",
        "null",
        '"text"',
        "{}",
        '{"version": 2, "campaign_id": "c", "segment": 0, "attempt": "a", "number": 0}',
        '{"version": 1, "campaign_id": "c", "segment": "x", "attempt": "a", "number": 0}',
        '{"version": 1, "campaign_id": "c", "segment": 0, "attempt": "a", "number": 0}',
    ],
)
def test_a_message_of_another_kind_is_unreadable(body: str) -> None:
    with pytest.raises(UnreadableMessageError):
        decode(body)


def test_a_poison_message_fails_alone(
    lists: ListStore, worker: SubscribeWorker, queue: FakeQueue
) -> None:
    listed(lists, chunks=1, size=4)
    assert call([record("bad", "no json"), record_of(0)], worker, queue) == ["bad"]
    assert lists.tally(CAMPAIGN) == Tally(subscribed=4)


def test_what_is_unsettled_fails_and_comes_again_soon(
    lists: ListStore, worker: SubscribeWorker, queue: FakeQueue, sns: FakeSns
) -> None:
    listed(lists, chunks=2, size=4)
    sns.script = lambda endpoint, _call: (
        Unsettled(code="InternalError") if endpoint == "endpoint-1" else None
    )
    assert call([record_of(0, received=2), record_of(1)], worker, queue) == ["m0"]
    assert queue.postponed == [("handle-m0", 30)]
    assert lists.progress([CAMPAIGN])[CAMPAIGN].chunks_done == 1


def test_what_time_did_not_suffice_for_is_queued_anew_and_is_no_failure(
    lists: ListStore, worker: SubscribeWorker, queue: FakeQueue
) -> None:
    listed(lists, chunks=2, size=4)
    assert call([record_of(0), record_of(1)], worker, queue, seconds_left=14) == []
    assert sorted(message.key.number for message in queue.sent) == [0, 1]
    assert all(message.begun for message in queue.sent)


def test_a_redelivered_chunk_subscribes_only_who_is_left(
    lists: ListStore, worker: SubscribeWorker, queue: FakeQueue, sns: FakeSns
) -> None:
    listed(lists, chunks=1, size=4)
    sns.script = lambda endpoint, _call: (
        Unsettled(code="InternalError") if endpoint == "endpoint-4" else None
    )
    assert call([record_of(0)], worker, queue) == ["m0"]
    sns.script = lambda _endpoint, _call: None
    assert call([record_of(0, received=2)], worker, queue) == []
    assert [sns.calls[f"endpoint-{n}"] for n in (1, 2, 3, 4)] == [1, 1, 1, 5]


def test_a_message_names_its_chunk_and_carries_no_device() -> None:
    body = json.loads(encode(ChunkMessage(key=key(7))))
    assert body == {
        "version": 2,
        "begun": False,
        "campaign_id": CAMPAIGN,
        "segment": 0,
        "attempt": "a1",
        "number": 7,
        "generation": 1,
    }


def test_what_a_batch_came_to_is_counted_in_metrics(
    lists: ListStore, worker: SubscribeWorker, queue: FakeQueue, sns: FakeSns
) -> None:
    def answer(endpoint: str, call: int) -> Answer | None:
        if endpoint == "endpoint-1":
            return Refused(reason="endpoint_gone")
        return Throttled() if endpoint == "endpoint-2" and call == 1 else None

    listed(lists, chunks=2, size=4)
    sns.script = answer
    metrics.clear_metrics()
    call([record_of(0), record_of(1)], worker, queue)
    written: dict[str, Any] = dict(metrics.serialize_metric_set())
    metrics.clear_metrics()
    assert {
        name: written[name]
        for name in (
            "DevicesSubscribed",
            "DevicesSkipped",
            "SubscribeFailed",
            "SubscribeThrottled",
        )
    } == {
        "DevicesSubscribed": [7.0],
        "DevicesSkipped": [0.0],
        "SubscribeFailed": [1.0],
        "SubscribeThrottled": [1.0],
    }
    (directive,) = written["_aws"]["CloudWatchMetrics"]
    assert (directive["Namespace"], directive["Dimensions"]) == ("Fanfare", [["service"]])
