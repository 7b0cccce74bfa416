"""Failures that the command line expects, and the exit code that each becomes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

EXIT_REFUSED = 1  # the API said no, or what was asked for did not come out
EXIT_USAGE = 2  # wrong options, a bad input file, or no cloud to talk to
EXIT_STOPPED = 130  # interrupted from the keyboard: 128 + SIGINT, as shells have it
EXIT_UNREAD = 141  # who read the output is gone (`| head`): 128 + SIGPIPE


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """One wrong place in an input, and why."""

    place: str
    reason: str


class CliError(Exception):
    """Root of the expected failures; the text is shown to the person as it is."""

    exit_code = EXIT_USAGE

    def __init__(self, title: str, *, detail: str = "", wrong: Sequence[Wrong] = ()) -> None:
        super().__init__(title)
        self.title = title
        self.detail = detail
        self.wrong = tuple(wrong)

    def of(self, name: object) -> Self:
        """The same failure, which says now what it is about."""
        self.title = f"{name}: {self.title}"
        return self


class UsageError(CliError):
    """An option or an input file that cannot be used; nothing was sent."""


class NoCloudError(CliError):
    """There is no cloud to talk to, or Fanfare is not deployed in it."""


class FailedError(CliError):
    """What was asked for was tried and did not come out."""

    exit_code = EXIT_REFUSED


class StoppedError(CliError):
    """The person interrupted; the text says what goes on without them."""

    exit_code = EXIT_STOPPED


class RefusedError(FailedError):
    """The API answered with a problem (RFC 9457)."""

    def __init__(self, status: int, title: str, *, detail: str, wrong: Sequence[Wrong]) -> None:
        super().__init__(title, detail=detail, wrong=wrong)
        self.status = status
