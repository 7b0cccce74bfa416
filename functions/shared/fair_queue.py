"""A queue that serves its messages fairly by group; all of them are sent, ten at a time."""

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from functions.shared.batches import batched
from functions.shared.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
SEND_BATCH_MAX_ENTRIES = 10
MAX_ROUNDS = 8
FIRST_BACKOFF_SECONDS = 0.1


class UnreadableMessageError(Exception):
    """The message is none of ours, or of another version."""


@dataclass(frozen=True, kw_only=True)
class Outgoing:
    """A message to be sent, and the group that it is one of."""

    body: str
    group: str


class FairQueue:
    """One queue. The groups are SQS's own, which keeps a large one from holding up a small one:
    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
    """

    def __init__(
        self, sqs: "SQSClient", url: str, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._sqs = sqs
        self._url = url
        self._sleep = sleep

    def send(self, messages: Iterable[Outgoing]) -> None:
        """Queues every message; UnavailableError if SQS keeps refusing some."""
        for some in batched(messages, SEND_BATCH_MAX_ENTRIES):
            entries = {
                str(index): {
                    "Id": str(index),
                    "MessageBody": message.body,
                    "MessageGroupId": message.group,
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
