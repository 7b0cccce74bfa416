"""Devices as CSV with Pinpoint's column names, in the form that an import reads back the same.

https://www.rfc-editor.org/rfc/rfc4180
"""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from cli import exact_json

# Columns that come first, in this order, as far as a device has them; the others follow by name.
FIRST = (
    *("Id", "ChannelType", "Address", "OptOut", "EndpointStatus", "StatusReason", "EffectiveDate"),
    *("EndpointArn", "User.UserId"),
)
COLUMNS_MAX = 1_000  # what an import takes
_PLACES = {name: place for place, name in enumerate(FIRST)}


@dataclass(kw_only=True)
class Header:
    """The columns that the devices need, put together from all of them."""

    _names: set[str] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self._names)

    def add(self, device: dict[str, Any]) -> None:
        """Takes the columns of one device in."""
        self._names.update(name for name, _ in _fields("", device))

    def names(self) -> list[str]:
        """The header line."""
        return sorted(self._names, key=lambda name: (_PLACES.get(name, len(FIRST)), name))


def to_csv(devices: Iterable[dict[str, Any]], header: Header, out: IO[bytes]) -> int:
    """Writes the header and a row for each device; says how many there were."""
    names = header.names()
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    rows = csv.writer(text)
    if names:
        rows.writerow(names)
    written = 0
    for device in devices:
        cells = dict(_fields("", device))
        rows.writerow([_cell(cells[name]) if name in cells else "" for name in names])
        written += 1
    text.detach()  # or else it would close what is not its own
    return written


def _fields(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Each value with its dotted name; names of attributes may hold dots themselves."""
    if not isinstance(value, dict):
        yield place, value
        return
    for name, inner in value.items():
        yield from _fields(f"{place}.{name}" if place else name, inner)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and len(value) == 1 and not value[0].lstrip().startswith("["):
        return str(value[0])
    # Several values, or one that would be taken for several.
    return exact_json.dumps(value)
