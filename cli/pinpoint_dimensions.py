"""The dimensions of a Pinpoint segment, one by one, as conditions of Fanfare.

https://docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-segments.html
"""

from typing import Any

from cli.pinpoint_attributes import SET_TYPES, Read, attributes, one_set
from cli.pinpoint_conditions import Criteria, all_of, any_of, condition, none_of, one_of
from cli.pinpoint_gps import box
from cli.pinpoint_notes import Notes

CHANNELS = ("APNS", "APNS_SANDBOX", "GCM", "ADM")
DURATIONS = {"HR_24": "PT24H", "DAY_7": "P7D", "DAY_14": "P14D", "DAY_30": "P30D"}
RECENCY_TYPES = {"ACTIVE": "in_last", "INACTIVE": "not_in_last"}
COMPARISONS = {
    "EQUAL": "eq",
    "GREATER_THAN": "gt",
    "GREATER_THAN_OR_EQUAL": "gte",
    "LESS_THAN": "lt",
    "LESS_THAN_OR_EQUAL": "lte",
}


def dimensions(raw: Any, place: str, notes: Notes) -> list[Criteria]:
    """That all holds which one Dimensions object asks for; nothing if that is nothing."""
    return all_of(_each(DIMENSIONS)(raw, place, notes))


def _each(readers: dict[str, Read]) -> Read:
    """Reads the members of an object, each by its own reader."""

    def read(raw: Any, place: str, notes: Notes) -> list[Criteria]:
        found = []
        for name, value in notes.members(raw, place, readers).items():
            if name in readers:
                found += readers[name](value, f"{place}.{name}", notes)
        return found

    return read


def _metrics(raw: Any, place: str, notes: Notes) -> list[Criteria]:
    found = []
    for name, at, each in notes.named(raw, place):
        members = notes.members(each, at, ("ComparisonOperator", "Value"))
        op = notes.choice(members, "ComparisonOperator", at, COMPARISONS)
        value = notes.number(members, "Value", at)
        if op and value is not None:
            found.append(condition(f"Metrics.{name}", op, value))
    return found


def _recency(raw: Any, place: str, notes: Notes) -> list[Criteria]:
    members = notes.members(raw, place, ("Duration", "RecencyType"))
    duration = notes.choice(members, "Duration", place, DURATIONS)
    op = notes.choice(members, "RecencyType", place, RECENCY_TYPES)
    return [condition("EffectiveDate", op, duration)] if op and duration else []


def _channel(raw: Any, place: str, notes: Notes) -> list[Criteria]:
    members = notes.members(raw, place, ("DimensionType", "Values"))
    inclusive = notes.choice(members, "DimensionType", place, SET_TYPES, default="INCLUSIVE")
    values = notes.texts(members, place)
    for value in values:
        if value in CHANNELS:
            continue
        if inclusive:
            reason = f"{value} is no channel of Fanfare's; there are {', '.join(CHANNELS)}"
            notes.refuse(f"{place}.Values", reason)
        else:
            notes.remark(f"{place}.Values", f"{value} is left out: Fanfare has no such devices")
    found = one_of("ChannelType", [value for value in values if value in CHANNELS])
    return found if inclusive else none_of(found)


def _device_type(_raw: Any, place: str, notes: Notes) -> list[Criteria]:
    notes.refuse(place, "is nothing that a device says of itself, so it cannot be searched")
    return []


def _gps_point(raw: Any, place: str, notes: Notes) -> list[Criteria]:
    members = notes.members(raw, place, ("Coordinates", "RangeInKilometers"))
    at = f"{place}.Coordinates"
    coordinates = notes.members(members.get("Coordinates"), at, ("Latitude", "Longitude"))
    latitude = notes.number(coordinates, "Latitude", at)
    longitude = notes.number(coordinates, "Longitude", at)
    kilometers = notes.number(members, "RangeInKilometers", place)
    if latitude is None or longitude is None or kilometers is None:
        return []
    try:
        around = box(float(latitude), float(longitude), float(kilometers))
    except ValueError as error:
        notes.refuse(place, str(error))
        return []
    notes.remark(place, "the circle became the box around it, which also holds the corners")
    between = [condition("Location.Longitude", "between", list(each)) for each in around.longitudes]
    return [condition("Location.Latitude", "between", list(around.latitudes)), *any_of(between)]


DIMENSIONS: dict[str, Read] = {
    "Attributes": attributes("Attributes"),
    "UserAttributes": attributes("User.UserAttributes"),
    "Metrics": _metrics,
    "Behavior": _each({"Recency": _recency}),
    "Demographic": _each(
        {
            "AppVersion": one_set("Demographic.AppVersion"),
            "Channel": _channel,
            "DeviceType": _device_type,
            "Make": one_set("Demographic.Make"),
            "Model": one_set("Demographic.Model"),
            "Platform": one_set("Demographic.Platform"),
        }
    ),
    "Location": _each({"Country": one_set("Location.Country"), "GPSPoint": _gps_point}),
}
