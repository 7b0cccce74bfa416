"""A campaign that is refreshed: its states, its workflows one after the other, its publishes."""

from dataclasses import replace
from typing import Any

import pytest

from functions.audience.criteria import parse, to_wire
from functions.audience.lists import Claim
from functions.audience.records import SWEEP, ListState, Member, MemberStatus, Tally
from functions.campaigns.due import due
from functions.campaigns.executions import generation_of
from functions.campaigns.launcher import launch
from functions.campaigns.publish_call import Accepted
from functions.campaigns.publishing import Outcome, note_receipt, send_once
from functions.campaigns.records import Campaign, Refresh
from functions.campaigns.schema import ScheduleRequest
from functions.campaigns.states import PublishState, State
from functions.campaigns.steps import ListDoesNotAddUpError
from functions.campaigns.workflow import run
from functions.shared.errors import ConflictError, NotFoundError
from tests.unit.campaigns.conftest import NOON, PROBE, World
from tests.unit.campaigns.test_events import DENIED, FakeStarts

TOPIC = "arn:aws:sns:us-east-1:123456789012:fanfare-campaign-c1"


def refreshing(world: World, *, before_publish: bool = False) -> Campaign:
    """A READY campaign for which a refresh was just asked."""
    ready(world, before_publish=before_publish)
    world.campaigns.refresh("c1")
    return world.store.get("c1")


def ready(world: World, *, before_publish: bool = False) -> None:
    campaign = world.building("other")
    refresh = Refresh.BEFORE_PUBLISH if before_publish else None
    world.store.create(replace(campaign, campaign_id="c1", refresh=refresh))
    world.steps.prepare("c1", "execution-c1")
    world.build("c1", subscribed=3)
    world.steps.mark_ready("c1")
    world.steps.await_gate("c1", "gate 1")
    world.waker.tokens.clear()


def swept(world: World, generation: int = 2, *, leaving: int = 0) -> None:
    """The workflow of a refresh, until everything is listed; so many of the 3 members leave."""
    prepared = world.steps.prepare("c1", f"execution-{generation}", generation)
    assert prepared["refresh"]
    sweep = Claim(attempt="s", chunks=0, matched=0, members=3 - leaving)
    assert world.lists.claim("c1", SWEEP, sweep, generation)
    world.lists.remove_members("c1", [f"d{number}" for number in range(leaving)])
    world.steps.refreshing.begin_listing("c1", generation, prepared["segments_total"])
    for segment in range(prepared["segments_total"]):
        assert world.lists.claim("c1", segment, Claim(attempt="a", chunks=0, matched=0), generation)


def publish(world: World, generation: int = 1) -> Outcome:
    outcome = send_once(
        "c1",
        store=world.store,
        send=lambda *_: Accepted(message_id=f"m{generation}"),
        generation=generation,
    )
    if outcome is Outcome.SENT:
        publish_id = world.store.get("c1").publish_id or ""
        note_receipt("c1", publish_id, f"m{generation}", store=world.store, wake=world.waker)
    return outcome


def test_a_refresh_of_a_ready_campaign_ends_its_workflow_and_starts_the_next(world: World) -> None:
    campaign = refreshing(world)
    assert (campaign.state, campaign.generation) == (State.REFRESHING, 2)
    assert campaign.refresh_asked_at == NOON
    assert world.waker.tokens == ["gate 1"]
    assert publish(world, generation=1) is Outcome.SUPERSEDED
    starts = FakeStarts()
    launch(
        "c1",
        campaign.created_at,
        generation=2,
        store=world.store,
        executions=starts,  # type: ignore[arg-type]
        clock=world.clock,
    )
    assert starts.names == ["c1-20261201120000000-r2"]
    assert starts.generations == [2]


def test_prepare_opens_the_list_for_the_sweep_and_calls_no_sns(world: World) -> None:
    refreshing(world)
    world.topics.topics.clear()
    event = {
        "step": "prepare",
        "campaign_id": "c1",
        "execution_arn": "x2",
        "started_with": {"generation": 2},
    }
    segment = {"campaign_id": "c1", "generation": 2, "segments_total": 2}
    expected = {
        "active": True,
        "refresh": True,
        "generation": 2,
        "segments": [{**segment, "segment": 0}, {**segment, "segment": 1}],
        "segments_total": 2,
    }
    assert run(world.steps, event) == expected
    assert run(world.steps, event) == expected
    assert world.topics.topics == {}
    progress = world.lists.progress(["c1"])["c1"]
    assert (progress.state, progress.generation) == (ListState.OPEN, 2)
    assert (progress.segments_total, progress.unfinished) == (1, False)
    assert world.store.get("c1").execution_arn == "x2"


