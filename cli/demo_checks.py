"""What must have come out of the demonstration, found out apart from the product.

The expectation is read from the CSV with plain Python, and what happened is read from SNS and
from the campaign. None of the product's criteria, import or membership code has a part in it.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.clouds import Cloud

COUNTRIES = frozenset({"TW", "JP"})
INTEREST = "music"
_THREADS = 8
_HANDED_OVER = re.compile(r"SNS fanout \S+ application (\S+) ")


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What the file says should come out."""

    rows: int
    matching: int
    opted_out: int
    tokens: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Found:
    """What the topic holds: endpoint and token of each device, and the other subscriptions."""

    endpoints: tuple[str, ...]
    tokens: tuple[str, ...]
    queues: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One comparison; `remark` says how two sets differ."""

    name: str
    expected: object
    found: object
    remark: str = ""

    @property
    def ok(self) -> bool:
        """Nothing differs."""
        return self.expected == self.found and not self.remark


def expect(path: Path, *, everyone: bool) -> Expected:
    """Reads the file: who should get the message."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = [cells for cells in csv.reader(file) if cells]
    matching = [row for row in rows if everyone or _matches(header, row)]
    reached = [row for row in matching if _cell(header, row, "OptOut") != "ALL"]
    return Expected(
        rows=len(rows),
        matching=len(matching),
        opted_out=len(matching) - len(reached),
        tokens=frozenset(_cell(header, row, "Address") for row in reached),
    )


def look(cloud: Cloud, topic_arn: str) -> Found:
    """Reads the topic's subscriptions, over all pages, and the token of each endpoint."""
    sns = cloud.client("sns")
    endpoints: list[str] = []
    queues: list[str] = []
    pages = sns.get_paginator("list_subscriptions_by_topic").paginate(TopicArn=topic_arn)
    for page in pages:
        for subscription in page["Subscriptions"]:
            protocol, endpoint = subscription["Protocol"], subscription["Endpoint"]
            (endpoints if protocol == "application" else queues).append(endpoint)

    def token(arn: str) -> str:
        attributes = sns.get_endpoint_attributes(EndpointArn=arn)["Attributes"]
        return str(attributes["Token"])

    with ThreadPoolExecutor(_THREADS) as pool:
        tokens = tuple(pool.map(token, endpoints))
    return Found(endpoints=tuple(endpoints), tokens=tokens, queues=tuple(queues))


def compare(
    expected: Expected,
    found: Found,
    *,
    imported: int,
    campaign: dict[str, Any],
    probe_queue_url: str,
) -> list[Check]:
    """Every comparison, in the order in which a reader follows the main job."""
    counts = campaign["counts"]
    publishes = campaign["publishes"]
    probe = probe_queue_url.rpartition("/")[2]
    probes = [arn for arn in found.queues if arn.rpartition(":")[2] == probe]
    return [
        Check(name="rows of the file imported", expected=expected.rows, found=imported),
        Check(name="devices matched", expected=expected.matching, found=counts["matched"]),
        Check(
            name="opted out, left out",
            expected=expected.opted_out,
            found=counts["skipped"].get("opted_out", 0),
        ),
        Check(name="failed", expected=0, found=sum(counts["failed"].values())),
        Check(
            name="devices on the list",
            expected=expected.matching - expected.opted_out,
            found=counts["subscribed"],
        ),
        Check(
            name="devices subscribed to the topic",
            expected=len(expected.tokens),
            found=len(found.tokens),
            remark=_difference(expected.tokens, found.tokens),
        ),
        Check(name="probe subscribed", expected=1, found=len(probes)),
        Check(name="other subscriptions", expected=0, found=len(found.queues) - len(probes)),
        Check(name="state", expected="PUBLISHED", found=campaign["state"]),
        Check(name="publishes", expected=1, found=len(publishes)),
        Check(
            name="messages that the probe heard",
            expected=1,
            found=sum(int(publish["receipts"]) for publish in publishes),
        ),
    ]


def handed_over(log: str, found: Found) -> Check:
    """What the local cloud's log says since the publish: one line per message for a device."""
    # The emulator only writes down that it would deliver; `SNS fanout ... application ARN (stub)`.
    handed = Counter(_HANDED_OVER.findall(log))
    ours = {arn: handed[arn] for arn in found.endpoints}
    twice = sum(1 for times in ours.values() if times > 1)
    return Check(
        name="devices handed the message",
        expected=len(found.endpoints),
        found=sum(1 for times in ours.values() if times),
        remark=f"{twice} twice" if twice else "",
    )


def _matches(header: list[str], row: list[str]) -> bool:
    interests = [
        interest
        for name, cell in zip(header, row, strict=True)
        if name == "Attributes.interests"
        for interest in (json.loads(cell) if cell.startswith("[") else [cell])
    ]
    return _cell(header, row, "Location.Country") in COUNTRIES and INTEREST in interests


def _cell(header: list[str], row: list[str], name: str) -> str:
    return row[header.index(name)] if name in header else ""


def _difference(expected: frozenset[str], found: Iterable[str]) -> str:
    """How the topic differs from the file, in numbers; a push token is not for printing."""
    often = Counter(found)
    differences = {
        "missing": len(expected - often.keys()),
        "too many": len(often.keys() - expected),
        "twice": sum(1 for times in often.values() if times > 1),
    }
    return ", ".join(f"{number} {what}" for what, number in differences.items() if number)
