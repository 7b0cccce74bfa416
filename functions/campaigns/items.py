"""How a campaign and its publishes are laid out in their table, under one partition key.

record              what it is
campaign            the campaign; `kind` and `created_at` put it into the index by_created
publish#<id>        one publish request
trial#<key>         a test send under an Idempotency-Key was begun
audit#<time>#<id>   one line of the history: history_items.py
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from functions.audience.criteria import from_json, to_json
from functions.audience.records import Tally
from functions.campaigns.message import Message
from functions.campaigns.records import Campaign, IfLate, Publish, Refresh
from functions.campaigns.states import PublishState, State
from functions.shared.clock import from_wire, optional_to_wire, to_wire

CAMPAIGN = "campaign"
PUBLISH = "publish#"
TRIAL = "trial#"
KIND = "campaign"


def campaign_item(campaign: Campaign) -> dict[str, Any]:
    """The item of a new campaign."""
    item = {
        "campaign_id": campaign.campaign_id,
        "record": CAMPAIGN,
        "kind": KIND,
        "created_at": to_wire(campaign.created_at),
        "name": campaign.name,
        "state": campaign.state,
        "criteria": to_json(campaign.criteria),
        "message": campaign.message.model_dump_json(),
        "times": {state: to_wire(time) for state, time in campaign.times.items()},
        "publish_at": optional_to_wire(campaign.publish_at),
        "refresh": campaign.refresh,
        "if_late": campaign.if_late,
    }
    return {name: value for name, value in item.items() if value is not None}


def campaign_of(item: dict[str, Any], publishes: Iterable[Publish]) -> Campaign:
    """The campaign of an item."""
    tally, refresh = item.get("tally"), item.get("refresh")
    return Campaign(
        campaign_id=item["campaign_id"],
        name=item["name"],
        state=State(item["state"]),
        criteria=from_json(item["criteria"]),
        message=Message.model_validate_json(item["message"]),
        created_at=from_wire(item["created_at"]),
        times={State(state): from_wire(time) for state, time in item["times"].items()},
        reason=item.get("reason"),
        publish_at=_time(item, "publish_at"),
        former_times=frozenset(map(from_wire, item.get("former_times", ()))),
        if_late=IfLate(item.get("if_late", IfLate.PUBLISH)),
        time_used=bool(item.get("time_used", item.get("publish_id") is not None)),
        topic_arn=item.get("topic_arn"),
        execution_arn=item.get("execution_arn"),
        tally=None if tally is None else _tally(tally),
        publish_id=item.get("publish_id"),
        gate_token=item.get("gate_token"),
        receipt_token=item.get("receipt_token"),
        deleting=bool(item.get("deleting", False)),
        refresh=None if refresh is None else Refresh(refresh),
        generation=int(item.get("generation", 1)),
        refresh_asked_at=_time(item, "refresh_asked_at"),
        refresh_failed=bool(item.get("refresh_failed", False)),
        probe_lost=bool(item.get("probe_lost", False)),
        publishes=tuple(sorted(publishes, key=lambda publish: publish.requested_at)),
    )


def tally_item(tally: Tally) -> dict[str, Any]:
    """The counts of a READY campaign."""
    return {
        "subscribed": tally.subscribed,
        "skipped": tally.skipped,
        "failed": tally.failed,
    }


def publish_item(campaign_id: str, publish: Publish) -> dict[str, Any]:
    """The item of a new publish."""
    item = {
        "campaign_id": campaign_id,
        "record": PUBLISH + publish.publish_id,
        "state": publish.state,
        "requested_at": to_wire(publish.requested_at),
        "late_by_seconds": publish.late_by_seconds,
    }
    return {name: value for name, value in item.items() if value is not None}


def publish_of(item: dict[str, Any]) -> Publish:
    """The publish of an item."""
    late = item.get("late_by_seconds")
    return Publish(
        publish_id=item["record"].removeprefix(PUBLISH),
        state=PublishState(item["state"]),
        requested_at=from_wire(item["requested_at"]),
        sending_at=_time(item, "sending_at"),
        sent_at=_time(item, "sent_at"),
        received_at=_time(item, "received_at"),
        message_id=item.get("message_id"),
        reason=item.get("reason"),
        receipts=frozenset(item.get("receipts", ())),
        late_by_seconds=None if late is None else int(late),
    )


def _tally(item: dict[str, Any]) -> Tally:
    return Tally(
        subscribed=int(item["subscribed"]),
        skipped={reason: int(count) for reason, count in item["skipped"].items()},
        failed={reason: int(count) for reason, count in item["failed"].items()},
    )


def _time(item: dict[str, Any], name: str) -> datetime | None:
    text = item.get(name)
    return None if text is None else from_wire(text)