def test_a_relative_time_counts_from_the_refresh(world: World) -> None:
    refreshing(world)
    asked = parse({"field": "EffectiveDate", "op": "in_last", "value": "P7D"})
    campaign = replace(world.store.get("c1"), criteria=asked)
    world.steps.refreshing.prepare(campaign, TOPIC, "x2")
    listed = world.lists.criteria("c1", 2)
    assert listed is not None
    assert to_wire(listed)["values"] == ["2026-11-24T12:00:00.000Z", "9999-12-31"]
    assert world.lists.criteria("c1", 1) is None


def test_the_counts_of_a_refreshed_campaign_are_those_of_its_members(world: World) -> None:
    refreshing(world)
    swept(world, leaving=1)
    world.steps.mark_ready("c1", 2)
    view = world.campaigns.show("c1")
    assert (view.state, view.generation, view.rate) == (State.READY, 2, None)
    assert (view.counts.matched, view.counts.processed, view.counts.subscribed) == (2, 2, 2)
    assert view.changes is not None
    assert (view.changes.found, view.changes.done) == (0, 0)


def test_a_refreshed_list_that_does_not_add_up_is_not_ready(world: World) -> None:
    refreshing(world)
    swept(world)
    stranger = Member(campaign_id="c1", device_id="d9", status=MemberStatus.SUBSCRIBED)
    world.lists.write_members([stranger])
    with pytest.raises(ListDoesNotAddUpError, match="3 devices matched, but the list has 4"):
        world.steps.mark_ready("c1", 2)


def test_a_published_campaign_is_refreshed_and_published_again(world: World) -> None:
    ready(world)
    world.campaigns.publish("c1")
    assert publish(world) is Outcome.SENT
    assert world.store.get("c1").state is State.PUBLISHED
    with pytest.raises(ConflictError, match="refresh the list first"):
        world.campaigns.publish("c1")
    world.clock.pass_seconds(60)
    world.campaigns.refresh("c1")
    swept(world)
    world.steps.mark_ready("c1", 2)
    world.campaigns.publish("c1")
    assert publish(world, generation=2) is Outcome.SENT
    campaign = world.store.get("c1")
    assert campaign.state is State.PUBLISHED
    assert [(each.state, each.message_id) for each in campaign.publishes] == [
        (PublishState.RECEIVED, "m1"),
        (PublishState.RECEIVED, "m2"),
    ]


def test_the_first_workflow_does_nothing_to_the_second_ones_publish(world: World) -> None:
    ready(world)
    world.campaigns.publish("c1")
    publish(world)
    world.campaigns.refresh("c1")
    swept(world)
    world.steps.mark_ready("c1", 2)
    world.campaigns.publish("c1")
    before = world.store.get("c1")
    assert publish(world, generation=1) is Outcome.SUPERSEDED
    assert world.steps.settle("c1", 1) == {"outcome": Outcome.SUPERSEDED}
    world.steps.expire("c1", 1)
    world.steps.fail("c1", {"Error": "E", "Cause": "late"}, 1)
    world.steps.mark_ready("c1", 1)
    assert world.steps.prepare("c1", "x1", 1)["active"] is False
    world.waker.tokens.clear()
    world.steps.await_gate("c1", "late gate", 1)
    world.steps.await_receipt("c1", "late receipt", 1)
    assert world.waker.tokens == ["late gate", "late receipt"]
    assert world.store.get("c1") == before


@pytest.mark.parametrize("state", [State.BUILDING, State.PUBLISHING, State.CANCELLED, State.FAILED])
def test_what_is_at_work_or_over_is_not_refreshed(world: World, state: State) -> None:
    if state is State.BUILDING:
        world.building()
    else:
        ready(world)
        world.store.change_state("c1", state)
    with pytest.raises(ConflictError, match=f"The campaign is {state}: "):
        world.campaigns.refresh("c1")
    with pytest.raises(NotFoundError):
        world.campaigns.refresh("nope")


def test_of_two_refreshes_at_once_one_wins(world: World) -> None:
    ready(world)
    seen = world.store.get("c1")
    world.store.begin_refresh(seen)
    with pytest.raises(ConflictError, match="is being brought up to date already"):
        world.store.begin_refresh(seen)
    assert world.store.get("c1").generation == 2


def test_a_refresh_that_failed_says_so_and_can_be_run_again(world: World) -> None:
    refreshing(world)
    world.steps.prepare("c1", "x2", 2)
    world.steps.fail("c1", {"Error": "States.Timeout", "Cause": ""}, 2)
    failed = world.store.get("c1")
    assert (failed.state, failed.reason) == (State.FAILED, "States.Timeout: ")
    assert world.lists.progress(["c1"])["c1"].state is ListState.CLOSED
    with pytest.raises(ConflictError, match="FAILED"):
        world.campaigns.publish("c1")
    assert world.campaigns.refresh("c1").state is State.REFRESHING
    world.steps.prepare("c1", "x3", 3)
    assert world.lists.progress(["c1"])["c1"].unfinished


