from tests.unit.cli.conftest import FakeCloud
from tests.unit.cli.test_commands import run

ENTRY = {
    "at": "2026-12-01T12:00:00.000Z",
    "who": "arn:aws:iam::123456789012:user/anna",
    "caller_id": "AIDAEXAMPLE",
    "action": "cancel",
    "outcome": "CANCELLED",
    "reason": None,
}


def test_the_history_of_a_campaign_is_a_table_that_says_how_to_go_on(running: FakeCloud) -> None:
    page = {"entries": [ENTRY], "next": "abc"}
    running.on("GET /campaigns/c1/history?limit=20", (200, page))

    result = run("campaign", "history", "c1")

    assert result.exit_code == 0
    assert "2026-12-01T12:00:00.000Z" in result.stdout
    assert "user/anna" in result.stdout
    assert "more: fanfare campaign history c1 --next abc" in result.stdout + result.stderr
