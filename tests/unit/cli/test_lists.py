"""What the commands about a campaign's list say, and when they end with an error."""

import json
from dataclasses import replace
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from cli.verification import Drift, Member, Subscription, compare
from tests.unit.cli.conftest import FakeCloud

TOPIC = "arn:aws:sns:us-east-1:123456789012:fanfare-campaign-c1"
PROBE = Subscription(
    subscription_arn=f"{TOPIC}:probe",
    protocol="sqs",
    endpoint="arn:aws:sqs:us-east-1:123456789012:probe-queue",
)


def member(device_id: str, status: str = "SUBSCRIBED") -> Member:
    subscribed = status == "SUBSCRIBED"
    return Member(
        device_id=device_id,
        status=status,
        reason=None if subscribed else "opted_out",
        endpoint_arn=f"endpoint-{device_id}",
        subscription_arn=f"{TOPIC}:{device_id}" if subscribed else None,
    )


def subscription(device_id: str, endpoint: str | None = None) -> Subscription:
    return Subscription(
        subscription_arn=f"{TOPIC}:{device_id}",
        protocol="application",
        endpoint=endpoint or f"endpoint-{device_id}",
    )


def drift(found: list[Member], on_topic: list[Subscription]) -> Drift:
    return compare(found, on_topic, probe_name="probe-queue")


def test_what_is_the_same_is_clean() -> None:
    found = drift(
        [member("a"), member("b"), member("c", "SKIPPED")],
        [subscription("a"), subscription("b"), PROBE],
    )
    assert found.clean
    assert (found.members, found.subscriptions) == (2, 2)


def test_missing_extra_and_wrong_subscriptions_are_told_apart() -> None:
    found = drift(
        [member("a"), member("b"), member("c", "SKIPPED")],
        [subscription("b", "endpoint-of-another"), subscription("c"), PROBE],
    )
    assert [each.device_id for each in found.missing] == ["a"]
    assert [each.device_id for each in found.other_endpoint] == ["b"]
    assert [each.subscription_arn for each in found.extra] == [f"{TOPIC}:c"]
    assert found.to_unsubscribe == [f"{TOPIC}:c", f"{TOPIC}:b"]
    assert not found.clean


def test_a_subscription_made_by_hand_for_a_member_is_not_nobodys() -> None:
    by_hand = replace(subscription("a"), subscription_arn=f"{TOPIC}:by-hand")
    found = drift([member("a")], [by_hand, PROBE])
    assert [each.device_id for each in found.missing] == ["a"]
    assert found.extra == ()


def test_a_topic_without_its_probe_is_not_clean() -> None:
    other_queue = replace(PROBE, endpoint="arn:aws:sqs:us-east-1:123456789012:another")
    found = drift([member("a")], [subscription("a"), other_queue])
    assert not found.probe
    assert not found.clean


CAMPAIGN: dict[str, Any] = {
    "id": "c1",
    "name": "Jazz night",
    "state": "READY",
    "reason": None,
    "publish_at": None,
    "topic_arn": TOPIC,
    "created_at": "2026-12-01T12:00:00.000Z",
    "times": {},
    "counts": {
        "matched": 2,
        "processed": 2,
        "subscribed": 1,
        "skipped": {"opted_out": 1},
        "failed": {},
        "segments_listed": 1,
        "segments_total": 1,
    },
    "changes": {"found": 0, "done": 0},
    "message": {"title": "Jazz", "body": "Tonight."},
    "publishes": [],
}
MEMBERS = {
    "members": [
        {
            "Id": "a",
            "status": "SUBSCRIBED",
            "reason": None,
            "endpoint_arn": "endpoint-a",
            "subscription_arn": f"{TOPIC}:a",
        },
        {
            "Id": "b",
            "status": "SKIPPED",
            "reason": "opted_out",
            "endpoint_arn": "endpoint-b",
            "subscription_arn": None,
        },
    ],
    "next": None,
}


def fanfare(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["campaign", *arguments])


def test_a_refresh_is_asked_for_once_and_watched(running: FakeCloud) -> None:
    running.on("POST /campaigns/c1/refresh", (202, CAMPAIGN | {"state": "REFRESHING"}))
    running.on("GET /campaigns/c1", (200, CAMPAIGN | {"state": "REFRESHING"}), (200, CAMPAIGN))
    result = fanfare("refresh", "c1", "--watch", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["state"] == "READY"
    assert len(running.requests("POST /campaigns/c1/refresh")) == 1


def test_members_are_listed_with_what_became_of_them(running: FakeCloud) -> None:
    running.on("GET /campaigns/c1/members?limit=100", (200, MEMBERS | {"next": "bW9yZQ=="}))
    result = fanfare("members", "c1")
    assert result.exit_code == 0
    assert "opted_out" in result.stdout
    assert "more: fanfare campaign members c1 --next bW9yZQ==" in result.stdout


def test_a_list_at_work_cannot_be_verified(running: FakeCloud) -> None:
    running.on("GET /campaigns/c1", (200, CAMPAIGN | {"state": "REFRESHING"}))
    result = fanfare("verify", "c1")
    assert result.exit_code != 0


@pytest.fixture
def on_topic(monkeypatch: pytest.MonkeyPatch) -> list[list[Subscription]]:
    """What the topic holds, listing by listing."""
    listings: list[list[Subscription]] = []
    monkeypatch.setattr("cli.verification.subscriptions", lambda *_args, **_more: listings.pop(0))
    monkeypatch.setattr("cli.target.Target.output", lambda *_: "http://sqs/1/probe-queue")
    return listings


def test_a_topic_that_differs_is_told_and_ends_with_an_error(
    running: FakeCloud, on_topic: list[list[Subscription]]
) -> None:
    running.on("GET /campaigns/c1", (200, CAMPAIGN))
    running.on("GET /campaigns/c1/members?limit=1000", (200, MEMBERS))
    on_topic.append([subscription("z"), PROBE])
    result = fanfare("verify", "c1")
    assert result.exit_code == 1
    assert "1 missing on the topic: a" in result.stdout
    assert f"1 on the topic and nobody's: {TOPIC}:z" in result.stdout
    assert "mend it: fanfare campaign verify c1 --repair" in result.stdout


def test_a_repair_notes_the_drift_refreshes_and_looks_again(
    running: FakeCloud, on_topic: list[list[Subscription]]
) -> None:
    running.on("GET /campaigns/c1", (200, CAMPAIGN))
    running.on("GET /campaigns/c1/members?limit=1000", (200, MEMBERS))
    running.on("POST /campaigns/c1/repair", (200, {"missing": 1, "extra": 1, "probe": True}))
    running.on("POST /campaigns/c1/refresh", (202, CAMPAIGN | {"state": "REFRESHING"}))
    on_topic += [[subscription("z")], [subscription("a"), PROBE]]
    result = fanfare("verify", "c1", "--repair", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["clean"] is True
    (repair,) = running.requests("POST /campaigns/c1/repair")
    assert json.loads(repair.body) == {
        "missing": [{"Id": "a", "subscription_arn": f"{TOPIC}:a"}],
        "extra": [f"{TOPIC}:z"],
        "probe": True,
    }
    assert len(running.requests("POST /campaigns/c1/refresh")) == 1
