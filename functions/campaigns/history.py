"""The history of a campaign: who did what, when, and what came of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Action(StrEnum):
    """What was done."""

    CREATE = "create"
    READY = "ready"  # the list is complete
    SCHEDULE = "schedule"  # publish_at was set, moved or removed
    PUBLISH = "publish"
    PUBLISHED = "published"  # the receipt came, or SNS's answer stands for it
    REFUSED = "refused"  # SNS is known not to have taken the message
    REFRESH = "refresh"
    TEST_SEND = "test-send"
    CANCEL = "cancel"
    FAIL = "fail"
    DELETE = "delete"


@dataclass(frozen=True, kw_only=True)
class Actor:
    """Who did it: an IAM identity as API Gateway names it, or the system by itself."""

    who: str
    caller_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A test send's Idempotency-Key and body, both as digests."""

    key: str
    body: str


SYSTEM = Actor(who="system")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the history; `outcome` is the state after it, or says how it ended."""

    at: datetime
    by: Actor
    action: Action
    outcome: str
    reason: str | None = None
