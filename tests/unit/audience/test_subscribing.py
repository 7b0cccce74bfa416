"""Whatever comes twice, dies or is refused on the way, the list comes out right."""

import time

import pytest

from functions.audience.lists import Claim, ListStore
from functions.audience.queue import ChunkMessage
from functions.audience.records import (
    Candidate,
    Chunk,
    ChunkKey,
    ChunkState,
    MemberStatus,
    Tally,
)
from functions.audience.subscribing import SubscribeWorker
from functions.audience.topic import Answer, Refused, Throttled, Unsettled
from functions.shared.pacing import Pace
from tests.unit.audience.conftest import CAMPAIGN, EVERYBODY, TOPIC, FakeSns, Waker, devices


def later() -> float:
    return time.monotonic() + 60


def key(number: int) -> ChunkKey:
    return ChunkKey(campaign_id=CAMPAIGN, segment=0, attempt="a1", number=number)


def listed(lists: ListStore, *chunks: list[Candidate]) -> list[ChunkMessage]:
    """An open list of one listed segment with these chunks, and the messages for them."""
    lists.open(CAMPAIGN, criteria=EVERYBODY, topic_arn=TOPIC, segments_total=1)
    lists.write_chunks(
        Chunk(key=key(number), state=ChunkState.PENDING, candidates=tuple(candidates))
        for number, candidates in enumerate(chunks)
    )
    matched = sum(map(len, chunks))
    assert lists.claim(CAMPAIGN, 0, Claim(attempt="a1", chunks=len(chunks), matched=matched))
    return [ChunkMessage(key=key(number)) for number in range(len(chunks))]


