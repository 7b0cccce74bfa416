"""A file that is there when it is complete, and not before."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from cli.errors import UsageError


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Writes beside the path and takes its place at the end; after a failure nothing is left.

    A symbolic link stays: what it leads to is replaced. UsageError, with the reason, if the path is
    no file's or cannot be written. Only its owner may read it: what is written here holds push
    tokens.
    """
    place = Path(os.path.realpath(path))
    with or_unwritable(str(path)):
        _refuse_what_is_no_file(path, place)
        handle, name = tempfile.mkstemp(prefix=f".{place.name[:50]}.", dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                yield out
            os.replace(name, place)  # noqa: PTH105 (a name, not a path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(name)  # noqa: PTH108 (the same)
            raise


@contextmanager
def or_unwritable(what: str) -> Iterator[None]:
    """UsageError that says what cannot be written and why; that a reader is gone is no such."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"{what} cannot be written: {error.strerror}") from None


def _refuse_what_is_no_file(path: Path, place: Path) -> None:
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise UsageError(f"{path} cannot be written: it is a folder", detail="name a file in it")
    if not stat.S_ISREG(mode):
        raise UsageError(
            f"{path} cannot be written: it is no ordinary file",
            detail="- is standard output, which may be a pipe or a device",
        )
