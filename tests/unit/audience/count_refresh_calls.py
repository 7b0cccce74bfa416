"""Counts the calls of refreshes: .venv/bin/python -m tests.unit.audience.count_refresh_calls"""

import os
from collections import Counter
from dataclasses import dataclass

from moto import mock_aws

from tests.unit.audience.refreshing import Counting, RefreshWorld, emptied

MEMBERS = 5_000
CHUNK_SIZE = 100
SHARES = (0, 1, 10, 100)
READS = ("Scan", "Query", "BatchGetItem", "GetItem")
WRITES = ("BatchWriteItem", "TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem")


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What one refresh took: calls to SNS, requests to DynamoDB, items written, messages."""

    sns: Counter[str]
    dynamodb: Counter[str]
    items_written: int
    messages: int


def count(members: int, changed: int) -> Counted:
    """A refresh of so many members of whom so many are opted out, with as many newcomers."""
    with emptied(RefreshWorld(chunk_size=CHUNK_SIZE)) as world:
        with world.devices.batch_writer() as batch:
            for number in range(members):
                batch.put_item(Item=_device(number))
        world.build()
        with world.devices.batch_writer() as batch:
            for number in range(changed):
                batch.put_item(Item={**_device(number), "OptOut": "ALL"})
                batch.put_item(Item=_device(members + number))
        counting = Counting()
        for table in (world.devices, world.table):
            counting.watch(table)
        world.topic.calls.clear()
        sent = world.queue.sent
        world.refresh()
        return Counted(
            sns=world.topic.calls.copy(),
            # Of the harness: it looks at the progress, as the workflow's waits do, and tallies.
            dynamodb=counting.requests.copy(),
            items_written=counting.writes,
            messages=world.queue.sent - sent,
        )


def _device(number: int) -> dict[str, object]:
    return {
        "Id": f"d{number}",
        "ChannelType": "GCM",
        "EndpointArn": f"endpoint-{number}",
        "OptOut": "NONE",
        "Location": {"Country": "FJ"},
    }


def _row(share: int) -> str:
    counted = count(MEMBERS, MEMBERS * share // 100)
    cells = (
        f"{share}%",
        counted.sns["Unsubscribe"],
        counted.sns["Subscribe"],
        sum(counted.dynamodb[name] for name in READS),
        sum(counted.dynamodb[name] for name in WRITES),
        counted.items_written,
        counted.messages,
    )
    shown = [f"{each:,}" if isinstance(each, int) else each for each in cells]
    return f"| {' | '.join(shown)} |"


if __name__ == "__main__":
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with mock_aws():
        for each in SHARES:
            print(_row(each))  # noqa: T201
