import json

import pytest

from tests.unit.cli.conftest import FakeCloud
from tests.unit.cli.test_commands import campaign, run


@pytest.mark.parametrize(
    ("options", "body"),
    [
        (
            ("--publish-at", "2026-12-24T18:00", "--time-zone", "Asia/Taipei"),
            {"publish_at": "2026-12-24T18:00", "time_zone": "Asia/Taipei"},
        ),
        (("--none",), {"publish_at": None}),
        (("--if-late", "skip"), {"if_late": "skip"}),
    ],
)
def test_a_campaigns_time_is_moved_or_removed(
    running: FakeCloud, options: tuple[str, ...], body: dict[str, str | None]
) -> None:
    running.on("PATCH /campaigns/c1", (200, campaign("READY")))

    result = run("campaign", "schedule", "c1", *options)

    assert result.exit_code == 0
    [heard] = running.requests("PATCH /campaigns/c1")
    assert json.loads(heard.body) == body


def test_a_time_and_none_contradict_each_other(running: FakeCloud) -> None:
    result = run("campaign", "schedule", "c1", "--none", "--publish-at", "2026-12-24T18:00Z")

    assert result.exit_code == 2
    assert running.requests("PATCH /campaigns/c1") == []
