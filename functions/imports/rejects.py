"""Rejected rows as they are given back: in the file's own format, with the reason beside them.

The reader passes the reason over, so a mended file of rejects can be imported as it is.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence

from functions.imports.columns import REJECT_REASON
from functions.imports.exact import decoded
from functions.imports.lines import SHOWN_BYTES
from functions.imports.reading import Layout, Row
from functions.imports.records import FileFormat
from functions.imports.results import ERRORS_SHOWN
from functions.shared import exact_json
from functions.shared.errors import InvalidPart

PART_BYTES = 8 * 1024 * 1024
# A line that is no JSON object cannot take the reason in.
REJECTED_LINE = "RejectedLine"


def beginning(layout: Layout) -> bytes:
    """What the file of rejects begins with: of CSV the header."""
    if layout.format is FileFormat.NDJSON:
        return b""
    return _csv_line(_with_reason(layout.header, REJECT_REASON, layout.header))


def rejected_line(layout: Layout, row: Row, errors: Sequence[InvalidPart]) -> bytes:
    """The row with the reason why it was rejected."""
    reason = reason_of(errors)
    if isinstance(row.raw, str):
        return (_json_line(row, reason) + "\n").encode("utf-8", "replace")
    return _csv_line(_with_reason(row.raw, reason, layout.header))


def reason_of(errors: Sequence[InvalidPart]) -> str:
    """All reasons in one text."""
    shown = "; ".join(f"{error.place}: {error.reason}" for error in errors[:ERRORS_SHOWN])
    return shown if len(errors) <= ERRORS_SHOWN else f"{shown}; and more"


class RejectsWriter:
    """Collects rejected rows of one file, and puts them whenever they have become many."""

    def __init__(self, put: Callable[[int, bytes], None]) -> None:
        self._put = put
        self._parts = 0
        self._waiting = bytearray()

    def add(self, line: bytes) -> None:
        """One more row."""
        self._waiting += line
        if len(self._waiting) >= PART_BYTES:
            self.close()

    def close(self) -> None:
        """Puts what is waiting."""
        if self._waiting:
            self._put(self._parts, bytes(self._waiting))
            self._parts += 1
            self._waiting.clear()


def _with_reason(cells: Iterable[str], reason: str, header: Sequence[str]) -> list[str]:
    """The cells and the reason, which replaces one of an earlier import.

    A row with too many cells, or too few, still does not fit: nothing moves under another header
    unseen.
    """
    given = list(cells)
    if len(given) == len(header):
        given = [
            cell for cell, name in zip(given, header, strict=True) if name.strip() != REJECT_REASON
        ]
        return [*given, reason]
    columns = sum(name.strip() != REJECT_REASON for name in header) + 1
    return [*given, "", reason] if len(given) + 1 == columns else [*given, reason]


def _csv_line(cells: Sequence[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue().encode("utf-8", "replace")


def _json_line(row: Row, reason: str) -> str:
    raw = str(row.raw)
    try:
        device = None if row.cut else decoded(raw)
    except ValueError:
        device = None
    if not isinstance(device, dict):
        return exact_json.dumps(
            {REJECTED_LINE: raw[:SHOWN_BYTES] if row.cut else raw, REJECT_REASON: reason}
        )
    if REJECT_REASON in device:
        device.pop(REJECT_REASON)
        try:
            return exact_json.dumps({**device, REJECT_REASON: reason})
        except RecursionError:
            return exact_json.dumps({REJECTED_LINE: raw, REJECT_REASON: reason})
    # As it stands in the file, so that nothing of it is written otherwise.
    comma = "," if device else ""
    added = f"{json.dumps(REJECT_REASON)}:{json.dumps(reason, ensure_ascii=False)}"
    return f"{raw.rstrip()[:-1].rstrip()}{comma}{added}}}"
