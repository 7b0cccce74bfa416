"""The columns that a device file may have: Pinpoint's names, and what kind of value each holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from cli.errors import UsageError, Wrong


class Kind(Enum):
    """What a column's cells hold."""

    TEXT = auto()  # one text
    NUMBER = auto()  # one exact number
    MULTI = auto()  # texts; the column may come several times
    IGNORED = auto()  # Pinpoint's own bookkeeping


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: its header, where its value goes in the device, and of what kind it is."""

    header: str
    path: tuple[str, ...]
    kind: Kind
    required: bool = False


REQUIRED = ("Id", "ChannelType", "Address")
_TEXTS = frozenset({*REQUIRED, "OptOut", "EffectiveDate", "EndpointStatus", "User.UserId"})
_FIXED_MEMBERS = {
    "Demographic": frozenset(
        {
            *("AppVersion", "Locale", "Make", "Model", "ModelVersion"),
            *("Platform", "PlatformVersion", "Timezone"),
        }
    ),
    "Location": frozenset(
        {"City", "Country", "Latitude", "Longitude", "PostalCode", "Region"},
    ),
}
_NUMBERS = frozenset({"Location.Latitude", "Location.Longitude"})
_MULTI_PREFIXES = ("Attributes.", "User.UserAttributes.")
_METRICS_PREFIX = "Metrics."
# Columns of Pinpoint's exports that describe Pinpoint, not the device.
_BOOKKEEPING = frozenset({"RequestId", "ApplicationId", "CohortId", "CreationDate"})


def read_header(names: Sequence[str]) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """The columns, and the headers that are ignored; UsageError names every wrong header."""
    columns: list[Column] = []
    wrong: list[Wrong] = []
    for number, name in enumerate(names, start=1):
        column = _column(name.strip())
        if column is None:
            reason = "no column of a device" if name.strip() else "the header is empty"
            wrong.append(Wrong(place=f"column {number} {name!r}", reason=reason))
            continue
        once = column.kind in {Kind.TEXT, Kind.NUMBER}
        if once and any(column.header == earlier.header for earlier in columns):
            wrong.append(Wrong(place=f"column {number} {name!r}", reason="is there twice"))
        columns.append(column)
    present = {column.header for column in columns}
    wrong += [
        Wrong(place=name, reason="this column is missing")
        for name in REQUIRED
        if name not in present
    ]
    if wrong:
        raise UsageError("the header line is not that of a device file", wrong=wrong)
    ignored = tuple(column.header for column in columns if column.kind is Kind.IGNORED)
    return tuple(columns), ignored


def _column(header: str) -> Column | None:
    if header in _TEXTS:
        path = tuple(header.split("."))
        return Column(header=header, path=path, kind=Kind.TEXT, required=header in REQUIRED)
    if header in _BOOKKEEPING:
        return Column(header=header, path=(), kind=Kind.IGNORED)
    for prefix in _MULTI_PREFIXES:
        # Everything behind the family is the name, dots included.
        if name := _after(prefix, header):
            return Column(header=header, path=(*prefix[:-1].split("."), name), kind=Kind.MULTI)
    if name := _after(_METRICS_PREFIX, header):
        return Column(header=header, path=("Metrics", name), kind=Kind.NUMBER)
    family, _, member = header.partition(".")
    if member in _FIXED_MEMBERS.get(family, ()):
        kind = Kind.NUMBER if header in _NUMBERS else Kind.TEXT
        return Column(header=header, path=(family, member), kind=kind)
    return None


def _after(prefix: str, header: str) -> str:
    return header.removeprefix(prefix) if header.startswith(prefix) else ""
