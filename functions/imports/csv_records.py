"""CSV cut into records, each with the line it begins on. Whatever leaves open where the next record
begins refuses the file, since guessing would put cells under wrong headers.

https://www.rfc-editor.org/rfc/rfc4180
"""

import csv
from collections.abc import Iterable, Iterator

from functions.imports.lines import LINE_MAX_BYTES, Line
from functions.imports.refusal import FileRefusedError

# What csv says of a quote that is still open at the end.
_OPEN = "unexpected end of data"
_LONE_RETURN = "new-line character seen in unquoted field"


def csv_records(lines: Iterable[Line]) -> Iterator[tuple[int, list[str]]]:
    """The cells of each record that holds anything; FileRefusedError if it is no CSV."""
    csv.field_size_limit(LINE_MAX_BYTES)
    feed = _Feed(lines)
    reader = csv.reader(feed, strict=True)
    while True:
        begins = feed.next_record()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise FileRefusedError(_why(str(error), begins)) from None
        if cells is None:
            return
        # Spreadsheets write rows of nothing but commas.
        if any(cells):
            yield begins, cells


class _Feed:
    """Lines as csv wants them, with their ends; no record may take more of them than a line may."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = iter(lines)
        self._number = 0
        self._begins = 1
        self._chars = 0

    def next_record(self) -> int:
        """The line on which the record begins that is read now."""
        self._begins = self._number + 1
        self._chars = 0
        return self._begins

    def __iter__(self) -> "_Feed":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._number = line.number
        self._chars += len(line.text) + 1
        if line.cut or self._chars > LINE_MAX_BYTES:
            raise FileRefusedError(
                f"has a record of more than {LINE_MAX_BYTES:,} bytes at line {self._begins:,}; "
                "maybe a quote is not closed"
            )
        return line.text + "\n"


def _why(error: str, begins: int) -> str:
    if error == _OPEN:
        return f"ends within quotes: a quote in the record at line {begins:,} is not closed"
    if error.startswith(_LONE_RETURN):
        return (
            f"has a carriage return that ends no line in the record at line {begins:,}: "
            "end lines with LF or CRLF"
        )
    return f"is no CSV, in the record at line {begins:,}: {error}"
