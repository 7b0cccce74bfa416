"""Calling SNS at the worker's pace until it settles the call, or time is up."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from functions.audience.topic import Throttled, Unsettled
from functions.shared.pacing import Pace

UNSETTLED_ATTEMPTS = 4
FIRST_BACKOFF_SECONDS = 0.2

Settled = TypeVar("Settled")


@dataclass(frozen=True, kw_only=True)
class OutOfTime:
    """The worker's time was up before SNS settled this device."""


class PacedCalls:
    """Calls that share one pace: Subscribe and Unsubscribe have 100 a second each, so together
    they are well within both.

    https://docs.aws.amazon.com/sns/latest/api/API_Unsubscribe.html
    """

    def __init__(self, pace: Pace, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._pace = pace
        self._sleep = sleep

    @property
    def throttles(self) -> int:
        """How often SNS said that it was too fast."""
        return self._pace.throttles

    def settle(
        self, call: Callable[[], Settled | Throttled | Unsettled], deadline: float
    ) -> Settled | Unsettled | OutOfTime:
        """The answer; Unsettled after several tries in which SNS gave none."""
        attempt = 0
        while self._pace.wait(deadline):
            answer = call()
            if isinstance(answer, Throttled):
                self._pace.throttled()
                continue
            if not isinstance(answer, Unsettled):
                return answer
            attempt += 1
            if attempt == UNSETTLED_ATTEMPTS:
                return answer
            self._sleep(FIRST_BACKOFF_SECONDS * 2**attempt)
        return OutOfTime()
