"""Campaigns on moto, with gateways as fakes that a test can script."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from functions.audience.criteria import parse
from functions.audience.lists import Claim, ListStore, Tick
from functions.audience.records import (
    Candidate,
    Chunk,
    ChunkKey,
    ChunkState,
    Member,
    MemberStatus,
)
from functions.audience.refresh_lists import RefreshLists
from functions.campaigns.message import Message
from functions.campaigns.operations import Campaigns
from functions.campaigns.records import Campaign, IfLate
from functions.campaigns.refresh_steps import RefreshSteps
from functions.campaigns.refresh_store import RefreshStore
from functions.campaigns.states import State
from functions.campaigns.steps import Steps
from tests.unit.tables import make_campaigns_table, make_lists_table

PREFIX = "fanfare-campaign-"
PROBE = "arn:aws:sqs:us-east-1:123456789012:probe"
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
CRITERIA = {"field": "Location.Country", "op": "in", "values": ["TW", "JP"]}


@dataclass
class Time:
    """A clock that the test moves."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def pass_seconds(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class Waker:
    """Keeps the tokens that were woken."""

    tokens: list[str] = field(default_factory=list)

    def __call__(self, token: str) -> bool:
        self.tokens.append(token)
        return True


@dataclass
class FakeTopics:
    """Topics by name, with the queues subscribed to each."""

    topics: dict[str, list[str]] = field(default_factory=dict)

    def create(self, name: str) -> str:
        arn = f"arn:aws:sns:us-east-1:123456789012:{name}"
        self.topics.setdefault(arn, [])
        return arn

    def subscribe_probe(self, topic_arn: str, queue_arn: str) -> None:
        if queue_arn not in self.topics[topic_arn]:
            self.topics[topic_arn].append(queue_arn)

    def delete(self, topic_arn: str) -> None:
        self.topics.pop(topic_arn, None)


@dataclass
class FakeSchedules:
    """Schedules, one for each campaign and time."""

    due: list[tuple[str, datetime]] = field(default_factory=list)

    def set(self, campaign_id: str, at: datetime) -> None:
        if (campaign_id, at) not in self.due:
            self.due.append((campaign_id, at))

    def remove(self, campaign_id: str, at: datetime) -> None:
        if (campaign_id, at) in self.due:
            self.due.remove((campaign_id, at))


@dataclass
class FakeExecutions:
    """Keeps what was stopped."""

    stopped: list[str] = field(default_factory=list)

    def stop(self, execution_arn: str, _reason: str) -> None:
        self.stopped.append(execution_arn)


@dataclass
class World:
    """One campaign's surroundings."""

    store: RefreshStore
    lists: ListStore
    refreshes: RefreshLists
    clock: Time = field(default_factory=Time)
    waker: Waker = field(default_factory=Waker)
    topics: FakeTopics = field(default_factory=FakeTopics)
    schedules: FakeSchedules = field(default_factory=FakeSchedules)
    executions: FakeExecutions = field(default_factory=FakeExecutions)

    @property
    def steps(self) -> Steps:
        return Steps(
            store=self.store,
            lists=self.lists,
            refreshing=RefreshSteps(
                store=self.store,
                refreshes=self.refreshes,
                topics=self.topics,  # type: ignore[arg-type]
                clock=self.clock,
                probe_queue_arn=PROBE,
                scan_segments=2,
            ),
            topics=self.topics,  # type: ignore[arg-type]
            schedules=self.schedules,  # type: ignore[arg-type]
            wake=self.waker,
            clock=self.clock,
            topic_name_prefix=PREFIX,
            probe_queue_arn=PROBE,
            scan_segments=2,
        )

    @property
    def campaigns(self) -> Campaigns:
        return Campaigns(
            store=self.store,
            lists=self.lists,
            executions=self.executions,  # type: ignore[arg-type]
            schedules=self.schedules,  # type: ignore[arg-type]
            wake=self.waker,
            clock=self.clock,
            gate_days=90,
        )

    def building(
        self,
        campaign_id: str = "c1",
        *,
        publish_at: datetime | None = None,
        if_late: IfLate = IfLate.PUBLISH,
    ) -> Campaign:
        """A campaign that was just created."""
        campaign = Campaign(
            campaign_id=campaign_id,
            name="Jazz night",
            state=State.BUILDING,
            criteria=parse(CRITERIA),
            message=Message(title="Jazz", body="Tonight at eight."),
            created_at=self.clock(),
            times={State.BUILDING: self.clock()},
            publish_at=publish_at,
            if_late=if_late,
        )
        assert self.store.create(campaign)
        return campaign

    def listed(
        self, campaign_id: str = "c1", *, subscribed: int = 3, publish_at: datetime | None = None
    ) -> Campaign:
        """A campaign whose list is complete, not yet marked READY."""
        self.building(campaign_id, publish_at=publish_at)
        self.steps.prepare(campaign_id, "execution-" + campaign_id)
        self.build(campaign_id, subscribed=subscribed)
        return self.store.get(campaign_id)

    def build(self, campaign_id: str, *, subscribed: int) -> None:
        """Lists both segments, the first with one chunk of that many subscribed devices."""
        key = ChunkKey(campaign_id=campaign_id, segment=0, attempt="a1", number=0)
        candidates = tuple(
            Candidate(device_id=f"d{n}", endpoint_arn=f"e{n}") for n in range(subscribed)
        )
        self.lists.write_chunks([Chunk(key=key, state=ChunkState.PENDING, candidates=candidates)])
        self.lists.claim(campaign_id, 0, Claim(attempt="a1", chunks=1, matched=subscribed))
        self.lists.claim(campaign_id, 1, Claim(attempt="a1", chunks=0, matched=0))
        self.lists.write_members(
            Member(
                campaign_id=campaign_id,
                device_id=candidate.device_id,
                status=MemberStatus.SUBSCRIBED,
            )
            for candidate in candidates
        )
        self.lists.tick(campaign_id, [Tick(key=key, state=ChunkState.DONE, devices=subscribed)])

    def ready(
        self, campaign_id: str = "c1", *, subscribed: int = 3, publish_at: datetime | None = None
    ) -> Campaign:
        """A READY campaign whose workflow waits at the gate."""
        self.listed(campaign_id, subscribed=subscribed, publish_at=publish_at)
        self.steps.mark_ready(campaign_id)
        self.steps.await_gate(campaign_id, "gate")
        return self.store.get(campaign_id)


@pytest.fixture
def world(aws: None) -> World:
    clock, lists_table = Time(), make_lists_table()
    return World(
        store=RefreshStore(make_campaigns_table(), clock=clock),
        lists=ListStore(lists_table),
        refreshes=RefreshLists(lists_table),
        clock=clock,
    )
