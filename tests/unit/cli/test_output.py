"""What is printed where standard output has no Unicode, and what the help says of flags."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from botocore.exceptions import ReadTimeoutError

from cli import clouds, platforms
from cli.local_cloud import RunningCloud
from tests.unit.cli.conftest import FakeCloud
from tests.unit.cli.test_commands import campaign, run

MESSAGE = {"title": "今夜 🎷", "body": "é", "data": {}, "overrides": {}}


def run_apart(
    *arguments: str, stdout: int = subprocess.PIPE, **environment: str
) -> "subprocess.CompletedProcess[bytes]":
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from cli.main import app; app()", *arguments],
        env={**os.environ, **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )


def run_in_ascii(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
    """The command on a terminal that knows nothing beyond ASCII."""
    return run_apart(*arguments, LC_ALL="C", PYTHONIOENCODING="ascii")


@pytest.fixture
def shown(running: FakeCloud, monkeypatch: pytest.MonkeyPatch) -> FakeCloud:
    """A campaign in another script, found by a command in a process of its own."""
    monkeypatch.setenv("FANFARE_CLOUD", "aws")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{running.port}")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    running.stacks["Fanfare"] = {
        **running.stacks["Fanfare"],
        "ApiUrl": f"http://127.0.0.1:{running.port}",
    }
    running.on("GET /campaigns/c1", (200, campaign("READY", message=MESSAGE)))
    return running


@pytest.mark.usefixtures("shown")
def test_what_cannot_be_shown_is_replaced() -> None:
    result = run_in_ascii("campaign", "show", "c1")

    assert result.returncode == 0, result.stderr
    assert b"message           ?? ? | ?\n" in result.stdout


@pytest.mark.usefixtures("shown")
def test_json_stays_whole_where_it_cannot_be_shown() -> None:
    result = run_in_ascii("campaign", "show", "c1", "--json")

    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout.decode("ascii"))["message"] == MESSAGE


@pytest.mark.parametrize("command", ["--help", "campaign show c1", "campaign show c1 --json"])
@pytest.mark.usefixtures("shown")
def test_a_reader_that_is_gone_ends_a_command_in_silence_as_sigpipe_would(command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    result = run_apart(*command.split(), stdout=writing)

    os.close(writing)
    # It is said before the output which cloud is talked to; nothing else is.
    assert result.stderr in {b"", b"using AWS in us-east-1\n"}
    assert result.returncode == 141


@pytest.mark.parametrize("command", ["campaign show c1", "campaign show c1 --json"])
@pytest.mark.usefixtures("shown")
def test_a_full_disk_behind_standard_output_is_an_error_in_a_line(command: str) -> None:
    with Path("/dev/full").open("wb") as full:
        result = run_apart(*command.split(), stdout=full.fileno())

    assert result.stderr == (
        b"using AWS in us-east-1\n"
        b"error: standard output cannot be written: No space left on device\n"
    )
    assert result.returncode == 2


def test_what_this_machine_refuses_is_an_error_in_a_line() -> None:
    with Path("/dev/full").open("wb") as full:
        result = run_apart("--help", stdout=full.fileno())

    assert (result.returncode, result.stderr) == (2, b"error: No space left on device\n")


@pytest.mark.parametrize(
    "command", [[], ["campaign"], ["campaign", "create"], ["campaign", "publish"], ["down"]]
)
def test_a_flag_has_no_type_in_the_help(command: list[str]) -> None:
    assert "bool" not in run(*command, "--help").stdout


def test_a_cloud_that_falls_silent_is_said_to_in_a_line_and_exits_with_2(
    running: FakeCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fall_silent(_: object) -> None:
        raise ReadTimeoutError(endpoint_url="http://127.0.0.1:4566/")

    monkeypatch.setattr(platforms, "list_all", fall_silent)

    result = run("platform", "list")

    assert result.exit_code == 2
    assert "error: this cloud does not answer\nRead timeout on endpoint URL" in result.stderr


def test_what_does_not_answer_is_not_waited_for_for_minutes() -> None:
    local = RunningCloud(pid=4711, port=4566, started="2026-12-01T08:00:00+00:00")
    session = clouds.local_session()
    config = clouds.Cloud(session=session, local=local).client("sns").meta.config
    assert (config.connect_timeout, config.read_timeout) == (5, 60)
    assert config.retries["total_max_attempts"] == 1
    config = clouds.Cloud(session=session, local=None).client("sns").meta.config
    assert (config.connect_timeout, config.read_timeout) == (5, 60)
    assert config.retries["total_max_attempts"] == 3
