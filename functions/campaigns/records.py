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
