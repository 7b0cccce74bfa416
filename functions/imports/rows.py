"""What one row of a file says: a whole device, a change of one, nothing for us, or nothing right.

A row with an Address is the whole device. One with an Id and no Address changes the device that
has the Id, which must be known. One without Id gets it from platform and token, so that it finds
the same device when it is imported again.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from functions.devices.parsing import parse_device
from functions.devices.records import ChannelType, Device
from functions.imports.columns import BOOKKEEPING
from functions.shared.errors import InvalidInputError, InvalidPart
from functions.shared.text import json_type

# Pinpoint's channels that no push goes to, and those of its push channels that we do not have.
SKIPPED_CHANNELS = frozenset(
    {"SMS", "EMAIL", "VOICE", "CUSTOM", "IN_APP"} | {"BAIDU", "APNS_VOIP", "APNS_VOIP_SANDBOX"}
)
CHANNELS = frozenset(ChannelType) | SKIPPED_CHANNELS
# Any fixed one will do; another would give every device without an Id a second one.
_IDS_OF_TOKENS = uuid.UUID("3c1e4f0e-6d0b-5f6c-9a54-7b0c5a9e1d21")
# A row of so many characters is far below an item's 400 KB, however it is written there: each takes
# 4 bytes at most, and may stand there twice.
SMALL_CHARS = 16 * 1024
# Reads a change by the reader of whole devices; neither is ever stored.
_STAND_IN = {"ChannelType": ChannelType.GCM.value, "Address": "-"}


@dataclass(frozen=True, kw_only=True)
class Whole:
    """The device is to be as the row says."""

    device: Device

    @property
    def device_id(self) -> str:
        """Which device."""
        return self.device.device_id


@dataclass(frozen=True, kw_only=True)
class Change:
    """These fields of a device that is known are to be as the row says; the others stay."""

    fields: Device = field(repr=False)  # its token and platform mean nothing
    channel_type: ChannelType | None
    has_status: bool

    @property
    def device_id(self) -> str:
        """Which device."""
        return self.fields.device_id


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """The row is of a channel that is not push, or that there is no push service for."""

    channel: str


@dataclass(frozen=True, kw_only=True)
class Rejected:
    """The row is not loaded, and why; the reasons hold nothing of it."""

    errors: tuple[InvalidPart, ...]
    channel_known: bool | None = None  # of a row that names a channel

    @classmethod
    def at(cls, place: str, reason: str) -> "Rejected":
        """A row with one thing wrong."""
        return cls(errors=(InvalidPart(place=place, reason=reason),))


Verdict = Whole | Change | Skipped | Rejected


def judge_json(raw: object, *, chars: int) -> Verdict:
    """The verdict on a row as JSON has it."""
    if not isinstance(raw, dict):
        return Rejected.at("row", f"must be an object, not {json_type(raw)}")
    row = _filled({name: raw[name] for name in raw if name not in BOOKKEEPING})
    return judge(row, chars=chars)


def judge(row: dict[str, Any], *, chars: int) -> Verdict:
    """The verdict on a row of so many characters that holds nothing empty and no bookkeeping."""
    small = chars <= SMALL_CHARS
    channel = row.get("ChannelType")
    known = None if channel is None else isinstance(channel, str) and channel in CHANNELS
    if known and channel in SKIPPED_CHANNELS:
        return Skipped(channel=str(channel))
    try:
        if "Address" in row:
            return Whole(device=parse_device(_with_id(row), small=small))
        if "Id" in row:
            return _change(row, small=small)
    except InvalidInputError as error:
        return Rejected(errors=error.parts, channel_known=known)
    nobody = InvalidPart(place="row", reason="must have an Id, or both ChannelType and Address")
    return Rejected(errors=(nobody,), channel_known=known)


def merged(known: Device, change: Change) -> Device | Rejected:
    """The known device with the changed fields; what it does not mention stays."""
    if change.channel_type not in (None, known.channel_type):
        reason = "is another than the device's; with it an Address is needed"
        return Rejected.at("ChannelType", reason)
    fields = change.fields
    kept = known.status_reason if not change.has_status else None
    return replace(
        known,
        opt_out=fields.opt_out,
        endpoint_status=fields.endpoint_status if change.has_status else known.endpoint_status,
        status_reason=kept,
        effective_date=fields.effective_date or known.effective_date,
        attributes={**known.attributes, **fields.attributes},
        metrics={**known.metrics, **fields.metrics},
        demographic={**known.demographic, **fields.demographic},
        location={**known.location, **fields.location},
        user_id=fields.user_id or known.user_id,
        user_attributes={**known.user_attributes, **fields.user_attributes},
    )


def then(earlier: Whole | Change, later: Whole | Change) -> Whole | Change | Rejected:
    """Both rows as one that comes to the same; Rejected if the later one cannot follow."""
    if isinstance(later, Whole):
        before = earlier.device if isinstance(earlier, Whole) else earlier.fields
        # What a row does not say of opting out, it does not undo either.
        return Whole(device=replace(later.device, opt_out=later.device.opt_out or before.opt_out))
    if isinstance(earlier, Whole):
        device = merged(earlier.device, later)
        if isinstance(device, Rejected):
            return device
        opt_out = later.fields.opt_out or earlier.device.opt_out
        return Whole(device=replace(device, opt_out=opt_out))
    return _both(earlier, later)


def _both(earlier: Change, later: Change) -> Change | Rejected:
    both = (earlier.channel_type, later.channel_type)
    if None not in both and both[0] is not both[1]:
        return Rejected.at("ChannelType", "is another than in an earlier row of the same Id")
    fields = merged(earlier.fields, replace(later, channel_type=None))
    if isinstance(fields, Rejected):
        return fields
    opt_out = later.fields.opt_out or earlier.fields.opt_out
    return Change(
        fields=replace(fields, opt_out=opt_out),
        channel_type=later.channel_type or earlier.channel_type,
        has_status=earlier.has_status or later.has_status,
    )


def _with_id(row: dict[str, Any]) -> dict[str, Any]:
    platform, token = row.get("ChannelType"), row["Address"]
    if "Id" in row or platform not in tuple(ChannelType) or not isinstance(token, str):
        return row
    # A token that UTF-8 cannot carry is refused by the reader of devices.
    name = f"{platform}\0{token}".encode("utf-8", "replace").decode()
    return {**row, "Id": str(uuid.uuid5(_IDS_OF_TOKENS, name))}


def _change(row: dict[str, Any], *, small: bool) -> Change:
    channel = row.get("ChannelType", _STAND_IN["ChannelType"])
    fields = parse_device({**row, **_STAND_IN, "ChannelType": channel}, small=small)
    return Change(
        fields=fields,
        channel_type=fields.channel_type if "ChannelType" in row else None,
        has_status="EndpointStatus" in row,
    )


def _filled(members: Mapping[Any, Any]) -> dict[Any, Any]:
    """The members that say something: JSON's null, "" and {} are as good as an empty cell."""
    found = {}
    for name, value in members.items():
        if isinstance(value, str):
            kept: Any = value or None
        elif isinstance(value, dict):
            kept = _filled(value) or None
        elif isinstance(value, list):
            kept = [each for each in value if each is not None and each != ""]
        else:
            kept = value
        if kept is not None:
            found[name] = kept
    return found
