"""What a person sees: results on standard output, everything else on standard error."""

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli import exact_json
from cli.errors import CliError, StoppedError
from cli.whole_file import or_unwritable

# Where nobody reads along (a pipe, a log), tables need a width that does not break ids and URLs.
UNATTENDED_WIDTH = 160
NARROWEST = 6
STANDARD_OUTPUT = "standard output"

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def show_what_can_be_shown() -> None:
    """From now on standard output takes every text; what its encoding has not becomes a `?`.

    Standard error does so by itself: https://docs.python.org/3/library/sys.html#sys.stderr
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def let_go() -> None:
    """From now on what is printed goes nowhere: whoever read it is gone, or its disk is full.

    https://docs.python.org/3/library/signal.html#note-on-sigpipe
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None and not _can_be_flushed(stream):
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _can_be_flushed(stream: TextIO) -> bool:
    try:
        stream.flush()
    except OSError:
        return False
    return True


@contextmanager
def _written() -> Iterator[None]:
    """What is printed inside has left this process, or UsageError says why it could not."""
    with or_unwritable(STANDARD_OUTPUT):
        yield
        sys.stdout.flush()


def results() -> Console:
    """The console for what was asked for."""
    return _console(stderr=False)


def notes() -> Console:
    """The console for progress, remarks and errors."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else UNATTENDED_WIDTH
    return Console(stderr=stderr, highlight=False, soft_wrap=False, width=width)


def note(text: str) -> None:
    """One remark, as plain text."""
    notes().print(Text(text), soft_wrap=True)


def say(text: str) -> None:
    """One line of the result, as plain text."""
    with _written():
        results().print(Text(text), soft_wrap=True)


def print_json(value: Any) -> None:
    """The result for a script: JSON on standard output and nothing else, whole in any encoding."""
    text = exact_json.dumps(value, pretty=True) + "\n"
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        # Beyond ASCII are only texts, in which JSON has an escape for every character.
        text = _BEYOND_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
    with _written():
        sys.stdout.write(text)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    title: str = "",
    *,
    narrow: str | None = None,
) -> None:
    """A table; a column whose name ends in `#` holds figures and is set flush right.

    Where it is wider than the terminal, the column `narrow` gives way, or else all do; nothing is
    cut off, so that whatever is shown can be copied.
    """
    table = Table(
        title=title or None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    for column in columns:
        right = column.endswith("#")
        table.add_column(
            column.removesuffix("#"),
            justify="right" if right else "left",
            overflow="fold",
            min_width=NARROWEST if column == narrow else None,
            no_wrap=narrow is not None and column != narrow,
        )
    for row in rows:
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    with _written():
        results().print(table)


def print_error(error: CliError) -> None:
    """The failure: what, why, and each wrong place. That the person interrupted is no error."""
    console = notes()
    what = Text() if isinstance(error, StoppedError) else Text("error: ", style="bold red")
    console.print(what + Text(error.title), soft_wrap=True)
    if error.detail and not error.wrong:
        console.print(Text(error.detail), soft_wrap=True)
    for wrong in error.wrong:
        console.print(Text(f"  {wrong.place}: {wrong.reason}"), soft_wrap=True)
