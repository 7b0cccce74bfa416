"""One bar that shows how far something is: drawn on a terminal, a line now and then in a log."""

import time
from dataclasses import dataclass
from datetime import timedelta

from rich.progress import BarColumn, Progress, TextColumn

from cli import output

LOG_EVERY_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class Unit:
    """What is counted, and how its figures are written."""

    name: str
    size: int = 1
    digits: int = 0

    def figure(self, number: float) -> str:
        """The number in this unit."""
        return f"{number / self.size:,.{self.digits}f}"


DEVICES = Unit(name="devices")
ROWS = Unit(name="rows")
KILOBYTES = Unit(name="kB", size=1_000, digits=1)
MEGABYTES = Unit(name="MB", size=1_000_000, digits=1)


def unit_of_bytes(total: int) -> Unit:
    """The unit in which so many bytes are easy to read."""
    return MEGABYTES if total >= MEGABYTES.size else KILOBYTES


class Pace:
    """How fast it goes, since this first was asked what it is about."""

    def __init__(self) -> None:
        self._first: tuple[str, float, int] | None = None

    def of(self, what: str, done: int) -> float:
        """So many a second; 0 as long as it cannot be told."""
        now = time.monotonic()
        if self._first is None or self._first[0] != what:
            self._first = (what, now, done)
        _, since, already = self._first
        return (done - already) / (now - since) if now > since else 0.0


class Bar:
    """One bar, drawn on a terminal and written as lines elsewhere."""

    def __init__(self, *, show: bool) -> None:
        self._show = show
        self._console = output.notes()
        self._live = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(),
            TextColumn("{task.fields[shown]}"),
            console=self._console,
            disable=not (show and self._console.is_terminal),
            transient=True,
        )
        self._task = self._live.add_task("", total=None, shown="")
        self._said = ("", 0.0)

    def __enter__(self) -> "Bar":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def update(
        self,
        what: str,
        done: int,
        total: int | None,
        rate: float,
        unit: Unit,
        *,
        total_is_known: bool = True,
    ) -> None:
        """Shows where it stands; the time left only once the total is known."""
        of = f" of {unit.figure(total)}" if total is not None else ""
        shown = f"{unit.figure(done)}{of} {unit.name}, {unit.figure(rate)} {unit.name}/s"
        if total is not None and total_is_known and rate > 0 and total > done:
            shown += f", {timedelta(seconds=round((total - done) / rate))} left"
        self._live.update(
            self._task, description=what, completed=done, total=total or None, shown=shown
        )
        if self._show and not self._console.is_terminal:
            self._say(what, f"{what}  {shown}")

    def _say(self, what: str, line: str) -> None:
        said, at = self._said
        if what != said or time.monotonic() - at > LOG_EVERY_SECONDS:
            self._said = (what, time.monotonic())
            output.note(line)
