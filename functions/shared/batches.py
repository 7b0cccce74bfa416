"""Batched reads that come back whole. Batched writes are boto3's own `Table.batch_writer`."""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from functions.shared.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
BATCH_GET_MAX_KEYS = 100
MAX_ROUNDS = 8
FIRST_BACKOFF_SECONDS = 0.05

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
        for round_ in range(MAX_ROUNDS):
            answer = table.meta.client.batch_get_item(RequestItems=wanted)
            found += answer["Responses"].get(table.name, [])
            wanted = dict(answer.get("UnprocessedKeys", {}))
            if not wanted:
                break
            sleep(random.uniform(0, FIRST_BACKOFF_SECONDS * 2**round_))  # noqa: S311 (jitter)
        else:
            raise UnavailableError(f"DynamoDB kept keys back through {MAX_ROUNDS} rounds")
    return found
