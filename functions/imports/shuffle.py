"""Good rows brought together by Id: all rows of one Id go into one slice, in the files' order."""

import hashlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

# A slice is read as a whole by the load, and is one unit of its progress.
SLICE_BYTES = 256 * 1024
SLICES_MAX = 4_096
# How much gzip makes of a table of devices, at most.
GZIP_FACTOR = 8
# Of all slices together. Fuller buffers mean fewer objects; with what is being sent it is twice.
BUFFER_BYTES = 64 * 1024 * 1024
PUTS_AT_ONCE = 16

# Puts rows of a slice: its number, the flush, the bytes.
Put = Callable[[int, int, bytes], None]


def unpacked(bytes_: int, *, gzip: bool) -> int:
    """About how many bytes the file has unpacked."""
    return bytes_ * GZIP_FACTOR if gzip else bytes_


def partitions(bytes_: int) -> int:
    """How many slices so many unpacked bytes are shuffled into."""
    return min(max(-(-bytes_ // SLICE_BYTES), 1), SLICES_MAX)


def slice_of(device_id: str, slices: int) -> int:
    """The slice of the Id, the same in every process."""
    digest = hashlib.blake2b(device_id.encode(), digest_size=8).digest()
    return int.from_bytes(digest) % slices


class Shuffle:
    """Buffers of one check, one a slice, flushed together when they have become large."""

    def __init__(self, slices: int, put: Put, *, buffer_bytes: int = BUFFER_BYTES) -> None:
        self._buffers = [bytearray() for _ in range(slices)]
        self._put = put
        self._limit = buffer_bytes
        self._held = 0
        self._flushes = 0
        self.rows = [0] * slices

    def add(self, device_id: str, row: bytes) -> None:
        """One more row, behind those of its slice that came before."""
        number = slice_of(device_id, len(self._buffers))
        self._buffers[number] += row
        self.rows[number] += 1
        self._held += len(row)
        if self._held >= self._limit:
            self.flush()

    def flush(self) -> None:
        """Puts what is waiting."""
        flush, self._flushes, self._held = self._flushes, self._flushes + 1, 0
        full = [number for number, buffer in enumerate(self._buffers) if buffer]

        def put(number: int) -> None:
            self._put(number, flush, bytes(self._buffers[number]))
            self._buffers[number] = bytearray()

        _do_all(put, full)


def _do_all(act: Callable[[int], None], numbers: Iterable[int]) -> None:
    with ThreadPoolExecutor(PUTS_AT_ONCE, thread_name_prefix="s3") as pool:
        for _ in pool.map(act, numbers):
            pass
