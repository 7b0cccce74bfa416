"""Times as callers write them, brought into the one form that sorts as text."""

from datetime import UTC, date, datetime

from functions.shared.clock import to_wire


def read_instant(text: str) -> str:
    """ISO 8601 in UTC with milliseconds; a date is its first instant. ValueError with a reason."""
    try:
        day = date.fromisoformat(text)
        return to_wire(datetime(day.year, day.month, day.day, tzinfo=UTC))
    except ValueError:
        pass
    try:
        return to_wire(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise ValueError("must be a date, or a time with its zone, as ISO 8601 has them") from None
