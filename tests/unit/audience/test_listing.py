"""Listing a segment counts once, however often it is tried and wherever it dies."""

from collections.abc import Iterator

import pytest

from functions.audience.criteria import Criteria
from functions.audience.listing import Listed, list_segment
from functions.audience.lists import Claim, ListStore
from functions.audience.records import Candidate, ListProgress
from functions.shared.errors import ConflictError
from tests.unit.audience.conftest import CAMPAIGN, EVERYBODY, TOPIC, FakeQueue, devices


def open_list(lists: ListStore, segments_total: int = 1) -> None:
    lists.open(CAMPAIGN, criteria=EVERYBODY, topic_arn=TOPIC, segments_total=segments_total)


def list_one(
    lists: ListStore, queue: FakeQueue, found: list[Candidate], segment: int = 0
) -> Listed:
    def scan(_criteria: Criteria) -> Iterator[Candidate]:
        return iter(found)

    return list_segment(
        campaign_id=CAMPAIGN,
        segment=segment,
        scan=scan,
        lists=lists,
        queue=queue,  # type: ignore[arg-type]
        chunk_size=10,
    )


def progress(lists: ListStore) -> ListProgress:
    return lists.progress([CAMPAIGN])[CAMPAIGN]


def test_a_segment_is_cut_into_chunks_that_are_written_down_and_queued(
    lists: ListStore, queue: FakeQueue
) -> None:
    open_list(lists)
    listed = list_one(lists, queue, devices(1, 25))
    assert listed == Listed(matched=25, chunks=3, queued=3)
    chunks = lists.chunks([message.key for message in queue.sent])
    assert sorted(len(chunk.candidates) for chunk in chunks.values()) == [5, 10, 10]
    assert (progress(lists).segments_listed, progress(lists).chunks_total) == (1, 3)
    assert progress(lists).matched == 25
    assert not progress(lists).complete


def test_a_segment_without_a_match_completes_the_list(lists: ListStore, queue: FakeQueue) -> None:
    open_list(lists)
    assert list_one(lists, queue, []) == Listed(matched=0, chunks=0, queued=0)
    assert progress(lists).complete


def test_listed_again_a_segment_counts_once_and_keeps_its_first_devices(
    lists: ListStore, queue: FakeQueue
) -> None:
    open_list(lists)
    list_one(lists, queue, devices(1, 25))
    again = list_one(lists, queue, devices(1, 99))
    assert again == Listed(matched=25, chunks=3, queued=3)
    assert progress(lists).matched == 25
    assert len({message.key for message in queue.sent}) == 3


def test_an_attempt_that_died_before_its_claim_leaves_chunks_that_do_not_count(
    lists: ListStore, queue: FakeQueue
) -> None:
    open_list(lists)

    class DiesError(Exception):
        pass

    def die(*_: object) -> bool:
        raise DiesError

    with pytest.MonkeyPatch.context() as patch, pytest.raises(DiesError):
        patch.setattr(lists, "claim", die)
        list_one(lists, queue, devices(1, 40))
    assert queue.sent == []
    listed = list_one(lists, queue, devices(1, 12))
    assert listed == Listed(matched=12, chunks=2, queued=2)
    assert progress(lists).chunks_total == 2


def test_an_attempt_that_died_before_queueing_is_queued_by_the_next(
    lists: ListStore, queue: FakeQueue
) -> None:
    open_list(lists)
    broken = FakeQueue()

    def die(_messages: object) -> None:
        raise RuntimeError("killed")

    broken.send = die  # type: ignore[method-assign,assignment]
    with pytest.raises(RuntimeError, match="killed"):
        list_one(lists, broken, devices(1, 25))
    listed = list_one(lists, queue, devices(1, 99))
    assert listed == Listed(matched=25, chunks=3, queued=3)


def test_of_two_attempts_at_once_the_first_to_claim_wins_and_the_other_removes_its_chunks(
    lists: ListStore, queue: FakeQueue
) -> None:
    open_list(lists)
    slow_keys = []
    write = lists.write_chunks

    def overtaken(chunks: list[object]) -> None:
        write(chunks)  # type: ignore[arg-type]
        slow_keys.extend([chunk.key for chunk in chunks])  # type: ignore[attr-defined]
        lists.claim(CAMPAIGN, 0, Claim(attempt="fast", chunks=0, matched=0))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists, "write_chunks", overtaken)
        listed = list_one(lists, queue, devices(1, 25))
    assert listed == Listed(matched=0, chunks=0, queued=0)
    assert lists.chunks(slow_keys) == {}
    assert progress(lists).matched == 0


def test_a_closed_list_takes_no_segment(lists: ListStore, queue: FakeQueue) -> None:
    open_list(lists)
    lists.close(CAMPAIGN)
    with pytest.raises(ConflictError, match="takes no devices any more"):
        list_one(lists, queue, devices(1, 5))
    assert queue.sent == []


def test_a_list_closed_while_it_was_scanned_keeps_no_chunk(
    lists: ListStore, queue: FakeQueue
) -> None:
    open_list(lists)

    def scan(_criteria: Criteria) -> Iterator[Candidate]:
        lists.close(CAMPAIGN)
        return iter(devices(1, 5))

    with pytest.raises(ConflictError, match="closed meanwhile"):
        list_segment(
            campaign_id=CAMPAIGN,
            segment=0,
            scan=scan,
            lists=lists,
            queue=queue,  # type: ignore[arg-type]
            chunk_size=10,
        )
    assert queue.sent == []
    assert progress(lists).chunks_total == 0


def test_a_list_opened_twice_stays_as_it_is(lists: ListStore, queue: FakeQueue) -> None:
    open_list(lists)
    list_one(lists, queue, devices(1, 25))
    open_list(lists)
    assert progress(lists).matched == 25


def test_a_chunk_of_large_ids_is_cut_to_what_an_item_holds(
    lists: ListStore, queue: FakeQueue
) -> None:
    open_list(lists)
    found = [
        Candidate(device_id="裝" * 250 + f"{n:04}", endpoint_arn="a" * 200) for n in range(800)
    ]
    listed = list_segment(
        campaign_id=CAMPAIGN,
        segment=0,
        scan=lambda _criteria: iter(found),
        lists=lists,
        queue=queue,  # type: ignore[arg-type]
        chunk_size=1_000,
    )
    assert listed == Listed(matched=800, chunks=3, queued=3)
