"""Batched reads come back whole, or not at all; batched writes are carried out whole."""

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.stub import Stubber

from functions.shared.batches import batch_delete, batch_get, batch_put, batched
from functions.shared.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table


def key(name: str) -> dict[str, Any]:
    return {"Id": name}


def test_things_are_cut_into_lists_of_the_size() -> None:
    assert list(batched("abcde", 2)) == [["a", "b"], ["c", "d"], ["e"]]
    assert list(batched("", 2)) == []


def test_more_keys_than_one_call_takes_are_all_read(devices_table: "Table") -> None:
    with devices_table.batch_writer() as writer:
        for number in range(205):
            writer.put_item(Item={"Id": f"d{number}", "Address": "token", "OptOut": "NONE"})
    keys = [key(f"d{number}") for number in range(250)]
    found = batch_get(devices_table, keys, attributes=("Id", "OptOut"))
    assert len(found) == 205
    assert found[0].keys() == {"Id", "OptOut"}


def test_keys_that_dynamodb_keeps_back_are_asked_for_again() -> None:
    table = boto3.resource("dynamodb").Table("devices")
    slept: list[float] = []
    with Stubber(table.meta.client) as stub:
        stub.add_response(
            "batch_get_item",
            {
                "Responses": {"devices": [{"Id": {"S": "a"}}]},
                "UnprocessedKeys": {"devices": {"Keys": [{"Id": {"S": "b"}}]}},
            },
        )
        stub.add_response("batch_get_item", {"Responses": {"devices": [{"Id": {"S": "b"}}]}})
        found = batch_get(table, [key("a"), key("b")], sleep=slept.append)
        stub.assert_no_pending_responses()
    assert found == [key("a"), key("b")]
    assert len(slept) == 1


def test_keys_kept_back_for_ever_are_no_half_answer() -> None:
    table = boto3.resource("dynamodb").Table("devices")
    with Stubber(table.meta.client) as stub:
        for _ in range(8):
            kept = {"devices": {"Keys": [{"Id": {"S": "a"}}]}}
            stub.add_response("batch_get_item", {"Responses": {}, "UnprocessedKeys": kept})
        with pytest.raises(UnavailableError, match="8 rounds"):
            batch_get(table, [key("a")], sleep=lambda _: None)


def test_items_that_dynamodb_leaves_over_are_written_again() -> None:
    table = boto3.resource("dynamodb").Table("devices")
    slept: list[float] = []
    left = {"devices": [{"PutRequest": {"Item": {"Id": {"S": "b"}}}}]}
    with Stubber(table.meta.client) as stub:
        stub.add_response("batch_write_item", {"UnprocessedItems": left})
        stub.add_client_error("batch_write_item", "ProvisionedThroughputExceededException")
        stub.add_response(
            "batch_write_item",
            {"UnprocessedItems": {}},
            {"RequestItems": {"devices": [{"PutRequest": {"Item": key("b")}}]}},
        )
        batch_put(table, [key("a"), key("b")], sleep=slept.append)
        stub.assert_no_pending_responses()
    assert len(slept) == 2


def test_more_items_than_one_call_takes_are_all_written_and_all_deleted(
    devices_table: "Table",
) -> None:
    batch_put(devices_table, (key(f"d{number}") for number in range(60)))
    assert devices_table.scan()["Count"] == 60
    batch_delete(devices_table, (key(f"d{number}") for number in range(59)))
    assert devices_table.scan()["Items"] == [key("d59")]


def test_items_left_over_for_ever_are_an_error() -> None:
    table = boto3.resource("dynamodb").Table("devices")
    with Stubber(table.meta.client) as stub:
        for _ in range(20):
            left = {"devices": [{"DeleteRequest": {"Key": {"Id": {"S": "a"}}}}]}
            stub.add_response("batch_write_item", {"UnprocessedItems": left})
        with pytest.raises(UnavailableError, match="20 rounds"):
            batch_delete(table, [key("a")], sleep=lambda _: None)
