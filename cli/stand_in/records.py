"""What the stand-in saw: calls counted by action and by what became of them."""

import threading
import time
from collections import Counter
from collections.abc import Callable

PASSED = "passed"


class Record:
    """The counts since the last reset; safe to share between threads."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._clock = clock
        self._counts: dict[str, Counter[str]] = {}
        self._by_second: dict[str, Counter[int]] = {}
        self._began = clock()

    def add(self, action: str, outcome: str) -> None:
        """Counts one call."""
        with self._lock:
            self._counts.setdefault(action, Counter())[outcome] += 1
            second = int(self._clock() - self._began)
            self._by_second.setdefault(action, Counter())[second] += 1

    def counts(self) -> dict[str, dict[str, int]]:
        """Calls by action and outcome: `passed`, or the effect of the rule that applied."""
        with self._lock:
            return {action: dict(found) for action, found in sorted(self._counts.items())}

    def busiest_second(self) -> dict[str, int]:
        """By action, the calls in the second that had most of them, throttled ones included."""
        with self._lock:
            return {action: max(found.values()) for action, found in self._by_second.items()}
