"""What a message is on the command line, its preview, and test sends."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import FakeCloud
from tests.unit.cli.test_commands import campaign, run

TOO_LONG = "has 4,113 bytes as UTF-8; the limit is 4,096"
FITS = {"payload": "{}", "bytes": 44, "limit": 4096, "refused": None}
PREVIEW = {
    "platforms": {"APNS": FITS, "GCM": FITS},
    "attributes": {"AWS.SNS.MOBILE.APNS.PUSH_TYPE": "alert"},
    "refused": [],
}


def sent_message(cloud: FakeCloud, route: str) -> Any:
    [heard] = cloud.requests(route)
    return json.loads(heard.body)["message"]


def test_a_silent_message_is_data_with_times_to_live(running: FakeCloud) -> None:
    running.on("POST /campaigns", (201, campaign("BUILDING")))

    result = run(
        *("campaign", "create", "--name", "sync", "--criteria", "{}", "--silent"),
        *("--data", "sync=1", "--time-to-live", "GCM=3600", "--time-to-live", "APNS=0"),
    )

    assert result.exit_code == 0
    assert sent_message(running, "POST /campaigns") == {
        "silent": True,
        "data": {"sync": "1"},
        "time_to_live": {"GCM": 3600, "APNS": 0},
    }


@pytest.mark.parametrize("command", [["create", "--name", "n", "--criteria", "{}"], ["preview"]])
@pytest.mark.parametrize(
    ("options", "error"),
    [
        ([], "a message is needed"),
        (["--title", "t"], "a message is needed"),
        (["--silent", "--title", "t"], "--silent shows nothing: leave out --title and --body"),
        (["--message", "{}", "--silent"], "--message is the whole message"),
        (["--message", "{}", "--time-to-live", "GCM=1"], "--message is the whole message"),
        (["--message", "[]"], "--message must be a JSON object"),
        (["--silent", "--data", "x"], "--data must be NAME=VALUE, not 'x'"),
        (["--silent", "--time-to-live", "GCM"], "must be PLATFORM=SECONDS, not 'GCM'"),
        (["--silent", "--time-to-live", "=1"], "must be PLATFORM=SECONDS, not '=1'"),
        (["--silent", "--time-to-live", "GCM=1h"], "must be PLATFORM=SECONDS, not 'GCM=1h'"),
        (["--silent", "--time-to-live", "GCM=²"], "must be PLATFORM=SECONDS, not 'GCM=²'"),
    ],
)
def test_options_that_make_no_message_exit_with_2_and_send_nothing(
    running: FakeCloud, command: list[str], options: list[str], error: str
) -> None:
    result = run("campaign", *command, *options)

    assert result.exit_code == 2
    assert error in result.stderr
    assert running.heard == []


def test_a_preview_shows_sizes_and_attributes(running: FakeCloud, tmp_path: Path) -> None:
    path = tmp_path / "message.json"
    path.write_text('{"title": "今夜", "body": "八點"}', encoding="utf-8")
    running.on("POST /campaigns/preview", (200, PREVIEW))

    result = run("campaign", "preview", "--message", f"@{path}")

    assert result.exit_code == 0
    assert sent_message(running, "POST /campaigns/preview") == {"title": "今夜", "body": "八點"}
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["APNS", "44", "4,096", "ok"] in rows
    assert ["AWS.SNS.MOBILE.APNS.PUSH_TYPE", "=", "alert"] in rows


def test_a_message_that_does_not_fit_exits_with_1(running: FakeCloud) -> None:
    refused = {
        **PREVIEW,
        "platforms": {"APNS": FITS, "GCM": {**FITS, "bytes": 4113, "refused": TOO_LONG}},
        "refused": [
            {"place": "message on GCM", "reason": TOO_LONG},
            {"place": "message", "reason": "has 300,000 bytes as UTF-8; the limit is 262,144"},
        ],
    }
    running.on("POST /campaigns/preview", (200, refused))

    result = run("campaign", "preview", "--title", "t", "--body", "b")

    assert result.exit_code == 1
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["GCM", "4,113", "4,096", "refused:", "too", "long"] in rows
    assert "refused: message has 300,000 bytes as UTF-8; the limit is 262,144\n" in result.stdout


def test_a_preview_for_a_script_is_whole(running: FakeCloud) -> None:
    running.on("POST /campaigns/preview", (200, PREVIEW))

    result = run("campaign", "preview", "--title", "t", "--body", "b", "--json")

    assert json.loads(result.stdout) == PREVIEW


def test_a_test_send_shows_what_became_of_each_and_is_sent_once(running: FakeCloud) -> None:
    sent = {"Id": "d1", "status": "sent", "message_id": "m1", "reason": None}
    skipped = {
        "Id": "d2",
        "status": "skipped",
        "message_id": None,
        "reason": "the user has opted out",
    }
    running.on("POST /campaigns/c1/test-send", (200, {"results": [sent, skipped]}))

    result = run("campaign", "test-send", "c1", "d1", "d2")

    assert result.exit_code == 1
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["d1", "sent", "m1"] in rows
    assert ["d2", "skipped", "the", "user", "has", "opted", "out"] in rows
    [heard] = running.requests("POST /campaigns/c1/test-send")
    assert json.loads(heard.body) == {"device_ids": ["d1", "d2"]}


def test_a_test_send_that_reached_all_exits_with_0(running: FakeCloud) -> None:
    sent = {"Id": "d1", "status": "sent", "message_id": "m1", "reason": None}
    running.on("POST /campaigns/c1/test-send", (200, {"results": [sent]}))

    result = run("campaign", "test-send", "c1", "d1", "--json")

    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"results": [sent]}


def test_a_test_send_whose_answer_is_lost_is_not_sent_again(running: FakeCloud) -> None:
    running.on("POST /campaigns/c1/test-send", (503, {"title": "Unavailable for now"}))

    assert run("campaign", "test-send", "c1", "d1").exit_code == 1
    assert len(running.requests("POST /campaigns/c1/test-send")) == 1
