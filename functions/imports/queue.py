"""The queue of slices to be loaded: one message a slice, naming it, not holding it."""

import json
import random
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from functions.shared.batches import batched
from functions.shared.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

MESSAGE_VERSION = 1
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
SEND_BATCH_MAX_ENTRIES = 10
MAX_ROUNDS = 8
FIRST_BACKOFF_SECONDS = 0.1


class UnreadableMessageError(Exception):
    """The message is none of ours, or of another version."""


class SliceKey(NamedTuple):
    """Which slice of which import."""

    import_id: str
    number: int


def encode(key: SliceKey) -> str:
    """The message body."""
    return json.dumps({"version": MESSAGE_VERSION, **key._asdict()})


def decode(body: str) -> SliceKey:
    """Which slice the message names; UnreadableMessageError if it is none of ours."""
    try:
        fields = json.loads(body)
        if fields["version"] != MESSAGE_VERSION:
            raise UnreadableMessageError(f"version {fields['version']!r}")
        return SliceKey(import_id=str(fields["import_id"]), number=int(fields["number"]))
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableMessageError(type(error).__name__) from error


class SliceQueue:
    """Where slices wait to be loaded."""

    def __init__(
        self, sqs: "SQSClient", url: str, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._sqs = sqs
        self._url = url
        self._sleep = sleep

    def send(self, keys: Iterable[SliceKey]) -> None:
        """Queues every slice; UnavailableError if SQS keeps refusing some.

        The import is the message group, so that SQS serves imports fairly:
        https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
        """
        for some in batched(keys, SEND_BATCH_MAX_ENTRIES):
            self._send_all(
                {
                    str(index): {
                        "Id": str(index),
                        "MessageBody": encode(key),
                        "MessageGroupId": key.import_id,
                    }
                    for index, key in enumerate(some)
                }
            )

    def postpone(self, receipt_handle: str, seconds: int) -> None:
        """Makes a received message visible again after so many seconds.

        Without it a message that failed waits for the queue's whole visibility timeout.
        """
        self._sqs.change_message_visibility(
            QueueUrl=self._url, ReceiptHandle=receipt_handle, VisibilityTimeout=seconds
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
