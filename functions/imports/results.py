"""What checks find, as they keep it in the bucket: what became of each file and of its rows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from functions.imports.reading import Layout
from functions.imports.records import FileFormat, Reject
from functions.shared.errors import InvalidPart

# As many as a reader of the import is shown, and of what is wrong with one row.
REJECTS_SHOWN = 50
ERRORS_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class CheckedFile:
    """What a check found of one file. rows = good + rejected + all that were skipped."""

    number: int
    gzip: bool
    layout: Layout | None = None
    refused: str | None = None
    rows: int = 0
    good: int = 0
    rejected: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class CheckedGroup:
    """What one check found: its files, how many rows went into each slice, the first rejects."""

    files: tuple[CheckedFile, ...]
    slice_rows: tuple[int, ...]
    rejects: tuple[Reject, ...]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a load needs of the checks: the attempts that count by group, the files' layouts."""

    attempts: Mapping[int, str]
    layouts: Mapping[int, Layout]
    slice_rows: tuple[int, ...]

    @property
    def slices(self) -> list[int]:
        """The slices that hold rows."""
        return [number for number, rows in enumerate(self.slice_rows) if rows]


def group_to_json(group: CheckedGroup) -> bytes:
    """The bytes to be kept."""
    layouts = _Layouts()
    files = [{**asdict(each), "layout": layouts.index(each.layout)} for each in group.files]
    return _bytes(
        {
            "layouts": layouts.to_json(),
            "files": files,
            "slice_rows": group.slice_rows,
            "rejects": rejects_to_json(group.rejects),
        }
    )


def group_from_json(text: bytes) -> CheckedGroup:
    """What `group_to_json` wrote."""
    read = json.loads(text)
    layouts = _layouts_from_json(read["layouts"])
    return CheckedGroup(
        files=tuple(
            CheckedFile(**{**each, "layout": _at(layouts, each["layout"])})
            for each in read["files"]
        ),
        slice_rows=tuple(read["slice_rows"]),
        rejects=rejects_from_json(read["rejects"]),
    )


def plan_to_json(plan: Plan) -> bytes:
    """The bytes to be kept."""
    layouts = _Layouts()
    files = {number: layouts.index(layout) for number, layout in plan.layouts.items()}
    return _bytes(
        {
            "attempts": plan.attempts,
            "files": files,
            "layouts": layouts.to_json(),
            "slice_rows": plan.slice_rows,
        }
    )


def plan_from_json(text: bytes) -> Plan:
    """What `plan_to_json` wrote."""
    read = json.loads(text)
    layouts = _layouts_from_json(read["layouts"])
    return Plan(
        attempts={int(group): attempt for group, attempt in read["attempts"].items()},
        layouts={int(number): layouts[index] for number, index in read["files"].items()},
        slice_rows=tuple(read["slice_rows"]),
    )


def rejects_to_json(rejects: Sequence[Reject]) -> list[dict[str, Any]]:
    """Rejects as JSON values."""
    return [asdict(reject) for reject in rejects]


def rejects_from_json(values: Sequence[dict[str, Any]]) -> tuple[Reject, ...]:
    """What `rejects_to_json` wrote."""
    return tuple(
        Reject(
            file=value["file"],
            line=value["line"],
            errors=tuple(InvalidPart(**each) for each in value["errors"]),
        )
        for value in values
    )


class _Layouts:
    """The different layouts, each once: a thousand parts of an export have one between them."""

    def __init__(self) -> None:
        self._indexes: dict[Layout, int] = {}

    def index(self, layout: Layout | None) -> int | None:
        return None if layout is None else self._indexes.setdefault(layout, len(self._indexes))

    def to_json(self) -> list[dict[str, Any]]:
        return [asdict(layout) for layout in self._indexes]


def _layouts_from_json(values: Sequence[dict[str, Any]]) -> list[Layout]:
    return [Layout(FileFormat(each["format"]), tuple(each["header"])) for each in values]


def _at(layouts: Sequence[Layout], index: int | None) -> Layout | None:
    return None if index is None else layouts[index]


def _bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
