"""A refresh calls SNS for what changed, and comes out right when something dies or moves."""

import pytest

from functions.audience.dead_letter import give_up
from functions.audience.list_items import chunk_key_of, chunk_table_key, segment_record
from functions.audience.queue import ChunkMessage, decode
from functions.audience.records import ChunkKey, ListState, Member, MemberStatus, Tally
from functions.audience.topic import Answer, Refused, Unsettled, UnsubscribeAnswer
from tests.unit.audience.refreshing import CAMPAIGN, FIJI, TOPIC, RefreshWorld


@pytest.fixture
def world(aws: None) -> RefreshWorld:
    return RefreshWorld()


def put(world: RefreshWorld, *numbers: int, **more: str) -> None:
    for number in numbers:
        world.put(f"d{number}", f"endpoint-{number}", **more)


def test_an_unchanged_audience_calls_nobody_and_writes_no_member(world: RefreshWorld) -> None:
    put(world, *range(10))
    put(world, 10, OptOut="ALL")
    world.build()
    before = world.members()
    world.topic.calls.clear()
    world.refresh()
    assert world.topic.calls == {}
    assert world.members() == before
    progress = world.progress()
    assert (progress.matched, progress.chunks_total, progress.expected) == (0, 0, 11)


def test_each_change_costs_its_own_calls(world: RefreshWorld) -> None:
    put(world, *range(10))
    put(world, 10, OptOut="ALL")
    world.build()
    world.topic.calls.clear()
    put(world, 0, country="NZ")
    world.remove("d1")
    put(world, 2, OptOut="ALL")
    put(world, 3, EndpointStatus="INACTIVE")
    world.put("d4", "endpoint-4-renewed")
    put(world, 10, OptOut="NONE")
    put(world, 11)
    world.refresh()
    assert world.topic.calls == {"Unsubscribe": 5, "Subscribe": 3}
    assert world.topic.endpoints == [
        "endpoint-10",
        "endpoint-11",
        "endpoint-4-renewed",
        "endpoint-5",
        "endpoint-6",
        "endpoint-7",
        "endpoint-8",
        "endpoint-9",
    ]
    assert world.lists.tally(CAMPAIGN) == Tally(
        subscribed=8, skipped={"disabled": 1, "opted_out": 1}
    )
    progress = world.progress()
    assert (progress.matched, progress.processed, progress.expected) == (11, 11, 10)


def test_an_endpoint_that_passed_to_another_device_stays_on_the_topic(world: RefreshWorld) -> None:
    world.put("old", "endpoint")
    world.build()
    world.put("old", None)
    world.put("new", "endpoint")
    world.refresh()
    assert world.topic.endpoints == ["endpoint"]
    members = world.members()
    assert members["old"].reason == "disabled"
    assert members["new"].subscription_arn == f"{TOPIC}:2"


def test_two_devices_listed_with_one_endpoint_do_not_lose_it_when_one_of_them_leaves(
    world: RefreshWorld,
) -> None:
    # The endpoint passed on while the devices were being listed.
    world.put("old", "endpoint")
    world.put("new", "endpoint")
    world.build()
    assert world.topic.endpoints == ["endpoint"]
    world.put("old", None)
    world.refresh()
    assert world.topic.endpoints == ["endpoint"]
    new = world.members()["new"]
    assert (new.status, new.subscription_arn) == (MemberStatus.SUBSCRIBED, f"{TOPIC}:2")
    assert world.topic.subscriptions == {f"{TOPIC}:2": "endpoint"}


def test_what_sns_refused_is_tried_again(world: RefreshWorld) -> None:
    put(world, 0, 1)
    subscribe = world.topic.subscribe

    def refuse(topic_arn: str, endpoint_arn: str) -> Answer:
        if endpoint_arn == "endpoint-1":
            return Refused(reason="endpoint_gone")
        return subscribe(topic_arn, endpoint_arn)

    world.worker._subscribe = refuse
    world.build()
    assert world.lists.tally(CAMPAIGN) == Tally(subscribed=1, failed={"endpoint_gone": 1})
    world.worker._subscribe = subscribe
    world.refresh()
    assert world.lists.tally(CAMPAIGN) == Tally(subscribed=2)


