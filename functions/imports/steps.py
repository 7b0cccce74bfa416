"""The steps of an import's workflow, each safe to repeat."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from functions.imports import keys, shuffle
from functions.imports.bucket import Bucket
from functions.imports.finishing import write_rejects
from functions.imports.grouping import grouped
from functions.imports.queue import SliceKey, SliceQueue
from functions.imports.records import Counts, Import, ImportState, Upload
from functions.imports.results import (
    REJECTS_SHOWN,
    Plan,
    group_from_json,
    plan_from_json,
    plan_to_json,
)
from functions.imports.store import ImportStore
from functions.imports.tally import Tally, refusal
from functions.imports.unpacking import is_gzip
from functions.shared.errors import FanfareError
from functions.shared.task_tokens import Wake

REASON_MAX_CHARACTERS = 500


class FilesMissingError(FanfareError):
    """A file that was there when the import was started is gone."""


class CountsDoNotAddUpError(FanfareError):
    """There are rows of which nobody knows what became."""


@dataclass(frozen=True, kw_only=True)
class Steps:
    """The workflow's steps over their stores and gateways."""

    store: ImportStore
    bucket: Bucket
    queue: SliceQueue
    wake: Wake

    def begin(self, import_id: str) -> dict[str, Any]:
        """Looks what was uploaded, and shares it out into groups that are checked side by side."""
        found = self.store.find(import_id)
        if found is not None and found.state is ImportState.UPLOADING:
            uploads = self._uploads(found)
            sizes = self._unpacked(import_id, uploads)
            self.store.put_uploads(import_id, uploads)
            self.store.begin(
                import_id,
                groups=grouped(sizes),
                partitions=shuffle.partitions(sum(sizes.values())),
                bytes_total=sum(each.bytes for each in uploads),
            )
            # Also if it was begun in between: its groups count, not ours.
            found = self.store.find(import_id)
        if found is None or found.state is not ImportState.CHECKING:
            return {"active": False, "groups": []}
        return {"active": True, "groups": [group.number for group in found.groups]}

    def decide(self, import_id: str) -> dict[str, str]:
        """What follows from the checks: LOAD, or END if a file is refused or it is over before."""
        found = self.store.find(import_id)
        if found is not None and found.state is ImportState.CHECKING:
            self._decide(found)
            found = self.store.find(import_id)
        loading = found is not None and found.state is ImportState.LOADING
        return {"outcome": "LOAD" if loading else "END"}

    def queue_slices(self, import_id: str) -> None:
        """Queues every slice; one that is over already is passed over by its worker."""
        found = self.store.find(import_id)
        if found is not None and found.state is ImportState.LOADING:
            self.queue.send(SliceKey(import_id, number) for number in self._plan(import_id).slices)

    def await_load(self, import_id: str, task_token: str) -> None:
        """Stores who waits for the load; wakes it at once if there is nothing to wait for."""
        found = self.store.store_waiter(import_id, task_token)
        if found is None or found.state is not ImportState.LOADING or found.loaded:
            self.wake(task_token)

    def finish(self, import_id: str) -> None:
        """Adds the counts up, lays the rejected rows out for download: LOADING turns DONE."""
        found = self.store.find(import_id)
        if found is None or found.state is not ImportState.LOADING:
            return
        plan = self._plan(import_id)
        loaded = list(self.store.slices(import_id))
        _demand_that_it_adds_up(found, [each.counts for each in loaded])
        runs = {run for each in loaded for run in each.runs}
        rejects = [*found.rejects, *(reject for each in loaded for reject in each.rejects)]
        files = write_rejects(
            import_id,
            self.bucket,
            plan.layouts,
            attempts=set(plan.attempts.values()),
            runs=runs,
        )
        self.store.put_rejected(import_id, files)
        self.store.end(
            import_id,
            ImportState.DONE,
            while_=[ImportState.LOADING],
            rejects=rejects[:REJECTS_SHOWN],
        )

    def fail(self, import_id: str, error: dict[str, Any]) -> None:
        """Leaves the import FAILED with the reason, unless it is over already."""
        going = [ImportState.UPLOADING, ImportState.CHECKING, ImportState.LOADING]
        self.store.end(import_id, ImportState.FAILED, while_=going, reason=_reason(error))

    def _uploads(self, found: Import) -> list[Upload]:
        listed = list(self.bucket.listed(keys.files(found.import_id)))
        if len(listed) != found.files_total:
            raise FilesMissingError(
                f"{len(listed):,} of {found.files_total:,} files are in the bucket"
            )
        return [
            Upload(number=number, bytes=each.bytes, etag=each.etag)
            for number, each in enumerate(listed, start=1)
        ]

    def _unpacked(self, import_id: str, uploads: Sequence[Upload]) -> dict[int, int]:
        """By file, about how many bytes it has unpacked."""
        first = self.bucket.beginnings(
            {each.number: keys.file(import_id, each.number) for each in uploads if each.bytes}
        )
        return {
            each.number: shuffle.unpacked(each.bytes, gzip=is_gzip(first.get(each.number, b"")))
            for each in uploads
        }

    def _decide(self, found: Import) -> None:
        import_id = found.import_id
        attempts = self.store.attempts(import_id)
        tally = Tally(slice_rows=[0] * found.partitions)
        for group in found.groups:
            key = keys.check(import_id, group.number, attempts[group.number])
            checked = group_from_json(self.bucket.get(key))
            self.store.put_checked(import_id, checked.files)
            tally.add(checked)
        if tally.refused:
            names = {file.number: file.name for file in self.store.files(import_id)}
            refused = [(names[each.number], str(each.refused)) for each in tally.refused]
            self.store.end(
                import_id,
                ImportState.REFUSED,
                while_=[ImportState.CHECKING],
                reason=refusal(refused),
            )
            return
        plan = Plan(attempts=attempts, layouts=tally.layouts, slice_rows=tuple(tally.slice_rows))
        self.bucket.put(keys.plan(import_id), plan_to_json(plan))
        self.store.start_load(
            import_id,
            slices=len(plan.slices),
            rows=sum(plan.slice_rows),
            counts=tally.counts,
            rejects=tally.rejects,
        )

    def _plan(self, import_id: str) -> Plan:
        return plan_from_json(self.bucket.get(keys.plan(import_id)))


def _demand_that_it_adds_up(found: Import, slices: Sequence[Counts]) -> None:
    """The slices' own counts are the truth; the import's were only added up on the way."""
    loaded = sum(each.settled for each in slices)
    counted = found.counts.settled == found.counts.rows and loaded == found.rows_to_load
    if not (found.loaded and counted):
        raise CountsDoNotAddUpError(
            f"{found.rows_to_load:,} rows were to be loaded, and {loaded:,} are counted; "
            f"{found.slices_done:,} of {found.slices_total:,} slices are done"
        )


def _reason(error: dict[str, Any]) -> str:
    """What Step Functions caught, readable: the error's name and the message of its cause."""
    cause = str(error.get("Cause", ""))
    with suppress(ValueError, KeyError, TypeError):  # not every cause is a function's
        cause = str(json.loads(cause)["errorMessage"])
    return f"{error.get('Error', 'unknown')}: {cause}"[:REASON_MAX_CHARACTERS]
