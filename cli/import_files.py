"""The files of an import, as a person names them: looked at before anything is sent."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.errors import UsageError, Wrong

MOST_FILES = 1_000
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


def find_files(paths: Sequence[Path]) -> list[ImportFile]:
    """The files, a folder's in the order of their names; UsageError names all that cannot be used.

    Of a folder those files count that lie in it directly and are not hidden.
    """
    wrong: list[Wrong] = []
    found = [path for named in paths for path in _files_of(named, wrong)]
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


def _files_of(named: Path, wrong: list[Wrong]) -> list[Path]:
    try:
        if not named.is_dir():
            return [named]
        inside = [path for path in named.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        wrong.append(Wrong(place=str(named), reason=f"cannot be read: {error.strerror}"))
        return []
    files = sorted((path for path in inside if not path.is_dir()), key=lambda path: path.name)
    if not files:
        folders = ", only folders; name those" if inside else ""
        wrong.append(Wrong(place=str(named), reason=f"holds no files{folders}"))
    return files


def _size(path: Path, times: int, wrong: list[Wrong]) -> int:
    """The file's bytes; notes why it cannot be used."""
    reason = ""
    size = 0
    try:
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


def _names(paths: Sequence[Path]) -> list[str]:
    """What each file is called in the import: its own name, or as much more as tells them apart."""
    for names in ([path.name for path in paths], [path.as_posix() for path in paths]):
        clean = [_NOT_IN_A_NAME.sub("_", name)[-NAME_MAX_CHARS:] for name in names]
        if len(set(clean)) == len(clean):
            return clean
    return [f"{number:04} {name[-NAME_MAX_CHARS + 5 :]}" for number, name in enumerate(clean, 1)]
