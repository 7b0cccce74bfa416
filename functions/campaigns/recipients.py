"""Reading single devices, as far as sending to them goes: no token, no attribute."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from functions.devices.records import EndpointStatus, OptOut, StatusReason
from functions.shared.batches import batch_get

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

_READ = ("Id", "EndpointArn", "OptOut", "EndpointStatus", "StatusReason")


@dataclass(frozen=True, kw_only=True)
class Recipient:
    """A device that somebody wants to send to, and what may stand against it."""

    device_id: str
    endpoint_arn: str | None
    opted_out: bool
    inactive: bool
    status_reason: StatusReason | None = None


class Recipients:
    """The devices table, read by key."""

    def __init__(self, devices: "Table") -> None:
        self._devices = devices

    def find(self, device_ids: Sequence[str]) -> dict[str, Recipient]:
        """Those of the devices that are stored, by Id, as they are now; UnavailableError."""
        keys = [{"Id": device_id} for device_id in device_ids]
        items = batch_get(self._devices, keys, attributes=_READ)
        return {item["Id"]: _recipient(item) for item in items}


def _recipient(item: dict[str, Any]) -> Recipient:
    reason = item.get("StatusReason")
    return Recipient(
        device_id=item["Id"],
        endpoint_arn=item.get("EndpointArn"),
        opted_out=item.get("OptOut") == OptOut.ALL,
        inactive=item.get("EndpointStatus") == EndpointStatus.INACTIVE,
        status_reason=None if reason is None else StatusReason(reason),
    )
