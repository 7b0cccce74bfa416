"""Brings a device in step with what SNS says of its endpoint by now."""

from collections.abc import Mapping
from dataclasses import replace

from functions.devices.endpoints import Endpoints, is_enabled, is_taken
from functions.devices.ownership import Change, Claim, View
from functions.devices.records import ADDRESS_MAX_CHARS, EndpointStatus, Known, StatusReason
from functions.devices.store import DeviceStore
from functions.devices.tokens import key_of
from functions.shared.errors import UnavailableError

# Whoever registers the device at this moment changes it; after that there is little left to do.
MAX_ROUNDS = 5


def reconcile(endpoint_arn: str, store: DeviceStore, endpoints: Endpoints) -> set[str]:
    """The Ids of the devices that were changed; none if nothing has the endpoint or all is right.

    UnavailableError if SNS or DynamoDB do not answer, or if others keep changing the device.
    """
    changed: set[str] = set()
    for _ in range(MAX_ROUNDS):
        holders = store.with_endpoint(endpoint_arn)
        if not holders:
            return changed
        attributes = endpoints.attributes(endpoint_arn)
        changes = [
            change
            for known in holders
            if (change := reconciled(known, attributes, _look(store, known, attributes)))
        ]
        refused = store.commit(changes)
        changed |= {change.device_id for change in changes} - refused
        if not refused:
            return changed
    raise UnavailableError("Others keep changing the device of this endpoint.")


def reconciled(known: Known, attributes: Mapping[str, str] | None, view: View) -> Change | None:
    """The change that the endpoint's attributes, None if it is gone, ask for; None if none."""
    if attributes is None or is_taken(attributes, known):
        return _change(known, _without_endpoint(known, StatusReason.DELETED))
    held = _with_token(known, attributes)
    if view.owner_of(held) not in (None, known.device_id):
        reason = StatusReason.MOVED if held == known else StatusReason.DELETED
        return _change(known, _without_endpoint(known, reason))
    change = _change(known, _switched(held, on=is_enabled(attributes)))
    if change is None or held == known:
        return change
    former = view.token_of(known)
    order = former.order if former and view.owns(known) else ""
    claim = Claim(token=key_of(held), order=order, seen=view.token_of(held))
    return replace(change, claim=claim, released=key_of(known) if view.owns(known) else None)


def _look(store: DeviceStore, known: Known, attributes: Mapping[str, str] | None) -> View:
    return View(tokens=store.tokens({key_of(known), key_of(_with_token(known, attributes or {}))}))


def _with_token(known: Known, attributes: Mapping[str, str]) -> Known:
    """The device with its endpoint's token: a push service may have given it a new one."""
    token = attributes.get("Token", "")
    fits = 0 < len(token) <= ADDRESS_MAX_CHARS
    return replace(known, address=token) if fits else known


def _switched(known: Known, *, on: bool) -> Known:
    """On or off by SNS; what the app switched off stays so, and nothing else is switched on."""
    if not on and known.endpoint_status is EndpointStatus.ACTIVE:
        return replace(
            known,
            endpoint_status=EndpointStatus.INACTIVE,
            status_reason=StatusReason.DISABLED,
        )
    if on and known.status_reason is StatusReason.DISABLED:
        return replace(known, endpoint_status=EndpointStatus.ACTIVE, status_reason=None)
    return known


def _without_endpoint(known: Known, reason: StatusReason) -> Known:
    by_app = known.status_reason is StatusReason.APP
    return replace(
        known,
        endpoint_status=EndpointStatus.INACTIVE,
        status_reason=StatusReason.APP if by_app else reason,
        endpoint_arn=None,
    )


def _change(before: Known, after: Known) -> Change | None:
    return None if after == before else Change(after=after, before=before)
