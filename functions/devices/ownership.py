"""What a registration changes: the device, its token's owner, its former token, the former owner.

Of several who register one token the greatest order has it; the others are stored all the same,
INACTIVE because it moved, without an endpoint.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from functions.devices.records import Device, EndpointStatus, Known, OptOut, StatusReason
from functions.devices.tokens import Owner, key_of


@dataclass(frozen=True, kw_only=True)
class Registration:
    """A device that registers. Of two with one token the greater order, a text, has it.

    A device that is made of what is stored brings that along in `seen`, and is stored only if it is
    still the same to the last attribute.
    """

    device: Device
    order: str
    seen: Device | None = None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A token that gets an owner, if it still has the owner that was seen, of no greater order."""

    token: str
    order: str
    seen: Owner | None


@dataclass(frozen=True, kw_only=True)
class Change:
    """What is written for one device, all of it or nothing, if the device is as it was before.

    A Device is stored as a whole; of a Known only what is known, so that the rest is left alone.
    """

    after: Device | Known
    before: Known | None
    claim: Claim | None = None
    released: str | None = None  # the key of a token that this device owned
    displaced: str | None = None  # the Id of the device that owned the claimed token
    seen: Device | None = None  # what must still be stored, as a whole; then before is of it

    @property
    def device_id(self) -> str:
        """The device that it is about."""
        return self.after.device_id


@dataclass(frozen=True, kw_only=True)
class View:
    """What was known of the devices, and then who owned the tokens."""

    known: Mapping[str, Known] = field(default_factory=dict)
    owners: Mapping[str, Owner] = field(default_factory=dict)

    def owner_of(self, holder: Device | Known) -> Owner | None:
        """Who owned the token that this device has."""
        return self.owners.get(key_of(holder))

    def owns(self, holder: Device | Known) -> bool:
        """Whether that was the device itself."""
        owner = self.owner_of(holder)
        return owner is not None and owner.device_id == holder.device_id

    def order(self, registration: Registration) -> str:
        """The order of a registration; who owns the token already keeps a greater one."""
        owner = self.owner_of(registration.device)
        if owner is None or owner.device_id != registration.device.device_id:
            return registration.order
        return max(owner.order, registration.order)


def claimants(registrations: Iterable[Registration], view: View) -> dict[str, Registration]:
    """By token, who of those that are ACTIVE has it among them; of equal orders the last."""
    first: dict[str, Registration] = {}
    for each in registrations:
        if each.device.endpoint_status is EndpointStatus.INACTIVE:
            continue
        rival = first.get(key_of(each.device))
        if rival is None or view.order(each) >= view.order(rival):
            first[key_of(each.device)] = each
    return first


def is_beaten(registration: Registration, view: View) -> bool:
    """Whether another device owns the token by a greater order."""
    owner = view.owner_of(registration.device)
    return (
        owner is not None
        and owner.device_id != registration.device.device_id
        and owner.order > registration.order
    )


def won(registration: Registration, endpoint_arn: str, view: View) -> Change:
    """The change by which the device gets its token."""
    device = registration.device
    owner = view.owner_of(device)
    claim = Claim(token=key_of(device), order=view.order(registration), seen=owner)
    change = _change(replace(device, endpoint_arn=endpoint_arn, status_reason=None), view)
    return replace(change, claim=claim, displaced=_displaced(device, owner, view))


def lost(registration: Registration, view: View) -> Change:
    """The change by which the device is stored although its token is another's."""
    return _change(_inactive(registration.device, StatusReason.MOVED), view)


def said_inactive(registration: Registration, view: View) -> Change:
    """The change for a device of which the app says that it is INACTIVE; it keeps its endpoint."""
    device, known = registration.device, view.known.get(registration.device.device_id)
    if known is None or key_of(known) != key_of(device):
        return _change(_inactive(device, StatusReason.APP), view)
    reason = known.status_reason or StatusReason.APP
    return _change(
        replace(_inactive(device, reason), endpoint_arn=known.endpoint_arn),
        view,
    )


def _inactive(device: Device, reason: StatusReason) -> Device:
    return replace(
        device,
        endpoint_status=EndpointStatus.INACTIVE,
        status_reason=reason,
        endpoint_arn=None,
    )


def _change(device: Device, view: View) -> Change:
    known = view.known.get(device.device_id)
    decided = device.opt_out or (known.opt_out if known else OptOut.NONE)
    left = known is not None and key_of(known) != key_of(device) and view.owns(known)
    return Change(
        after=replace(device, opt_out=decided),
        before=known,
        released=key_of(known) if known and left else None,
    )


def _displaced(device: Device, owner: Owner | None, view: View) -> str | None:
    """The former owner, if it has the token still."""
    if owner is None or owner.device_id == device.device_id:
        return None
    former = view.known.get(owner.device_id)
    return former.device_id if former and key_of(former) == key_of(device) else None
