"""Registering up to a hundred devices in one request, each with a result of its own."""

from collections.abc import Mapping
from dataclasses import dataclass

from functions.devices.parsing import parse_device, read_id
from functions.devices.records import Device
from functions.devices.registry import Refusal, Registration, Registry
from functions.shared.errors import InvalidInputError
from functions.shared.text import json_type

BATCH_MAX_DEVICES = 100


@dataclass(frozen=True, kw_only=True)
class Stored:
    """The device at this index of the batch is stored."""

    index: int
    device_id: str


@dataclass(frozen=True, kw_only=True)
class Rejected:
    """The device at this index is not stored; its Id is told if there is one to be read."""

    index: int
    device_id: str | None
    parts: Refusal


def register_batch(registry: Registry, raw: object) -> list[Stored | Rejected]:
    """A result for each device in the order given; of an Id given twice, the last one counts.

    InvalidInputError if it is no batch at all. Whatever is wrong with one device, or whatever SNS
    has against it, rejects that one.
    """
    given = _devices_in(raw)
    parsed = [_parse(each) for each in given]
    wanted: dict[str, Device] = {}
    for device in parsed:
        if isinstance(device, Device):
            # The last one of an Id also takes its place: of one token's two Ids, the last has it.
            wanted.pop(device.device_id, None)
            wanted[device.device_id] = device
    order = registry.order()
    outcomes = registry.register_all(
        [Registration(device=device, order=order) for device in wanted.values()]
    )
    return [
        _result(index, raw_device, device, outcomes)
        for index, (raw_device, device) in enumerate(zip(given, parsed, strict=True))
    ]


def _parse(raw: object) -> Device | Refusal:
    try:
        return parse_device(raw)
    except InvalidInputError as error:
        return error.parts


def _devices_in(raw: object) -> list[object]:
    if not isinstance(raw, Mapping):
        raise InvalidInputError.at("body", f"must be an object, not {json_type(raw)}")
    if set(raw) != {"devices"}:
        raise InvalidInputError.at("body", "must hold devices and nothing else")
    devices = raw["devices"]
    if not isinstance(devices, list):
        raise InvalidInputError.at("devices", f"must be a list, not {json_type(devices)}")
    if len(devices) > BATCH_MAX_DEVICES:
        reason = f"has {len(devices):,} devices; at most {BATCH_MAX_DEVICES} are allowed"
        raise InvalidInputError.at("devices", reason)
    return devices


def _result(
    index: int, raw: object, parsed: Device | Refusal, outcomes: Mapping[str, Device | Refusal]
) -> Stored | Rejected:
    outcome = outcomes[parsed.device_id] if isinstance(parsed, Device) else parsed
    if isinstance(outcome, Device):
        return Stored(index=index, device_id=outcome.device_id)
    return Rejected(index=index, device_id=_id_in(raw), parts=outcome)


def _id_in(raw: object) -> str | None:
    try:
        return read_id(raw["Id"]) if isinstance(raw, Mapping) else None
    except (KeyError, ValueError):
        return None
