"""Counting whom criteria match, in parallel and in limited time, before a campaign exists."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Lock

from functions.audience.devices import Page
from functions.audience.records import SKIPPED_DISABLED, SKIPPED_OPTED_OUT
from functions.devices.records import ChannelType

EXAMPLES = 10

# The pages of one segment of the devices.
Pages = Callable[[int], Iterator[Page]]


@dataclass(frozen=True, kw_only=True)
class Reach:
    """How many devices match, and how many of them would be subscribed."""

    matched: int
    reachable: int


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What was counted of how many devices; all of them if it is complete."""

    by_platform: dict[ChannelType, Reach]
    opted_out: int
    disabled: int
    examples: tuple[str, ...]
    complete: bool
    scanned: int

    @property
    def total(self) -> Reach:
        """All platforms together."""
        reaches = self.by_platform.values()
        return Reach(
            matched=sum(each.matched for each in reaches),
            reachable=sum(each.reachable for each in reaches),
        )


def preview(
    pages: Pages,
    *,
    segments: int,
    deadline: float,
    clock: Callable[[], float] = time.monotonic,
) -> Preview:
    """What the segments come to by `deadline` (on the clock); whatever a segment raises."""
    count = _Count(segments)
    pool = ThreadPoolExecutor(segments)
    futures = [pool.submit(_read, pages, segment, count) for segment in range(segments)]
    done, _ = wait(futures, timeout=max(deadline - clock(), 0), return_when=FIRST_EXCEPTION)
    counted = count.close()
    # Nobody waits for a request under way: it may take longer than the caller does.
    pool.shutdown(wait=False, cancel_futures=True)
    for future in done:
        future.result()
    return counted


def _read(pages: Pages, segment: int, count: "_Count") -> None:
    for page in pages(segment):
        if not count.add(segment, page):
            return
    count.end_segment()


class _Count:
    """Adds pages up, from several threads, until it is closed. Keeps no device but examples."""

    def __init__(self, segments: int) -> None:
        self._lock = Lock()
        self._open = True
        self._segments_left = segments
        self._scanned = 0
        self._found: Counter[tuple[ChannelType, str | None]] = Counter()
        # By segment, so that the same devices are shown each time.
        self._reachable: list[list[str]] = [[] for _ in range(segments)]
        self._kept_out: list[list[str]] = [[] for _ in range(segments)]

    def add(self, segment: int, page: Page) -> bool:
        """False once it is closed."""
        with self._lock:
            if not self._open:
                return False
            self._scanned += page.scanned
            for found in page.found:
                reason = found.candidate.skip_reason
                self._found[found.channel_type, reason] += 1
                examples = self._reachable if reason is None else self._kept_out
                if len(examples[segment]) < EXAMPLES:
                    examples[segment].append(found.candidate.device_id)
            return True

    def end_segment(self) -> None:
        """A segment was read to its end."""
        with self._lock:
            self._segments_left -= 1

    def close(self) -> Preview:
        """What was added so far; from now on nothing is."""
        with self._lock:
            self._open = False
            examples = [each for ids in (*self._reachable, *self._kept_out) for each in ids]
            return Preview(
                by_platform=self._by_platform(),
                opted_out=self._because_of(SKIPPED_OPTED_OUT),
                disabled=self._because_of(SKIPPED_DISABLED),
                examples=tuple(examples[:EXAMPLES]),
                complete=not self._segments_left,
                scanned=self._scanned,
            )

    def _by_platform(self) -> dict[ChannelType, Reach]:
        matched: Counter[ChannelType] = Counter()
        for (platform, _), number in self._found.items():
            matched[platform] += number
        return {
            platform: Reach(matched=matched[platform], reachable=self._found[platform, None])
            for platform in ChannelType
            if matched[platform]
        }

    def _because_of(self, reason: str) -> int:
        return sum(self._found[platform, reason] for platform in ChannelType)
