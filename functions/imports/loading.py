"""Loading slices: their devices are registered at the worker's pace, step by step, and each step
is counted once. Whoever counts the last one wakes the workflow.

A step is a run of devices in the slice's order, as many as take a few seconds. It may be done
twice, by two workers at once even: registering is idempotent, and only one of them counts it.
"""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from functions.devices.endpoints import OutOfTimeError
from functions.devices.records import Device, StatusReason
from functions.imports import keys
from functions.imports.bucket import Bucket
from functions.imports.queue import SliceKey
from functions.imports.reading import Layout
from functions.imports.records import Counts, Import, ImportState, Reject, SliceProgress, Step
from functions.imports.registering import Settle, Settled
from functions.imports.rejects import rejected_line
from functions.imports.results import ERRORS_SHOWN, REJECTS_SHOWN
from functions.imports.rows import Rejected
from functions.imports.slice_rows import Candidate, RejectedRow, SliceRows
from functions.imports.slices import Slices
from functions.imports.store import ImportStore
from functions.shared.task_tokens import Wake

# A step's time at the pace. The fewest devices of a step, with all their calls to SNS, must fit
# into a worker's time: stacks/config.py.
STEP_SECONDS = 5.0
STEP_MIN_DEVICES = 10
STEP_MAX_DEVICES = 500

# Makes what settles the devices of an import.
SettleOf = Callable[[Import], Settle]


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """How a message ended: what was counted here, and whether the slice has to come again."""

    stored: int = 0
    rejected: int = 0
    out_of_time: bool = False

    def and_(self, counts: Counts) -> "Loaded":
        """With what one more step counted."""
        return Loaded(stored=self.stored + counts.stored, rejected=self.rejected + counts.rejected)


@dataclass(frozen=True, kw_only=True)
class SliceLoader:
    """Works slices off."""

    store: ImportStore
    bucket: Bucket
    slices: Slices
    settle_of: SettleOf
    devices_per_second: Callable[[], float]  # at the worker's present pace
    wake: Wake
    clock: Callable[[], float] = time.monotonic

    def load(self, key: SliceKey, *, deadline: float) -> Loaded:
        """Settles what is left of the slice until it is over or the deadline comes.

        NotSettledError, UnavailableError if a step may work later.
        """
        found = self.store.find(key.import_id)
        if found is None or found.state is not ImportState.LOADING:
            return Loaded()
        settle = self.settle_of(found)
        rows: SliceRows | None = None
        loaded = Loaded()
        # Looked at anew for each step: another worker may be at the same slice.
        while not (progress := self.store.slice(*key)).over:
            rows = rows or self.slices.read(*key)
            candidates = rows.candidates[progress.done : progress.done + self._step_devices()]
            try:
                if self.clock() > deadline:
                    raise OutOfTimeError("There was no time left for a step.")
                settled = settle(candidates, deadline=deadline)
            except OutOfTimeError:
                return replace(loaded, out_of_time=True)
            step = self._step(key, rows, progress, candidates, settled)
            if self.store.step(*key, step):
                loaded = loaded.and_(step.counts)
            elif not self._goes_on(key):
                return loaded
        self._wake_if_over(key.import_id)
        return loaded

    def _step_devices(self) -> int:
        devices = int(self.devices_per_second() * STEP_SECONDS)
        return min(max(devices, STEP_MIN_DEVICES), STEP_MAX_DEVICES)

    def _step(
        self,
        key: SliceKey,
        rows: SliceRows,
        progress: SliceProgress,
        candidates: Sequence[Candidate],
        settled: Mapping[str, Settled],
    ) -> Step:
        after = progress.done + len(candidates)
        over = after == len(rows.candidates)
        rejected = [
            RejectedRow(file=each.file, row=each.row, why=why)
            for each in candidates
            if isinstance(why := settled[each.says.device_id], Rejected)
        ]
        if over:
            rejected += rows.rejected
        stored = [each for each in settled.values() if isinstance(each, Device)]
        moved = [each for each in stored if each.status_reason is StatusReason.MOVED]
        room = max(REJECTS_SHOWN - len(progress.rejects), 0)
        return Step(
            before=progress.done,
            after=after,
            over=over,
            counts=Counts(
                stored=len(stored),
                moved=len(moved),
                rejected=len(rejected),
                duplicates=rows.duplicates if over else 0,
            ),
            run=self._put_rejects(key, rejected) if rejected else None,
            rejects=tuple(_shown(each) for each in rejected[:room]),
        )

    def _put_rejects(self, key: SliceKey, rejected: Sequence[RejectedRow]) -> str:
        """Keeps the rows for download under the name of a new run, which is answered."""
        run = f"{key.number:05}-{uuid.uuid4().hex[:12]}"
        layouts = self.slices.plan(key.import_id).layouts
        by_file = sorted(rejected, key=_place)
        for file, rows in groupby(by_file, key=lambda each: each.file):
            lines = b"".join(_line(layouts[file], each) for each in rows)
            self.bucket.put(keys.rejects_of_run(key.import_id, file, run), lines)
        return run

    def _goes_on(self, key: SliceKey) -> bool:
        """After a step that was not counted: whether that was since another worker was quicker."""
        found = self.store.find(key.import_id)
        return found is not None and found.state is ImportState.LOADING

    def _wake_if_over(self, import_id: str) -> None:
        """Whoever counts the last step does this; whoever stores the waiter looks at the progress
        after storing. Whichever is later sees both."""
        found = self.store.find(import_id)
        if found is not None and found.loaded and found.waiter is not None:
            self.wake(found.waiter)


def _place(each: RejectedRow) -> tuple[int, int]:
    return each.file, each.row.line


def _line(layout: Layout, each: RejectedRow) -> bytes:
    return rejected_line(layout, each.row, each.why.errors)


def _shown(each: RejectedRow) -> Reject:
    return Reject(file=each.file, line=each.row.line, errors=each.why.errors[:ERRORS_SHOWN])
