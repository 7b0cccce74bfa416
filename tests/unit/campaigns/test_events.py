"""The functions that events call: the table's stream, the schedule, the probe queue."""

import json
from datetime import timedelta

import pytest

from functions.campaigns.due import due
from functions.campaigns.executions import NeverStartedError
from functions.campaigns.launcher import launch
from functions.campaigns.probe import Receipt, UnreadableReceiptError, decode, encode
from functions.campaigns.states import State
from tests.unit.campaigns.conftest import NOON, World


class FakeStarts:
    """Keeps the names of what was started, or refuses for good."""

    def __init__(self, refusal: str | None = None) -> None:
        self.names: list[str] = []
        self._refusal = refusal

    def start(self, _campaign_id: str, name: str) -> None:
        if self._refusal:
            raise NeverStartedError(self._refusal)
        self.names.append(name)


def launched(world: World, executions: FakeStarts) -> None:
    launch(
        "c1",
        "2026-12-01T12:00:00.000Z",
        store=world.store,
        executions=executions,  # type: ignore[arg-type]
    )


def test_a_stored_campaign_is_started_under_a_name_of_its_own(world: World) -> None:
    world.building()
    executions = FakeStarts()
    launched(world, executions)
    launched(world, executions)
    assert executions.names == ["c1-20261201120000000", "c1-20261201120000000"]


def test_a_campaign_that_can_never_start_fails_with_the_reason(world: World) -> None:
    world.building()
    launched(world, FakeStarts("The workflow could not be started: AccessDeniedException"))
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.reason) == (
        State.FAILED,
        "The workflow could not be started: AccessDeniedException",
    )


def test_a_schedule_that_fires_twice_publishes_once(world: World) -> None:
    world.ready(publish_at=NOON + timedelta(hours=1))
    for _ in range(2):
        due("c1", store=world.store, wake=world.waker)
    campaign = world.store.get("c1")
    assert campaign.state is State.PUBLISHING
    assert len(campaign.publishes) == 1
    assert world.waker.tokens == ["gate"]


@pytest.mark.parametrize("state", [State.CANCELLED, State.FAILED])
def test_a_schedule_of_a_campaign_that_is_over_does_nothing(world: World, state: State) -> None:
    world.ready(publish_at=NOON + timedelta(hours=1))
    world.store.change_state("c1", state)
    due("c1", store=world.store, wake=world.waker)
    assert world.store.get("c1").publishes == ()


def test_a_schedule_of_a_deleted_campaign_does_nothing(world: World) -> None:
    world.ready(publish_at=NOON + timedelta(hours=1))
    world.store.mark_deleting("c1")
    due("c1", store=world.store, wake=world.waker)
    due("gone", store=world.store, wake=world.waker)
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
