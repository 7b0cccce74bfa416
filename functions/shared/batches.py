"""Batched reads and writes that come back whole: what DynamoDB leaves over is repeated.

boto3's own `Table.batch_writer` repeats it, too, but at once and without end, which a partition at
its limit answers with still more left over.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import ClientError

from functions.shared.aws_errors import is_throttle
from functions.shared.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
BATCH_GET_MAX_KEYS = 100
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
BATCH_WRITE_MAX_ITEMS = 25
MAX_READ_ROUNDS = 8
# Half a minute at least: a burst of large items has to wait for its partition's 1,000 units/s.
MAX_WRITE_ROUNDS = 20
FIRST_BACKOFF_SECONDS = 0.05
LONGEST_BACKOFF_SECONDS = 5.0

T = TypeVar("T")


def batched(things: Iterable[T], size: int) -> Iterator[list[T]]:
    """The things in lists of `size`, the last one maybe shorter."""
    rest = iter(things)
    while batch := list(islice(rest, size)):
        yield batch


def batch_get(
    table: "Table",
    keys: Sequence[dict[str, Any]],
    *,
    attributes: Sequence[str] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> list[dict[str, Any]]:
    """The items that exist among `keys`, read consistently, in no order; UnavailableError if
    DynamoDB keeps some back through all rounds.

    https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
    """
    request: dict[str, Any] = {"ConsistentRead": True}
    if attributes is not None:
        names = {f"#{index}": name for index, name in enumerate(attributes)}
        request |= {
            "ProjectionExpression": ", ".join(names),
            "ExpressionAttributeNames": names,
        }
    found: list[dict[str, Any]] = []
    for some in batched(keys, BATCH_GET_MAX_KEYS):
        wanted: dict[str, Any] = {table.name: {**request, "Keys": some}}
        for round_ in range(MAX_READ_ROUNDS):
            answer = table.meta.client.batch_get_item(RequestItems=wanted)
            found += answer["Responses"].get(table.name, [])
            wanted = dict(answer.get("UnprocessedKeys", {}))
            if not wanted:
                break
            sleep(_backoff(round_))
        else:
            raise UnavailableError(f"DynamoDB kept keys back through {MAX_READ_ROUNDS} rounds")
    return found


def batch_put(
    table: "Table",
    items: Iterable[dict[str, Any]],
    *,
    rounds: int = MAX_WRITE_ROUNDS,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Writes every item, each key once; UnavailableError if DynamoDB keeps some back for good.

    https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
    """
    _batch_write(table, ({"PutRequest": {"Item": item}} for item in items), rounds, sleep)


def batch_delete(
    table: "Table",
    keys: Iterable[dict[str, Any]],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Deletes every item, each key once; UnavailableError if DynamoDB keeps some back for good."""
    requests = ({"DeleteRequest": {"Key": key}} for key in keys)
    _batch_write(table, requests, MAX_WRITE_ROUNDS, sleep)


def _batch_write(
    table: "Table",
    requests: Iterable[dict[str, Any]],
    rounds: int,
    sleep: Callable[[float], None],
) -> None:
    for some in batched(requests, BATCH_WRITE_MAX_ITEMS):
        left: list[Any] = some
        for round_ in range(rounds):
            left = _left_over(table, left)
            if not left:
                break
            sleep(_backoff(round_))
        else:
            raise UnavailableError(f"DynamoDB took no more through {rounds} rounds")


def _left_over(table: "Table", requests: list[Any]) -> list[Any]:
    try:
        answer = table.meta.client.batch_write_item(RequestItems={table.name: requests})
    except ClientError as error:
        if is_throttle(error):  # all of them were left over
            return requests
        raise
    return list(answer.get("UnprocessedItems", {}).get(table.name, []))


def _backoff(round_: int) -> float:
    longest = min(FIRST_BACKOFF_SECONDS * 2.0**round_, LONGEST_BACKOFF_SECONDS)
    return random.uniform(longest / 2, longest)  # noqa: S311 (jitter)
