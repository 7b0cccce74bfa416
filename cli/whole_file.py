"""A file that is there when it is complete, and not before."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from cli.errors import UsageError


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Writes beside the path and takes its place at the end; after a failure nothing is left.

    Only its owner may read it: what is written here holds push tokens.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:50]}.", dir=path.parent)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
        os.replace(name, path)  # noqa: PTH105 (a name, not a path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)  # noqa: PTH108 (the same)
        raise
