"""The local cloud: MiniStack as a process of its own, bound to 127.0.0.1, known by a state file."""

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

from cli import processes
from cli.errors import FailedError, UsageError

HOST = "127.0.0.1"
DEFAULT_PORT = 4566
START_PATIENCE_SECONDS = 60.0
STOP_PATIENCE_SECONDS = 20.0
HEALTH_TIMEOUT_SECONDS = 5
MAX_PORT = 65535
WARM_SECONDS = "3600"  # a function that was used answers at once for that long
_PROGRAM = "ministack"
_MARK = f"-m {_PROGRAM}"


@dataclass(frozen=True, kw_only=True)
class RunningCloud:
    """A local cloud that runs: which process, on which port, since when (ISO 8601, UTC)."""

    pid: int
    port: int
    started: str

    @property
    def url(self) -> str:
        """Its address. An IP, not a name, so that S3 buckets go into the path."""
        return f"http://{HOST}:{self.port}"


@dataclass(frozen=True, kw_only=True)
class LocalCloud:
    """The local cloud that keeps its files in one folder."""

    folder: Path

    @property
    def state_file(self) -> Path:
        """What says which process is the cloud."""
        return self.folder / "cloud.json"

    @property
    def log_file(self) -> Path:
        """What the cloud and the functions in it print."""
        return self.folder / "ministack.log"

    @property
    def _kept(self) -> Path:
        return self.folder / "cloud"

    def running(self) -> RunningCloud | None:
        """The cloud that runs; None if there is none, also if the state file is a leftover."""
        try:
            found = RunningCloud(**json.loads(self.state_file.read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return found if _MARK in processes.command_line(found.pid) else None

    def leftover(self) -> bool:
        """A state file whose process is gone, or whose id now belongs to another program."""
        return self.state_file.exists() and self.running() is None

    def start(self, port: int, *, sns_url: str | None = None) -> RunningCloud:
        """Starts the cloud and waits until it answers; UsageError if the port is taken.

        With `sns_url` its functions look for SNS there: at a stand-in, which passes calls on.
        """
        _check_port(port)
        self.remove_files()
        kept = {name: self._kept / name for name in ("tmp", "state", "s3", "home")}
        for path in kept.values():
            path.mkdir(parents=True)
        with self.log_file.open("wb") as log:
            # S603: our own interpreter with a fixed module.
            process = subprocess.Popen(
                [sys.executable, "-m", _PROGRAM],
                env=_environment(port, kept) | _sns_at(sns_url),
                cwd=self._kept,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        cloud = RunningCloud(
            pid=process.pid,
            port=port,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        self.state_file.write_text(json.dumps(asdict(cloud)) + "\n")
        self._await_health(cloud, process)
        return cloud

    def stop(self) -> bool:
        """Ends the cloud and removes its files; False if none was running."""
        cloud = self.running()
        if cloud is not None:
            processes.end(cloud.pid, patience_seconds=STOP_PATIENCE_SECONDS)
        self.remove_files()
        return cloud is not None

    def remove_files(self) -> None:
        """Removes what a cloud kept in its folder; its log stays until the next start."""
        self.state_file.unlink(missing_ok=True)
        shutil.rmtree(self._kept, ignore_errors=True)

    def _await_health(self, cloud: RunningCloud, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_PATIENCE_SECONDS
        while not _healthy(cloud):
            if process.poll() is not None or time.monotonic() > deadline:
                processes.end(cloud.pid, patience_seconds=STOP_PATIENCE_SECONDS)
                self.remove_files()
                tail = "\n".join(self.log_file.read_text(errors="replace").splitlines()[-15:])
                raise FailedError("the local cloud did not start", detail=tail)
            time.sleep(processes.POLL_SECONDS)


def _environment(port: int, kept: dict[str, Path]) -> dict[str, str]:
    """Nothing of the caller's but PATH: the cloud hands its environment to every function in it."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(kept["home"]),
        "LANG": "C.UTF-8",
        # Lets functions do without their layer, which is not for this machine: see the file there.
        "PYTHONPATH": str(Path(__file__).parent / "local_runtime"),
        "PYTHONUNBUFFERED": "1",
        "BIND_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_ENABLED": "0",
        "LOG_LEVEL": "INFO",
        "LAMBDA_WARM_TTL_SECONDS": WARM_SECONDS,
        "TMPDIR": str(kept["tmp"]),
        "STATE_DIR": str(kept["state"]),
        "S3_DATA_DIR": str(kept["s3"]),
    }


def _sns_at(url: str | None) -> dict[str, str]:
    return {} if url is None else {"AWS_ENDPOINT_URL_SNS": url}


def _check_port(port: int) -> None:
    if not 0 < port <= MAX_PORT:
        raise UsageError(f"{port} is not a port", detail=f"choose one from 1 to {MAX_PORT}")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise UsageError(
                f"port {port} cannot be used: {error.strerror}",
                detail="choose another: make demo PORT=4567, or fanfare up --port 4567",
            ) from None


def _healthy(cloud: RunningCloud) -> bool:
    # http.client, not requests: it knows no proxies, and a proxy must not stand in between.
    connection = http.client.HTTPConnection(HOST, cloud.port, timeout=HEALTH_TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/_ministack/health")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
