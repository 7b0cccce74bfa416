"""The store of lists: the progress, segments, chunks and members of each, in one table."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr, ConditionBase, Key
from botocore.exceptions import ClientError

from functions.audience.criteria import Criteria, from_json, to_json
from functions.audience.list_items import (
    CHUNK,
    LIST,
    MEMBER,
    SEGMENT,
    STRAY,
    attempt_prefix,
    chunk_item,
    chunk_key_of,
    chunk_of,
    chunk_table_key,
    leaver_record,
    member_item,
    member_of,
    progress_of,
    segment_record,
)
from functions.audience.records import (
    Chunk,
    ChunkKey,
    ChunkState,
    Leaver,
    ListProgress,
    ListState,
    Member,
    MemberStatus,
    Tally,
)
from functions.shared.aws_errors import raise_unless_condition_failed
from functions.shared.batches import batch_delete, batch_get, batch_put
from functions.shared.transactions import (
    TRANSACTION_MAX_ACTIONS,
    ConditionFailedError,
    transact,
    update_item,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

# One action of the transaction is the list's own progress.
TICKS_A_TRANSACTION = TRANSACTION_MAX_ACTIONS - 1


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The attempt that counts for a segment, and how many devices its chunks hold.

    `members` is how many members the list has of this segment once its chunks are worked off.
    """

    attempt: str
    chunks: int
    matched: int
    members: int = 0


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A chunk that has been worked off, with how many devices it held."""

    key: ChunkKey
    state: ChunkState
    devices: int


class ListStore:
    """The lists table."""

    def __init__(self, table: "Table") -> None:
        self._table = table

    # The list and its progress

    def open(
        self, campaign_id: str, *, criteria: Criteria, topic_arn: str, segments_total: int
    ) -> None:
        """Starts a list from resolved criteria; one that exists stays as it is, with its own."""
        try:
            self._table.put_item(
                Item={
                    "campaign_id": campaign_id,
                    "record": LIST,
                    "state": ListState.OPEN,
                    "criteria": to_json(criteria),
                    "topic_arn": topic_arn,
                    "segments_total": segments_total,
                    "segments_listed": 0,
                    "chunks_total": 0,
                    "chunks_done": 0,
                    "matched": 0,
                    "processed": 0,
                },
                ConditionExpression=Attr("record").not_exists(),
            )
        except ClientError as error:
            raise_unless_condition_failed(error)

    def criteria(self, campaign_id: str, generation: int = 1) -> Criteria | None:
        """What the list is built from, or None if this generation is not being built."""
        item = self._list(campaign_id)
        if item is None or item["state"] != ListState.OPEN:
            return None
        if int(item.get("generation", 1)) != generation:
            return None
        return from_json(item["criteria"])

    def progress(self, campaign_ids: Sequence[str]) -> dict[str, ListProgress]:
        """How far each list is that exists."""
        keys = [{"campaign_id": each, "record": LIST} for each in dict.fromkeys(campaign_ids)]
        return {item["campaign_id"]: progress_of(item) for item in batch_get(self._table, keys)}

    def store_waiter(self, campaign_id: str, token: str) -> ListProgress | None:
        """Keeps the token of the workflow that waits, and tells how far the list is after that."""
        try:
            answer = update_item(
                self._table,
                Key={"campaign_id": campaign_id, "record": LIST},
                UpdateExpression="SET waiter = :token",
                ConditionExpression=Attr("record").exists(),
                ExpressionAttributeValues={":token": token},
                ReturnValues="ALL_NEW",
            )
        except ClientError as error:
            raise_unless_condition_failed(error)
            return None
        return progress_of(answer["Attributes"])

    def close(self, campaign_id: str, *, adds_up: bool = False) -> None:
        """From now on no segment, chunk or member of the list counts; no list, nothing done.

        One that adds up has nothing half done that a refresh would have to look for.
        """
        try:
            update_item(
                self._table,
                Key={"campaign_id": campaign_id, "record": LIST},
                UpdateExpression="SET #state = :closed" + (", adds_up = :yes" if adds_up else ""),
                ConditionExpression=Attr("record").exists(),
                ExpressionAttributeNames={"#state": "state"},
                ExpressionAttributeValues={
                    ":closed": ListState.CLOSED,
                    **({":yes": True} if adds_up else {}),
                },
            )
        except ClientError as error:
            raise_unless_condition_failed(error)

    # Segments and chunks

    def claim_of(self, campaign_id: str, segment: int, generation: int = 1) -> Claim | None:
        """The attempt that counts for the segment, if one was finished."""
        answer = self._table.get_item(
            Key={"campaign_id": campaign_id, "record": segment_record(segment, generation)},
            ConsistentRead=True,
        )
        item = answer.get("Item")
        if item is None:
            return None
        return Claim(
            attempt=str(item["attempt"]),
            chunks=int(str(item["chunks"])),
            matched=int(str(item["matched"])),
        )

    def claim(self, campaign_id: str, segment: int, claim: Claim, generation: int = 1) -> bool:
        """Makes this attempt the one that counts. False if another does or the list is closed."""
        # While a list is built, its members are what matched.
        expected = {} if generation == 1 else {"expected": claim.members}
        try:
            transact(
                self._table,
                [
                    {
                        "Put": {
                            "TableName": self._table.name,
                            "Item": {
                                "campaign_id": campaign_id,
                                "record": segment_record(segment, generation),
                                "attempt": claim.attempt,
                                "chunks": claim.chunks,
                                "matched": claim.matched,
                            },
                            "ConditionExpression": "attribute_not_exists(#record)",
                            "ExpressionAttributeNames": {"#record": "record"},
                        }
                    },
                    self._advance(
                        campaign_id,
                        generation,
                        segments_listed=1,
                        chunks_total=claim.chunks,
                        matched=claim.matched,
                        **expected,
                    ),
                ],
            )
        except ConditionFailedError:
            return False
        return True

    def write_chunks(self, chunks: Iterable[Chunk]) -> None:
        """Writes chunks down, to be worked off later."""
        batch_put(self._table, map(chunk_item, chunks))

    def remove_chunks(self, keys: Iterable[ChunkKey]) -> None:
        """Removes chunks of an attempt that does not count."""
        batch_delete(self._table, map(chunk_table_key, keys))

    def pending(
        self, campaign_id: str, segment: int, attempt: str, generation: int = 1
    ) -> list[ChunkKey]:
        """The chunks of an attempt that are not worked off."""
        prefix = attempt_prefix(segment, attempt, generation)
        condition = Key("campaign_id").eq(campaign_id) & Key("record").begins_with(prefix)
        items = self._query(
            KeyConditionExpression=condition,
            FilterExpression=Attr("state").eq(ChunkState.PENDING),
            ProjectionExpression="campaign_id, #record",
            ExpressionAttributeNames={"#record": "record"},
        )
        return [chunk_key_of(item) for item in items]

    def chunks(self, keys: Sequence[ChunkKey]) -> dict[ChunkKey, Chunk]:
        """The chunks that exist among the keys."""
        items = batch_get(self._table, [chunk_table_key(key) for key in dict.fromkeys(keys)])
        return {chunk.key: chunk for chunk in map(chunk_of, items)}

    def tick(self, campaign_id: str, ticks: Sequence[Tick]) -> None:
        """Ticks up to TICKS_A_TRANSACTION chunks of a generation off together, each once for ever.

        All or none; ConditionFailedError when one was ticked off before, the list is closed or at
        another generation.
        """
        devices = sum(tick.devices for tick in ticks)
        generation = ticks[0].key.generation
        transact(
            self._table,
            [
                self._advance(campaign_id, generation, chunks_done=len(ticks), processed=devices),
                *(self._tick_action(tick) for tick in ticks),
            ],
        )

    # Members

    def write_members(self, members: Iterable[Member]) -> None:
        """Writes members down; one that is there already is replaced."""
        by_device = {(member.campaign_id, member.device_id): member for member in members}
        batch_put(self._table, map(member_item, by_device.values()))

    def add_member(self, member: Member) -> bool:
        """Writes the member down; False if the device is one already, which stays as it is."""
        try:
            self._table.put_item(
                Item=member_item(member), ConditionExpression=Attr("record").not_exists()
            )
        except ClientError as error:
            raise_unless_condition_failed(error)
            return False
        return True

    def members(self, campaign_id: str, device_ids: Sequence[str]) -> list[Member]:
        """Which of these devices are members, and what became of them."""
        keys = [
            {"campaign_id": campaign_id, "record": MEMBER + device_id}
            for device_id in dict.fromkeys(device_ids)
        ]
        return [member_of(item) for item in batch_get(self._table, keys)]

    def remove_members(self, campaign_id: str, device_ids: Iterable[str]) -> None:
        """Takes devices off the list."""
        keys = [
            {"campaign_id": campaign_id, "record": MEMBER + device_id}
            for device_id in dict.fromkeys(device_ids)
        ]
        batch_delete(self._table, keys)

    def remove_leaver(self, campaign_id: str, leaver: Leaver) -> None:
        """Takes a leaver off the list; a member that is another by now stays."""
        condition: ConditionBase = Attr("record").exists()
        if leaver.device_id is not None:
            for name, value in (
                ("subscription_arn", leaver.subscription_arn),
                ("reason", leaver.reason),
            ):
                same = Attr(name).not_exists() if value is None else Attr(name).eq(value)
                condition &= same
        try:
            self._table.delete_item(
                Key={"campaign_id": campaign_id, "record": leaver_record(leaver)},
                ConditionExpression=condition,
            )
        except ClientError as error:
            raise_unless_condition_failed(error)

    def tally(self, campaign_id: str) -> Tally:
        """The members counted by fate, read consistently over all pages."""
        fates: Counter[tuple[str, str]] = Counter()
        condition = Key("campaign_id").eq(campaign_id) & Key("record").begins_with(MEMBER)
        for item in self._query(
            KeyConditionExpression=condition,
            ProjectionExpression="#status, reason",
            ExpressionAttributeNames={"#status": "status"},
        ):
            fates[item["status"], item.get("reason", "")] += 1
        return Tally(
            subscribed=fates[MemberStatus.SUBSCRIBED, ""],
            skipped=_by_reason(fates, MemberStatus.SKIPPED),
            failed=_by_reason(fates, MemberStatus.FAILED),
        )

    def delete_all(self, campaign_id: str) -> None:
        """Removes everything of a list: chunks before members, so that whoever adds members late
        sees that their chunk is gone (progress.py), and the list last, so that a repeat ends it.
        """
        for prefix in (CHUNK, MEMBER, SEGMENT, STRAY, LIST):
            keys = self._query(
                KeyConditionExpression=Key("campaign_id").eq(campaign_id)
                & Key("record").begins_with(prefix),
                ProjectionExpression="campaign_id, #record",
                ExpressionAttributeNames={"#record": "record"},
            )
            batch_delete(self._table, keys)

    # Shared by the above

    def _list(self, campaign_id: str) -> dict[str, Any] | None:
        answer = self._table.get_item(
            Key={"campaign_id": campaign_id, "record": LIST}, ConsistentRead=True
        )
        return answer.get("Item")

    def _advance(self, campaign_id: str, generation: int, **steps: int) -> dict[str, Any]:
        """The action that adds to the progress of an open list at this generation."""
        same = "#generation = :generation"
        if generation == 1:
            same = f"(attribute_not_exists(#generation) OR {same})"
        return {
            "Update": {
                "TableName": self._table.name,
                "Key": {"campaign_id": campaign_id, "record": LIST},
                "UpdateExpression": "ADD " + ", ".join(f"#{name} :{name}" for name in steps),
                "ConditionExpression": f"#state = :open AND {same}",
                "ExpressionAttributeNames": {
                    "#state": "state",
                    "#generation": "generation",
                    **{f"#{name}": name for name in steps},
                },
                "ExpressionAttributeValues": {
                    ":open": ListState.OPEN,
                    ":generation": generation,
                    **{f":{name}": step for name, step in steps.items()},
                },
            }
        }

    def _tick_action(self, tick: Tick) -> dict[str, Any]:
        return {
            "Update": {
                "TableName": self._table.name,
                "Key": chunk_table_key(tick.key),
                "UpdateExpression": "SET #state = :done",
                "ConditionExpression": "#state = :pending",
                "ExpressionAttributeNames": {"#state": "state"},
                "ExpressionAttributeValues": {
                    ":done": tick.state,
                    ":pending": ChunkState.PENDING,
                },
            }
        }

    def _query(self, **request: Any) -> Iterator[dict[str, Any]]:
        while True:
            page = self._table.query(ConsistentRead=True, **request)
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _by_reason(fates: Counter[tuple[str, str]], status: MemberStatus) -> dict[str, int]:
    return {reason: count for (each, reason), count in sorted(fates.items()) if each == status}
