"""Times that are moved, removed, missed: what the record says counts, whatever schedules fire."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from functions.campaigns.due import due
from functions.campaigns.history import Action, Actor
from functions.campaigns.records import IfLate
from functions.campaigns.schema import ScheduleRequest
from functions.campaigns.states import PublishState, State
from functions.shared.clock import to_wire
from functions.shared.errors import ConflictError, InvalidInputError, NotFoundError
from tests.unit.campaigns.conftest import NOON, World
from tests.unit.campaigns.test_operations import deletion

ONE, TWO, THREE = (NOON + timedelta(hours=hours) for hours in (1, 2, 3))


def move(world: World, **body: Any) -> None:
    world.campaigns.reschedule("c1", ScheduleRequest.model_validate(body))


def fire(world: World, at: datetime) -> None:
    """The schedule for that time calls, at that time."""
    world.clock.now = at
    due("c1", to_wire(at), store=world.store, wake=world.waker, clock=world.clock)


def test_a_time_is_moved_and_the_schedule_of_the_old_one_finds_nothing_due(world: World) -> None:
    world.ready(publish_at=ONE)
    move(world, publish_at="2026-12-01T14:00:00Z")
    assert world.store.get("c1").publish_at == TWO
    fire(world, ONE)
    assert world.store.get("c1").state is State.READY
    fire(world, TWO)
    assert world.store.get("c1").state is State.PUBLISHING
    assert world.store.get("c1").publishes[0].late_by_seconds is None


def test_a_time_that_is_removed_does_not_come(world: World) -> None:
    world.ready(publish_at=ONE)
    move(world, publish_at=None)
    fire(world, ONE)
    assert (world.store.get("c1").state, world.store.get("c1").publish_at) == (State.READY, None)


def test_a_campaign_without_a_time_can_get_one(world: World) -> None:
    world.ready()
    move(world, publish_at="2026-12-01T21:00:00", time_zone="Asia/Taipei")
    assert world.schedules.due == [("c1", ONE)]
    fire(world, ONE)
    assert world.store.get("c1").state is State.PUBLISHING


def test_while_the_list_is_built_the_gate_goes_by_the_record(world: World) -> None:
    world.listed(publish_at=ONE)
    move(world, publish_at="2026-12-01T14:00:00Z")
    world.steps.mark_ready("c1")
    world.steps.await_gate("c1", "gate")
    assert world.schedules.due == [("c1", TWO)]


def test_a_time_that_comes_while_the_list_is_built_is_made_up_for_at_the_gate(world: World) -> None:
    world.listed(publish_at=TWO)
    move(world, publish_at="2026-12-01T13:00:00Z")
    fire(world, ONE)
    assert world.store.get("c1").state is State.BUILDING
    world.clock.pass_seconds(200)
    world.steps.mark_ready("c1")
    world.clock.pass_seconds(4)
    world.steps.await_gate("c1", "gate")
    campaign = world.store.get("c1")
    assert campaign.state is State.PUBLISHING
    assert campaign.publishes[0].late_by_seconds == 204
    assert world.campaigns.show("c1").publishes[0].late_by_seconds == 204


@pytest.mark.parametrize(
    ("seconds", "state", "reason"),
    [
        (60, State.PUBLISHING, None),
        (
            3_723,
            State.CANCELLED,
            "Its list was READY too late: 1 h 2 min 3 s after its publish_at.",
        ),
    ],
)
def test_whoever_wants_no_late_message_gets_none(
    world: World, seconds: int, state: State, reason: str | None
) -> None:
    world.building(publish_at=NOON, if_late=IfLate.SKIP)
    world.steps.prepare("c1", "x1")
    world.build("c1", subscribed=3)
    world.clock.pass_seconds(seconds)
    world.steps.mark_ready("c1")
    world.steps.await_gate("c1", "gate")
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.reason) == (state, reason)
    assert world.waker.tokens == ["gate"]


def test_a_list_that_was_ready_in_time_is_not_late_however_late_the_call(world: World) -> None:
    world.ready(publish_at=ONE)
    move(world, if_late="skip")
    world.clock.now = ONE + timedelta(minutes=10)
    due("c1", to_wire(ONE), store=world.store, wake=world.waker, clock=world.clock)
    assert world.store.get("c1").state is State.PUBLISHING


def test_if_late_alone_leaves_the_time_as_it_was(world: World) -> None:
    world.ready(publish_at=ONE)
    move(world, if_late="skip")
    campaign = world.store.get("c1")
    assert (campaign.publish_at, campaign.if_late) == (ONE, IfLate.SKIP)


def test_a_time_moved_between_look_and_publish_wins(world: World) -> None:
    world.ready(publish_at=ONE)
    seen = world.store.get("c1")
    move(world, publish_at="2026-12-01T15:00:00Z")
    with pytest.raises(ConflictError):
        world.store.request_publish("c1", "p1", due_at=seen.due_at)
    with pytest.raises(ConflictError):
        world.store.change_state("c1", State.CANCELLED, due_at=seen.due_at)
    assert world.store.get("c1").publishes == ()


def test_a_publish_uses_the_time_up_and_a_refused_one_gives_it_not_back(world: World) -> None:
    world.ready(publish_at=ONE)
    publish_id = world.campaigns.publish("c1").publishes[0].id
    with pytest.raises(ConflictError, match="The campaign is PUBLISHING: its time can be moved"):
        move(world, publish_at="2026-12-01T14:00:00Z")
    world.store.refuse_publish("c1", publish_id, "refused", while_=PublishState.REQUESTED)
    fire(world, ONE)
    assert world.store.get("c1").state is State.READY
    move(world, publish_at="2026-12-01T14:00:00Z")
    fire(world, TWO)
    assert len(world.store.get("c1").publishes) == 2


def test_the_schedule_is_there_before_the_record_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.ready()

    def die(*_: object, **__: object) -> None:
        raise RuntimeError("the function died")

    with monkeypatch.context() as patched:
        patched.setattr(world.store, "reschedule", die)
        with pytest.raises(RuntimeError):
            move(world, publish_at="2026-12-01T13:00:00Z")
    fire(world, ONE)
    assert world.store.get("c1").state is State.READY


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"publish_at": "2026-12-01T11:59:59Z"}, "publish_at"),
        ({"publish_at": "2027-03-02T12:00:00Z"}, "publish_at"),
        ({"publish_at": "2026-12-24T18:00:00"}, "publish_at"),
        ({"publish_at": None, "time_zone": "Europe/Berlin"}, "time_zone"),
        ({"time_zone": "Europe/Berlin"}, "time_zone"),
    ],
)
def test_a_time_that_cannot_be_is_refused_and_changes_nothing(
    world: World, body: dict[str, Any], place: str
) -> None:
    world.ready(publish_at=ONE)
    with pytest.raises(InvalidInputError) as refused:
        move(world, **body)
    assert refused.value.parts[0].place == place
    assert world.store.get("c1").publish_at == ONE
    assert world.schedules.due == [("c1", ONE)]


@pytest.mark.parametrize("body", [{}, {"if_late": "never"}, {"publish_at": 7}, {"when": "now"}])
def test_a_change_says_something_that_there_is(body: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        ScheduleRequest.model_validate(body)


def test_cancelling_and_deleting_remove_the_schedules_of_former_times(world: World) -> None:
    world.ready(publish_at=ONE)
    move(world, publish_at="2026-12-01T14:00:00Z")
    move(world, publish_at="2026-12-01T15:00:00Z")
    assert world.schedules.due == [("c1", ONE), ("c1", TWO), ("c1", THREE)]
    world.campaigns.delete("c1")
    deletion(world).run("c1")
    assert world.schedules.due == []


def test_who_moved_a_time_is_in_the_history(world: World) -> None:
    world.ready(publish_at=ONE)
    world.clock.pass_seconds(1)
    anna = Actor(who="arn:aws:iam::123456789012:user/anna")
    world.campaigns.reschedule("c1", ScheduleRequest(publish_at=None), by=anna)
    (entry,), _ = world.store.history("c1", limit=1, after=None)
    assert (entry.by, entry.action, entry.outcome) == (anna, Action.SCHEDULE, "by hand")


def test_what_is_deleted_has_no_time(world: World) -> None:
    world.ready()
    world.campaigns.delete("c1")
    with pytest.raises(NotFoundError):
        move(world, publish_at=None)


@pytest.mark.parametrize(
    ("local", "instant"),
    [
        # Clocks go forward from two to three: 02:30 does not exist, and is moved on by the hour.
        ("2027-03-28T02:30:00", "2027-03-28T01:30:00.000Z"),
        # Clocks go back from three to two: 02:30 comes twice, and the first is meant.
        ("2027-10-31T02:30:00", "2027-10-31T00:30:00.000Z"),
    ],
)
def test_a_local_time_that_is_missing_or_comes_twice_follows_one_rule(
    world: World, local: str, instant: str
) -> None:
    world.ready()
    world.clock.now = datetime.fromisoformat(local + "+00:00") - timedelta(days=30)
    move(world, publish_at=local, time_zone="Europe/Berlin")
    assert to_wire(world.store.get("c1").publish_at or NOON) == instant
