"""What a command says when the person interrupts it: what goes on without them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cli.errors import StoppedError

PLAIN = "interrupted"


@dataclass(kw_only=True)
class Interruption:
    """What is true as things stand; said only if it comes to that."""

    title: str = PLAIN
    detail: str = ""

    def would_say(self, title: str, *, detail: str = "") -> None:
        """From now on an interruption says this."""
        self.title, self.detail = title, detail


@contextmanager
def on_interruption(title: str = PLAIN, *, detail: str = "") -> Iterator[Interruption]:
    """Turns Ctrl-C into StoppedError with the text that holds at that moment."""
    stands = Interruption(title=title, detail=detail)
    try:
        yield stands
    except KeyboardInterrupt:
        raise StoppedError(stands.title, detail=stands.detail) from None
