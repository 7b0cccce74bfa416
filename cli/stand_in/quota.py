"""A quota as AWS enforces it: a bucket that holds one second's calls and fills steadily.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/throttling.html describes such buckets.
"""

import time
from collections.abc import Callable


class Quota:
    """How many calls a second are let through. Not safe for threads; its owner has a lock."""

    def __init__(self, per_second: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._clock = clock
        self._tokens = per_second
        self._at = clock()

    def take(self) -> bool:
        """Whether one more call is within the quota now; it counts if it is."""
        now = self._clock()
        self._tokens = min(self._per_second, self._tokens + (now - self._at) * self._per_second)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
