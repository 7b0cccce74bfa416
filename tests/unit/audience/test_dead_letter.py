"""A chunk that the queue gave up is counted, so that its campaign never waits for it."""

import pytest

from functions.audience.dead_letter import give_up
from functions.audience.lists import Claim, ListStore
from functions.audience.records import (
    Candidate,
    Chunk,
    ChunkKey,
    ChunkState,
    Member,
    MemberStatus,
    Tally,
)
from tests.unit.audience.conftest import CAMPAIGN, EVERYBODY, TOPIC, Waker, devices

KEY = ChunkKey(campaign_id=CAMPAIGN, segment=0, attempt="a1", number=0)


def listed(lists: ListStore, candidates: list[Candidate]) -> None:
    lists.open(CAMPAIGN, criteria=EVERYBODY, topic_arn=TOPIC, segments_total=1)
    chunk = Chunk(key=KEY, state=ChunkState.PENDING, candidates=tuple(candidates))
    lists.write_chunks([chunk])
    lists.claim(CAMPAIGN, 0, Claim(attempt="a1", chunks=1, matched=len(candidates)))


def test_devices_without_a_result_are_failed_and_the_others_stay(
    lists: ListStore, waker: Waker
) -> None:
    listed(lists, [*devices(1, 4), *devices(5, 6, skip_reason="opted_out")])
    done = Member(campaign_id=CAMPAIGN, device_id="d1", status=MemberStatus.SUBSCRIBED)
    lists.write_members([done])
    lists.store_waiter(CAMPAIGN, "token")
    assert give_up(KEY, lists=lists, wake=waker) == 3
    assert lists.tally(CAMPAIGN) == Tally(
        subscribed=1, skipped={"opted_out": 2}, failed={"given_up": 3}
    )
    assert lists.progress([CAMPAIGN])[CAMPAIGN].complete
    assert waker.tokens == ["token"]


def test_given_up_twice_it_counts_once_and_wakes_again(lists: ListStore, waker: Waker) -> None:
    listed(lists, devices(1, 4))
    lists.store_waiter(CAMPAIGN, "token")
    assert give_up(KEY, lists=lists, wake=waker) == 4
    assert give_up(KEY, lists=lists, wake=waker) == 0
    assert lists.tally(CAMPAIGN) == Tally(failed={"given_up": 4})
    assert lists.progress([CAMPAIGN])[CAMPAIGN].chunks_done == 1
    assert waker.tokens == ["token", "token"]


def test_a_chunk_of_a_campaign_that_is_gone_or_over_is_dropped(
    lists: ListStore, waker: Waker
) -> None:
    assert give_up(KEY, lists=lists, wake=waker) == 0
    listed(lists, devices(1, 4))
    lists.close(CAMPAIGN)
    assert give_up(KEY, lists=lists, wake=waker) == 0
    assert lists.tally(CAMPAIGN) == Tally()


def test_a_device_that_another_copy_of_the_message_settles_meanwhile_stays_settled(
    lists: ListStore, waker: Waker
) -> None:
    listed(lists, devices(1, 3))
    members = lists.members

    def overtaken(campaign_id: str, device_ids: list[str]) -> list[Member]:
        seen = members(campaign_id, device_ids)
        done = Member(campaign_id=CAMPAIGN, device_id="d2", status=MemberStatus.SUBSCRIBED)
        lists.write_members([done])
        return seen

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists, "members", overtaken)
        assert give_up(KEY, lists=lists, wake=waker) == 2
    assert lists.tally(CAMPAIGN) == Tally(subscribed=1, failed={"given_up": 2})


def test_a_campaign_deleted_under_the_giving_up_keeps_no_member(
    lists: ListStore, waker: Waker
) -> None:
    listed(lists, devices(1, 3))
    members = lists.members

    def deleted_meanwhile(campaign_id: str, device_ids: list[str]) -> list[Member]:
        seen = members(campaign_id, device_ids)
        lists.close(CAMPAIGN)
        lists.delete_all(CAMPAIGN)
        return seen

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists, "members", deleted_meanwhile)
        give_up(KEY, lists=lists, wake=waker)
    assert lists.members(CAMPAIGN, ["d1", "d2", "d3"]) == []
