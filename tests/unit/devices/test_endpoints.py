"""The gateway at a pace: no faster than SNS takes, and as long as there is time."""

from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from functions.devices.endpoints import Endpoints, OutOfTimeError
from functions.devices.parsing import parse_device
from functions.devices.quotas import endpoint_calls_per_second
from functions.devices.records import ChannelType
from functions.devices.registry import Registration, Registry
from functions.devices.store import DeviceStore
from functions.shared.errors import InvalidInputError, UnavailableError
from functions.shared.pacing import Pace
from tests.unit.devices.conftest import APPLICATIONS, FakeSns, application_of, body, client_error

GCM = APPLICATIONS[ChannelType.GCM]


class Time:
    """A clock that stands still but for who sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def pace(time: Time) -> Pace:
    return Pace(10, clock=time, sleep=time.sleep)


@pytest.fixture
def endpoints(sns: FakeSns, pace: Pace) -> Endpoints:
    return Endpoints(sns, pace)  # type: ignore[arg-type]


def device(number: int = 0) -> Any:
    return parse_device(body(f"d{number}", Address=f"token-{number}"))


def test_every_call_waits_for_its_turn(endpoints: Endpoints, sns: FakeSns, time: Time) -> None:
    for number in range(21):
        endpoints.ensure(device(number), GCM, None)

    assert sns.calls == {"create": 21}
    assert time.now == pytest.approx(2.0)


def test_a_throttle_slows_the_pace_down_and_is_no_failure(
    endpoints: Endpoints, sns: FakeSns, pace: Pace, time: Time
) -> None:
    sns.script = lambda *_: client_error("Throttling") if sns.total <= 3 else None

    endpoints.ensure(device(), GCM, None)

    assert (sns.calls, pace.throttles) == ({"create": 4}, 3)
    assert pace.per_second < 10


def test_throttles_without_end_end_with_the_deadline(
    endpoints: Endpoints, sns: FakeSns, time: Time
) -> None:
    sns.script = lambda *_: client_error("Throttling")

    with pytest.raises(OutOfTimeError):
        endpoints.until(5.0).ensure(device(), GCM, None)
    assert time.now <= 5.0


def test_after_the_deadline_sns_is_not_asked(
    endpoints: Endpoints, sns: FakeSns, time: Time
) -> None:
    time.now = 6.0
    late = endpoints.until(5.0)

    for call in (
        lambda: late.ensure(device(), GCM, None),
        lambda: late.attributes("arn:e"),
        lambda: late.remove("arn:e"),
    ):
        with pytest.raises(OutOfTimeError):
            call()
    assert sns.total == 0


@pytest.mark.parametrize(
    "error",
    [client_error("InternalError", status=500), EndpointConnectionError(endpoint_url="https://x")],
)
def test_a_fault_on_the_way_is_repeated_but_not_forever(
    endpoints: Endpoints, sns: FakeSns, error: ClientError
) -> None:
    sns.script = lambda *_: error if sns.total < 5 else None
    endpoints.ensure(device(), GCM, None)
    assert sns.calls == {"create": 5}

    sns.script = lambda *_: error
    sns.calls.clear()
    with pytest.raises(UnavailableError):
        endpoints.ensure(device(1), GCM, None)
    assert sns.calls == {"create": 5}


def test_a_token_that_sns_does_not_take_is_not_tried_again(
    endpoints: Endpoints, sns: FakeSns
) -> None:
    sns.script = lambda *_: client_error("InvalidParameter")

    with pytest.raises(InvalidInputError):
        endpoints.ensure(device(), GCM, None)
    assert sns.calls == {"create": 1}


def test_out_of_time_stores_what_was_ready_and_says_so(
    store: DeviceStore, sns: FakeSns, endpoints: Endpoints, time: Time
) -> None:
    registry = Registry(store=store, endpoints=endpoints, application_of=application_of, threads=1)
    batch = [Registration(device=device(number), order="2026-12-01#") for number in range(30)]

    with pytest.raises(OutOfTimeError):
        registry.register_all(batch, deadline=1.05)

    stored = registry.store.known([f"d{number}" for number in range(30)])
    assert len(stored) == sns.calls["create"] == len(sns.endpoints) == 11

    time.now = 100.0
    answered = registry.register_all(batch, deadline=200.0)
    assert set(answered) == {f"d{number}" for number in range(30)}
    assert len(sns.endpoints) == 30


@pytest.mark.parametrize(
    ("region", "calls"),
    [("us-east-1", 3_000), ("eu-west-1", 900), ("eu-central-1", 150), ("eu-north-1", 30)],
)
def test_a_region_takes_so_many_calls_a_second(region: str, calls: float) -> None:
    assert endpoint_calls_per_second(region) == calls
