"""A file read row by row, in its own format, each row with its line and as it stands there."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from functions.imports.cells import to_json
from functions.imports.columns import Column, read_header
from functions.imports.csv_records import csv_records
from functions.imports.exact import decoded
from functions.imports.lines import LINE_MAX_BYTES, Line
from functions.imports.records import FileFormat
from functions.imports.refusal import FileRefusedError
from functions.imports.rows import Rejected, Verdict, judge, judge_json

# Made once: json.dumps would make one for every row.
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

# A row as it stands in the file: the cells of a CSV record, or a line of JSON.
RawRow = list[str] | str


class Row(NamedTuple):
    """A row, and the line it begins on."""

    line: int
    raw: RawRow
    cut: bool = False


@dataclass(frozen=True)
class Layout:
    """What is needed to read a row of a file by itself: its format, and of CSV the header."""

    format: FileFormat
    header: tuple[str, ...] = ()


class RowReader:
    """Judges rows of one layout."""

    def __init__(self, layout: Layout) -> None:
        csv = layout.format is FileFormat.CSV
        self._columns: Sequence[Column] = read_header(layout.header) if csv else ()
        self._header_chars = sum(map(len, layout.header))

    def judge(self, row: Row) -> Verdict:
        """The verdict on a row of this layout."""
        raw = row.raw
        if row.cut:
            return Rejected.at("row", f"is a line of more than {LINE_MAX_BYTES:,} bytes")
        if isinstance(raw, str):
            try:
                return judge_json(decoded(raw), chars=len(raw))
            except ValueError as error:
                return Rejected.at("row", str(error))
        if len(raw) != len(self._columns):
            return Rejected.at(
                "row", f"has {len(raw):,} cells, and the header has {len(self._columns):,}"
            )
        chars = self._header_chars + sum(map(len, raw))
        return judge(to_json(raw, self._columns), chars=chars)


def open_rows(lines: Iterable[Line]) -> tuple[Layout, Iterator[Row]]:
    """How the file is written, by its first character, and its rows; FileRefusedError."""
    rest = iter(lines)
    blank: list[Line] = []
    for line in rest:
        first = line.text.strip()[:1]
        if first == "[":
            raise FileRefusedError(
                "is a JSON array: write one object a line instead, without brackets and commas "
                "around them (newline-delimited JSON)"
            )
        if first == "{":
            return Layout(FileFormat.NDJSON), _json_rows(chain([line], rest))
        if first:
            # With the blank lines before it, so that a record's line is that of the file.
            return _open_csv(chain(blank, [line], rest))
        blank = [Line(line.number, "")]
    raise FileRefusedError("is empty")


def _open_csv(lines: Iterable[Line]) -> tuple[Layout, Iterator[Row]]:
    records = csv_records(lines)
    _, header = next(records, (1, []))
    read_header(header)
    layout = Layout(FileFormat.CSV, tuple(header))
    return layout, (Row(line, found) for line, found in records)


def _json_rows(lines: Iterable[Line]) -> Iterator[Row]:
    for number, text, cut in lines:
        if stripped := text.strip(" \t\r"):
            yield Row(number, stripped, cut)


def kept(row: Row, file: int) -> bytes:
    """The row as a slice keeps it: one line of JSON."""
    return _ENCODE([file, row.line, row.raw]).encode() + b"\n"


def read_kept(text: bytes) -> tuple[int, Row]:
    """What `kept` wrote: the number of the file, and the row."""
    file, line, raw = json.loads(text)
    return file, Row(line, raw)
