"""The pace at which one worker calls SNS: its share of the account's Subscribe quota, or less."""

import threading
import time
from collections.abc import Callable

# A late wake-up may be made good, a burst may not: SNS counts calls by the second, and what all
# workers make good together must stay within the headroom.
BURST_SECONDS = 0.02
SLOWEST_SHARE = 0.05
SLOWER = 0.5
RECOVERY_SHARE_PER_SECOND = 0.05
# One wave of throttles comes from calls already under way: it slows the pace down once.
SLOWDOWN_INTERVAL_SECONDS = 1.0


class Pace:
    """Hands out the instants at which a call may be made; safe to share between threads.

    Additive increase, multiplicative decrease: halves when SNS throttles, and climbs back to the
    full share by a twentieth of it a second.
    """

    def __init__(
        self,
        per_second: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if per_second <= 0:
            raise ValueError("a pace is more than nothing a second")
        self._full = per_second
        self._rate = per_second
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._next = clock()
        self._rate_at = self._next
        self._slowed_at = float("-inf")
        self.throttles = 0

    @property
    def per_second(self) -> float:
        """The calls a second allowed at this moment."""
        with self._lock:
            self._recover(self._clock())
            return self._rate

    def wait(self, deadline: float) -> bool:
        """Returns when the next call may be made; False, at once, if that is after the deadline."""
        with self._lock:
            now = self._clock()
            self._recover(now)
            mine = max(self._next, now - BURST_SECONDS)
            if max(mine, now) > deadline:
                return False
            self._next = mine + 1 / self._rate
        if mine > now:
            self._sleep(mine - now)
        return True

    def throttled(self) -> None:
        """SNS said that it was too fast: go at half the pace."""
        with self._lock:
            self.throttles += 1
            now = self._clock()
            self._recover(now)
            if now - self._slowed_at < SLOWDOWN_INTERVAL_SECONDS:
                return
            self._slowed_at = now
            self._rate = max(self._rate * SLOWER, self._full * SLOWEST_SHARE)

    def _recover(self, now: float) -> None:
        gained = self._full * RECOVERY_SHARE_PER_SECOND * max(now - self._rate_at, 0)
        self._rate = min(self._full, self._rate + gained)
        self._rate_at = now
