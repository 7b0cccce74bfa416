"""The fields that criteria may ask about, where DynamoDB keeps them, and what they hold."""

from dataclasses import dataclass
from enum import StrEnum

from functions.devices.records import (
    DEMOGRAPHIC_NAMES,
    LOCATION_NUMBERS,
    LOCATION_TEXTS,
    NAME_MAX_CHARS,
    ChannelType,
    EndpointStatus,
    OptOut,
)
from functions.shared.text import why_not_text


class Kind(StrEnum):
    """What a field holds; decides which operations and values fit."""

    TEXT = "text"  # one text
    MULTI = "multi-value text"  # several texts; a condition holds if it holds for any of them
    NUMBER = "number"  # one exact number
    CHOICE = "choice"  # one text out of a fixed few
    INSTANT = "time"  # ISO 8601 in UTC, which sorts as text


@dataclass(frozen=True, kw_only=True)
class Field:
    """A searchable field: its name on the wire and its path in the device's item."""

    name: str
    path: tuple[str, ...]
    kind: Kind
    choices: tuple[str, ...] = ()


def _choice(name: str, values: type[StrEnum]) -> Field:
    return Field(name=name, path=(name,), kind=Kind.CHOICE, choices=tuple(values))


def _inside(family: str, names: tuple[str, ...], kind: Kind) -> list[Field]:
    return [Field(name=f"{family}.{name}", path=(family, name), kind=kind) for name in names]


_FIXED = {
    field.name: field
    for field in (
        Field(name="Id", path=("Id",), kind=Kind.TEXT),
        Field(name="EffectiveDate", path=("EffectiveDate",), kind=Kind.INSTANT),
        Field(name="User.UserId", path=("User", "UserId"), kind=Kind.TEXT),
        _choice("ChannelType", ChannelType),
        _choice("OptOut", OptOut),
        _choice("EndpointStatus", EndpointStatus),
        *_inside("Demographic", DEMOGRAPHIC_NAMES, Kind.TEXT),
        *_inside("Location", LOCATION_TEXTS, Kind.TEXT),
        *_inside("Location", LOCATION_NUMBERS, Kind.NUMBER),
    )
}
# Everything after the prefix is the name, dots included.
_NAMED = {
    "User.UserAttributes.": (("User", "UserAttributes"), Kind.MULTI),
    "Attributes.": (("Attributes",), Kind.MULTI),
    "Metrics.": (("Metrics",), Kind.NUMBER),
}


def field_of(name: str) -> Field:
    """The field of that name; ValueError with the reason if criteria cannot ask about it."""
    if name in _FIXED:
        return _FIXED[name]
    for prefix, (path, kind) in _NAMED.items():
        if name.startswith(prefix):
            own_name = name.removeprefix(prefix)
            if reason := why_not_text(own_name, max_chars=NAME_MAX_CHARS):
                raise ValueError(f"the name after {prefix} {reason}")
            return Field(name=name, path=(*path, own_name), kind=kind)
    families = ", ".join([*_FIXED, *(f"{prefix}NAME" for prefix in _NAMED)])
    raise ValueError(f"is not a searchable field; there are {families}")
