"""The rows of one slice as they are to be registered: one for each Id, the last one's say."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from functions.imports.reading import Layout, Row, RowReader
from functions.imports.rows import Change, Rejected, Skipped, Whole, then


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A device to be registered, and the row that spoke last of it."""

    file: int
    row: Row
    says: Whole | Change


@dataclass(frozen=True, kw_only=True)
class RejectedRow:
    """A row that is not loaded."""

    file: int
    row: Row
    why: Rejected


@dataclass(frozen=True, kw_only=True)
class SliceRows:
    """A slice's rows. The order is the same each time, since progress is told by it."""

    candidates: tuple[Candidate, ...]
    duplicates: int
    rejected: tuple[RejectedRow, ...]


def last_of_each(rows: Iterable[tuple[int, Row]], layouts: Mapping[int, Layout]) -> SliceRows:
    """What is to be registered, out of all rows of a slice in the files' order."""
    readers = {layout: RowReader(layout) for layout in set(layouts.values())}
    candidates: dict[str, Candidate] = {}
    rejected: list[RejectedRow] = []
    duplicates = 0
    for file, row in rows:
        says = readers[layouts[file]].judge(row)
        if isinstance(says, Whole | Change) and says.device_id in candidates:
            says = then(candidates[says.device_id].says, says)
            if not isinstance(says, Rejected):
                duplicates += 1
                del candidates[says.device_id]  # its place is that of the last row
        if isinstance(says, Whole | Change):
            candidates[says.device_id] = Candidate(file=file, row=row, says=says)
        else:
            rejected.append(RejectedRow(file=file, row=row, why=_why(says)))
    return SliceRows(
        candidates=tuple(candidates.values()), duplicates=duplicates, rejected=tuple(rejected)
    )


def _why(says: Skipped | Rejected) -> Rejected:
    if isinstance(says, Rejected):
        return says
    # The check lets only good rows into a slice; a deployment in between may judge otherwise.
    return Rejected.at("row", "was judged otherwise when it was checked; import the file again")
