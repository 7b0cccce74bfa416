"""DynamoDB transactions told apart: done, refused by a condition, or worth a repeat.

Also for single writes that meet a transaction on their item: DynamoDB refuses these, and the SDK
repeats neither.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
"""

import random
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from functions.shared.aws_errors import code_of
from functions.shared.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
TRANSACTION_MAX_ACTIONS = 100
MAX_ROUNDS = 10
FIRST_BACKOFF_SECONDS = 0.02

_CANCELLED = "TransactionCanceledException"
_MET_A_TRANSACTION = "TransactionConflictException"
_CONDITION_FAILED = "ConditionalCheckFailed"
_REPEATABLE = frozenset(
    {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded", "None"}
)


class ConditionFailedError(Exception):
    """A condition did not hold; `failed` tells which actions, by their place in the transaction."""

    def __init__(self, failed: Sequence[int]) -> None:
        self.failed = tuple(failed)
        super().__init__(f"condition of action {', '.join(map(str, self.failed))} did not hold")


def transact(
    table: "Table",
    actions: Sequence[dict[str, Any]],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Writes all or nothing; ConditionFailedError names the actions that stood in the way."""
    for round_ in range(MAX_ROUNDS):
        try:
            table.meta.client.transact_write_items(TransactItems=list(actions))  # type: ignore[arg-type]
        except ClientError as error:
            if code_of(error) != _CANCELLED:
                raise
            reasons = error.response.get("CancellationReasons", [])
            codes = [reason.get("Code", "None") for reason in reasons]
            failed = [index for index, code in enumerate(codes) if code == _CONDITION_FAILED]
            if failed:
                raise ConditionFailedError(failed) from error
            if not codes or not _REPEATABLE.issuperset(codes):
                raise
            sleep(_backoff(round_))
        else:
            return
    raise UnavailableError(f"DynamoDB transactions kept meeting through {MAX_ROUNDS} rounds")


def update_item(
    table: "Table", *, sleep: Callable[[float], None] = time.sleep, **request: Any
) -> dict[str, Any]:
    """The answer to UpdateItem, repeated while a transaction is at work on the item."""
    for round_ in range(MAX_ROUNDS):
        try:
            return dict(table.update_item(**request))
        except ClientError as error:
            if code_of(error) != _MET_A_TRANSACTION:
                raise
            sleep(_backoff(round_))
    raise UnavailableError(f"DynamoDB transactions kept meeting through {MAX_ROUNDS} rounds")


def _backoff(round_: int) -> float:
    return random.uniform(0, FIRST_BACKOFF_SECONDS * 2.0**round_)  # noqa: S311 (jitter)
