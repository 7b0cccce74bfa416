"""How changes are written: as actions of transactions, no item twice in one.

https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from functions.devices.items import (
    ITEM_MAX_BYTES,
    ITEM_NAMES,
    encode,
    encode_known,
    size_of,
)
from functions.devices.ownership import Change, Claim
from functions.devices.records import Device, EndpointStatus, Known, StatusReason
from functions.shared.clock import utc_now
from functions.shared.transactions import TRANSACTION_MAX_ACTIONS

TRANSACTION_MAX_BYTES = 4 * 1024 * 1024
# A token's item: two hashes' worth of key, an Id, an order.
_TOKEN_BYTES = 1_024

# How long an item without an owner stays: longer than anybody who has looked takes to write.
KEPT_SECONDS = 24 * 60 * 60

Action = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The names of the two tables."""

    devices: str
    tokens: str


@dataclass(kw_only=True)
class Transaction:
    """Changes that are written together, none of which touches an item of another."""

    changes: list[Change] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    actions: int = 0
    bytes: int = 0

    def take(self, change: Change) -> bool:
        """Adds the change; False if it has no room or touches what is touched already."""
        touched, size = _touched(change), _bytes(change)
        if not self.touched.isdisjoint(touched):
            return False
        if self.actions + len(touched) > TRANSACTION_MAX_ACTIONS:
            return False
        if self.actions and self.bytes + size > TRANSACTION_MAX_BYTES:
            return False
        self.changes.append(change)
        self.touched |= touched
        self.actions += len(touched)
        self.bytes += size
        return True


def transactions(changes: Iterable[Change]) -> list[Transaction]:
    """As few transactions as it takes; of two changes of one item the first comes first."""
    found: list[Transaction] = []
    for change in changes:
        touched = _touched(change)
        after = [at for at, each in enumerate(found, 1) if not each.touched.isdisjoint(touched)]
        if not any(each.take(change) for each in found[max(after, default=0) :]):
            found.append(Transaction())
            found[-1].take(change)
    return found


def actions(change: Change, tables: Tables) -> Iterator[Action]:
    """What a transaction does for this change."""
    if isinstance(change.after, Device):
        yield _put(change.after, change, tables)
    else:
        yield _update(change.after, change.before, tables)
    if change.claim:
        yield _claim(change.claim, change.device_id, tables)
    if change.released:
        yield _release(change.released, change.device_id, tables)
    if change.not_owned:
        yield _check_not_owned(change.not_owned, change.device_id, tables)
    if change.displaced:
        yield _displace(change.displaced, change.after, tables)


def removal(known: Known, token: str | None, tables: Tables) -> Iterator[Action]:
    """What a transaction does to forget a device, and with it the token that it owns."""
    yield {"Delete": {"TableName": tables.devices, "Key": {"Id": known.device_id}, **_as(known)}}
    if token:
        yield _release(token, known.device_id, tables)


def _put(device: Device, change: Change, tables: Tables) -> Action:
    condition = (
        _as(change.before) if change.seen is None else _same(encode(change.seen), ITEM_NAMES)
    )
    return {"Put": {"TableName": tables.devices, "Item": encode(device), **condition}}


def _update(after: Known, before: Known | None, tables: Tables) -> Action:
    """Writes what is known and no more: attributes that were changed meanwhile stay."""
    condition = _as(before)
    item = {name: value for name, value in encode_known(after).items() if name != "Id"}
    setting = [f"#{name} = :new_{name}" for name, value in item.items() if value is not None]
    removing = [f"#{name}" for name, value in item.items() if value is None]
    expression = f"SET {', '.join(setting)}"
    condition["ExpressionAttributeValues"] |= {
        f":new_{name}": value for name, value in item.items() if value is not None
    }
    if removing:
        expression += f" REMOVE {', '.join(removing)}"
    return {
        "Update": {
            "TableName": tables.devices,
            "Key": {"Id": after.device_id},
            "UpdateExpression": expression,
            **condition,
        }
    }


def _as(known: Known | None) -> dict[str, Any]:
    """The condition that a device is still as it was known; its attributes may be others."""
    if known is None:
        return {
            "ConditionExpression": "attribute_not_exists(#Id)",
            "ExpressionAttributeNames": {"#Id": "Id"},
        }
    item = encode_known(known)
    return _same(item, item)


