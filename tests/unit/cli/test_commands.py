import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.main import app
from tests.unit.cli.conftest import FakeCloud

COUNTS = {
    "matched": 1200,
    "processed": 1200,
    "subscribed": 1163,
    "skipped": {"opted_out": 37},
    "failed": {},
    "chunks_done": 12,
    "chunks_total": 12,
    "segments_listed": 8,
    "segments_total": 8,
}
MESSAGE = {"title": "Hi", "body": "Tonight", "data": {}, "overrides": {}}


def campaign(state: str, **more: Any) -> dict[str, Any]:
    return {
        "id": "c1",
        "name": "jazz",
        "state": state,
        "reason": None,
        "criteria": {},
        "message": MESSAGE,
        "publish_at": None,
        "topic_arn": "arn:topic",
        "created_at": "2026-12-01T08:00:00.000Z",
        "counts": COUNTS,
        "rate": 95.0,
        "times": {"BUILDING": "2026-12-01T08:00:00.000Z"},
        "publishes": [],
        **more,
    }


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.usefixtures("local_folder")
def test_without_any_cloud_the_exit_code_is_2() -> None:
    result = run("campaign", "list")

    assert result.exit_code == 2
    assert result.stderr.startswith("error: no local cloud is running and there are no AWS cred")


def test_a_refusal_by_the_api_is_printed_with_each_place_and_exits_with_1(
    running: FakeCloud,
) -> None:
    errors = [{"place": "criteria.op", "reason": "no such operator: like"}]
    running.on("POST /campaigns", (400, {"title": "The input is not valid", "errors": errors}))

    result = run(
        *("campaign", "create", "--name", "n", "--criteria", '{"op":"like"}'),
        *("--title", "t", "--body", "b"),
    )

    assert result.exit_code == 1
    assert result.stderr.endswith(
        "error: The input is not valid (400)\n  criteria.op: no such operator: like\n"
    )
    assert result.stdout == ""


def test_a_conflict_exits_with_1_and_names_the_state(running: FakeCloud) -> None:
    problem = {"title": "Not possible in the present state", "detail": "it is BUILDING"}
    running.on("POST /campaigns/c1/publish", (409, problem))

    result = run("campaign", "publish", "c1")

    assert result.exit_code == 1
    assert "error: Not possible in the present state (409)\nit is BUILDING\n" in result.stderr


def test_the_stack_can_be_chosen_by_option_and_by_environment(
    running: FakeCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "there is no stack Blue" in run("--stack", "Blue", "campaign", "list").stderr
    monkeypatch.setenv("FANFARE_STACK", "Green")
    assert "there is no stack Green" in run("campaign", "list").stderr
    assert running.requests("GET /campaigns?limit=20") == []


def test_creating_a_campaign_sends_what_was_asked_for(running: FakeCloud, tmp_path: Path) -> None:
    criteria = tmp_path / "criteria.json"
    criteria.write_text('{"field": "Metrics.m", "op": "gt", "value": 0.10}', encoding="utf-8")
    running.on("POST /campaigns", (201, campaign("BUILDING")))

    result = run(
        *("campaign", "create", "--name", "jazz", "--criteria", f"@{criteria}"),
        *("--title", "Hi", "--body", "Tonight", "--data", "screen=live", "--data", "q=a=b"),
        *("--publish-at", "2026-12-24T18:00", "--time-zone", "Asia/Taipei"),
        *("--idempotency-key", "k1", "--json"),
    )

    assert result.exit_code == 0
    assert json.loads(result.stdout)["id"] == "c1"
    [heard] = running.requests("POST /campaigns")
    assert heard.headers["Idempotency-Key"] == "k1"
    assert '"value": 0.10}' in heard.body
    assert json.loads(heard.body) == {
        "name": "jazz",
        "criteria": {"field": "Metrics.m", "op": "gt", "value": 0.1},
        "message": {"title": "Hi", "body": "Tonight", "data": {"screen": "live", "q": "a=b"}},
        "publish_at": "2026-12-24T18:00",
        "time_zone": "Asia/Taipei",
    }


def test_a_campaign_without_a_key_gets_one_of_its_own(running: FakeCloud) -> None:
    running.on("POST /campaigns", (201, campaign("BUILDING")))
    options = (
        "campaign",
        "create",
        "--name",
        "n",
        "--criteria",
        "{}",
        "--title",
        "t",
        "--body",
        "b",
    )

    run(*options)
    run(*options)

    keys = {heard.headers["Idempotency-Key"] for heard in running.requests("POST /campaigns")}
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--criteria", "{"], "--criteria is not JSON"),
        (["--criteria", "@none.json"], "--criteria: none.json cannot be read"),
        (["--criteria", "@/"], "--criteria: / cannot be read: Is a directory"),
        (["--criteria", "c.json"], "to have it read from a file: --criteria @c.json"),
        (["--criteria", "/dev/../etc/passwd"], "from a file: --criteria @/dev/../etc/passwd"),
        (["--criteria", '{"SegmentGroups": {}}'], "fanfare criteria from-pinpoint segment.json"),
        (["--criteria", '{"Dimensions": {}}'], "is a segment of Pinpoint and has to be converted"),
        (["--criteria", "{}"], "a message is needed"),
        (["--criteria", "{}", "--title", "t"], "a message is needed"),
        (["--criteria", "{}", "--message", "{}", "--title", "t"], "--message is the whole message"),
        (["--criteria", "{}", "--message", "[]"], "--message must be a JSON object"),
        (
            ["--criteria", "{}", "--title", "t", "--body", "b", "--data", "x"],
            "--data must be NAME=VALUE, not 'x'",
        ),
    ],
)
def test_options_that_cannot_be_used_exit_with_2_and_send_nothing(
    running: FakeCloud, options: list[str], error: str
) -> None:
    result = run("campaign", "create", "--name", "n", *options)

    assert result.exit_code == 2
    assert error in result.stderr
    assert running.requests("POST /campaigns") == []


