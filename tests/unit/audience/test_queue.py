"""Chunks reach the queue, all of them, whatever SQS refuses on the way."""

import json
from typing import Any

import boto3
import pytest

from functions.audience.queue import ChunkMessage, SubscribeQueue
from functions.audience.records import ChunkKey
from functions.shared.errors import UnavailableError


def messages(count: int) -> list[ChunkMessage]:
    return [
        ChunkMessage(key=ChunkKey(campaign_id="c1", segment=0, attempt="a1", number=number))
        for number in range(count)
    ]


def test_every_chunk_is_one_message_in_the_group_of_its_campaign(aws: None) -> None:
    sqs = boto3.client("sqs")
    url = sqs.create_queue(QueueName="subscribe")["QueueUrl"]
    SubscribeQueue(sqs, url).send(messages(23))
    received: list[Any] = []
    while some := sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["MessageGroupId"]
    ).get("Messages"):
        received += some
    assert sorted(json.loads(each["Body"])["number"] for each in received) == list(range(23))


class RefusingSqs:
    """Refuses each entry so many times, in an answer that is a success as a whole."""

    def __init__(self, times: int) -> None:
        self.refusals = times
        self.accepted: list[str] = []
        self.groups: set[str] = set()

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, str]]) -> Any:  # noqa: N803
        assert QueueUrl == "url"
        assert len(Entries) <= 10
        if self.refusals > 0:
            self.refusals -= 1
            kept, refused = Entries[:1], Entries[1:]
        else:
            kept, refused = Entries, []
        self.accepted += [entry["MessageBody"] for entry in kept]
        self.groups |= {entry["MessageGroupId"] for entry in kept}
        return {
            "Successful": [{"Id": entry["Id"]} for entry in kept],
            "Failed": [{"Id": entry["Id"], "Code": "InternalError"} for entry in refused],
        }


def test_refused_entries_are_sent_again_and_the_others_are_not() -> None:
    sqs = RefusingSqs(times=3)
    SubscribeQueue(sqs, "url", sleep=lambda _seconds: None).send(messages(12))  # type: ignore[arg-type]
    numbers = [json.loads(body)["number"] for body in sqs.accepted]
    assert sorted(numbers) == list(range(12))
    assert sqs.groups == {"c1"}


def test_a_queue_that_keeps_refusing_is_an_error() -> None:
    queue = SubscribeQueue(RefusingSqs(times=99), "url", sleep=lambda _seconds: None)  # type: ignore[arg-type]
    with pytest.raises(UnavailableError, match="SQS refused 2 messages"):
        queue.send(messages(10))
