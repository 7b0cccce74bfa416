"""How an import is laid out in its table: everything of it under one partition key.

record                 what it is
import                 state, counts, progress, and the token of the waiting workflow; `kind` and
                       `created_at` put it into the index by_created
file#0003              the file's name
file#0003#upload       its size and ETag when the import was started
file#0003#checked      its format, or why it is refused
file#0003#rejected     that its rejected rows can be downloaded
check#0002             how far the check of a group of files is, and which attempt at it counts
slice#00012            how far a slice is loaded, and what became of its rows
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from functions.imports import keys
from functions.imports.records import (
    Counts,
    FileFormat,
    Group,
    Import,
    ImportFile,
    ImportState,
    Reject,
    SliceProgress,
)
from functions.imports.results import rejects_from_json, rejects_to_json
from functions.shared.clock import from_wire

IMPORT = "import"
KIND = "import"  # one partition of the index, in which they are sorted by age
FILE = "file#"
CHECK = "check#"
SLICE = "slice#"
UPLOADED, CHECKED, REJECTED = "#upload", "#checked", "#rejected"
_AS_STORED = ("name", "format", "gzip", "refused")


def file_record(number: int, part: str = "") -> str:
    return f"{FILE}{number:04}{part}"


def check_record(group: int) -> str:
    return f"{CHECK}{group:04}"


def slice_record(number: int) -> str:
    return f"{SLICE}{number:05}"


def import_of(item: Mapping[str, Any]) -> Import:
    return Import(
        import_id=item["import_id"],
        state=ImportState(item["state"]),
        dry_run=item["dry_run"],
        files_total=int(item["files_total"]),
        created_at=from_wire(item["created_at"]),
        first_file=item.get("first_file", ""),
        started_at=from_wire(item["started_at"]) if "started_at" in item else None,
        ended_at=from_wire(item["ended_at"]) if "ended_at" in item else None,
        reason=item.get("reason"),
        bytes_total=int(item.get("bytes_total", 0)),
        groups=tuple(
            Group(number=number, first=int(first), last=int(last))
            for number, (first, last) in enumerate(item.get("groups", ()), start=1)
        ),
        partitions=int(item.get("partitions", 0)),
        slices_total=int(item.get("slices_total", 0)),
        slices_done=int(item.get("slices_done", 0)),
        rows_to_load=int(item.get("rows_to_load", 0)),
        rows_loaded=int(item.get("rows_loaded", 0)),
        counts=counts_of(item),
        rejects=_rejects(item),
        waiter=item.get("waiter"),
    )


def counts_of(item: Mapping[str, Any]) -> Counts:
    numbers = {
        name: int(item.get(name, 0))
        for name in ("rows", "stored", "duplicates", "moved", "rejected")
    }
    skipped = {channel: int(number) for channel, number in item.get("skipped", {}).items()}
    return Counts(**numbers, skipped=skipped)


def slice_of(item: Mapping[str, Any]) -> SliceProgress:
    return SliceProgress(
        done=int(item["done"]),
        over=item["over"],
        counts=counts_of(item),
        runs=tuple(item["runs"]),
        rejects=_rejects(item),
    )


def files_of(import_id: str, items: Iterable[Mapping[str, Any]]) -> list[ImportFile]:
    """The files out of all their records."""
    found: dict[int, dict[str, Any]] = {}
    for item in items:
        _, number, *part = item["record"].split("#")
        members = {name: item[name] for name in _AS_STORED if name in item}
        if part == [UPLOADED[1:]]:
            members["bytes"] = int(item["bytes"])
        if part == [REJECTED[1:]]:
            members["rejects_key"] = keys.rejected(import_id, int(number))
        found.setdefault(int(number), {}).update(members)
    return [
        ImportFile(number=number, **{**members, "format": _format(members.get("format"))})
        for number, members in sorted(found.items())
    ]


def reject_texts(rejects: Sequence[Reject]) -> list[str]:
    """Each reject as one text, which takes less of an item's 400 KB than a map does."""
    return [json.dumps(each, ensure_ascii=False) for each in rejects_to_json(rejects)]


def _rejects(item: Mapping[str, Any]) -> tuple[Reject, ...]:
    return rejects_from_json([json.loads(text) for text in item.get("rejects", ())])


def _format(text: str | None) -> FileFormat | None:
    return None if text is None else FileFormat(text)
