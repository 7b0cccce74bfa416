"""The store of devices, and of who owns which token."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError

from functions.devices.actions import (
    Action,
    Tables,
    actions,
    next_turn,
    removal,
    transactions,
)
from functions.devices.items import KNOWN_NAMES, decode, decode_known
from functions.devices.ownership import Change
from functions.devices.records import Device, Known
from functions.devices.tokens import TokenState
from functions.shared.aws_errors import code_of
from functions.shared.batches import batch_get
from functions.shared.errors import UnavailableError
from functions.shared.transactions import ConditionFailedError, transact

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

BY_ENDPOINT = "by_endpoint"


class NotInSegmentError(Exception):
    """The page was to begin after a device that the segment does not have."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """Some of the devices, and the Id after which the next page begins, if there is one."""

    devices: list[Device]
    last_id: str | None


class DeviceStore:
    """The two tables. What is changed under a condition is changed by one of two at a time."""

    def __init__(self, table: "Table", tokens: "Table") -> None:
        # A table is not made for threads; the client behind it is, and it converts as well.
        # https://boto3.amazonaws.com/v1/documentation/api/latest/guide/resources.html#multithreading-or-multiprocessing-with-resources
        self._table = table
        self._tokens_table = tokens
        self._names = Tables(devices=table.name, tokens=tokens.name)

    def get(self, device_id: str) -> Device | None:
        """The device as it is now; None if there is none."""
        answer = self._table.meta.client.get_item(
            TableName=self._names.devices, Key={"Id": device_id}, ConsistentRead=True
        )
        return decode(answer["Item"]) if "Item" in answer else None

    def get_all(self, device_ids: Iterable[str]) -> dict[str, Device]:
        """Those of the devices that are stored, by Id, as they are now; UnavailableError."""
        keys = [{"Id": device_id} for device_id in dict.fromkeys(device_ids)]
        return {item["Id"]: decode(item) for item in batch_get(self._table, keys)}

    def known(self, device_ids: Iterable[str]) -> dict[str, Known]:
        """What is known of those of the devices that are stored; UnavailableError."""
        keys = [{"Id": device_id} for device_id in dict.fromkeys(device_ids)]
        items = batch_get(self._table, keys, attributes=KNOWN_NAMES)
        return {item["Id"]: decode_known(item) for item in items}

    def tokens(self, tokens: Iterable[str]) -> dict[str, TokenState]:
        """By key, what is known of those of the tokens that anybody owns or just gave up;
        UnavailableError."""
        keys = [{"token": token} for token in dict.fromkeys(tokens)]
        return {
            item["token"]: TokenState(
                owner=item.get("device_id"), order=item.get("order", ""), turn=int(item["turn"])
            )
            for item in batch_get(self._tokens_table, keys)
        }

    def with_endpoint(self, endpoint_arn: str) -> list[Known]:
        """The devices that have this endpoint: one at most, but for a moment."""
        answer = self._table.query(
            IndexName=BY_ENDPOINT, KeyConditionExpression=Key("EndpointArn").eq(endpoint_arn)
        )
        found = self.known(str(item["Id"]) for item in answer["Items"])
        # The index lags behind the table.
        return [known for known in found.values() if known.endpoint_arn == endpoint_arn]

    def page(
        self, *, limit: int, after_id: str | None, segment: int = 0, segments: int = 1
    ) -> Page:
        """Devices of one segment of the table, at most 1 MB of them, read consistently;
        NotInSegmentError.

        https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html#Scan.ParallelScan
        """
        request: dict[str, Any] = {"ExclusiveStartKey": {"Id": after_id}} if after_id else {}
        try:
            answer = self._table.scan(
                Limit=limit, Segment=segment, TotalSegments=segments, ConsistentRead=True, **request
            )
        except ClientError as error:
            if after_id and code_of(error) == "ValidationException":
                raise NotInSegmentError from None
            raise
        last = answer.get("LastEvaluatedKey")
        return Page(
            devices=[decode(item) for item in answer["Items"]],
            last_id=str(last["Id"]) if last else None,
        )

    def commit(self, changes: Iterable[Change]) -> set[str]:
        """Writes each change as a whole; answers whose was refused, since something was no more
        as it had been seen. One that is refused holds no other up; UnavailableError."""
        refused: set[str] = set()
        for transaction in transactions(changes):
            left = transaction.changes
            while left:
                stale = self._refused(left)
                refused |= stale
                if not stale:
                    break
                left = [change for change in left if change.device_id not in stale]
        return refused

    def delete(self, known: Known, *, token: str | None) -> bool:
        """Removes the device and the token that it owns; False if one is no more as it was."""
        try:
            transact(self._table, list(removal(known, token, self._names)))
        except ConditionFailedError:
            return False
        return True

    def next_turn(self, token: str) -> None:
        """Makes everybody who wants the token and has looked already look again."""
        for owned in (True, False, True):
            try:
                transact(self._tokens_table, [next_turn(token, self._names, owned=owned)])
            except ConditionFailedError:
                continue
            return
        raise UnavailableError("A token got and lost owners again and again.")

    def _refused(self, changes: Sequence[Change]) -> set[str]:
        """Nobody if all of them are written; else nothing is, and these stood in the way."""
        written: list[Action] = []
        written_for: list[str] = []
        for change in changes:
            own = list(actions(change, self._names))
            written += own
            written_for += [change.device_id] * len(own)
        try:
            transact(self._table, written)
        except ConditionFailedError as error:
            return {written_for[index] for index in error.failed}
        return set()
