from typing import Any

import pytest

from cli import campaign_view
from tests.unit.cli.test_commands import COUNTS, campaign


@pytest.mark.parametrize(
    ("state", "more", "answer"),
    [
        ("READY", {}, "yes, now: fanfare campaign publish c1"),
        (
            "READY",
            {"publish_at": "2026-12-24T10:00:00.000Z"},
            "yes, now; it goes out by itself at 2026-12-24T10:00:00.000Z",
        ),
        (
            "READY",
            {"counts": {**COUNTS, "subscribed": 0}},
            "no: the criteria match nobody who can be reached",
        ),
        (
            "BUILDING",
            {"counts": {**COUNTS, "processed": 250}, "rate": 95.0},
            "when the list is ready, in about 10 s at 95 devices/s",
        ),
        ("BUILDING", {"counts": {**COUNTS, "segments_listed": 7}}, "when the list is ready"),
        ("PUBLISHED", {}, "it went out"),
        ("CANCELLED", {}, "no: it was cancelled"),
    ],
)
def test_can_it_be_sent(state: str, more: dict[str, Any], answer: str) -> None:
    assert campaign_view.can_it_be_sent(campaign(state, **more)) == answer


def test_who_gets_it_names_every_reason_why_not() -> None:
    counts = {**COUNTS, "subscribed": 1160, "failed": {"endpoint_gone": 3, "refused": 0}}

    assert campaign_view.who_gets_it(campaign("READY", counts=counts)) == (
        "1,160 of 1,200 matching devices; without 37 opted out, 3 endpoint gone"
    )


def test_while_the_list_is_built_the_progress_is_shown() -> None:
    counts = {**COUNTS, "subscribed": None, "processed": 600}

    assert campaign_view.who_gets_it(campaign("BUILDING", counts=counts)) == (
        "600 of 1,200 matching devices so far"
    )


@pytest.mark.parametrize(
    ("publish", "answer"),
    [
        ({"receipts": 1, "received_at": "T2"}, "once, and the probe heard it at T2"),
        (
            {"receipts": 2, "received_at": "T2"},
            "2 TIMES: the probe heard 2 messages; the last at T2",
        ),
        ({"state": "REQUESTED", "requested_at": "T0"}, "asked for at T0, not sent yet"),
        (
            {"state": "SENT", "sent_at": "T1", "requested_at": "T0"},
            "sent at T1; the probe has not heard it yet",
        ),
        ({"state": "REFUSED", "requested_at": "T0"}, "no: SNS did not accept it"),
    ],
)
def test_did_it_go_out(publish: dict[str, Any], answer: str) -> None:
    assert campaign_view.did_it_go_out(campaign("PUBLISHED", publishes=[publish])) == answer


def test_before_a_publish_nothing_went_out() -> None:
    assert campaign_view.did_it_go_out(campaign("READY")) == "not yet"


def test_the_reason_of_a_failure_comes_right_behind_the_state() -> None:
    shown = campaign_view.lines(campaign("FAILED", reason="the list took too long"))

    assert shown[2:4] == [("state", "FAILED"), ("reason", "the list took too long")]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            {"title": "Hi", "body": "Tonight", "overrides": {"GCM": {"title": "Ho"}}},
            "Hi | Tonight (another one for GCM)",
        ),
        (
            {"title": "Hi", "body": "Tonight", "time_to_live": {"GCM": 3600, "ADM": 60}},
            "Hi | Tonight, GCM keeps it 3,600 s, ADM keeps it 60 s",
        ),
        (
            {"title": "", "body": "", "silent": True, "data": {"sync": "1", "key": "2"}},
            "silent, with sync, key for the app",
        ),
    ],
)
def test_the_message_in_a_line(message: dict[str, Any], said: str) -> None:
    assert dict(campaign_view.lines(campaign("READY", message=message)))["message"] == said


@pytest.mark.parametrize(
    ("shown", "when", "reach"),
    [
        ({"state": "READY"}, "now", "1,163"),
        ({"state": "READY", "publish_at": "2026-12-24T17:00:00.000Z"}, "12-24 17:00Z", "1,163"),
        ({"state": "READY", "counts": {"matched": 0, "subscribed": 0}}, "never: nobody", "0"),
        (
            {
                "state": "BUILDING",
                "rate": 50.0,
                "counts": {
                    "matched": 1200,
                    "processed": 400,
                    "subscribed": None,
                    "segments_listed": 4,
                    "segments_total": 4,
                },
            },
            "in 16 s",
            "~1,200",
        ),
        (
            {"state": "PUBLISHED", "times": {"PUBLISHED": "2026-12-01T09:00:00.000Z"}},
            "12-01 09:00Z",
            "1,163",
        ),
        (
            {
                "state": "PUBLISHED",
                "times": {"PUBLISHED": "2026-12-01T09:00:00.000Z"},
                "reason": "no receipt came in time",
            },
            "12-01 09:00Z, no receipt",
            "1,163",
        ),
        ({"state": "CANCELLED"}, "never", "1,163"),
    ],
)
def test_a_list_says_when_and_how_many(shown: dict[str, Any], when: str, reach: str) -> None:
    campaign = {"counts": {"matched": 1200, "subscribed": 1163}, **shown}
    assert campaign_view.when_in_short(campaign) == when
    assert campaign_view.reach_in_short(campaign) == reach
