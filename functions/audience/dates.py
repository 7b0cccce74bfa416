"""Dates, times and durations in criteria, and the times that texts on a device stand for.

A time is kept and compared to the millisecond, in the form that sorts as text; a date in criteria
stands for its whole UTC day. Written as ISO 8601 has them:
https://docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-segments.html
"""

import re
from datetime import UTC, datetime, timedelta

from functions.shared.clock import to_wire

# Later than any time that a text can stand for.
LAST_DAY = "9999-12-31"
DURATION_MAX_DAYS = 36_500
# Longer texts are no times, and need not be looked at.
_LONGEST = 64

# Calendar dates, extended and basic. Checked here and not only by the standard library, which
# reads week dates, any character before the time, and in newer versions hour 24.
_HOUR = r"(?:[01]\d|2[0-3])"
_FRACTION = r"(?:[.,]\d+)?"
_ZONE = r"(?:Z|[+-]\d\d(?::?\d\d)?)?"
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{8}", re.ASCII)
_TIME = re.compile(
    rf"(?:\d{{4}}-\d\d-\d\d[T ]{_HOUR}(?::\d\d(?::\d\d{_FRACTION})?)?"
    rf"|\d{{8}}[T ]{_HOUR}(?:\d\d(?:\d\d{_FRACTION})?)?){_ZONE}",
    re.ASCII,
)
_DURATION = re.compile(r"P(?:(\d{1,9})D)?(?:T(\d{1,9})H)?", re.ASCII)


def instant_of(text: str) -> str | None:
    """The time that a device's text stands for, a date for its first instant, UTC where no zone is
    given; None if the text is no date or time."""
    if len(text) > _LONGEST:
        return None
    upper = text.upper()
    if not (_DATE.fullmatch(upper) or _TIME.fullmatch(upper)):
        return None
    try:
        read = datetime.fromisoformat(upper)
        return to_wire(read if read.tzinfo else read.replace(tzinfo=UTC))
    except (ValueError, OverflowError):  # 30 February; a time before the year 1 or after 9999
        return None


def read_date(text: str) -> str:
    """The date as YYYY-MM-DD; ValueError with the reason if it is none."""
    first = instant_of(text) if _DATE.fullmatch(text) else None
    if first is None:
        raise ValueError("must be a date, as ISO 8601 has it: 2026-12-31")
    return first[: len(LAST_DAY)]


def read_date_or_time(text: str) -> str:
    """The date as YYYY-MM-DD, or the time in UTC; ValueError with the reason."""
    if _DATE.fullmatch(text):
        return read_date(text)
    if (instant := instant_of(text)) is None:
        raise ValueError("must be a date or a time, as ISO 8601 has them")
    return instant


def span(date_or_time: str) -> tuple[str, str]:
    """The first and the last instant of what `read_date_or_time` read."""
    if len(date_or_time) > len(LAST_DAY):
        return date_or_time, date_or_time
    return f"{date_or_time}T00:00:00.000Z", f"{date_or_time}T23:59:59.999Z"


def read_duration(text: str) -> str:
    """The duration as PnD, PTnH or PnDTnH; ValueError with the reason."""
    days, hours = _parts(text)
    if not days and not hours:
        raise ValueError("must be a duration of days and hours, like P7D or PT24H")
    if days * 24 + hours > DURATION_MAX_DAYS * 24:
        raise ValueError(f"must not be longer than {DURATION_MAX_DAYS:,} days")
    return "P" + (f"{days}D" if days else "") + (f"T{hours}H" if hours else "")


def length(duration: str) -> timedelta:
    """The length of what `read_duration` read."""
    days, hours = _parts(duration)
    return timedelta(days=days, hours=hours)


def _parts(text: str) -> tuple[int, int]:
    """The days and hours; zeros if the text is no duration."""
    found = _DURATION.fullmatch(text)
    days, hours = found.groups() if found else (None, None)
    return int(days or 0), int(hours or 0)
