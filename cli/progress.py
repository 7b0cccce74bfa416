"""Progress while a person waits: bars on a terminal, a line now and then in a log."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from cli import output

LOG_EVERY_SECONDS = 10.0


@contextmanager
def import_progress(total: int, *, show: bool) -> Iterator[Callable[[int], None]]:
    """Shows rows done of `total`, rows a second and time left; call it with how many more are."""
    with _Bar(show=show) as bar:
        done = 0
        began = time.monotonic()

        def advance(more: int) -> None:
            nonlocal done
            done += more
            rate = done / max(time.monotonic() - began, 0.001)
            bar.update("importing", done, total, rate, "rows", total_is_known=True)

        yield advance


@contextmanager
def campaign_progress(*, show: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Shows a campaign's state and list: devices done, devices a second, time left."""
    with _Bar(show=show) as bar:
        first: tuple[float, int] | None = None

        def update(campaign: dict[str, Any]) -> None:
            nonlocal first
            counts = campaign["counts"]
            done, total = int(counts["processed"]), int(counts["matched"])
            now = time.monotonic()
            first = first or (now, done)
            rate = float(campaign.get("rate") or 0)
            if not rate and now > first[0]:
                rate = (done - first[1]) / (now - first[0])
            listed = counts["segments_listed"] == counts["segments_total"]
            bar.update(campaign["state"], done, total, rate, "devices", total_is_known=listed)

        yield update


class _Bar:
    """One bar, drawn on a terminal and written as lines elsewhere."""

    def __init__(self, *, show: bool) -> None:
        self._show = show
        self._console = output.notes()
        self._live = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            console=self._console,
            disable=not (show and self._console.is_terminal),
            transient=True,
        )
        self._task = self._live.add_task("", total=None, speed="")
        self._said = ("", 0.0)

    def __enter__(self) -> "_Bar":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def update(
        self, what: str, done: int, total: int, rate: float, unit: str, *, total_is_known: bool
    ) -> None:
        """Shows where it stands; the time left only once the total is known."""
        speed = f"{rate:,.0f} {unit}/s"
        if total_is_known and rate and total > done:
            speed += f", {timedelta(seconds=round((total - done) / rate))} left"
        self._live.update(
            self._task, description=what, completed=done, total=total or None, speed=speed
        )
        if self._show and not self._console.is_terminal:
            self._say(what, f"{what}  {done:,} of {total:,} {unit}, {speed}")

    def _say(self, what: str, line: str) -> None:
        said, at = self._said
        if what != said or time.monotonic() - at > LOG_EVERY_SECONDS:
            self._said = (what, time.monotonic())
            output.note(line)
