"""The queue of slices to be loaded: one message a slice, naming it, not holding it."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from functions.shared.fair_queue import FairQueue, Outgoing, UnreadableMessageError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

MESSAGE_VERSION = 1


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
    """Where slices wait to be loaded; the import is the group."""

    def __init__(self, sqs: "SQSClient", url: str) -> None:
        self._queue = FairQueue(sqs, url)

    def send(self, keys: Iterable[SliceKey]) -> None:
        """Queues every slice; UnavailableError if SQS keeps refusing some."""
        self._queue.send(Outgoing(body=encode(key), group=key.import_id) for key in keys)

    def postpone(self, receipt_handle: str, seconds: int) -> None:
        """Makes a received message visible again after so many seconds."""
        self._queue.postpone([receipt_handle], seconds)
