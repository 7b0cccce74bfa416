"""`fanfare audience`: a sentence for a person, a table, and the API's own answer for a script."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.audience_view import sentence
from cli.main import app
from tests.unit.cli.conftest import FakeCloud

PREVIEW = {
    "matched": 1234,
    "reachable": 1180,
    "by_platform": {
        "APNS": {"matched": 234, "reachable": 200},
        "GCM": {"matched": 1000, "reachable": 980},
    },
    "kept_out": {"opted_out": 40, "disabled": 14},
    "examples": ["d1", "台北 2"],
    "complete": True,
    "devices_scanned": 5000,
}
CRITERIA = '{"field": "Metrics.m", "op": "gt", "value": 0.10}'


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_counting_says_how_many_match_and_why_some_are_left_out(running: FakeCloud) -> None:
    running.on("POST /audiences/preview", (200, PREVIEW))

    result = run("audience", "count", "--criteria", CRITERIA)

    assert result.exit_code == 0
    first, *table = [line.split() for line in result.stdout.splitlines() if line.strip("─ ")]
    assert " ".join(first) == (
        "1,234 match, 1,180 can be reached: 54 are left out (40 opted out, 14 disabled)"
    )
    assert [row for row in table if row[0] in {"platform", "APNS", "GCM"}] == [
        ["platform", "match", "reachable"],
        ["APNS", "234", "200"],
        ["GCM", "1,000", "980"],
    ]
    [heard] = running.requests("POST /audiences/preview")
    assert heard.body == '{"criteria": ' + CRITERIA + "}"


def test_a_sample_shows_ids(running: FakeCloud) -> None:
    running.on("POST /audiences/preview", (200, PREVIEW))

    result = run("audience", "sample", "--criteria", CRITERIA)

    assert result.exit_code == 0
    assert result.stdout.startswith("1,234 match, 1,180 can be reached")
    assert result.stdout.split()[-3:] == ["d1", "台北", "2"]


@pytest.mark.parametrize("command", ["count", "sample"])
def test_a_script_gets_the_answer_as_it_is(running: FakeCloud, command: str) -> None:
    running.on("POST /audiences/preview", (200, PREVIEW))

    result = run("audience", command, "--criteria", CRITERIA, "--json")

    assert json.loads(result.stdout) == PREVIEW


def test_nobody_is_said_without_a_table(running: FakeCloud) -> None:
    nobody: dict[str, Any] = {**PREVIEW, "matched": 0, "reachable": 0, "by_platform": {}}
    running.on("POST /audiences/preview", (200, {**nobody, "examples": []}))

    for command in ("count", "sample"):
        assert run("audience", command, "--criteria", "{}").stdout == (
            "nobody matches, of 5,000 devices\n"
        )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"reachable": 1234}, "1,234 match, and all can be reached"),
        (
            {"kept_out": {"opted_out": 54, "disabled": 0}},
            "1,234 match, 1,180 can be reached: 54 are left out (54 opted out)",
        ),
        (
            {"complete": False, "devices_scanned": 300_000},
            "so far 1,234 match, 1,180 can be reached: 54 are left out (40 opted out, 14 "
            "disabled); time ran out after 300,000 devices, so there may be more",
        ),
        (
            {"matched": 0, "reachable": 0, "complete": False},
            "so far nobody matches, of 5,000 devices; time ran out after 5,000 devices, so there "
            "may be more",
        ),
    ],
)
def test_the_sentence_says_what_there_is_to_say(more: dict[str, Any], said: str) -> None:
    assert sentence({**PREVIEW, **more}) == said


def test_wrong_criteria_are_told_with_each_place(running: FakeCloud) -> None:
    errors = [{"place": "criteria.op", "reason": "must be one: eq"}]
    running.on(
        "POST /audiences/preview", (400, {"title": "The input is not valid", "errors": errors})
    )

    result = run("audience", "count", "--criteria", "{}")

    assert result.exit_code == 1
    assert result.stderr.endswith("  criteria.op: must be one: eq\n")


def test_a_count_that_the_api_could_not_make_is_asked_for_again(running: FakeCloud) -> None:
    running.on("POST /audiences/preview", (503, {"title": "Unavailable for now"}), (200, PREVIEW))

    assert run("audience", "count", "--criteria", "{}").exit_code == 0
    assert len(running.requests("POST /audiences/preview")) == 2
