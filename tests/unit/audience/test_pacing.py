"""The pace is this worker's share of SNS's Subscribe quota, and less when SNS says so."""

from itertools import pairwise

import pytest

from functions.audience.pacing import Pace


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
        paced.wait()
    assert time.now == pytest.approx(1002.0)


def test_time_without_calls_earns_no_burst_beyond_a_tenth_of_a_second(time: Time) -> None:
    paced = pace(50, time)
    time.now += 60
    instants = []
    for _ in range(50):
        paced.wait()
        instants.append(time.now)
    # 0.1 s at 50 a second are 5 calls made good, and the one that is due.
    assert instants.count(1060.0) == 6
    assert instants[-1] == pytest.approx(1060.88)


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
    paced.wait()
    paced.throttled()
    instants = []
    for _ in range(3):
        paced.wait()
        instants.append(time.now)
    assert all(later - earlier > 0.15 for earlier, later in pairwise(instants))


def test_a_pace_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="more than nothing"):
        Pace(0)
