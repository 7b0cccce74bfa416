"""The dimensions of a Pinpoint segment that compare texts: attributes, and sets of values.

https://docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-segments.html
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from cli.pinpoint_conditions import Criteria, any_of, condition, none_of, one_of
from cli.pinpoint_notes import Notes

Read = Callable[[Any, str, Notes], list[Criteria]]


def attributes(family: str) -> Read:
    """Reads the conditions on the attributes of a family, by their names."""

    def read(raw: Any, place: str, notes: Notes) -> list[Criteria]:
        found = []
        for name, at, each in notes.named(raw, place):
            members = notes.members(each, at, ("AttributeType", "Values"))
            take = notes.choice(members, "AttributeType", at, _TYPES, default="INCLUSIVE")
            values = notes.texts(members, at)
            if take:
                found += take(f"{family}.{name}", values, f"{at}.Values", notes)
        return found

    return read


def one_set(field: str) -> Read:
    """Reads the condition that a field has one of a set of values, or none of them."""

    def read(raw: Any, place: str, notes: Notes) -> list[Criteria]:
        members = notes.members(raw, place, ("DimensionType", "Values"))
        inclusive = notes.choice(members, "DimensionType", place, SET_TYPES, default="INCLUSIVE")
        found = one_of(field, notes.texts(members, place))
        return found if inclusive else none_of(found)

    return read


SET_TYPES = {"INCLUSIVE": True, "EXCLUSIVE": False}

_Take = Callable[[str, list[str], str, Notes], list[Criteria]]


def _inclusive(field: str, values: list[str], _place: str, _notes: Notes) -> list[Criteria]:
    return one_of(field, values)


def _exclusive(field: str, values: list[str], _place: str, _notes: Notes) -> list[Criteria]:
    return none_of(one_of(field, values))


def _contains(field: str, values: list[str], _place: str, _notes: Notes) -> list[Criteria]:
    return any_of([condition(field, "contains", value) for value in dict.fromkeys(values)])


def _dated(op: str, read: Callable[[str], str]) -> _Take:
    def take(field: str, values: list[str], place: str, notes: Notes) -> list[Criteria]:
        dates = dict.fromkeys(_dates(read, values, place, notes))
        return any_of([condition(field, op, each) for each in dates])

    return take


def _between(field: str, values: list[str], place: str, notes: Notes) -> list[Criteria]:
    if len(values) != 2:  # noqa: PLR2004 (from and to)
        notes.refuse(place, f"must be two, from and to, not {len(values)}")
        return []
    ends = _dates(_date_or_time, values, place, notes)
    # A date is over when the next one begins.
    if len(ends) == len(values) and _instant(ends[0]) > _last_instant(ends[1]):
        notes.refuse(place, "must not have the first above the second")
    return [condition(field, "between", ends)]


def _dates(read: Callable[[str], str], values: list[str], place: str, notes: Notes) -> list[str]:
    found = []
    for index, value in enumerate(values):
        try:
            found.append(read(value))
        except (ValueError, OverflowError):
            notes.refuse(f"{place}[{index}]", "must be a date or a time, as ISO 8601 has them")
    return found


def _date_or_time(text: str) -> str:
    """A date as it is, a time in UTC with milliseconds."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        instant = _instant(text).isoformat(timespec="milliseconds")
        return instant.replace("+00:00", "Z")


def _day(text: str) -> str:
    """The date in UTC."""
    return _instant(text).date().isoformat()


def _last_instant(text: str) -> datetime:
    is_date = len(text) == len("2026-12-31")
    return _instant(text) + (timedelta(days=1, milliseconds=-1) if is_date else timedelta())


def _instant(text: str) -> datetime:
    read = datetime.fromisoformat(text)
    return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)


_TYPES: dict[str, _Take] = {
    "INCLUSIVE": _inclusive,
    "EXCLUSIVE": _exclusive,
    "CONTAINS": _contains,
    "BEFORE": _dated("before", _date_or_time),
    "AFTER": _dated("after", _date_or_time),
    "ON": _dated("on", _day),  # Pinpoint ignores the time of day here
    "BETWEEN": _between,
}
