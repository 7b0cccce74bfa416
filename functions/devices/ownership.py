"""What a registration changes: the device, its token's owner, its former token, the former owner.

Of several who register one token the greatest order has it; the others are stored all the same,
INACTIVE because it moved, without an endpoint.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from functions.devices.records import Device, EndpointStatus, Known, OptOut, StatusReason
from functions.devices.tokens import TokenState, key_of


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
    """A token that gets an owner, if it is still in the turn that was seen, and its owner the one
    that was seen, by no greater order."""

    token: str
    order: str
    seen: TokenState | None


@dataclass(frozen=True, kw_only=True)
class Change:
    """What is written for one device, all of it or nothing, if the device is as it was before.

    A Device is stored as a whole; of a Known only what is known, so that the rest is left alone.
    """

    after: Device | Known
    before: Known | None
    claim: Claim | None = None
    released: str | None = None  # the key of a token that this device owned
    not_owned: str | None = None  # the key of one that it had and did not own; nor may it now
    displaced: str | None = None  # the Id of the device that owned the claimed token
    seen: Device | None = None  # what must still be stored, as a whole; then before is of it

    @property
    def device_id(self) -> str:
        """The device that it is about."""
        return self.after.device_id


@dataclass(frozen=True, kw_only=True)
class View:
    """What was known of the devices, and then of the tokens."""

    known: Mapping[str, Known] = field(default_factory=dict)
    tokens: Mapping[str, TokenState] = field(default_factory=dict)

    def token_of(self, holder: Device | Known) -> TokenState | None:
        """What was known of the token that this device has."""
        return self.tokens.get(key_of(holder))

    def owner_of(self, holder: Device | Known) -> str | None:
        """Who owned it."""
        token = self.token_of(holder)
        return token.owner if token else None

    def owns(self, holder: Device | Known) -> bool:
        """Whether that was the device itself."""
        return self.owner_of(holder) == holder.device_id

    def order(self, registration: Registration) -> str:
        """The order of a registration; who owns the token already keeps a greater one."""
        token = self.token_of(registration.device)
        if token is None or token.owner != registration.device.device_id:
            return registration.order
        return max(token.order, registration.order)


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
    token = view.token_of(registration.device)
    return (
        token is not None
        and token.owner not in (None, registration.device.device_id)
        and token.order > registration.order
    )


def won(registration: Registration, endpoint_arn: str, view: View) -> Change:
    """The change by which the device gets its token."""
    device = registration.device
    claim = Claim(token=key_of(device), order=view.order(registration), seen=view.token_of(device))
    change = _change(replace(device, endpoint_arn=endpoint_arn, status_reason=None), view)
    return replace(change, claim=claim, displaced=_displaced(device, view))


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
    change = Change(after=replace(device, opt_out=decided), before=known)
    if known is None or key_of(known) == key_of(device):
        return change
    if view.owns(known):
        return replace(change, released=key_of(known))
    return replace(change, not_owned=key_of(known))


def _displaced(device: Device, view: View) -> str | None:
    """The former owner, if it has the token still."""
    owner = view.owner_of(device)
    if owner is None or owner == device.device_id:
        return None
    former = view.known.get(owner)
    return former.device_id if former and key_of(former) == key_of(device) else None