def test_every_device_of_a_batch_is_subscribed_once_and_is_a_member(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    messages = listed(lists, devices(1, 30), devices(31, 40))
    worked = worker.work(messages, deadline=later())
    assert (worked.subscribed, worked.out_of_time, worked.unsettled) == (40, (), {})
    assert sns.calls == {f"endpoint-{n}": 1 for n in range(1, 41)}
    assert lists.tally(CAMPAIGN) == Tally(subscribed=40)
    progress = lists.progress([CAMPAIGN])[CAMPAIGN]
    assert (progress.chunks_done, progress.processed, progress.complete) == (2, 40, True)


def test_devices_with_a_skip_reason_become_members_without_a_call(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    messages = listed(
        lists,
        [
            *devices(1, 2),
            *devices(3, 5, skip_reason="opted_out"),
            Candidate(device_id="d6", endpoint_arn=None, skip_reason="disabled"),
        ],
    )
    worker.work(messages, deadline=later())
    assert sns.subscribed == {"endpoint-1", "endpoint-2"}
    assert lists.tally(CAMPAIGN) == Tally(subscribed=2, skipped={"disabled": 1, "opted_out": 3})


def test_a_refused_device_is_a_failed_member_with_its_reason(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    def refuse_two(endpoint: str, _call: int) -> Answer | None:
        return Refused(reason="endpoint_gone") if endpoint in {"endpoint-2", "endpoint-3"} else None

    sns.script = refuse_two
    worker.work(listed(lists, devices(1, 5)), deadline=later())
    assert lists.tally(CAMPAIGN) == Tally(subscribed=3, failed={"endpoint_gone": 2})


def test_messages_delivered_twice_change_nothing(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    messages = listed(lists, devices(1, 30), devices(31, 40))
    worker.work(messages + messages, deadline=later())
    worker.work(messages, deadline=later())
    assert max(sns.calls.values()) == 1
    assert lists.tally(CAMPAIGN) == Tally(subscribed=40)
    progress = lists.progress([CAMPAIGN])[CAMPAIGN]
    assert (progress.chunks_done, progress.processed) == (2, 40)


def test_a_worker_that_died_before_writing_is_repeated_and_counts_once(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    messages = listed(lists, devices(1, 30))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(RuntimeError, match="killed"):
        patch.setattr(lists, "write_members", _die)
        worker.work(messages, deadline=later())
    assert lists.tally(CAMPAIGN) == Tally()
    worker.work([ChunkMessage(key=messages[0].key, begun=True)], deadline=later())
    assert lists.tally(CAMPAIGN) == Tally(subscribed=30)
    assert lists.progress([CAMPAIGN])[CAMPAIGN].chunks_done == 1
    assert sns.subscribed == {f"endpoint-{n}" for n in range(1, 31)}


def test_a_worker_that_died_before_ticking_off_is_repeated_without_a_call_to_sns(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    messages = listed(lists, devices(1, 30))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(RuntimeError, match="killed"):
        patch.setattr(lists, "tick", _die)
        worker.work(messages, deadline=later())
    assert sns.calls.total() == 30
    again = worker.work([ChunkMessage(key=messages[0].key, begun=True)], deadline=later())
    assert sns.calls.total() == 30
    assert again.subscribed == 0
    assert lists.tally(CAMPAIGN) == Tally(subscribed=30)
    assert lists.progress([CAMPAIGN])[CAMPAIGN].complete


def test_a_worker_that_died_before_waking_wakes_when_its_message_comes_again(
    lists: ListStore, worker: SubscribeWorker, waker: Waker
) -> None:
    messages = listed(lists, devices(1, 3))
    worker.work(messages, deadline=later())
    lists.store_waiter(CAMPAIGN, "token")
    assert waker.tokens == []
    worker.work(messages, deadline=later())
    assert waker.tokens == ["token"]


def test_the_last_chunk_wakes_the_workflow_and_no_chunk_before_it(
    lists: ListStore, worker: SubscribeWorker, waker: Waker
) -> None:
    first, second = listed(lists, devices(1, 3), devices(4, 6))
    lists.store_waiter(CAMPAIGN, "token")
    worker.work([first], deadline=later())
    assert waker.tokens == []
    worker.work([second], deadline=later())
    assert waker.tokens == ["token"]


def test_throttles_slow_down_and_end_in_success(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    sns.script = lambda _endpoint, call: Throttled() if call < 3 else None
    worked = worker.work(listed(lists, devices(1, 4)), deadline=later())
    assert (worked.subscribed, worked.failed, worked.throttled) == (4, 0, 8)


def test_what_sns_does_not_settle_is_left_to_the_queue_and_keeps_what_was_settled(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    def break_one(endpoint: str, _call: int) -> Answer | None:
        return Unsettled(code="InternalError") if endpoint == "endpoint-2" else None

    sns.script = break_one
    bad, good = listed(lists, devices(1, 3), devices(4, 6))
    worked = worker.work([bad, good], deadline=later())
    assert (worked.unsettled, worked.out_of_time) == ({bad.key: "InternalError"}, ())
    assert sns.calls["endpoint-2"] == 4
    assert lists.progress([CAMPAIGN])[CAMPAIGN].chunks_done == 1
    sns.script = lambda _endpoint, _call: None
    worker.work([ChunkMessage(key=bad.key, begun=True)], deadline=later())
    assert lists.tally(CAMPAIGN) == Tally(subscribed=6)
    assert (sns.calls["endpoint-1"], sns.calls["endpoint-2"]) == (1, 5)


def test_an_internal_error_now_and_then_is_repeated_at_once(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    sns.script = lambda _endpoint, call: Unsettled(code="InternalError") if call == 1 else None
    worked = worker.work(listed(lists, devices(1, 10)), deadline=later())
    assert (worked.subscribed, worked.unsettled) == (10, {})


def test_out_of_time_the_rest_is_handed_back_and_nothing_is_lost(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    messages = listed(lists, devices(1, 5), devices(6, 9))
    worked = worker.work(messages, deadline=time.monotonic() - 1)
    assert set(worked.out_of_time) == {key(0), key(1)}
    assert sns.calls.total() == 0
    worker.work(messages, deadline=later())
    assert lists.tally(CAMPAIGN) == Tally(subscribed=9)


def test_a_chunk_of_a_closed_list_is_passed_over(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    messages = listed(lists, devices(1, 5))
    lists.close(CAMPAIGN)
    worked = worker.work(messages, deadline=later())
    assert (worked.subscribed, worked.unsettled, worked.out_of_time) == (0, {}, ())
    assert sns.calls.total() == 0


def test_a_chunk_of_a_deleted_campaign_is_passed_over(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    messages = listed(lists, devices(1, 5))
    lists.delete_all(CAMPAIGN)
    assert worker.work(messages, deadline=later()).subscribed == 0
    assert sns.calls.total() == 0


def test_a_campaign_deleted_under_the_worker_keeps_no_member(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns
) -> None:
    messages = listed(lists, devices(1, 5))

    def delete_at_the_last(endpoint: str, _call: int) -> None:
        if endpoint == "endpoint-5":
            lists.close(CAMPAIGN)
            lists.delete_all(CAMPAIGN)

    sns.script = delete_at_the_last
    worker.work(messages, deadline=later())
    assert lists.members(CAMPAIGN, ["d1", "d2", "d3", "d4", "d5"]) == []
    assert lists.progress([CAMPAIGN]) == {}


def test_a_slow_duplicate_does_not_take_members_off_a_list_that_is_complete(
    lists: ListStore, worker: SubscribeWorker, sns: FakeSns, waker: Waker
) -> None:
    messages = listed(lists, devices(1, 5))
    fast = SubscribeWorker(
        lists=lists,
        subscribe=FakeSns().subscribe,
        unsubscribe=FakeSns().unsubscribe,
        pace=Pace(100_000),
        wake=waker,
        threads=2,
    )

    def overtaken(endpoint: str, _call: int) -> None:
        if endpoint == "endpoint-5":
            fast.work(messages, deadline=later())
            lists.close(CAMPAIGN)

    sns.script = overtaken
    worker.work(messages, deadline=later())
    assert lists.tally(CAMPAIGN) == Tally(subscribed=5)
    assert lists.progress([CAMPAIGN])[CAMPAIGN].chunks_done == 1


@pytest.mark.parametrize("messages", [1, 10, 128, 256])
def test_a_batch_of_any_size_is_worked_off(
    lists: ListStore, worker: SubscribeWorker, messages: int
) -> None:
    batch = listed(lists, *([device] for device in devices(1, messages)))
    assert worker.work(batch, deadline=later()).subscribed == messages
    members = lists.members(CAMPAIGN, ["d1", f"d{messages}"])
    assert {member.status for member in members} == {MemberStatus.SUBSCRIBED}
    progress = lists.progress([CAMPAIGN])[CAMPAIGN]
    assert (progress.chunks_done, progress.complete) == (messages, True)


def _die(*_: object) -> None:
    raise RuntimeError("killed")
