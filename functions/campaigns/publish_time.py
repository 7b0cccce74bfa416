"""When a campaign is to be published: an instant, from an offset or a time zone."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from functions.shared.clock import from_wire, to_wire
from functions.shared.errors import InvalidInputError

PLACE = "publish_at"
ZONE_PLACE = "time_zone"


def parse_publish_at(
    text: str | None, time_zone: str | None, *, now: datetime, at_most: timedelta
) -> datetime | None:
    """The instant in UTC, or None if no time is given; InvalidInputError for the past, for more
    than `at_most` ahead, and for a time without offset or zone.

    A local time that exists twice means the first; one that does not exist (clocks going forward)
    is moved on by the gap: https://docs.python.org/3/library/datetime.html#datetime.datetime.fold
    """
    if text is None:
        if time_zone is not None:
            raise InvalidInputError.at(ZONE_PLACE, "a time zone needs publish_at")
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInputError.at(PLACE, "no ISO 8601 date and time") from None
    if moment.tzinfo is None and time_zone is None:
        raise InvalidInputError.at(PLACE, "needs an offset (…+01:00, …Z) or a time_zone")
    if moment.tzinfo is not None and time_zone is not None:
        raise InvalidInputError.at(ZONE_PLACE, "publish_at has an offset already")
    if time_zone is not None:
        moment = moment.replace(tzinfo=_zone(time_zone))
    try:
        # Records keep milliseconds.
        instant = from_wire(to_wire(moment))
    except OverflowError:
        raise InvalidInputError.at(PLACE, "no date that can be reached") from None
    if instant <= now:
        raise InvalidInputError.at(PLACE, f"is in the past; it is {to_wire(now)}")
    if instant > now + at_most:
        raise InvalidInputError.at(PLACE, f"is more than {at_most.days} days ahead")
    return instant


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInputError.at(ZONE_PLACE, "no IANA time zone, like Europe/Berlin") from None
