"""A transaction that met another is repeated; one whose condition failed says which."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from functions.shared.errors import UnavailableError
from functions.shared.transactions import ConditionFailedError, transact, update_item


class FakeTable:
    """A table whose client answers each transaction by the next of these codes."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.calls = 0
        self.meta = self
        self.client = self

    def transact_write_items(self, **_: Any) -> None:
        self.calls += 1
        codes = self.answers.pop(0)
        if codes:
            raise ClientError(
                {
                    "Error": {"Code": "TransactionCanceledException", "Message": ""},
                    "CancellationReasons": [{"Code": code} for code in codes],
                },
                "TransactWriteItems",
            )


def run(table: FakeTable) -> None:
    transact(table, [{}, {}], sleep=lambda _seconds: None)  # type: ignore[arg-type]


def test_a_conflict_is_repeated_until_it_is_written() -> None:
    table = FakeTable(["TransactionConflict", "None"], ["None", "TransactionConflict"], [])
    run(table)
    assert table.calls == 3


def test_a_failed_condition_is_not_repeated_and_names_its_actions() -> None:
    table = FakeTable(["ConditionalCheckFailed", "TransactionConflict"])
    with pytest.raises(ConditionFailedError) as failed:
        run(table)
    assert failed.value.failed == (0,)
    assert table.calls == 1


def test_anything_else_is_the_callers_error() -> None:
    with pytest.raises(ClientError):
        run(FakeTable(["ValidationError", "None"]))


def test_conflicts_without_end_are_an_error() -> None:
    table = FakeTable(*([["TransactionConflict", "None"]] * 10))
    with pytest.raises(UnavailableError):
        run(table)
    assert table.calls == 10


class MeetingTable:
    """A table whose item is under a transaction for so many tries."""

    def __init__(self, meetings: int) -> None:
        self.meetings = meetings

    def update_item(self, **request: Any) -> dict[str, Any]:
        if self.meetings > 0:
            self.meetings -= 1
            raise ClientError(
                {"Error": {"Code": "TransactionConflictException", "Message": ""}}, "UpdateItem"
            )
        return {"Attributes": request["Key"]}


def test_a_single_write_that_meets_a_transaction_is_repeated() -> None:
    table = MeetingTable(3)
    answer = update_item(table, sleep=lambda _seconds: None, Key={"Id": "a"})  # type: ignore[arg-type]
    assert answer == {"Attributes": {"Id": "a"}}
    with pytest.raises(UnavailableError):
        update_item(MeetingTable(99), sleep=lambda _seconds: None, Key={})  # type: ignore[arg-type]
