"""What all checks of an import found together."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from functions.imports.reading import Layout
from functions.imports.records import Counts, Reject
from functions.imports.results import REJECTS_SHOWN, CheckedFile, CheckedGroup

REFUSALS_SHOWN = 5


@dataclass(kw_only=True)
class Tally:
    """The groups added up, in their order."""

    slice_rows: list[int]
    refused: list[CheckedFile] = field(default_factory=list)
    layouts: dict[int, Layout] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    rows: int = 0
    rejected: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, group: CheckedGroup) -> None:
        """One more group."""
        for file in group.files:
            if file.layout is None or file.refused is not None:
                self.refused.append(file)
                continue
            self.layouts[file.number] = file.layout
            self.rows += file.rows
            self.rejected += file.rejected
            self.skipped.update(file.skipped)
        self.rejects += group.rejects[: REJECTS_SHOWN - len(self.rejects)]
        for number, rows in enumerate(group.slice_rows):
            self.slice_rows[number] += rows

    @property
    def counts(self) -> Counts:
        """What is known before anything is loaded."""
        return Counts(rows=self.rows, rejected=self.rejected, skipped=dict(self.skipped))


def refusal(files: Sequence[tuple[str, str]]) -> str:
    """The reason of an import, out of the names of files and why they are refused."""
    shown = "; ".join(f"{name} {why}" for name, why in files[:REFUSALS_SHOWN])
    more = len(files) - REFUSALS_SHOWN
    return shown if more <= 0 else f"{shown}; and {more:,} files more"
