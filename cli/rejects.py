"""The rejected rows of an import, saved as files that can be mended and imported again."""

import re
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import requests

from cli.api import Api
from cli.errors import FailedError, UsageError
from cli.whole_file import whole_file

TIMEOUT_SECONDS = (5.0, 60.0)
NAME_MAX_CHARS = 150
PART_BYTES = 64 * 1024
# What every file system takes; a path in a name must not lead out of the folder.
_UNSAFE = re.compile(r"[^\w.\- ]+")


def prepare(folder: Path) -> None:
    """Makes the folder; UsageError if it holds anything, for nothing is ever overwritten."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise UsageError(f"--rejects: {folder} cannot be used: {error.strerror}") from None
    if held:
        more = f" and {len(held) - 1:,} more" if len(held) > 1 else ""
        raise UsageError(
            f"--rejects: {folder} is not empty: {held[0]}{more}",
            detail="nothing is overwritten; name a new folder",
        )


def download(api: Api, found: dict[str, Any], folder: Path) -> list[Path]:
    """One file for each file that has rejected rows; FailedError if one cannot be had."""
    direct = api.target.cloud.local is not None
    rejecting = [file for file in found["files"] if file["rejects_url"]]
    saved = []
    with requests.Session() as session:
        session.trust_env = not direct
        for file, name in zip(rejecting, _safe_names(rejecting), strict=True):
            path = folder / name
            _save(session, str(file["rejects_url"]), path)
            saved.append(path)
    return saved


def _save(session: requests.Session, url: str, path: Path) -> None:
    try:
        with whole_file(path) as out:
            for part in _parts(session, url, path):
                out.write(part)
    except UsageError as error:
        # The import itself has come out as it has, which is what the exit code is about.
        raise FailedError(error.title, detail=error.detail) from None


def _parts(session: requests.Session, url: str, path: Path) -> Iterator[bytes]:
    try:
        with session.get(url, stream=True, timeout=TIMEOUT_SECONDS) as answer:
            if answer.status_code != HTTPStatus.OK:
                raise FailedError(
                    f"{path} could not be downloaded", detail=f"S3 answered {answer.status_code}"
                )
            yield from answer.iter_content(PART_BYTES)
    except requests.RequestException:
        raise FailedError(
            f"{path} could not be downloaded", detail="S3 did not answer, or broke off"
        ) from None


def _safe_names(files: list[dict[str, Any]]) -> Iterator[str]:
    """A name for each that no other has, whatever its letters' case; it tells the format."""
    used: set[str] = set()
    for file in files:
        stem = _UNSAFE.sub("_", str(file["name"]).removesuffix(".gz")).strip(". ")
        ending = f".{file['format']}"
        stem = stem.removesuffix(ending)[-NAME_MAX_CHARS:] or "file"
        name, number = f"{stem}{ending}", 1
        while name.casefold() in used:
            number += 1
            name = f"{stem}-{number}{ending}"
        used.add(name.casefold())
        yield name
