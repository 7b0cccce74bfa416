"""How the API answers a campaign's history."""

from typing import Annotated

from pydantic import BaseModel, Field

from functions.campaigns.history import Action, Entry
from functions.shared.clock import to_wire


class EntryView(BaseModel):
    """One line of the history."""

    at: str
    who: Annotated[str, Field(description="The ARN of the IAM identity, or `system`.")]
    caller_id: Annotated[str | None, Field(description="IAM's unique id of the identity.")]
    action: Action
    outcome: Annotated[str, Field(description="The state after it, or how it ended.")]
    reason: str | None


class HistoryPage(BaseModel):
    """What happened, newest first; `next` asks for the page after this one."""

    entries: list[EntryView]
    next: str | None


def entry_view(entry: Entry) -> EntryView:
    """The entry as a page shows it."""
    return EntryView(
        at=to_wire(entry.at),
        who=entry.by.who,
        caller_id=entry.by.caller_id,
        action=entry.action,
        outcome=entry.outcome,
        reason=entry.reason,
    )
