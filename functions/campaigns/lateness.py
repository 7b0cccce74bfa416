"""How late a campaign is, and what its own rule makes of it."""

from datetime import datetime, timedelta

from functions.campaigns.records import Campaign
from functions.campaigns.states import State

# What EventBridge Scheduler itself may take: within a minute of the time.
# https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
NOT_LATE = timedelta(seconds=60)


def late_by(campaign: Campaign, *, now: datetime) -> timedelta | None:
    """How long ago the campaign should have gone out, if its list was READY too late for that."""
    due, ready = campaign.due_at, campaign.times.get(State.READY)
    if due is None or ready is None or ready - due <= NOT_LATE:
        return None
    return max(now - due, ready - due)


def in_words(late: timedelta) -> str:
    """`1 h 2 min 3 s`: only the units that count."""
    minutes, seconds = divmod(int(late.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "min"), (seconds, "s")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"
