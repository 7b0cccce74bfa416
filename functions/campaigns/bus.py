"""The gateway to EventBridge: puts events on the stack's bus."""

import json
from datetime import datetime
from typing import TYPE_CHECKING

from functions.campaigns.events import SOURCE, Event
from functions.shared.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient


class Bus:
    """The event bus of this name."""

    def __init__(self, events: "EventBridgeClient", name: str) -> None:
        self._events = events
        self._name = name

    def put(self, event: Event) -> None:
        """Puts it on the bus; UnavailableError if EventBridge does not take it.

        An answer of 200 may say that an entry failed:
        https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
        """
        answer = self._events.put_events(
            Entries=[
                {
                    "EventBusName": self._name,
                    "Source": SOURCE,
                    "DetailType": event.detail_type,
                    "Time": datetime.fromisoformat(event.detail["time"]),
                    "Detail": json.dumps(event.detail, ensure_ascii=False),
                }
            ]
        )
        if answer["FailedEntryCount"]:
            code = answer["Entries"][0].get("ErrorCode", "unknown")
            raise UnavailableError(f"EventBridge did not take the event: {code}")
