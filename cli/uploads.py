"""Puts files to their presigned URLs: streamed, a few at once, tried again where that helps."""

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import IO

import requests

from cli.errors import FailedError
from cli.import_files import ImportFile

UPLOADS_AT_ONCE = 4
TRIES = 5
FIRST_BACKOFF_SECONDS = 0.5
TIMEOUT_SECONDS = (5.0, 120.0)
_WORTH_REPEATING = frozenset({408, 429, 500, 502, 503, 504})


@dataclass(frozen=True, kw_only=True)
class Uploader:
    """Sends files. `direct` keeps a proxy from standing between this machine and itself.

    `progress` hears how many bytes more have gone out; fewer than none if a try came to nothing.
    """

    direct: bool
    progress: Callable[[int], None]
    sleep: Callable[[float], None] = time.sleep
    _given_up: threading.Event = field(default_factory=threading.Event)

    def send(self, files: Sequence[ImportFile], urls: Mapping[str, str]) -> None:
        """Sends each file to the URL of its name; FailedError if one does not get there."""
        pool = ThreadPoolExecutor(UPLOADS_AT_ONCE)
        try:
            sent = [pool.submit(self._send, file, urls[file.name]) for file in files]
            for done in as_completed(sent):
                done.result()
        finally:
            # After an interruption or a failure nobody waits for what is half sent.
            self._given_up.set()
            pool.shutdown(wait=False, cancel_futures=True)

    def _send(self, file: ImportFile, url: str) -> None:
        for again in reversed(range(TRIES)):
            status = self._try(file, url)
            if status == HTTPStatus.OK:
                return
            if not again or status not in _WORTH_REPEATING:
                raise FailedError(f"{file.path} could not be uploaded", detail=_why(status))
            longest = FIRST_BACKOFF_SECONDS * 2.0 ** (TRIES - again)
            self.sleep(random.uniform(longest / 2, longest))  # noqa: S311 (jitter)

    def _try(self, file: ImportFile, url: str) -> int:
        """The status of the answer; 503 if there was none."""
        with _opened(file.path) as opened, requests.Session() as session:
            session.trust_env = not self.direct
            body = _Body(opened, file.size, self._progress)
            try:
                answer = session.put(url, data=body, timeout=TIMEOUT_SECONDS)
                status = answer.status_code
            except requests.RequestException:
                status = HTTPStatus.SERVICE_UNAVAILABLE
            if status != HTTPStatus.OK:
                self.progress(-body.sent)
            return status

    def _progress(self, more: int) -> None:
        if self._given_up.is_set():
            raise FailedError("the upload was given up")
        self.progress(more)


class _Body:
    """The file as the body of a request: its length is known, and what is read is counted."""

    def __init__(self, file: IO[bytes], size: int, progress: Callable[[int], None]) -> None:
        self._file, self._size, self._progress = file, size, progress
        self.sent = 0

    def __len__(self) -> int:
        return self._size

    def read(self, size: int = -1) -> bytes:
        """The next bytes; never more than were announced, should the file grow meanwhile."""
        left = self._size - self.sent
        part = self._file.read(left if size < 0 else min(size, left))
        self.sent += len(part)
        self._progress(len(part))
        return part


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:  # it was there a moment ago
        raise FailedError(f"{path} cannot be read: {error.strerror}") from None


def _why(status: int) -> str:
    if status == HTTPStatus.FORBIDDEN:
        return "S3 answered 403: the address for it ran out after an hour; import again"
    return f"S3 answered {int(status)}"
