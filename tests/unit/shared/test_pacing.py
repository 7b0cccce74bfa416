"""The pace is this worker's share of SNS's Subscribe quota, and less when SNS says so."""

from itertools import pairwise

import pytest

from functions.shared.pacing import Pace

FOREVER = float("inf")


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


def pace(per_second: float, time: Time) -> Pace:
    return Pace(per_second, clock=time.clock, sleep=time.sleep)


def test_calls_come_at_the_rate_from_the_first_one_on(time: Time) -> None:
    paced = pace(50, time)
    for _ in range(101):
        paced.wait(FOREVER)
    assert time.now == pytest.approx(1002.0)


def test_time_without_calls_earns_no_burst(time: Time) -> None:
    paced = pace(47.5, time)
    time.now += 60
    start = time.now
    calls = 0
    while time.now < start + 1:
        paced.wait(FOREVER)
        calls += 1
    # Two workers may start at the same moment; SNS takes 100 a second.
    assert calls <= 50


def test_a_call_that_could_only_be_made_after_the_deadline_is_not_waited_for(time: Time) -> None:
    paced = pace(0.5, time)
    assert paced.wait(time.now)
    assert not paced.wait(time.now + 1.9)
    assert time.now == 1000.0
    assert paced.wait(time.now + 2.0)
    assert time.now == 1002.0


def test_a_throttle_halves_the_pace(time: Time) -> None:
    paced = pace(40, time)
    paced.throttled()
    assert paced.per_second == pytest.approx(20)


def test_a_wave_of_throttles_counts_once_a_second(time: Time) -> None:
    paced = pace(40, time)
    for _ in range(16):
        paced.throttled()
    assert paced.per_second == pytest.approx(20)
    assert paced.throttles == 16


def test_the_pace_never_falls_under_a_twentieth(time: Time) -> None:
    paced = pace(40, time)
    for _ in range(20):
        time.now += 1.0
        paced.throttled()
    assert paced.per_second == pytest.approx(2.0, abs=0.01)


def test_the_pace_climbs_back_by_a_twentieth_of_the_share_a_second(time: Time) -> None:
    paced = pace(40, time)
    paced.throttled()
    time.now += 3
    assert paced.per_second == pytest.approx(26)
    time.now += 60
    assert paced.per_second == pytest.approx(40)


def test_waiting_calls_keep_their_distance_after_a_throttle(time: Time) -> None:
    paced = pace(10, time)
    paced.wait(FOREVER)
    paced.throttled()
    instants = []
    for _ in range(3):
        paced.wait(FOREVER)
        instants.append(time.now)
    assert all(later - earlier > 0.15 for earlier, later in pairwise(instants))


def test_a_pace_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="more than nothing"):
        Pace(0)
