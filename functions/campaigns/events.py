"""The events that tell others of a campaign's changes of state: docs/events.md has their schema.

They say what changed and how many devices it is about: no criteria, no message, no device.
"""

from dataclasses import dataclass
from typing import Any

from functions.campaigns.states import State

SOURCE = "fanfare"
DELETED = "CampaignDeleted"
_TYPES = {
    State.BUILDING: "CampaignCreated",
    State.READY: "CampaignReady",
    State.PUBLISHING: "CampaignPublishing",
    State.PUBLISHED: "CampaignPublished",
    State.REFRESHING: "CampaignRefreshing",
    State.CANCELLED: "CampaignCancelled",
    State.FAILED: "CampaignFailed",
}

Item = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Event:
    """One event: its type, and the detail that is put on the bus as JSON."""

    detail_type: str
    detail: dict[str, Any]


def event_of(event_id: str, old: Item, new: Item) -> Event | None:
    """What a change of a campaign's record tells; None if the state is what it was.

    `event_id` stays the same when the same change is told again. A deletion counts from when it
    was asked for: from then on the campaign is hidden.
    """
    if not new:
        return None
    state = State(new["state"])
    if new.get("deleting"):
        if old.get("deleting"):
            return None
        return _event(DELETED, event_id, old, new, time=new["delete_asked_at"])
    if old.get("state") == state:
        return None
    return _event(_TYPES[state], event_id, old, new, time=new["times"][state])


def _event(detail_type: str, event_id: str, old: Item, new: Item, *, time: str) -> Event:
    late = new.get("late_by_seconds")
    return Event(
        detail_type=detail_type,
        detail={
            "event_id": event_id,
            "campaign_id": new["campaign_id"],
            "name": new["name"],
            "state": new["state"],
            "previous_state": old.get("state"),
            "time": time,
            "reason": new.get("reason"),
            "publish_id": new.get("publish_id"),
            "late_by_seconds": None if late is None else int(late),
            "counts": _counts(new.get("tally")),
        },
    )


def _counts(tally: Item | None) -> dict[str, Any] | None:
    if tally is None:
        return None
    return {
        "subscribed": int(tally["subscribed"]),
        "skipped": {reason: int(count) for reason, count in tally["skipped"].items()},
        "failed": {reason: int(count) for reason, count in tally["failed"].items()},
    }
