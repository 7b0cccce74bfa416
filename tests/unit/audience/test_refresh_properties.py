"""Whatever happens to devices and functions, after a refresh topic, members and audience agree."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws

from tests.unit.audience.refreshing import RefreshWorld, emptied, reached

DEVICES = [f"d{number}" for number in range(7)]
ENDPOINTS = [f"endpoint-{number}" for number in range(5)]

# An endpoint has one owner at a time; that a change takes one from another device is part of it.
puts = st.tuples(
    st.sampled_from(DEVICES),
    st.sampled_from([*ENDPOINTS, None]),
    st.fixed_dictionaries(
        {},
        optional={
            "country": st.sampled_from(["FJ", "NZ"]),
            "OptOut": st.sampled_from(["ALL", "NONE"]),
            "EndpointStatus": st.sampled_from(["ACTIVE", "INACTIVE"]),
        },
    ),
)
removals = st.sampled_from(DEVICES)
changes = st.lists(st.one_of(puts, puts, removals), min_size=1, max_size=6)
rounds = st.lists(
    st.tuples(changes, st.frozensets(st.integers(1, 60), max_size=5), st.booleans()),
    min_size=1,
    max_size=3,
)


@pytest.fixture(autouse=True)
def _aws() -> Iterator[None]:
    with mock_aws():
        yield


def apply(world: RefreshWorld, change: Any) -> None:
    if isinstance(change, str):
        world.remove(change)
        return
    device_id, endpoint, more = change
    for other in DEVICES:
        item = world.devices.get_item(Key={"Id": other}).get("Item")
        if other != device_id and item and endpoint and item.get("EndpointArn") == endpoint:
            item.pop("EndpointArn")
            world.devices.put_item(Item={**item, "EndpointStatus": "INACTIVE"})
    world.put(device_id, endpoint, **more)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(first=changes, then=rounds, twice=st.booleans())
def test_topic_members_and_audience_agree_after_each_refresh(
    first: list[Any], then: list[Any], twice: bool
) -> None:
    with emptied(RefreshWorld()) as world:
        world.twice = twice
        for change in first:
            apply(world, change)
        world.build()
        assert_they_agree(world)
        for changed, deaths, fails_before in then:
            for change in changed:
                apply(world, change)
            world.deaths.at = frozenset(world.deaths.passed + death for death in deaths)
            if fails_before:
                world.refresh_and_fail()
            world.refresh()
            assert_they_agree(world)
            assert_a_refresh_of_this_calls_nobody(world)


def assert_they_agree(world: RefreshWorld) -> None:
    audience = world.audience()
    members = world.members()
    assert reached(members) == audience
    assert world.topic.endpoints == sorted(filter(None, audience.values()))
    for member in members.values():
        if member.subscription_arn is not None:
            assert world.topic.subscriptions[member.subscription_arn] == member.endpoint_arn


def assert_a_refresh_of_this_calls_nobody(world: RefreshWorld) -> None:
    before = world.topic.calls.copy()
    world.refresh()
    assert world.topic.calls == before
    assert_they_agree(world)
