"""The columns that a CSV of devices may have: Pinpoint's names, and what kind of value each holds.

https://docs.aws.amazon.com/pinpoint/latest/userguide/segments-importing.html
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from functions.devices.records import (
    DEMOGRAPHIC_NAMES,
    LOCATION_NUMBERS,
    LOCATION_TEXTS,
    NAME_MAX_CHARS,
)
from functions.imports.refusal import FileRefusedError
from functions.shared.text import why_not_text

REJECT_REASON = "RejectReason"
# What exports hold of Pinpoint or of us, and not of the device; a reader passes it over.
BOOKKEEPING = frozenset(
    {"RequestId", "ApplicationId", "CohortId", "CreationDate"}
    | {REJECT_REASON, "StatusReason", "EndpointArn"}
)
COLUMNS_MAX = 1_000

_TEXTS = frozenset(
    {"Id", "ChannelType", "Address", "OptOut", "EffectiveDate", "EndpointStatus", "User.UserId"}
    | {f"Demographic.{name}" for name in DEMOGRAPHIC_NAMES}
    | {f"Location.{name}" for name in LOCATION_TEXTS}
)
_NUMBERS = frozenset(f"Location.{name}" for name in LOCATION_NUMBERS)
_MULTI_FAMILIES = ("Attributes.", "User.UserAttributes.")
_NUMBER_FAMILY = "Metrics."
# More would not be read, and a header may have very many.
_REASONS_MAX = 10


class Kind(Enum):
    """What a column's cells hold."""

    TEXT = auto()  # one text
    NUMBER = auto()  # one exact number
    MULTI = auto()  # texts; the column may come several times
    IGNORED = auto()  # bookkeeping


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: its header, where its value goes in the device, and of what kind it is."""

    header: str
    path: tuple[str, ...]
    kind: Kind


def read_header(names: Sequence[str]) -> tuple[Column, ...]:
    """The columns; FileRefusedError names every wrong header."""
    if len(names) > COLUMNS_MAX:
        raise FileRefusedError(f"its header has {len(names):,} columns, more than {COLUMNS_MAX:,}")
    wrong: list[str] = []
    columns: list[Column] = []
    seen: set[str] = set()
    for number, name in enumerate(names, start=1):
        # As it stands first: a name of one's own may end with a space, and exports keep that.
        column = _column(name) or _column(name.strip())
        if column is None:
            wrong.append(f"column {number} {_shown(name)}")
            continue
        if column.kind in {Kind.TEXT, Kind.NUMBER} and column.header in seen:
            wrong.append(f"column {number} {_shown(name)}, which is there twice")
        seen.add(column.header)
        columns.append(column)
    if names and not seen:
        # Not shown: where a header is missing, the first line holds a device and its token.
        raise FileRefusedError(
            f"its first line is no header: none of its {len(names):,} names is known"
        )
    if wrong:
        more = f" and {len(wrong) - _REASONS_MAX} more" if len(wrong) > _REASONS_MAX else ""
        shown = "; ".join(wrong[:_REASONS_MAX])
        raise FileRefusedError(f"its header is not that of a device file: {shown}{more}")
    if "Id" not in seen and not {"ChannelType", "Address"} <= seen:
        raise FileRefusedError("its header has neither Id nor both ChannelType and Address")
    return tuple(columns)


def _column(header: str) -> Column | None:
    path = tuple(header.split("."))
    if header in _TEXTS:
        return Column(header=header, path=path, kind=Kind.TEXT)
    if header in _NUMBERS:
        return Column(header=header, path=path, kind=Kind.NUMBER)
    if header in BOOKKEEPING:
        return Column(header=header, path=(), kind=Kind.IGNORED)
    for family in (*_MULTI_FAMILIES, _NUMBER_FAMILY):
        # Everything behind the family is the name, dots included.
        name = header.removeprefix(family)
        if name != header and why_not_text(name, max_chars=NAME_MAX_CHARS) is None:
            kind = Kind.NUMBER if family == _NUMBER_FAMILY else Kind.MULTI
            return Column(header=header, path=(*family[:-1].split("."), name), kind=kind)
    return None


def _shown(name: str) -> str:
    return repr(name[:NAME_MAX_CHARS]) if name.strip() else "without a name"
