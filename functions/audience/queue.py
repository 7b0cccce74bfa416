"""The queue between listing and subscribing: one message a chunk, naming it, not holding it."""

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from functions.audience.records import ChunkKey
from functions.shared.batches import batched
from functions.shared.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

# Version 1 knew no generations; such a message may wait in the queue while this is deployed.
MESSAGE_VERSION = 2
READABLE_VERSIONS = frozenset({1, MESSAGE_VERSION})
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
SEND_BATCH_MAX_ENTRIES = 10
MAX_ROUNDS = 8
FIRST_BACKOFF_SECONDS = 0.1


class UnreadableMessageError(Exception):
    """The message is none of ours, or of another version."""


@dataclass(frozen=True, kw_only=True)
class ChunkMessage:
    """What a message says: which chunk, and whether somebody has begun it already."""

    key: ChunkKey
    begun: bool = False


def encode(message: ChunkMessage) -> str:
    """The message body."""
    return json.dumps({"version": MESSAGE_VERSION, "begun": message.begun, **asdict(message.key)})


def decode(body: str) -> ChunkMessage:
    """What the message says; UnreadableMessageError if it is none of ours."""
    try:
        fields = json.loads(body)
        if fields["version"] not in READABLE_VERSIONS:
            raise UnreadableMessageError(f"version {fields['version']!r}")
        key = ChunkKey(
            campaign_id=str(fields["campaign_id"]),
            segment=int(fields["segment"]),
            attempt=str(fields["attempt"]),
            number=int(fields["number"]),
            generation=int(fields.get("generation", 1)),
        )
        return ChunkMessage(key=key, begun=bool(fields["begun"]))
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableMessageError(type(error).__name__) from error


class SubscribeQueue:
    """Where chunks wait for a subscriber."""

    def __init__(
        self, sqs: "SQSClient", url: str, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._sqs = sqs
        self._url = url
        self._sleep = sleep

    def send(self, messages: Sequence[ChunkMessage]) -> None:
        """Queues every message; UnavailableError if SQS keeps refusing some.

        The campaign is the message group, so that SQS serves campaigns fairly:
        https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
        """
        for some in batched(messages, SEND_BATCH_MAX_ENTRIES):
            entries = {
                str(index): {
                    "Id": str(index),
                    "MessageBody": encode(message),
                    "MessageGroupId": message.key.campaign_id,
                }
                for index, message in enumerate(some)
            }
            self._send_all(entries)

    def postpone(self, receipt_handles: Sequence[str], seconds: int) -> None:
        """Makes received messages visible again after so many seconds, as far as SQS still can.

        Without it a message that failed waits for the queue's whole visibility timeout.
        """
        for some in batched(receipt_handles, SEND_BATCH_MAX_ENTRIES):
            self._sqs.change_message_visibility_batch(
                QueueUrl=self._url,
                Entries=[
                    {"Id": str(index), "ReceiptHandle": handle, "VisibilityTimeout": seconds}
                    for index, handle in enumerate(some)
                ],
            )

    def _send_all(self, entries: dict[str, Any]) -> None:
        for round_ in range(MAX_ROUNDS):
            answer = self._sqs.send_message_batch(
                QueueUrl=self._url, Entries=list(entries.values())
            )
            for sent in answer.get("Successful", []):
                del entries[sent["Id"]]
            if not entries:
                return
            self._sleep(random.uniform(0, FIRST_BACKOFF_SECONDS * 2**round_))  # noqa: S311 (jitter)
        raise UnavailableError(f"SQS refused {len(entries)} messages through {MAX_ROUNDS} rounds")