def test_who_was_given_up_and_is_not_wanted_any_more_is_asked_for_and_unsubscribed(
    world: RefreshWorld,
) -> None:
    put(world, 0, 1)
    world.build()
    # SNS took it, and the answer was lost five times.
    world.lists.write_members([given_up("d1", "endpoint-1")])
    put(world, 1, country="NZ")
    world.topic.calls.clear()
    world.refresh()
    assert world.topic.endpoints == ["endpoint-0"]
    assert world.topic.calls == {"Subscribe": 1, "Unsubscribe": 1}
    assert world.lists.tally(CAMPAIGN) == Tally(subscribed=1)


def test_who_was_given_up_and_is_still_wanted_is_subscribed_and_not_asked_for(
    world: RefreshWorld,
) -> None:
    put(world, 0)
    world.build()
    world.lists.write_members([given_up("d0", "endpoint-0")])
    world.topic.calls.clear()
    world.refresh()
    assert world.topic.calls == {"Subscribe": 1}
    assert world.lists.tally(CAMPAIGN) == Tally(subscribed=1)


def given_up(device_id: str, endpoint_arn: str) -> Member:
    return Member(
        campaign_id=CAMPAIGN,
        device_id=device_id,
        status=MemberStatus.FAILED,
        endpoint_arn=endpoint_arn,
        reason="given_up",
    )


def test_after_a_refresh_that_failed_the_next_one_makes_it_good(world: RefreshWorld) -> None:
    put(world, *range(8))
    world.build()
    put(world, *range(6), country="NZ")
    world.refresh_and_fail()
    assert world.progress().state is ListState.CLOSED
    # Half of them are unsubscribed by now, and all of them match again.
    put(world, *range(8))
    world.refresh()
    assert world.topic.endpoints == [f"endpoint-{number}" for number in range(8)]
    assert world.lists.tally(CAMPAIGN) == Tally(subscribed=8)


def test_a_worker_that_died_between_sns_and_the_list_is_believed_neither_way(
    world: RefreshWorld,
) -> None:
    put(world, 0, 1)
    world.build()
    put(world, 0, country="NZ")
    world.generation = 2
    world.refreshes.reopen(CAMPAIGN, generation=2, criteria=FIJI)
    world._sweep()
    world.topic.unsubscribe(f"{TOPIC}:1")  # and then nothing was written
    world.topic.unsubscribe(f"{TOPIC}:2")
    world.lists.close(CAMPAIGN)
    put(world, 0)
    world.refresh()
    assert "endpoint-0" in world.topic.endpoints
    assert world.lists.tally(CAMPAIGN) == Tally(subscribed=2)


def test_a_message_of_an_older_generation_changes_nothing(world: RefreshWorld) -> None:
    put(world, 0, 1)
    world.build()
    put(world, 0, country="NZ")
    world.generation = 2
    world.refreshes.reopen(CAMPAIGN, generation=2, criteria=FIJI)
    world._sweep()
    late = list(world.queue.waiting)
    put(world, 0)
    world.queue.waiting.clear()
    world.lists.close(CAMPAIGN)
    world.refresh()
    world.refreshes.reopen(CAMPAIGN, generation=4, criteria=FIJI)
    world.topic.calls.clear()
    world._work(late, begun=False)
    assert world.topic.calls == {}
    assert world.topic.endpoints == ["endpoint-0", "endpoint-1"]


def test_who_cannot_be_unsubscribed_keeps_the_list_from_adding_up(world: RefreshWorld) -> None:
    put(world, 0, 1)
    world.build()
    put(world, 0, OptOut="ALL")
    world.generation = 2
    world.refreshes.reopen(CAMPAIGN, generation=2, criteria=FIJI)
    world._sweep()

    def broken(_arn: str) -> UnsubscribeAnswer:
        return Unsettled(code="InternalError")

    world.worker._unsubscribe = broken
    worked = world.worker.work(world.queue.waiting, deadline=float("inf"))
    (key,) = worked.unsettled
    assert give_up(key, lists=world.lists, wake=lambda _token: True) == 0
    progress = world.progress()
    assert progress.complete
    assert world.members()["d0"].status is MemberStatus.SUBSCRIBED
    assert (progress.expected, world.lists.tally(CAMPAIGN).total) == (1, 2)


def test_reopening_and_beginning_again_change_nothing(world: RefreshWorld) -> None:
    put(world, 0)
    world.build()
    world.refreshes.reopen(CAMPAIGN, generation=2, criteria=FIJI)
    world.generation = 2
    world._sweep()
    world.refreshes.begin_listing(CAMPAIGN, generation=2, segments_total=2)
    seen = world.progress()
    assert (seen.segments_listed, seen.segments_total, seen.generation) == (1, 3, 2)
    world.refreshes.reopen(CAMPAIGN, generation=2, criteria=FIJI)
    world.refreshes.begin_listing(CAMPAIGN, generation=2, segments_total=2)
    assert world.progress() == seen


