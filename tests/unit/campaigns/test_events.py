"""The functions that events call: the table's stream, the schedule, the probe queue."""

import json
from datetime import timedelta

import pytest
from botocore.exceptions import ClientError

from functions.campaigns.due import due
from functions.campaigns.executions import NeverStartedError
from functions.campaigns.launcher import launch
from functions.campaigns.probe import Receipt, UnreadableReceiptError, decode, encode
from functions.campaigns.states import State
from tests.unit.campaigns.conftest import NOON, World


class FakeStarts:
    """Keeps the names of what was started, or refuses for good."""

    def __init__(self, refusal: Exception | None = None) -> None:
        self.names: list[str] = []
        self.generations: list[int] = []
        self._refusal = refusal

    def start(self, _campaign_id: str, name: str, generation: int) -> None:
        if self._refusal:
            raise self._refusal
        self.names.append(name)
        self.generations.append(generation)


AT_ONE = "2026-12-01T13:00:00.000Z"


def fire(world: World, campaign_id: str = "c1", publish_at: str | None = AT_ONE) -> None:
    """The schedule for that time calls, early by our clock: Scheduler's is another."""
    due(campaign_id, publish_at, store=world.store, wake=world.waker, clock=world.clock)


DENIED = NeverStartedError("The workflow could not be started: AccessDeniedException")
BUSY = ClientError({"Error": {"Code": "ExecutionLimitExceeded"}}, "StartExecution")


def launched(world: World, executions: FakeStarts) -> None:
    launch(
        "c1",
        NOON,
        store=world.store,
        executions=executions,  # type: ignore[arg-type]
        clock=world.clock,
    )


def test_a_stored_campaign_is_started_under_a_name_of_its_own(world: World) -> None:
    world.building()
    executions = FakeStarts()
    launched(world, executions)
    launched(world, executions)
    assert executions.names == ["c1-20261201120000000", "c1-20261201120000000"]


def test_a_campaign_that_can_never_start_fails_with_the_reason(world: World) -> None:
    world.building()
    launched(world, FakeStarts(DENIED))
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.reason) == (
        State.FAILED,
        "The workflow could not be started: AccessDeniedException",
    )


def test_a_start_that_may_work_later_is_left_to_the_stream_for_half_an_hour(world: World) -> None:
    world.building()
    world.clock.pass_seconds(29 * 60)
    with pytest.raises(ClientError):
        launched(world, FakeStarts(BUSY))
    world.clock.pass_seconds(60)
    launched(world, FakeStarts(BUSY))
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.reason) == (
        State.FAILED,
        "The workflow could not be started: ExecutionLimitExceeded",
    )


def test_a_cancelled_campaign_that_cannot_start_does_not_block_the_stream(world: World) -> None:
    world.building()
    world.store.change_state("c1", State.CANCELLED, reason="cancelled")
    launched(world, FakeStarts(DENIED))
    assert world.store.get("c1").reason == "cancelled"


def test_a_due_function_that_died_before_the_wake_up_wakes_when_it_is_repeated(
    world: World,
) -> None:
    world.ready(publish_at=NOON + timedelta(hours=1))
    world.store.request_publish("c1", "p1")
    assert world.waker.tokens == []
    fire(world)
    assert world.waker.tokens == ["gate"]


def test_a_schedule_that_fires_twice_publishes_once(world: World) -> None:
    world.ready(publish_at=NOON + timedelta(hours=1))
    for _ in range(2):
        fire(world)
    campaign = world.store.get("c1")
    assert campaign.state is State.PUBLISHING
    assert len(campaign.publishes) == 1
    assert world.waker.tokens == ["gate", "gate"]


@pytest.mark.parametrize("state", [State.CANCELLED, State.FAILED])
def test_a_schedule_of_a_campaign_that_is_over_does_nothing(world: World, state: State) -> None:
    world.ready(publish_at=NOON + timedelta(hours=1))
    world.store.change_state("c1", state)
    fire(world)
    assert world.store.get("c1").publishes == ()


def test_a_schedule_of_a_deleted_campaign_does_nothing(world: World) -> None:
    world.ready(publish_at=NOON + timedelta(hours=1))
    world.store.mark_deleting("c1")
    fire(world)
    fire(world, "gone")
    found = world.store.find("c1")
    assert found is not None
    assert found.publishes == ()


def envelope(message: str) -> str:
    """As SNS wraps a message for SQS."""
    return json.dumps({"Type": "Notification", "MessageId": "m1", "Message": message})


def test_a_receipt_names_campaign_publish_and_message() -> None:
    assert decode(envelope(encode("c1", "p1"))) == Receipt(
        campaign_id="c1", publish_id="p1", message_id="m1"
    )


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no json",
        "[]",
        envelope("Hello, I am no receipt."),
        envelope('{"version": 2, "campaign_id": "c1", "publish_id": "p1"}'),
        envelope("{}"),
        json.dumps({"Message": encode("c1", "p1")}),
    ],
)
def test_anything_else_that_the_probe_hears_is_no_receipt(body: str) -> None:
    with pytest.raises(UnreadableReceiptError):
        decode(body)
