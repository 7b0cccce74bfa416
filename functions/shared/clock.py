"""The one place that time comes from: aware, UTC, replaceable by a test."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present instant, in UTC."""
    return datetime.now(UTC)


def to_wire(instant: datetime) -> str:
    """ISO 8601 in UTC with milliseconds: sorts as text in the order of time."""
    if instant.tzinfo is None:
        raise ValueError("a time without a zone is no instant")
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def optional_to_wire(instant: datetime | None) -> str | None:
    """`to_wire`, with None for None."""
    return None if instant is None else to_wire(instant)


def from_wire(text: str) -> datetime:
    """The instant that `to_wire` wrote."""
    return datetime.fromisoformat(text).astimezone(UTC)