def test_a_late_receipt_does_not_make_a_failed_refresh_published(world: World) -> None:
    ready(world)
    world.campaigns.publish("c1")
    publish(world)
    world.campaigns.refresh("c1")
    world.steps.fail("c1", {"Error": "E", "Cause": ""}, 2)
    publish_id = world.store.get("c1").publish_id or ""
    note_receipt("c1", publish_id, "m1", store=world.store, wake=world.waker)
    assert world.store.get("c1").state is State.FAILED


def test_a_refresh_that_cannot_be_started_fails_with_the_reason(world: World) -> None:
    campaign = refreshing(world)
    launch(
        "c1",
        campaign.created_at,
        generation=2,
        store=world.store,
        executions=FakeStarts(DENIED),  # type: ignore[arg-type]
        clock=world.clock,
    )
    failed = world.store.get("c1")
    assert (failed.state, failed.refresh_failed) == (State.FAILED, True)


def test_a_cancelled_refresh_is_stopped(world: World) -> None:
    refreshing(world)
    world.steps.prepare("c1", "x2", 2)
    assert world.campaigns.cancel("c1").state is State.CANCELLED
    assert world.executions.stopped == ["x2"]
    world.steps.mark_ready("c1", 2)
    assert world.store.get("c1").state is State.CANCELLED
    assert world.steps.prepare("c1", "x2", 2)["active"] is False


def test_a_publish_that_refreshes_before_goes_out_without_a_second_request(world: World) -> None:
    ready(world, before_publish=True)
    view = world.campaigns.publish("c1")
    assert (view.state, view.publishes[0].state) == (State.REFRESHING, PublishState.REQUESTED)
    assert world.waker.tokens == ["gate 1"]
    swept(world)
    world.steps.mark_ready("c1", 2)
    assert world.store.get("c1").state is State.PUBLISHING
    world.steps.await_gate("c1", "gate 2", 2)
    assert world.waker.tokens == ["gate 1", "gate 2"]
    assert publish(world, generation=2) is Outcome.SENT
    assert world.store.get("c1").state is State.PUBLISHED


def test_one_that_is_due_refreshes_before_too_even_if_it_reached_nobody(world: World) -> None:
    ready(world, before_publish=True)
    world.store.change_state("c1", State.REFRESHING)
    world.store.change_state("c1", State.READY, tally=Tally())
    world.campaigns.reschedule("c1", ScheduleRequest(publish_at="2026-12-01T12:00:30Z"))
    world.clock.pass_seconds(30)
    due("c1", None, store=world.store, wake=world.waker, clock=world.clock)
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.generation) == (State.REFRESHING, 2)
    assert campaign.due_at is None
    assert campaign.publishes[0].state is PublishState.REQUESTED


def test_a_publish_after_whose_refresh_nobody_is_left_is_refused(world: World) -> None:
    ready(world, before_publish=True)
    world.campaigns.publish("c1")
    swept(world, leaving=3)
    world.steps.mark_ready("c1", 2)
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.publishes[0].state) == (State.READY, PublishState.REFUSED)
    assert campaign.reason is not None
    assert campaign.reason.startswith("Nobody is subscribed")


@pytest.mark.parametrize("ending", ["cancel", "fail"])
def test_a_publish_whose_refresh_is_given_up_is_refused(world: World, ending: str) -> None:
    ready(world, before_publish=True)
    world.campaigns.publish("c1")
    if ending == "cancel":
        world.campaigns.cancel("c1")
    else:
        world.steps.fail("c1", {"Error": "E", "Cause": ""}, 2)
    (only,) = world.store.get("c1").publishes
    assert only.state is PublishState.REFUSED


def test_a_probe_that_was_lost_is_subscribed_again_by_the_refresh(world: World) -> None:
    ready(world)
    world.topics.topics[TOPIC].clear()
    world.store.lose_probe("c1")
    world.campaigns.refresh("c1")
    world.steps.prepare("c1", "x2", 2)
    assert world.topics.topics[TOPIC] == [PROBE]
    assert not world.store.get("c1").probe_lost


@pytest.mark.parametrize(
    ("event", "generation"),
    [
        ({}, 1),
        ({"started_with": {"campaign_id": "c1"}}, 1),
        ({"started_with": {"generation": 3}}, 3),
    ],
)
def test_a_workflow_of_before_there_were_refreshes_is_of_the_first_generation(
    event: dict[str, Any], generation: int
) -> None:
    assert generation_of(event) == generation
