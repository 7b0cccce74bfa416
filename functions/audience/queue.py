"""The queue between listing and subscribing: one message a chunk, naming it, not holding it."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from functions.audience.records import ChunkKey
from functions.shared.fair_queue import FairQueue, Outgoing, UnreadableMessageError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

# Version 1 knew no generations; such a message may wait in the queue while this is deployed.
MESSAGE_VERSION = 2
READABLE_VERSIONS = frozenset({1, MESSAGE_VERSION})


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
    """Where chunks wait for a subscriber; the campaign is the group."""

    def __init__(
        self, sqs: "SQSClient", url: str, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._queue = FairQueue(sqs, url, sleep=sleep)

    def send(self, messages: Sequence[ChunkMessage]) -> None:
        """Queues every message; UnavailableError if SQS keeps refusing some."""
        self._queue.send(
            Outgoing(body=encode(message), group=message.key.campaign_id) for message in messages
        )

    def postpone(self, receipt_handles: Sequence[str], seconds: int) -> None:
        """Makes received messages visible again after so many seconds, as far as SQS still can."""
        self._queue.postpone(receipt_handles, seconds)
