"""Steps of a long command: each is announced, timed, and listed when it is done."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.text import Text

from cli import output


@dataclass(kw_only=True)
class Steps:
    """What has been done so far, with seconds."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One step: a spinner while it runs (on a terminal), a line with its time afterwards."""
        console = output.notes()
        began = time.monotonic()
        with console.status(Text(name)):
            yield
        self.seconds[name] = time.monotonic() - began
        console.print(Text("  ok ", style="green") + Text(f"{name}  {self.seconds[name]:.1f} s"))

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """A step that shows its own progress: only its time is kept."""
        began = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - began
