"""Devices that are made of what is stored: another change in between is never undone."""

from dataclasses import replace

from functions.devices.records import ChannelType, Device
from functions.devices.registering import ContendedError
from functions.devices.registry import Registration, Registry
from tests.unit.devices.conftest import TOKEN, FakeSns


def device(**fields: object) -> Device:
    return replace(
        Device(device_id="d1", channel_type=ChannelType.GCM, address=TOKEN),
        **fields,  # type: ignore[arg-type]
    )


def test_what_is_still_the_same_is_stored(registry: Registry) -> None:
    seen = registry.register(device(attributes={"plan": ("free",)}))
    made = replace(seen, attributes={**seen.attributes, "tier": ("gold",)})

    outcomes = registry.outcomes([Registration(device=made, order="2026#", seen=seen)])

    assert outcomes["d1"] == made
    assert registry.get("d1").attributes == {"plan": ("free",), "tier": ("gold",)}


def test_another_attribute_in_between_refuses_it_at_once(registry: Registry, sns: FakeSns) -> None:
    seen = registry.register(device(attributes={"plan": ("free",)}))
    registry.register(device(attributes={"plan": ("paid",)}))
    calls = sns.total
    made = replace(seen, attributes={**seen.attributes, "tier": ("gold",)})

    outcomes = registry.outcomes([Registration(device=made, order="2026#", seen=seen)])

    assert isinstance(outcomes["d1"], ContendedError)
    assert registry.get("d1").attributes == {"plan": ("paid",)}
    assert sns.total - calls == 1


def test_a_device_that_was_deleted_in_between_does_not_come_back(registry: Registry) -> None:
    seen = registry.register(device())
    registry.delete("d1")

    outcomes = registry.outcomes([Registration(device=seen, order="2026#", seen=seen)])

    assert isinstance(outcomes["d1"], ContendedError)
    assert registry.store.get("d1") is None
