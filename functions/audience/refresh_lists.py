"""The store of lists, as far as refreshing, looking at and repairing a finished one goes."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError

from functions.audience.criteria import Criteria, to_json
from functions.audience.list_items import CHUNK, LIST, MEMBER, STRAY, chunk_of, member_of
from functions.audience.records import (
    FAILED_LOST,
    Chunk,
    ChunkState,
    ListState,
    Member,
    MemberStatus,
)
from functions.shared.aws_errors import raise_unless_condition_failed
from functions.shared.batches import batch_put
from functions.shared.transactions import update_item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

# Of a refresh there is first one segment, the sweep.
SWEEPS = 1


class RefreshLists:
    """The lists table, once more."""

    def __init__(self, table: "Table") -> None:
        self._table = table

    def reopen(self, campaign_id: str, *, generation: int, criteria: Criteria) -> None:
        """Opens the list for the sweep of this generation, from resolved criteria; one that is at
        it already, or is gone, stays as it is."""
        answer = self._table.get_item(Key=_list_key(campaign_id), ConsistentRead=True)
        values: dict[str, Any] = {
            "state": ListState.OPEN,
            "generation": generation,
            "criteria": to_json(criteria),
            "segments_total": SWEEPS,
            **dict.fromkeys(("segments_listed", "chunks_total", "chunks_done"), 0),
            **dict.fromkeys(("matched", "processed", "expected"), 0),
            # Somebody may have subscribed without writing it down, or the other way round.
            "unfinished": not answer.get("Item", {}).get("adds_up", False),
        }
        older = Attr("generation").not_exists() | Attr("generation").lt(generation)
        self._update(
            campaign_id,
            "SET " + ", ".join(f"#{name} = :{name}" for name in values) + " REMOVE waiter, adds_up",
            condition=Attr("record").exists() & older,
            names={f"#{name}": name for name in values},
            values={f":{name}": value for name, value in values.items()},
        )

    def begin_listing(self, campaign_id: str, *, generation: int, segments_total: int) -> None:
        """After the sweep, lets the devices' segments count as well; again changes nothing."""
        self._update(
            campaign_id,
            "SET segments_total = :total",
            condition=Attr("state").eq(ListState.OPEN) & Attr("generation").eq(generation),
            names={},
            values={":total": SWEEPS + segments_total},
        )

    def everyone(self, campaign_id: str) -> Iterator[list[Member]]:
        """All members, page by page, read consistently."""
        for items in self._pages(campaign_id, MEMBER):
            yield [member_of(item) for item in items]

    def page(self, campaign_id: str, *, limit: int, after: str | None) -> list[Member]:
        """Up to `limit` members in the order of their Ids, those after the Id."""
        items: list[dict[str, Any]] = []
        for page in self._pages(campaign_id, MEMBER, limit=limit, after=after):
            items += page
            if len(items) >= limit:
                break
        return [member_of(item) for item in items[:limit]]

    def unfinished(self, campaign_id: str, *, before: int) -> Iterator[Chunk]:
        """The chunks of generations before this one that were not worked off."""
        for items in self._pages(campaign_id, CHUNK, filter_=Attr("state").ne(ChunkState.DONE)):
            for chunk in map(chunk_of, items):
                if chunk.key.generation < before:
                    yield chunk

    def lose(self, campaign_id: str, device_id: str, subscription_arn: str) -> bool:
        """Notes that the member's subscription may not be there, so that the next refresh sees to
        it; False if the member has another one by now, or none."""
        try:
            update_item(
                self._table,
                Key={"campaign_id": campaign_id, "record": MEMBER + device_id},
                UpdateExpression="SET #status = :failed, reason = :lost REMOVE subscription_arn",
                ConditionExpression=Attr("subscription_arn").eq(subscription_arn),
                ExpressionAttributeNames={"#status": "status"},
                ExpressionAttributeValues={":failed": MemberStatus.FAILED, ":lost": FAILED_LOST},
            )
        except ClientError as error:
            raise_unless_condition_failed(error)
            return False
        return True

    def note_strays(self, campaign_id: str, subscription_arns: Sequence[str]) -> None:
        """Notes subscriptions that are nobody's; the next refresh removes them."""
        batch_put(
            self._table,
            (
                {"campaign_id": campaign_id, "record": STRAY + arn}
                for arn in dict.fromkeys(subscription_arns)
            ),
        )

    def strays(self, campaign_id: str) -> list[str]:
        """The subscriptions that are nobody's."""
        return [
            str(item["record"]).removeprefix(STRAY)
            for items in self._pages(campaign_id, STRAY)
            for item in items
        ]

    def _pages(
        self,
        campaign_id: str,
        prefix: str,
        *,
        filter_: Any = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Iterator[list[dict[str, Any]]]:
        request: dict[str, Any] = {
            "KeyConditionExpression": Key("campaign_id").eq(campaign_id)
            & Key("record").begins_with(prefix),
            "ConsistentRead": True,
        }
        if filter_ is not None:
            request["FilterExpression"] = filter_
        if limit is not None:
            request["Limit"] = limit
        if after is not None:
            request["ExclusiveStartKey"] = {"campaign_id": campaign_id, "record": prefix + after}
        while True:
            page = self._table.query(**request)
            yield page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _update(
        self,
        campaign_id: str,
        expression: str,
        *,
        condition: Any,
        names: dict[str, str],
        values: dict[str, Any],
    ) -> None:
        request: dict[str, Any] = {"ExpressionAttributeNames": names} if names else {}
        try:
            update_item(
                self._table,
                Key=_list_key(campaign_id),
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeValues=values,
                **request,
            )
        except ClientError as error:
            raise_unless_condition_failed(error)


def _list_key(campaign_id: str) -> dict[str, str]:
    return {"campaign_id": campaign_id, "record": LIST}
