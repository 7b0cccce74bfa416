"""Sends the rows of a device file to the API: batches of 100, a few at once, bounded memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from cli.api import Api
from cli.device_file import BadRow, DeviceFile, GoodRow
from cli.errors import FailedError, Wrong

BATCH_SIZE = 100  # what POST /devices/batch takes
DEFAULT_THREADS = 4
_BATCHES_AHEAD = 2  # per thread, so that no thread waits for the reader


@dataclass(kw_only=True)
class ImportResult:
    """What became of the rows."""

    stored: int = 0
    rejected: list[BadRow] = field(default_factory=list)


def import_devices(
    api: Api,
    file: DeviceFile,
    *,
    threads: int = DEFAULT_THREADS,
    extra_attributes: dict[str, list[str]] | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> ImportResult:
    """Sends every good row and says what became of each; `progress` hears how many rows are done.

    FailedError if a whole batch was refused: what was stored until then stays, and importing
    the same file again is harmless.
    """
    result = ImportResult()

    def settle(rows: list[GoodRow], answer: Future[dict[str, Any]]) -> None:
        try:
            outcomes = answer.result()["results"]
        except FailedError as error:
            lines = f"lines {rows[0].line} to {rows[-1].line}"
            raise FailedError(
                f"the API refused {lines}: {error.title}",
                detail=f"{error.detail}\n{result.stored} rows were stored before; "
                "importing the file again is harmless".lstrip(),
                wrong=error.wrong,
            ) from None
        for row, outcome in zip(rows, outcomes, strict=True):
            if outcome["status"] == "stored":
                result.stored += 1
            else:
                result.rejected.append(BadRow(line=row.line, wrong=_wrong(outcome)))
        progress(len(rows))

    def send(rows: list[GoodRow]) -> dict[str, Any]:
        devices = [_with_extra(row.device, extra_attributes or {}) for row in rows]
        # A batch is so many PUTs: storing a device again changes nothing.
        answer: dict[str, Any] = api.post(
            "devices", "batch", body={"devices": devices}, repeatable=True
        )
        return answer

    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[tuple[list[GoodRow], Future[dict[str, Any]]]] = deque()
        try:
            for batch in _batches(_good(file.rows(), result, progress)):
                waiting.append((batch, pool.submit(send, batch)))
                if len(waiting) >= threads * _BATCHES_AHEAD:
                    settle(*waiting.popleft())
            while waiting:
                settle(*waiting.popleft())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    result.rejected.sort(key=lambda row: row.line)
    return result


def _good(
    rows: Iterable[GoodRow | BadRow], result: ImportResult, progress: Callable[[int], None]
) -> Iterator[GoodRow]:
    for row in rows:
        if isinstance(row, GoodRow):
            yield row
        else:
            result.rejected.append(row)
            progress(1)


def _batches(rows: Iterator[GoodRow]) -> Iterator[list[GoodRow]]:
    while batch := list(islice(rows, BATCH_SIZE)):
        yield batch


def _with_extra(device: dict[str, Any], extra: dict[str, list[str]]) -> dict[str, Any]:
    return {**device, "Attributes": {**device.get("Attributes", {}), **extra}} if extra else device


def _wrong(outcome: dict[str, Any]) -> tuple[Wrong, ...]:
    return tuple(
        Wrong(place=str(error["place"]), reason=str(error["reason"]))
        for error in outcome.get("errors", ())
    )
