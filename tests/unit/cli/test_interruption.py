"""Ctrl-C: exit 130, one plain line, and no doubt about what goes on."""

from pathlib import Path

import pytest
import typer
from typer.testing import Result

from tests.unit.cli.conftest import FakeCloud
from tests.unit.cli.imports import on_import, told
from tests.unit.cli.test_commands import campaign, run

CREATE = (
    *("campaign", "create", "--name", "n", "--criteria", "{}"),
    *("--title", "t", "--body", "b"),
)


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def abort(*_: object, **__: object) -> None:
    """What the library makes of Ctrl-C at a question."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        raise typer.Abort from None


def said_by(result: Result) -> str:
    """Standard error after the line that tells which cloud is used."""
    return result.stderr.partition("\n")[2]


@pytest.mark.parametrize(
    "command",
    [("campaign", "list"), ("devices", "get", "d1"), ("audience", "count", "--criteria={}")],
)
@pytest.mark.usefixtures("running")
def test_any_command_that_is_interrupted_ends_with_130_and_a_line(
    monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr("cli.api.Api._call", interrupt)

    result = run(*command)

    assert (result.exit_code, result.stdout, said_by(result)) == (130, "", "interrupted\n")


@pytest.mark.usefixtures("running")
def test_an_interruption_at_a_question_is_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("typer.confirm", abort)

    result = run("platform", "delete", "GCM")

    assert result.exit_code == 130
    assert result.stderr.endswith("\ninterrupted\n")


@pytest.mark.parametrize("options", [(), ("--wait",)])
def test_an_interrupted_publish_says_that_it_may_have_been_asked_for(
    running: FakeCloud, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    running.on("POST /campaigns/c1/publish", (202, campaign("PUBLISHING")))
    monkeypatch.setattr("cli.commands.campaigns.print_campaign", interrupt)
    monkeypatch.setattr("cli.commands.following.wait_for", interrupt)
    running.on("GET /campaigns/c1", (200, campaign("PUBLISHING")))

    result = run("campaign", "publish", "c1", *options)

    assert result.exit_code == 130
    assert result.stderr.endswith(
        "interrupted: the publish may have been asked for; look: fanfare campaign show c1\n"
    )


@pytest.mark.usefixtures("running")
def test_a_creation_interrupted_before_its_answer_says_where_to_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cli.api.Api._call", interrupt)

    result = run(*CREATE)

    assert (result.exit_code, said_by(result)) == (
        130,
        "interrupted: the campaign may have been created; look: fanfare campaign list\n",
    )


def test_a_watched_creation_tells_its_id_at_once_and_how_to_watch_on(
    running: FakeCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.on("POST /campaigns", (201, campaign("BUILDING")))
    monkeypatch.setattr("cli.commands.following.wait_for", interrupt)

    result = run(*CREATE, "--watch", "--json")

    assert (result.exit_code, result.stdout, said_by(result)) == (
        130,
        "",
        "campaign c1 is being built\ninterrupted: it goes on: fanfare campaign watch c1\n",
    )


@pytest.fixture
def devices(tmp_path: Path) -> str:
    path = tmp_path / "devices.csv"
    path.write_text("Id,ChannelType,Address\nd1,GCM,t1\n")
    return str(path)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("cli.uploads.Uploader.send", "interrupted before the import was started\n"),
        ("cli.import_job.wait_for", "interrupted; the import goes on in the account\n"),
        ("cli.import_view.print_import", "interrupted; the import is over\n"),
        ("cli.rejects.download", "interrupted; the import is over\n"),
    ],
)
def test_an_interrupted_import_says_how_things_stand_at_any_moment(
    running: FakeCloud, devices: str, monkeypatch: pytest.MonkeyPatch, where: str, said: str
) -> None:
    on_import(running, told(), names=("devices.csv",))
    monkeypatch.setattr(where, interrupt)

    result = run("devices", "import", devices, "--rejects", str(Path(devices).parent / "rejects"))

    assert result.exit_code == 130
    assert said in result.stderr
    assert "error" not in result.stderr


def test_an_import_interrupted_while_it_is_being_started_says_that_it_may_have_been(
    running: FakeCloud, devices: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_import(running, told(), names=("devices.csv",))
    monkeypatch.setattr("cli.api._read", _interrupt_at_the_start_of_an_import)

    result = run("devices", "import", devices)

    assert result.exit_code == 130
    assert result.stderr.endswith(
        "interrupted; the import may have been started\n"
        "look at it: fanfare devices import-status i1\n"
        "importing the same files again is harmless\n"
    )


def _interrupt_at_the_start_of_an_import(answer: object) -> object:
    url, json = str(getattr(answer, "url", "")), getattr(answer, "json", None)
    if url.endswith("/start"):
        raise KeyboardInterrupt
    return json() if callable(json) else None


def test_an_interrupted_export_leaves_nothing_behind(
    running: FakeCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out" / "devices"
    out.parent.mkdir()
    out.write_text("old")
    for segment in range(4):
        running.on(
            f"GET /devices?limit=1000&segment={segment}&segments=4",
            (200, {"devices": [{"Id": "d1"}], "next": None}),
        )
    monkeypatch.setattr("cli.export._line", interrupt)

    result = run("devices", "export", "--out", str(out))

    assert result.exit_code == 130
    assert said_by(result) == f"interrupted: {out} is left as it was\n"
    assert [path.name for path in out.parent.iterdir()] == ["devices"]
    assert out.read_text() == "old"
