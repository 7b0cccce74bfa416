"""The life of a campaign, driven by random operations: what must hold, holds after each of them."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from moto import mock_aws

from functions.audience.lists import ListStore
from functions.audience.refresh_lists import RefreshLists
from functions.campaigns.due import due
from functions.campaigns.events import event_of
from functions.campaigns.history import Action
from functions.campaigns.publishing import note_receipt
from functions.campaigns.records import IfLate
from functions.campaigns.refresh_store import RefreshStore
from functions.campaigns.schema import ScheduleRequest
from functions.campaigns.states import ALLOWED, PublishState, State
from functions.shared.clock import to_wire
from functions.shared.errors import FanfareError
from tests.unit.campaigns.conftest import Time, World
from tests.unit.tables import make_campaigns_table, make_lists_table

KEY = {"campaign_id": "c1", "record": "campaign"}
STATE_OF = {
    Action.CREATE: State.BUILDING,
    Action.READY: State.READY,
    Action.REFUSED: State.READY,
    Action.PUBLISH: State.PUBLISHING,
    Action.PUBLISHED: State.PUBLISHED,
    Action.CANCEL: State.CANCELLED,
    Action.FAIL: State.FAILED,
}


class Life(RuleBasedStateMachine):
    """One campaign, and whatever may be done to it in any order."""

    @initialize(
        minutes=st.none() | st.integers(1, 30),
        if_late=st.sampled_from(IfLate),
        subscribed=st.sampled_from([0, 3]),
    )
    def create(self, minutes: int | None, if_late: IfLate, subscribed: int) -> None:
        self.aws = mock_aws()
        self.aws.start()
        clock, lists_table = Time(), make_lists_table()
        self.world = World(
            store=RefreshStore(make_campaigns_table(), clock=clock),
            lists=ListStore(lists_table),
            refreshes=RefreshLists(lists_table),
            clock=clock,
        )
        at = None if minutes is None else clock() + timedelta(minutes=minutes)
        self.subscribed, self.gates = subscribed, 0
        self.states: list[State] = []
        self.events: list[str] = []
        self.senders: dict[str, int] = {}
        self.image: dict[str, Any] = {}
        self.world.building(publish_at=at, if_late=if_late)
        self.look()

    def teardown(self) -> None:
        if hasattr(self, "aws"):
            self.aws.stop()

    def look(self) -> None:
        """What the table's stream would tell, and whether that is an allowed change."""
        item = self.world.store._table.get_item(Key=KEY, ConsistentRead=True).get("Item", {})
        if item and item["state"] != self.image.get("state"):
            self.states.append(State(str(item["state"])))
        event = event_of("e", self.image, item)
        if event is not None:
            self.events.append(event.detail_type)
        self.image = item

    def attempt(self, operation: Callable[[], object]) -> None:
        """Does it; nothing but an expected failure may come of it."""
        self.world.clock.pass_seconds(1)
        with suppress(FanfareError):
            operation()
        self.look()

    @rule(minutes=st.integers(1, 20))
    def time_passes(self, minutes: int) -> None:
        self.world.clock.pass_seconds(60 * minutes)

    @rule()
    def prepare(self) -> None:
        self.attempt(lambda: self.world.steps.prepare("c1", "x1"))

    @rule()
    def build_and_mark_ready(self) -> None:
        def build() -> None:
            if self.image.get("state") == State.BUILDING and "topic_arn" in self.image:
                self.world.build("c1", subscribed=self.subscribed)
                self.world.steps.mark_ready("c1")

        self.attempt(build)

    @rule()
    def reach_the_gate(self) -> None:
        self.gates += 1
        self.attempt(lambda: self.world.steps.await_gate("c1", f"gate {self.gates}"))

    @rule(key=st.none() | st.sampled_from(["k1", "k2"]))
    def publish(self, key: str | None) -> None:
        self.attempt(lambda: self.world.campaigns.publish("c1", key=key))

    @rule(answer=st.sampled_from(["accepted", "refused", "lost"]))
    def send(self, answer: str) -> None:
        def call() -> None:
            publish_id = self.image.get("publish_id")
            if publish_id is None or self.image["state"] != State.PUBLISHING:
                return
            if not self.world.store.begin_sending("c1", publish_id):
                return
            self.senders[publish_id] = self.senders.get(publish_id, 0) + 1
            if answer == "accepted":
                self.world.store.note_sent("c1", publish_id, "m1")
            if answer == "refused":
                self.world.store.refuse_publish(
                    "c1", publish_id, "refused", while_=PublishState.SENDING
                )

        self.attempt(call)

    @rule()
    def receipt(self) -> None:
        """The probe hears whatever SNS was called for."""
        for publish_id in self.senders:
            self.attempt(
                lambda publish_id=publish_id: note_receipt(  # type: ignore[misc]
                    "c1", publish_id, "m1", store=self.world.store, wake=self.world.waker
                )
            )

    @rule()
    def settle(self) -> None:
        self.attempt(lambda: self.world.steps.settle("c1"))

    @rule(minutes=st.none() | st.integers(1, 30), if_late=st.none() | st.sampled_from(IfLate))
    def move(self, minutes: int | None, if_late: IfLate | None) -> None:
        at = None if minutes is None else self.world.clock() + timedelta(minutes=minutes)
        wire = None if at is None else to_wire(at)
        request = ScheduleRequest(publish_at=wire, if_late=if_late)
        self.attempt(lambda: self.world.campaigns.reschedule("c1", request))

    @rule()
    def schedules_fire(self) -> None:
        for campaign_id, at in list(self.world.schedules.due):
            if at <= self.world.clock():
                self.world.schedules.remove(campaign_id, at)
                self.attempt(
                    lambda at=at: due(  # type: ignore[misc]
                        "c1",
                        to_wire(at),
                        store=self.world.store,
                        wake=self.world.waker,
                        clock=self.world.clock,
                    )
                )

    @rule()
    def cancel(self) -> None:
        self.attempt(lambda: self.world.campaigns.cancel("c1"))

    @rule()
    def expire(self) -> None:
        self.attempt(lambda: self.world.steps.expire("c1"))

    @rule()
    def fail(self) -> None:
        self.attempt(lambda: self.world.steps.fail("c1", {"Error": "E", "Cause": "it broke"}))

    @rule()
    def delete(self) -> None:
        self.attempt(lambda: self.world.campaigns.delete("c1"))

    @invariant()
    def only_allowed_changes_happen(self) -> None:
        if hasattr(self, "states"):
            for before, after in zip(self.states, self.states[1:], strict=False):
                assert after in ALLOWED[before]

    @invariant()
    def history_and_events_agree_with_the_states(self) -> None:
        if not hasattr(self, "states"):
            return
        entries, _ = self.world.store.history("c1", limit=1_000, after=None)
        told = [STATE_OF[each.action] for each in reversed(entries) if each.action in STATE_OF]
        assert told == self.states
        named = [name for name in self.events if name != "CampaignDeleted"]
        seen = ["Campaign" + ("CREATED" if s is State.BUILDING else s).title() for s in self.states]
        assert named == seen[: len(named)]
        if "CampaignDeleted" not in self.events:
            assert named == seen
        else:
            assert self.events[-1] == "CampaignDeleted"

    @invariant()
    def a_publish_has_one_sender_at_most(self) -> None:
        assert all(count == 1 for count in getattr(self, "senders", {}).values())

    @invariant()
    def a_time_that_counts_has_a_schedule_or_a_gate_before_it(self) -> None:
        """A READY campaign at its gate never waits for a time that nobody will call at."""
        if not hasattr(self, "world") or self.image.get("deleting"):
            return
        campaign = self.world.store.get("c1")
        waits = campaign.state is State.READY and campaign.gate_token is not None
        at = campaign.due_at
        if waits and at is not None and at > self.world.clock():
            assert ("c1", at) in self.world.schedules.due


TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=15,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
