"""How a device is laid out in its table: Pinpoint's names, empty things left out.

`Attributes` and `User.UserAttributes` are kept as multi_values says, so that criteria can be asked
of any of their values.
"""

from collections.abc import Mapping
from typing import Any

from functions.devices import multi_values
from functions.devices.records import (
    ChannelType,
    Device,
    EndpointStatus,
    Known,
    OptOut,
    StatusReason,
)

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items
ITEM_MAX_BYTES = 400 * 1024
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
_NUMBER_MAX_BYTES = 21
_MAP_BYTES = 3
_ENTRY_BYTES = 1

KNOWN_NAMES = (
    "Id",
    "ChannelType",
    "Address",
    "OptOut",
    "EndpointStatus",
    "StatusReason",
    "EndpointArn",
)


# All that an item may have.
ITEM_NAMES = (
    *KNOWN_NAMES,
    *("EffectiveDate", "Attributes", "Metrics", "Demographic", "Location", "User"),
)


def encode(device: Device) -> dict[str, Any]:
    """The item of the device."""
    user = {
        "UserId": device.user_id,
        "UserAttributes": _encode_multi(device.user_attributes),
    }
    return _filled(
        {
            "Id": device.device_id,
            "ChannelType": device.channel_type.value,
            "Address": device.address,
            "OptOut": (device.opt_out or OptOut.NONE).value,
            "EndpointStatus": device.endpoint_status.value,
            "StatusReason": device.status_reason and device.status_reason.value,
            "EffectiveDate": device.effective_date,
            "Attributes": _encode_multi(device.attributes),
            "Metrics": dict(device.metrics),
            "Demographic": dict(device.demographic),
            "Location": dict(device.location),
            "User": _filled(user),
            "EndpointArn": device.endpoint_arn,
        }
    )


def decode(item: Mapping[str, Any]) -> Device:
    """The device of the item."""
    user = item.get("User", {})
    return Device(
        device_id=item["Id"],
        channel_type=ChannelType(item["ChannelType"]),
        address=item["Address"],
        opt_out=OptOut(item["OptOut"]),
        endpoint_status=EndpointStatus(item["EndpointStatus"]),
        effective_date=item.get("EffectiveDate"),
        attributes=_decode_multi(item.get("Attributes", {})),
        metrics=item.get("Metrics", {}),
        demographic=item.get("Demographic", {}),
        location=item.get("Location", {}),
        user_id=user.get("UserId"),
        user_attributes=_decode_multi(user.get("UserAttributes", {})),
        endpoint_arn=item.get("EndpointArn"),
        status_reason=_reason(item),
    )


def decode_known(item: Mapping[str, Any]) -> Known:
    """What registering again needs of the item; KNOWN_NAMES are enough for it."""
    return Known(
        device_id=item["Id"],
        channel_type=ChannelType(item["ChannelType"]),
        address=item["Address"],
        opt_out=OptOut(item["OptOut"]),
        endpoint_status=EndpointStatus(item["EndpointStatus"]),
        status_reason=_reason(item),
        endpoint_arn=item.get("EndpointArn"),
    )


def encode_known(known: Known) -> dict[str, Any]:
    """The part of the item that is known; None for what it does not hold."""
    return {
        "Id": known.device_id,
        "ChannelType": known.channel_type.value,
        "Address": known.address,
        "OptOut": known.opt_out.value,
        "EndpointStatus": known.endpoint_status.value,
        "StatusReason": known.status_reason and known.status_reason.value,
        "EndpointArn": known.endpoint_arn,
    }


def size_of(value: Any) -> int:
    """The bytes that DynamoDB counts for an item or a value in it, numbers at their most."""
    # A loop, and the most frequent first: this is asked of every value of every row of an import.
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode())
    if isinstance(value, dict):
        size = _MAP_BYTES
        for name, each in value.items():
            size += size_of(name) + size_of(each) + _ENTRY_BYTES
        return size
    return _NUMBER_MAX_BYTES


def _reason(item: Mapping[str, Any]) -> StatusReason | None:
    return StatusReason(item["StatusReason"]) if "StatusReason" in item else None


def _encode_multi(named: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, str]]:
    return {name: multi_values.encode(values) for name, values in named.items()}


def _decode_multi(stored: Mapping[str, Mapping[str, str]]) -> dict[str, tuple[str, ...]]:
    return {name: multi_values.decode(each) for name, each in stored.items()}


def _filled(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value not in (None, {})}
