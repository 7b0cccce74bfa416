"""Registering up to a hundred devices in one request, each with a result of its own."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from functions.devices.parsing import parse_device, read_id
from functions.devices.records import Device, Known
from functions.devices.registry import Refusal, Registry
from functions.shared.errors import FanfareError, InvalidInputError, InvalidPart
from functions.shared.text import json_type

BATCH_MAX_DEVICES = 100
# SNS takes some 20 ms a call; sixteen at once keep a full batch well under a second.
SNS_THREADS = 16

T = TypeVar("T")


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
    parsed = [_attempt("device", partial(parse_device, each)) for each in given]
    wanted = {each.device_id: each for each in parsed if isinstance(each, Device)}
    outcomes = _register_all(registry, wanted)
    return [
        _result(index, raw_device, device, outcomes)
        for index, (raw_device, device) in enumerate(zip(given, parsed, strict=True))
    ]


def _register_all(registry: Registry, wanted: Mapping[str, Device]) -> dict[str, Device | Refusal]:
    known = registry.store.known(list(wanted))
    applications = {
        platform: _attempt("ChannelType", partial(registry.application_of, platform))
        for platform in {device.channel_type for device in wanted.values()}
    }

    def settle(device: Device) -> Device | Refusal:
        application = applications[device.channel_type]
        if not isinstance(application, str):
            return application
        before = known.get(device.device_id)
        return _attempt("device", partial(_settle, registry, device, application, before))

    with ThreadPoolExecutor(SNS_THREADS, thread_name_prefix="sns") as pool:
        outcomes = dict(zip(wanted, pool.map(settle, wanted.values()), strict=True))
    waiting = [
        outcome
        for device, outcome in zip(wanted.values(), outcomes.values(), strict=True)
        if isinstance(outcome, Device) and not _inherits(device)
    ]
    registry.store.put_all(waiting)
    for device in waiting:
        registry.discard_former(device, known.get(device.device_id))
    return outcomes


def _settle(
    registry: Registry, device: Device, application_arn: str, known: Known | None
) -> Device:
    """The device with its endpoint; stored already if it inherits its opt-out."""
    ready = registry.prepare(device, application_arn, known)
    if not _inherits(device):
        return ready
    if registry.store.put(ready, known=known):
        registry.discard_former(ready, known)
        return ready
    return registry.register(device)


def _inherits(device: Device) -> bool:
    """Whether it keeps an opt-out that is stored: a batched write could undo a newer one."""
    return device.opt_out is None


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


def _attempt(place: str, act: Callable[[], T]) -> T | Refusal:
    try:
        return act()
    except InvalidInputError as error:
        return error.parts
    except FanfareError as error:
        return (InvalidPart(place=place, reason=str(error)),)


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
