"""How the history is laid out in the campaigns table: audit#<time>#<id>, under the campaign's key.

The name sorts before those of the campaign and its publishes, which are read together and often.
"""

import uuid
from typing import Any

from functions.campaigns.history import Action, Actor, Entry
from functions.shared.clock import from_wire, to_wire

AUDIT = "audit#"


def entry_item(campaign_id: str, entry: Entry, *, record: str | None = None) -> dict[str, Any]:
    """The item of a new entry, under a name of its own unless one is given."""
    item = {
        "campaign_id": campaign_id,
        "record": record or f"{AUDIT}{to_wire(entry.at)}#{uuid.uuid4().hex}",
        "at": to_wire(entry.at),
        "who": entry.by.who,
        "caller_id": entry.by.caller_id,
        "action": entry.action,
        "outcome": entry.outcome,
        "reason": entry.reason,
    }
    return {name: value for name, value in item.items() if value is not None}


def entry_of(item: dict[str, Any]) -> Entry:
    """The entry of an item."""
    return Entry(
        at=from_wire(item["at"]),
        by=Actor(who=item["who"], caller_id=item.get("caller_id")),
        action=Action(item["action"]),
        outcome=item["outcome"],
        reason=item.get("reason"),
    )
