"""The files of an import, as a person names them: looked at before anything is sent."""

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.errors import UsageError, Wrong

MOST_FILES = 1_000
MOST_SHOWN = 10
# One PUT to S3: https://docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html
FILE_MAX_BYTES = 5 * 1024**3
NAME_MAX_CHARS = 200
_NOT_IN_A_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, kw_only=True)
class ImportFile:
    """One file that can be read and is not empty, and its name in the import: no other has it."""

    path: Path
    name: str
    size: int  # bytes


def find_files(
    paths: Sequence[Path], *, remark: Callable[[str], None] = lambda _: None
) -> list[ImportFile]:
    """The files, a folder's in the order of their paths; UsageError names all that cannot be used.

    A folder stands for all files in it, however deep; `remark` hears how many these are, and which
    were passed over since their names say that they hold no rows.
    """
    wrong: list[Wrong] = []
    found = [path for named in paths for path in _files_of(named, wrong, remark)]
    often = Counter(path.resolve() for path in found)
    sizes = [_size(path, often[path.resolve()], wrong) for path in found]
    if wrong:
        raise UsageError("nothing was sent, because of these files", wrong=wrong)
    if len(found) > MOST_FILES:
        raise UsageError(
            f"{len(found):,} files are too many for one import: {MOST_FILES:,} at most"
        )
    return [
        ImportFile(path=path, name=name, size=size)
        for path, name, size in zip(found, _names(found), sizes, strict=True)
    ]


def _files_of(named: Path, wrong: list[Wrong], remark: Callable[[str], None]) -> list[Path]:
    if not named.is_dir():
        return [named]
    found: list[Path] = []
    passed_over: list[Path] = []

    def cannot_be_read(error: OSError) -> None:
        place = str(error.filename or named)
        wrong.append(Wrong(place=place, reason=f"cannot be read: {error.strerror}"))

    for folder, folders, names in os.walk(named, onerror=cannot_be_read):
        hidden = [Path(folder, name) for name in (*names, *folders) if _holds_no_rows(name)]
        folders[:] = [name for name in folders if not _holds_no_rows(name)]
        # What a link leads to is not walked, for it may be round in circles: one can name it.
        links = [path for name in folders if (path := Path(folder, name)).is_symlink()]
        passed_over += hidden + links
        found += [Path(folder, name) for name in names if not _holds_no_rows(name)]
    if not found and not wrong:
        only = f", only {_in_short(passed_over)}" if passed_over else ""
        wrong.append(Wrong(place=str(named), reason=f"holds no files{only}"))
    elif found:
        remark(f"{named}: {_how_many(found)}")
        if passed_over:
            remark(f"passed over: {_in_short(passed_over)}")
    return sorted(found, key=lambda path: path.parts)


def _holds_no_rows(name: str) -> bool:
    """Hidden, or what jobs leave beside their parts (`_SUCCESS`, `_temporary`)."""
    return name.startswith((".", "_"))


def _how_many(files: Sequence[Path]) -> str:
    folders = len({path.parent for path in files})
    number = f"{len(files):,} file{'s' if len(files) > 1 else ''}"
    return f"{number} in {folders:,} folders" if folders > 1 else number


def _in_short(paths: Sequence[Path]) -> str:
    shown = ", ".join(map(str, sorted(paths)[:MOST_SHOWN]))
    return f"{shown} and {len(paths) - MOST_SHOWN:,} more" if len(paths) > MOST_SHOWN else shown


def _size(path: Path, times: int, wrong: list[Wrong]) -> int:
    """The file's bytes; notes why it cannot be used."""
    reason = ""
    size = 0
    try:
        if _may_be_opened(path):
            with path.open("rb") as file:
                size = file.seek(0, 2)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    else:
        if not path.is_file():
            reason = "is no ordinary file"
        elif times > 1:
            reason = "is named twice"
        elif size == 0:
            reason = "is empty"
        elif size > FILE_MAX_BYTES:
            reason = "is over 5 GiB, which one upload cannot carry: cut it, or pack it with gzip"
    if reason:
        wrong.append(Wrong(place=str(path), reason=reason))
    return size


def _may_be_opened(path: Path) -> bool:
    """Not a pipe, at which one would wait for whoever writes into it."""
    return not path.exists() or path.is_file()


def _names(paths: Sequence[Path]) -> list[str]:
    """What each file is called in the import: its own name, or as much more as tells them apart."""
    for names in ([path.name for path in paths], [path.as_posix() for path in paths]):
        clean = [_NOT_IN_A_NAME.sub("_", name)[-NAME_MAX_CHARS:] for name in names]
        if len(set(clean)) == len(clean):
            return clean
    return [f"{number:04} {name[-NAME_MAX_CHARS + 5 :]}" for number, name in enumerate(clean, 1)]
