"""Every check of the demonstration can fail: each test plants one difference."""

from pathlib import Path
from typing import Any

import pytest

from cli import demo_checks
from cli.clouds import Cloud
from cli.demo_checks import Check, Expected, Found
from cli.paths import SAMPLE_DEVICES

QUEUE = "arn:aws:sqs:us-east-1:000000000000:probe"
QUEUE_URL = "http://localhost:4566/000000000000/probe"
EXPECTED = Expected(rows=4, matching=3, opted_out=1, tokens=frozenset({"t1", "t2"}))
FOUND = Found(endpoints=("e1", "e2"), tokens=("t1", "t2"), queues=(QUEUE,))
CAMPAIGN: dict[str, Any] = {
    "state": "PUBLISHED",
    "counts": {"matched": 3, "subscribed": 2, "skipped": {"opted_out": 1}, "failed": {}},
    "publishes": [{"receipts": 1}],
}


def compare(
    *, found: Found = FOUND, imported: int = 4, campaign: dict[str, Any] = CAMPAIGN
) -> list[Check]:
    return demo_checks.compare(
        EXPECTED, found, imported=imported, campaign=campaign, probe_queue_url=QUEUE_URL
    )


def wrong(checks: list[Check]) -> list[tuple[str, str]]:
    return [(check.name, check.remark) for check in checks if not check.ok]


def test_when_all_is_right_nothing_differs() -> None:
    assert wrong(compare()) == []


@pytest.mark.parametrize(
    ("tokens", "remark"),
    [
        (("t1",), "1 missing"),
        (("t1", "t2", "t9"), "1 too many"),
        (("t1", "t9"), "1 missing, 1 too many"),
        (("t1", "t2", "t2"), "1 twice"),
        ((), "2 missing"),
    ],
)
def test_another_set_of_devices_on_the_topic_differs(tokens: tuple[str, ...], remark: str) -> None:
    found = Found(endpoints=(), tokens=tokens, queues=(QUEUE,))

    assert wrong(compare(found=found)) == [("devices subscribed to the topic", remark)]


@pytest.mark.parametrize(
    ("queues", "names"),
    [
        ((), ["probe subscribed"]),
        ((QUEUE, QUEUE), ["probe subscribed"]),
        ((QUEUE, "arn:aws:sqs:us-east-1:000000000000:other"), ["other subscriptions"]),
        (
            (f"{QUEUE}-2",),
            ["probe subscribed", "other subscriptions"],
        ),
    ],
)
def test_anything_but_the_one_probe_differs(queues: tuple[str, ...], names: list[str]) -> None:
    found = Found(endpoints=FOUND.endpoints, tokens=FOUND.tokens, queues=queues)

    assert [name for name, _ in wrong(compare(found=found))] == names


@pytest.mark.parametrize(
    ("counts", "name"),
    [
        ({"matched": 4}, "devices matched"),
        ({"subscribed": 3}, "devices on the list"),
        ({"subscribed": None}, "devices on the list"),
        ({"skipped": {}}, "opted out, left out"),
        ({"failed": {"refused": 1}}, "failed"),
    ],
)
def test_each_count_that_is_off_differs(counts: dict[str, Any], name: str) -> None:
    campaign = {**CAMPAIGN, "counts": {**CAMPAIGN["counts"], **counts}}

    assert wrong(compare(campaign=campaign)) == [(name, "")]


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"state": "READY"}, ["state"]),
        ({"publishes": [{"receipts": 2}]}, ["messages that the probe heard"]),
        ({"publishes": [{"receipts": 0}]}, ["messages that the probe heard"]),
        ({"publishes": [{"receipts": 1}, {"receipts": 0}]}, ["publishes"]),
        ({"publishes": []}, ["publishes", "messages that the probe heard"]),
    ],
)
def test_a_message_that_did_not_go_out_exactly_once_differs(
    change: dict[str, Any], names: list[str]
) -> None:
    assert [name for name, _ in wrong(compare(campaign={**CAMPAIGN, **change}))] == names


def test_a_row_that_was_not_imported_differs() -> None:
    assert wrong(compare(imported=3)) == [("rows of the file imported", "")]


LINE = "2026-12-01 01:00:00 INFO [sns] SNS fanout → application {} (stub)\n"


@pytest.mark.parametrize(
    ("handed", "ok", "remark"),
    [
        (["e1", "e2"], True, ""),
        (["e1", "e2", "another campaign's"], True, ""),
        (["e1"], False, ""),
        (["e1", "e2", "e2"], False, "1 twice"),
    ],
)
def test_each_device_must_be_handed_the_message_once(
    handed: list[str], ok: bool, remark: str
) -> None:
    log = "an ordinary line\n" + "".join(LINE.format(arn.replace(" ", "-")) for arn in handed)

    check = demo_checks.handed_over(log, FOUND)

    assert (check.ok, check.remark) == (ok, remark)


HEADER = "Id,Address,OptOut,Attributes.interests,Attributes.interests,Location.Country\n"


def test_the_file_says_who_should_get_it(tmp_path: Path) -> None:
    path = tmp_path / "devices.csv"
    path.write_text(
        HEADER
        + "1,t1,NONE,music,,TW\n"
        + "2,t2,,sport,music,JP\n"
        + '3,t3,,"[""music""]",,TW\n'
        + "4,t4,ALL,music,,JP\n"
        + "5,t5,NONE,music,,US\n"
        + "6,t6,NONE,sport,,JP\n"
        + "7,t7,NONE,musical,,JP\n"
    )

    assert demo_checks.expect(path, everyone=False) == Expected(
        rows=7, matching=4, opted_out=1, tokens=frozenset({"t1", "t2", "t3"})
    )
    assert demo_checks.expect(path, everyone=True).matching == 7


def test_about_half_of_the_sample_file_should_get_it() -> None:
    expected = demo_checks.expect(SAMPLE_DEVICES, everyone=False)

    assert (expected.rows, expected.matching, expected.opted_out) == (2000, 989, 28)
    assert len(expected.tokens) == 961


class FakeSns:
    """Two pages of subscriptions, and endpoints whose token is their name in capitals."""

    pages = (
        [("application", "e1"), ("sqs", QUEUE)],
        [("application", "e2")],
    )

    def get_paginator(self, name: str) -> "FakeSns":
        assert name == "list_subscriptions_by_topic"
        return self

    def paginate(self, *, TopicArn: str) -> list[dict[str, Any]]:  # noqa: N803 (boto3's name)
        assert TopicArn == "arn:topic"
        return [
            {"Subscriptions": [{"Protocol": kind, "Endpoint": arn} for kind, arn in page]}
            for page in self.pages
        ]

    def get_endpoint_attributes(self, *, EndpointArn: str) -> dict[str, Any]:  # noqa: N803
        return {"Attributes": {"Token": EndpointArn.upper()}}


def test_all_pages_of_the_topic_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cloud, "client", lambda *_: FakeSns())
    cloud = Cloud.__new__(Cloud)

    assert demo_checks.look(cloud, "arn:topic") == Found(
        endpoints=("e1", "e2"), tokens=("E1", "E2"), queues=(QUEUE,)
    )