def test_watching_ends_where_the_campaign_rests(
    running: FakeCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.watching.LOCAL_POLL_SECONDS", 0.01)
    building = campaign("BUILDING", counts={**COUNTS, "processed": 600, "subscribed": None})
    running.on("GET /campaigns/c1", (200, building), (200, campaign("READY")))

    result = run("campaign", "watch", "c1")

    assert result.exit_code == 0
    assert "BUILDING  600 of 1,200 devices, 95 devices/s, 0:00:06 left\n" in result.stderr
    assert "1,163 of 1,200 matching devices; without 37 opted out" in result.stdout


@pytest.mark.parametrize("state", ["FAILED", "CANCELLED"])
def test_watching_a_campaign_that_comes_to_nothing_exits_with_1(
    running: FakeCloud, state: str
) -> None:
    running.on("GET /campaigns/c1", (200, campaign(state, reason="the list took too long")))

    result = run("campaign", "watch", "c1")

    assert result.exit_code == 1
    assert "the list took too long" in result.stdout


def test_a_publish_that_fell_back_to_ready_exits_with_1(running: FakeCloud) -> None:
    running.on("POST /campaigns/c1/publish", (202, campaign("PUBLISHING")))
    running.on("GET /campaigns/c1", (200, campaign("READY", reason="SNS did not accept it")))

    assert run("campaign", "publish", "c1", "--wait").exit_code == 1


def test_a_list_shows_how_far_each_campaign_is(running: FakeCloud) -> None:
    sent = campaign("PUBLISHED", times={"PUBLISHED": "2026-12-01T09:00:00.000Z"})
    building = campaign("BUILDING", counts={**COUNTS, "subscribed": None})
    running.on("GET /campaigns?limit=2", (200, {"campaigns": [sent, building], "next": "n1"}))

    result = run("campaign", "list", "--limit", "2")

    rows = [line.split() for line in result.stdout.splitlines() if "c1" in line]
    assert rows == [
        ["c1", "jazz", "PUBLISHED", "12-01", "09:00Z", "1,163"],
        ["c1", "jazz", "BUILDING", "~1,200"],
    ]
    assert "more: fanfare campaign list --next n1" in result.stdout


def test_a_device_can_be_stored_shown_and_removed(running: FakeCloud) -> None:
    running.on("PUT /devices/d1", (200, {"Id": "d1"}))
    running.on("GET /devices/d1", (200, {"Id": "d1", "Attributes": {"i": ["a", "b"]}}))
    running.on("DELETE /devices/d1", (204, ""))

    assert run("devices", "put", "d1", "--device", '{"Metrics": {"m": 1.10}}').exit_code == 0
    shown = run("devices", "get", "d1")
    assert run("devices", "delete", "d1").stdout == "d1 is removed\n"

    assert running.requests("PUT /devices/d1")[0].body == '{"Id": "d1", "Metrics": {"m": 1.10}}'
    assert ["Attributes.i", "a,", "b"] in [line.split() for line in shown.stdout.splitlines()]


@pytest.mark.usefixtures("local_folder")
def test_status_without_a_local_cloud_exits_with_2() -> None:
    result = run("status")

    assert result.exit_code == 2
    assert "no local cloud is running; start one: fanfare up" in result.stdout


def test_status_shows_the_addresses(running: FakeCloud) -> None:
    result = run("status", "--json")

    assert json.loads(result.stdout) == {
        "local": {"pid": 4711, "port": running.port, "started": "2026-12-01T08:00:00+00:00"},
        "stack": "Fanfare",
        "api_url": f"http://127.0.0.1:{running.port}/_aws/execute-api/api1/$default",
        "hello_url": None,
    }


def test_another_port_than_the_running_one_is_refused(running: FakeCloud) -> None:
    result = run("up", "--port", "1")

    assert result.exit_code == 2
    assert f"already runs on port {running.port}" in result.stderr


@pytest.mark.usefixtures("local_folder")
def test_the_demonstration_refuses_aws() -> None:
    result = run("--cloud", "aws", "demo")

    assert result.exit_code == 2
    assert "runs on a local cloud only" in result.stderr


def test_output_that_nobody_watches_has_no_colours(
    running: FakeCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    running.on("GET /campaigns/none", (404, {"title": "Not found"}))

    result = run("campaign", "show", "none")

    assert "\x1b" not in result.stderr + result.stdout
    assert "error: Not found (404)" in result.stderr


def test_criteria_may_come_by_standard_input(running: FakeCloud) -> None:
    running.on("POST /audiences/preview", (200, {}))

    CliRunner().invoke(app, ["audience", "count", "--criteria", "@-", "--json"], input='{"a": 1}')

    [heard] = running.requests("POST /audiences/preview")
    assert json.loads(heard.body) == {"criteria": {"a": 1}}
