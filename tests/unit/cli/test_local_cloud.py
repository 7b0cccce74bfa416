import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cli import processes
from cli.errors import UsageError
from cli.local_cloud import LocalCloud, RunningCloud

STARTED = "2026-12-01T08:00:00+00:00"


def written(folder: Path, pid: int) -> LocalCloud:
    (folder / "cloud.json").write_text(json.dumps({"pid": pid, "port": 4620, "started": STARTED}))
    return LocalCloud(folder=folder)


@pytest.fixture
def ended_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_without_a_state_file_nothing_runs(tmp_path: Path) -> None:
    here = LocalCloud(folder=tmp_path)

    assert here.running() is None
    assert not here.leftover()
    assert not here.stop()


def test_a_state_file_whose_process_is_gone_is_a_leftover(tmp_path: Path, ended_pid: int) -> None:
    here = written(tmp_path, ended_pid)

    assert here.running() is None
    assert here.leftover()


def test_a_process_id_that_belongs_to_another_program_now_is_left_alone(tmp_path: Path) -> None:
    here = written(tmp_path, os.getpid())

    assert here.leftover()
    assert not here.stop()
    assert not (tmp_path / "cloud.json").exists()


def test_an_ended_child_that_nobody_waited_for_is_gone(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-m", "this"], stdout=subprocess.DEVNULL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

    assert processes.command_line(process.pid) == ""
    assert written(tmp_path, process.pid).leftover()
    process.wait()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', '{"pid": 1, "port": 2, "x": 3}'])
def test_a_damaged_state_file_is_a_leftover(tmp_path: Path, text: str) -> None:
    (tmp_path / "cloud.json").write_text(text)

    assert LocalCloud(folder=tmp_path).leftover()


def test_the_cloud_that_runs_is_known_by_its_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "command_line", lambda pid: f"python -m ministack {pid}")

    assert written(tmp_path, 77).running() == RunningCloud(pid=77, port=4620, started=STARTED)


def test_a_taken_port_is_refused_with_a_hint(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(UsageError) as caught:
            LocalCloud(folder=tmp_path).start(port)

    assert caught.value.title == f"port {port} cannot be used: Address already in use"
    assert caught.value.detail == "choose another: make demo PORT=4567, or fanfare up --port 4567"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_what_is_no_port_is_refused(tmp_path: Path, port: int) -> None:
    with pytest.raises(UsageError, match="is not a port"):
        LocalCloud(folder=tmp_path).start(port)


def test_a_process_that_does_not_listen_to_reason_is_ended_by_force() -> None:
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print('deaf', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", deaf], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    process.stdout.readline()

    assert not processes.end(process.pid, patience_seconds=0.3)

    assert process.wait() == -9
    process.stdout.close()


def test_a_process_that_is_gone_needs_no_ending(ended_pid: int) -> None:
    assert processes.end(ended_pid, patience_seconds=1)
