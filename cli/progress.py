"""Progress while a person waits: of an import, an export, and a campaign's list."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cli.bar import DEVICES, ROWS, Bar, Pace, Unit, unit_of_bytes


@dataclass(kw_only=True)
class ImportProgress:
    """One import on its way; `uploaded` may be called from several threads."""

    bar: Bar
    size: int  # bytes to upload
    _pace: Pace = field(default_factory=Pace)
    _sent: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def uploaded(self, more: int) -> None:
        """So many bytes more have gone out."""
        with self._lock:
            self._sent += more
            rate = self._pace.of("uploading", self._sent)
            unit = unit_of_bytes(self.size)
            self.bar.update("uploading", self._sent, self.size, rate, unit)

    def update(self, found: dict[str, Any]) -> None:
        """The import as the API tells it."""
        progress = found["progress"]
        if found["state"] == "CHECKING":
            total = int(progress["bytes_total"])
            self._show("checking", progress["bytes_checked"], total, unit_of_bytes(total))
        elif found["state"] == "LOADING":
            self._show("loading", progress["rows_loaded"], progress["rows_to_load"], ROWS)

    def _show(self, what: str, done: int, total: int, unit: Unit) -> None:
        self.bar.update(what, done, total, self._pace.of(what, done), unit)


@contextmanager
def import_progress(*, show: bool, size: int = 0) -> Iterator[ImportProgress]:
    """Shows an import: bytes uploaded (of `size`), bytes checked, rows loaded, how fast."""
    with Bar(show=show) as bar:
        yield ImportProgress(bar=bar, size=size)


@contextmanager
def export_progress(*, show: bool) -> Iterator[Callable[[int], None]]:
    """Shows how many devices are written; call it with how many more are."""
    with Bar(show=show) as bar:
        done = 0
        pace = Pace()

        def advance(more: int) -> None:
            nonlocal done
            done += more
            bar.update("exporting", done, None, pace.of("", done), DEVICES)

        yield advance


@contextmanager
def campaign_progress(*, show: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Shows a campaign's state and list: devices done, devices a second, time left."""
    with Bar(show=show) as bar:
        pace = Pace()

        def update(campaign: dict[str, Any]) -> None:
            counts = campaign["counts"]
            done, total = int(counts["processed"]), int(counts["matched"])
            if campaign["state"] == "REFRESHING" and (changes := campaign.get("changes")):
                done, total = int(changes["done"]), int(changes["found"])
            measured = pace.of("", done)
            rate = float(campaign.get("rate") or 0) or measured
            listed = counts["segments_listed"] == counts["segments_total"]
            bar.update(campaign["state"], done, total, rate, DEVICES, total_is_known=listed)

        yield update
