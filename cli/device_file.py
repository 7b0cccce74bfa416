"""Reads a CSV of devices with Pinpoint's column names, row by row, into the API's device shape.

https://docs.aws.amazon.com/pinpoint/latest/userguide/segments-importing.html
"""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from cli import exact_json
from cli.device_columns import Column, Kind, read_header
from cli.errors import UsageError, Wrong

# As JSON writes numbers, plus leading zeros and a bare point; ASCII digits only.
_NUMBER = re.compile(r"-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class GoodRow:
    """A row that can be sent, with the line it begins on."""

    line: int
    device: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class BadRow:
    """A row that is not sent, and why."""

    line: int
    wrong: tuple[Wrong, ...]


@dataclass(frozen=True, kw_only=True)
class DeviceFile:
    """A file that was looked through: it is UTF-8, its header is right, and it has rows."""

    path: Path
    columns: tuple[Column, ...]
    ignored: tuple[str, ...]
    row_count: int

    def rows(self) -> Iterator[GoodRow | BadRow]:
        """Every row, in the file's order; the first row of an Id counts, later ones are bad."""
        seen: dict[str, int] = {}
        for line, cells in _records(self.path, skip_header=True):
            row = _parse(line, cells, self.columns)
            if isinstance(row, GoodRow):
                earlier = seen.setdefault(row.device["Id"], line)
                if earlier != line:
                    reason = f"the same Id is on line {earlier}"
                    row = BadRow(line=line, wrong=(Wrong(place="Id", reason=reason),))
            yield row


def open_file(path: Path) -> DeviceFile:
    """The file, looked through to its end; UsageError if it cannot be imported at all."""
    _check_utf8(path)
    records = _records(path)
    first = next(records, None)
    if first is None:
        raise UsageError(f"{path} is empty", detail="a header line and one row at least are needed")
    columns, ignored = read_header(first[1])
    row_count = sum(1 for _ in records)
    if row_count == 0:
        raise UsageError(f"{path} has a header, but no rows")
    return DeviceFile(path=path, columns=columns, ignored=ignored, row_count=row_count)


def _check_utf8(path: Path) -> None:
    line = 0
    try:
        with path.open("rb") as file:
            # No character of several bytes holds the byte of a line's end: each line stands alone.
            for line, raw in enumerate(file, start=1):  # noqa: B007 (the error names the line)
                raw.decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(
            f"{path} is not UTF-8, at line {line}",
            detail="save it as UTF-8, with or without a byte order mark",
        ) from None


def _records(path: Path, *, skip_header: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Each record that is not a blank line, with the line it begins on."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        begins = 1
        try:
            for cells in reader:
                line, begins = begins, reader.line_num + 1
                if not cells:
                    continue
                if skip_header:
                    skip_header = False
                    continue
                yield line, cells
        except csv.Error as error:
            raise UsageError(f"{path} is not CSV, at line {begins}: {error}") from None


def _parse(line: int, cells: Sequence[str], columns: Sequence[Column]) -> GoodRow | BadRow:
    if len(cells) != len(columns):
        reason = f"{len(cells)} cells, and the header has {len(columns)}"
        return BadRow(line=line, wrong=(Wrong(place="row", reason=reason),))
    device: dict[str, Any] = {}
    wrong: list[Wrong] = []
    for column, cell in zip(columns, cells, strict=True):
        if column.kind is Kind.IGNORED or (cell == "" and not column.required):
            continue
        try:
            _put(device, column, cell)
        except ValueError as error:
            wrong.append(Wrong(place=column.header, reason=str(error)))
    if wrong:
        return BadRow(line=line, wrong=tuple(wrong))
    return GoodRow(line=line, device=device)


def _put(device: dict[str, Any], column: Column, cell: str) -> None:
    if cell == "":
        raise ValueError("missing")
    value = _VALUE[column.kind](cell)
    if value == []:
        return
    inner = device
    for step in column.path[:-1]:
        inner = inner.setdefault(step, {})
    name = column.path[-1]
    if isinstance(value, list):
        earlier = inner.get(name, [])
        inner[name] = list(dict.fromkeys([*earlier, *value]))  # each value once, in their order
    else:
        inner[name] = value


def _number(cell: str) -> Decimal:
    """The number exactly as it is written."""
    if not _NUMBER.fullmatch(cell):
        raise ValueError("not a number")
    return Decimal(cell)


def _values(cell: str) -> list[str]:
    """The cell's values: those of a JSON array, or the cell itself."""
    if not cell.startswith("["):
        return [cell]
    try:
        found = exact_json.loads(cell)
    except ValueError:
        return [cell]  # a text that happens to begin with a bracket
    values = []
    for value in found:
        if isinstance(value, dict | list | None):
            raise ValueError("a JSON array of plain values is needed")
        values.append(value if isinstance(value, str) else exact_json.dumps(value))
    return values


_VALUE: dict[Kind, Callable[[str], str | Decimal | list[str]]] = {
    Kind.TEXT: str,
    Kind.NUMBER: _number,
    Kind.MULTI: _values,
}
