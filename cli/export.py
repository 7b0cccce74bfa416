"""Writes all devices in the format that imports read: a few segments at once, memory flat."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

from cli import exact_json, output
from cli.api import Api
from cli.export_csv import COLUMNS_MAX, Header, to_csv
from cli.whole_file import or_unwritable, whole_file

SEGMENTS = 4
PAGE_DEVICES = 1_000  # the most that the API gives at once


class Format(StrEnum):
    """How the devices are written."""

    NDJSON = "ndjson"  # a device a line, in the API's shape
    CSV = "csv"  # a device a row, with Pinpoint's column names


def run(api: Api, form: Format, out: Path | None, progress: Callable[[int], None]) -> int:
    """Writes every device to the file, or to standard output, and says how many there were.

    A file is there when it is complete, or not at all. UsageError if it cannot be written.
    """
    with _standard_output() if out is None else whole_file(out) as file:
        written = (
            _ndjson(api, file, progress) if form is Format.NDJSON else _csv(api, file, progress)
        )
        file.flush()
    return written


@contextmanager
def _standard_output() -> Iterator[IO[bytes]]:
    with or_unwritable(output.STANDARD_OUTPUT):
        yield sys.stdout.buffer


@contextmanager
def _spool() -> Iterator[IO[bytes]]:
    """A file that is gone when it is closed, so what closing it still writes may fail."""
    with _or_no_room():
        spool = tempfile.TemporaryFile()  # noqa: SIM115 (closed below)
    try:
        yield spool
    finally:
        with suppress(OSError):
            spool.close()


def _or_no_room() -> AbstractContextManager[None]:
    return or_unwritable(f"a temporary file in {tempfile.gettempdir()} (TMPDIR)")


def _ndjson(api: Api, out: IO[bytes], progress: Callable[[int], None]) -> int:
    written = 0
    for devices in _pages(api):
        out.write(b"".join(_line(device) for device in devices))
        written += len(devices)
        progress(len(devices))
    return written


def _csv(api: Api, out: IO[bytes], progress: Callable[[int], None]) -> int:
    """Twice over the devices: the header needs the names of all of them."""
    header = Header()
    with _spool() as spool:
        for devices in _pages(api):
            for device in devices:
                header.add(device)
            with _or_no_room():
                spool.write(b"".join(_line(device) for device in devices))
            progress(len(devices))
        if len(header) > COLUMNS_MAX:
            output.note(
                f"{len(header):,} columns, and an import takes {COLUMNS_MAX:,}: use --format ndjson"
            )
        with _or_no_room():
            spool.seek(0)
        return to_csv((exact_json.loads(line) for line in spool), header, out)


def _pages(api: Api) -> Iterator[list[dict[str, Any]]]:
    """All devices, a page at a time, in no order; a page of each segment is held at most."""
    pool = ThreadPoolExecutor(SEGMENTS)
    try:
        asked = {pool.submit(_page, api, segment, None): segment for segment in range(SEGMENTS)}
        while asked:
            answered, _ = wait(asked, return_when=FIRST_COMPLETED)
            for answer in answered:
                segment, page = asked.pop(answer), answer.result()
                if page["next"]:
                    asked[pool.submit(_page, api, segment, page["next"])] = segment
                yield page["devices"]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _page(api: Api, segment: int, after: str | None) -> dict[str, Any]:
    query = {"limit": str(PAGE_DEVICES), "segment": str(segment), "segments": str(SEGMENTS)}
    page: dict[str, Any] = api.get("devices", query=query | ({"next": after} if after else {}))
    return page


def _line(device: dict[str, Any]) -> bytes:
    """The device as a line; an unchanged one is the same line in every export."""
    return f"{exact_json.dumps({name: _ordered(device[name]) for name in device})}\n".encode()


def _ordered(value: Any) -> Any:
    """The value with the names in it in order: DynamoDB keeps none."""
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value)}
    return value