def _same(item: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The condition that what is stored under these names is as in the item."""
    wanted = {name: item.get(name) for name in names}
    terms = [
        f"attribute_not_exists(#{name})" if value is None else f"#{name} = :{name}"
        for name, value in wanted.items()
    ]
    return {
        "ConditionExpression": " AND ".join(terms),
        "ExpressionAttributeNames": {f"#{name}": name for name in wanted},
        "ExpressionAttributeValues": {
            f":{name}": value for name, value in wanted.items() if value is not None
        },
    }


def _claim(claim: Claim, device_id: str, tables: Tables) -> Action:
    item = {"token": claim.token, "device_id": device_id, "order": claim.order, "turn": 0}
    if claim.seen is None:
        return {
            "Put": {
                "TableName": tables.tokens,
                "Item": item,
                "ConditionExpression": "attribute_not_exists(#token)",
                "ExpressionAttributeNames": {"#token": "token"},
            }
        }
    values: dict[str, Any] = {":turn": claim.seen.turn}
    if claim.seen.owner is None:
        owner = "attribute_not_exists(device_id)"
    else:
        # An owner who came again meanwhile, with no greater order, is still the one that was seen.
        owner = "device_id = :seen AND #order <= :order"
        values |= {":seen": claim.seen.owner, ":order": claim.order}
    return {
        "Put": {
            "TableName": tables.tokens,
            "Item": {**item, "turn": claim.seen.turn},
            "ConditionExpression": f"turn = :turn AND {owner}",
            "ExpressionAttributeValues": values,
            **({"ExpressionAttributeNames": {"#order": "order"}} if claim.seen.owner else {}),
        }
    }


def _release(token: str, device_id: str, tables: Tables) -> Action:
    """What is left of the item keeps the turn for a day: who looked before looks again."""
    return {
        "Update": {
            "TableName": tables.tokens,
            "Key": {"token": token},
            "UpdateExpression": "SET expires_at = :soon REMOVE device_id, #order ADD turn :one",
            "ConditionExpression": "device_id = :owner",
            "ExpressionAttributeNames": {"#order": "order"},
            "ExpressionAttributeValues": {":owner": device_id, ":one": 1, ":soon": _soon()},
        }
    }


def _check_not_owned(token: str, device_id: str, tables: Tables) -> Action:
    """The device may have come and gone with the token since it was looked at."""
    return {
        "ConditionCheck": {
            "TableName": tables.tokens,
            "Key": {"token": token},
            "ConditionExpression": "attribute_not_exists(device_id) OR device_id <> :device",
            "ExpressionAttributeValues": {":device": device_id},
        }
    }


def next_turn(token: str, tables: Tables, *, owned: bool) -> Action:
    """Makes everybody look again who wants the token and has looked before; if it is owned, or
    if it is not."""
    if owned:
        return {
            "Update": {
                "TableName": tables.tokens,
                "Key": {"token": token},
                "UpdateExpression": "ADD turn :one",
                "ConditionExpression": "attribute_exists(device_id)",
                "ExpressionAttributeValues": {":one": 1},
            }
        }
    return {
        "Update": {
            "TableName": tables.tokens,
            "Key": {"token": token},
            "UpdateExpression": "SET expires_at = :soon ADD turn :one",
            "ConditionExpression": "attribute_not_exists(device_id)",
            "ExpressionAttributeValues": {":one": 1, ":soon": _soon()},
        }
    }


def _soon() -> int:
    return int(utc_now().timestamp()) + KEPT_SECONDS


def _displace(device_id: str, by: Device | Known, tables: Tables) -> Action:
    """The former owner keeps its record, and is in no list from now on."""
    return {
        "Update": {
            "TableName": tables.devices,
            "Key": {"Id": device_id},
            "UpdateExpression": "SET EndpointStatus = :inactive, StatusReason = :moved "
            "REMOVE EndpointArn",
            "ConditionExpression": "ChannelType = :platform AND Address = :address",
            "ExpressionAttributeValues": {
                ":inactive": EndpointStatus.INACTIVE.value,
                ":moved": StatusReason.MOVED.value,
                ":platform": by.channel_type.value,
                ":address": by.address,
            },
        }
    }


def _touched(change: Change) -> set[str]:
    devices = (change.device_id, change.displaced)
    tokens = (change.claim and change.claim.token, change.released, change.not_owned)
    return {f"device {each}" for each in devices if each} | {
        f"token {each}" for each in tokens if each
    }


def _bytes(change: Change) -> int:
    """An upper bound: the size of an item that is changed in part only is not known."""
    own = size_of(encode(change.after)) if isinstance(change.after, Device) else ITEM_MAX_BYTES
    seen = size_of(encode(change.seen)) if change.seen else 0
    return own + seen + (ITEM_MAX_BYTES if change.displaced else 0) + 2 * _TOKEN_BYTES