def test_a_list_that_is_deleted_is_not_reopened(world: RefreshWorld) -> None:
    put(world, 0)
    world.build()
    world.lists.delete_all(CAMPAIGN)
    world.refreshes.reopen(CAMPAIGN, generation=2, criteria=FIJI)
    assert world.lists.progress([CAMPAIGN]) == {}


def test_strays_are_unsubscribed_by_the_next_refresh_and_forgotten(world: RefreshWorld) -> None:
    put(world, 0)
    world.build()
    world.topic.subscribe(TOPIC, "endpoint-of-nobody")
    world.refreshes.note_strays(CAMPAIGN, [f"{TOPIC}:2", f"{TOPIC}:2", f"{TOPIC}:gone"])
    world.refresh()
    assert world.topic.endpoints == ["endpoint-0"]
    assert world.refreshes.strays(CAMPAIGN) == []


def test_a_stray_that_is_a_members_by_now_is_left_alone(world: RefreshWorld) -> None:
    put(world, 0)
    world.build()
    world.refreshes.note_strays(CAMPAIGN, [f"{TOPIC}:1"])
    world.refresh()
    assert world.topic.endpoints == ["endpoint-0"]


def test_a_member_whose_subscription_was_lost_is_subscribed_again(world: RefreshWorld) -> None:
    put(world, 0, 1)
    world.build()
    arn = world.members()["d0"].subscription_arn
    assert arn is not None
    world.topic.unsubscribe(arn)
    assert world.refreshes.lose(CAMPAIGN, "d0", arn)
    assert not world.refreshes.lose(CAMPAIGN, "d0", arn)
    assert not world.refreshes.lose(CAMPAIGN, "nobody", arn)
    assert world.lists.tally(CAMPAIGN) == Tally(subscribed=1, failed={"lost": 1})
    world.refresh()
    assert world.topic.endpoints == ["endpoint-0", "endpoint-1"]


def test_a_leaver_that_is_another_member_by_now_stays(world: RefreshWorld) -> None:
    put(world, 0)
    world.build()
    world.put("d0", "endpoint-renewed")
    world.generation = 2
    world.refreshes.reopen(CAMPAIGN, generation=2, criteria=FIJI)
    world._sweep()
    (message,) = world.queue.waiting
    (leaver,) = world.lists.chunks([message.key])[message.key].leavers
    world._deliver(world.queue.waiting)
    world.refreshes.begin_listing(CAMPAIGN, generation=2, segments_total=2)
    world._list()
    # The slow second copy of the message, which saw the chunk before it was ticked off.
    world.lists.remove_leaver(CAMPAIGN, leaver)
    assert world.members()["d0"].endpoint_arn == "endpoint-renewed"


def test_pages_of_members_hold_each_once_in_order(world: RefreshWorld) -> None:
    put(world, *range(7))
    world.build()
    seen: list[str] = []
    after = None
    while page := world.refreshes.page(CAMPAIGN, limit=3, after=after):
        seen += [member.device_id for member in page]
        after = page[-1].device_id
    assert seen == ["d0", "d1", "d2", "d3", "d4", "d5", "d6"]


@pytest.mark.parametrize(
    ("generation", "record"), [(1, "chunk#003#a1#00012"), (2, "chunk#r2#003#a1#00012")]
)
def test_chunks_of_two_generations_never_meet(generation: int, record: str) -> None:
    key = ChunkKey(campaign_id="c1", segment=3, attempt="a1", number=12, generation=generation)
    assert chunk_table_key(key) == {"campaign_id": "c1", "record": record}
    assert chunk_key_of(chunk_table_key(key)) == key


def test_segments_of_two_generations_never_meet() -> None:
    assert (segment_record(3), segment_record(3, 2)) == ("segment#003", "segment#r2#003")


def test_a_message_of_the_version_before_generations_is_read() -> None:
    body = (
        '{"version": 1, "begun": true, "campaign_id": "c1", "segment": 3, "attempt": "a1", '
        '"number": 12}'
    )
    key = ChunkKey(campaign_id="c1", segment=3, attempt="a1", number=12, generation=1)
    assert decode(body) == ChunkMessage(key=key, begun=True)
