"""A device as the API answers it: Pinpoint's endpoint shape, plus the endpoint's ARN."""

from typing import Any

from functions.devices.batch import Rejected, Stored
from functions.devices.items import encode
from functions.devices.records import Device


def to_wire(device: Device) -> dict[str, Any]:
    """The device as JSON values, numbers exact, multi-values as sorted lists."""
    wire = encode(device)
    if device.attributes:
        wire["Attributes"] = {name: list(values) for name, values in device.attributes.items()}
    if device.user_attributes:
        wire["User"]["UserAttributes"] = {
            name: list(values) for name, values in device.user_attributes.items()
        }
    return wire


def result_to_wire(result: Stored | Rejected) -> dict[str, Any]:
    """What became of one device of a batch, as JSON values."""
    if isinstance(result, Stored):
        return {"index": result.index, "Id": result.device_id, "status": "stored"}
    known = {} if result.device_id is None else {"Id": result.device_id}
    errors = [{"place": part.place, "reason": part.reason} for part in result.parts]
    return {"index": result.index, **known, "status": "rejected", "errors": errors}
