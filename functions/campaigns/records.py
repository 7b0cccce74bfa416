"""What the campaigns part keeps."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from functions.audience.criteria import Criteria
from functions.audience.records import Tally
from functions.campaigns.message import Message
from functions.campaigns.states import PublishState, State


class Refresh(StrEnum):
    """When a campaign's list is refreshed by itself."""

    BEFORE_PUBLISH = "before_publish"  # with each publish that is asked for


class IfLate(StrEnum):
    """What becomes of a campaign whose list is READY only after its publish_at."""

    PUBLISH = "publish"  # it goes out as soon as it can
    SKIP = "skip"  # it is CANCELLED with the reason


@dataclass(frozen=True, kw_only=True)
class Publish:
    """One publish request and what became of it; `receipts` are the SNS message ids heard."""

    publish_id: str
    state: PublishState
    requested_at: datetime
    sending_at: datetime | None = None
    sent_at: datetime | None = None
    received_at: datetime | None = None
    message_id: str | None = None
    reason: str | None = None
    receipts: frozenset[str] = frozenset()
    late_by_seconds: int | None = None


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A message, its criteria, and everything that happened to it."""

    campaign_id: str
    name: str
    state: State
    criteria: Criteria
    message: Message
    created_at: datetime
    times: dict[State, datetime]
    reason: str | None = None
    publish_at: datetime | None = None
    if_late: IfLate = IfLate.PUBLISH
    time_used: bool = False
    former_times: frozenset[datetime] = frozenset()
    topic_arn: str | None = None
    execution_arn: str | None = None
    tally: Tally | None = None
    publish_id: str | None = None
    gate_token: str | None = None
    receipt_token: str | None = None
    deleting: bool = False
    refresh: Refresh | None = None
    generation: int = 1  # of the list, and of the workflow that sees to it; a refresh adds one
    refresh_asked_at: datetime | None = None
    refresh_failed: bool = False  # goes with FAILED, if it was a refresh that failed
    probe_lost: bool = False  # the topic has no probe any more; the next refresh subscribes it
    publishes: tuple[Publish, ...] = field(default=())

    @property
    def due_at(self) -> datetime | None:
        """When it is to go out by itself; None without a time, or once a publish used it up."""
        return None if self.time_used else self.publish_at

    @property
    def schedule_times(self) -> frozenset[datetime]:
        """The times that there may be schedules for."""
        return self.former_times | ({self.publish_at} if self.publish_at else frozenset())
