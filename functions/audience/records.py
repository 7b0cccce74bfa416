"""What the audience part keeps: members, chunks, and the progress of a list."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class MemberStatus(StrEnum):
    """What became of one device of the list."""

    SUBSCRIBED = "SUBSCRIBED"  # its endpoint is subscribed to the campaign's topic
    SKIPPED = "SKIPPED"  # matched, but must not be sent to; the reason says why
    FAILED = "FAILED"  # matched, and SNS would not subscribe it; the reason says why


class ChunkState(StrEnum):
    """Whether a chunk has been worked off."""

    PENDING = "PENDING"  # written down, maybe queued
    DONE = "DONE"  # every device of it is a member
    DEAD = "DEAD"  # given up by the queue; its devices without a result are failed members


class ListState(StrEnum):
    """Whether a list takes members."""

    OPEN = "OPEN"  # being built
    CLOSED = "CLOSED"  # complete, cancelled or being deleted; chunks that come late are dropped


SKIPPED_OPTED_OUT = "opted_out"
SKIPPED_DISABLED = "disabled"
FAILED_ENDPOINT_GONE = "endpoint_gone"
FAILED_REFUSED = "refused"
FAILED_TOPIC_GONE = "topic_gone"
FAILED_TOPIC_FULL = "topic_full"
FAILED_GIVEN_UP = "given_up"
FAILED_LOST = "lost"  # somebody unsubscribed it behind our back

# Failed members whose subscription is not known: there may be one.
MAYBE_SUBSCRIBED = frozenset({FAILED_GIVEN_UP, FAILED_LOST})

# The segment of a refresh that goes through the members, and not through the devices.
SWEEP = 999


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A device that matched when it was listed; with a skip reason it is not subscribed."""

    device_id: str
    endpoint_arn: str | None
    skip_reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Leaver:
    """A member that leaves the list, or (without a device) a subscription that is no member's.

    `subscription_arn` is to be unsubscribed. With an `endpoint_arn` instead it is not known: SNS
    is asked for it. With neither there is nothing on the topic. `reason` is the member's own.
    """

    device_id: str | None
    subscription_arn: str | None = None
    endpoint_arn: str | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class ChunkKey:
    """Which chunk: of whose list, of which segment, written by which attempt at listing it.

    The generation is 1 while a list is built, and one more for each refresh.
    """

    campaign_id: str
    segment: int
    attempt: str
    number: int
    generation: int = 1


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """A slice of the list that travels as one queue message."""

    key: ChunkKey
    state: ChunkState
    candidates: tuple[Candidate, ...] = ()
    leavers: tuple[Leaver, ...] = ()

    @property
    def entries(self) -> Sequence[Candidate | Leaver]:
        """All that there is to be worked off."""
        return [*self.candidates, *self.leavers]

    @property
    def devices(self) -> int:
        """How many that are."""
        return len(self.candidates) + len(self.leavers)


@dataclass(frozen=True, kw_only=True)
class Member:
    """One device of the list and what became of it."""

    campaign_id: str
    device_id: str
    status: MemberStatus
    endpoint_arn: str | None = None
    subscription_arn: str | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many members have which fate."""

    subscribed: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All members."""
        return self.subscribed + sum(self.skipped.values()) + sum(self.failed.values())


@dataclass(frozen=True, kw_only=True)
class ListProgress:
    """How far a list is; the numbers of devices are progress, not the truth (the members are)."""

    campaign_id: str
    state: ListState
    topic_arn: str
    segments_total: int
    segments_listed: int
    chunks_total: int
    chunks_done: int
    matched: int
    processed: int
    waiter: str | None
    generation: int = 1
    expected: int = 0  # how many members there are once it is complete
    unfinished: bool = False  # something of an earlier generation may be left half done

    @property
    def complete(self) -> bool:
        """Every segment is listed and every chunk worked off."""
        return self.segments_listed == self.segments_total and self.chunks_done == self.chunks_total
