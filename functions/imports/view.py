"""An import as the API answers it."""

from collections.abc import Callable, Mapping, Sequence

from functions.imports.records import Counts, Import, ImportFile, Reject
from functions.imports.schema import (
    CountsView,
    FileView,
    ImportSummary,
    ImportView,
    ProgressView,
    RejectView,
)
from functions.shared.clock import optional_to_wire, to_wire
from functions.shared.http import InvalidPlace


def view_of(
    found: Import,
    files: Sequence[ImportFile],
    *,
    bytes_checked: int,
    rejects_url: Callable[[ImportFile], str | None],
) -> ImportView:
    """The answer, out of what the store has."""
    names = {file.number: file.name for file in files}
    return ImportView(
        id=found.import_id,
        state=found.phase,
        dry_run=found.dry_run,
        reason=found.reason,
        created_at=to_wire(found.created_at),
        started_at=optional_to_wire(found.started_at),
        ended_at=optional_to_wire(found.ended_at),
        files=[
            FileView(
                name=file.name,
                format=file.format,
                gzip=file.gzip,
                bytes=file.bytes,
                refused=file.refused,
                rejects_url=rejects_url(file),
            )
            for file in files
        ],
        counts=_counts(found.counts),
        progress=ProgressView(
            bytes_checked=bytes_checked,
            bytes_total=found.bytes_total,
            rows_loaded=found.rows_loaded,
            rows_to_load=found.rows_to_load,
        ),
        rejects=[_reject(each, names) for each in found.rejects],
    )


def summary_of(found: Import) -> ImportSummary:
    """The import as a list shows it."""
    return ImportSummary(
        id=found.import_id,
        state=found.phase,
        dry_run=found.dry_run,
        reason=found.reason,
        created_at=to_wire(found.created_at),
        started_at=optional_to_wire(found.started_at),
        ended_at=optional_to_wire(found.ended_at),
        files=found.files_total,
        first_file=found.first_file,
        counts=_counts(found.counts),
    )


def _counts(counts: Counts) -> CountsView:
    return CountsView(
        rows=counts.rows,
        stored=counts.stored,
        duplicates=counts.duplicates,
        moved=counts.moved,
        rejected=counts.rejected,
        skipped=dict(counts.skipped),
    )


def _reject(reject: Reject, names: Mapping[int, str]) -> RejectView:
    return RejectView(
        file=names[reject.file],
        line=reject.line,
        errors=[InvalidPlace(place=each.place, reason=each.reason) for each in reject.errors],
    )
