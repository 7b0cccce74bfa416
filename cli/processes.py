"""One process by its id: is it there, is it the one we mean, end it and see it gone."""

import os
import signal
import subprocess
import time
from pathlib import Path

POLL_SECONDS = 0.1
_PROC = Path("/proc")


def command_line(pid: int) -> str:
    """The command line of a living process; empty if there is none or it has ended."""
    if not (_PROC / "self").exists():
        asked = subprocess.run(
            ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        return asked.stdout.strip()
    try:
        if _has_ended(pid):
            return ""
        raw = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return ""
    return raw.replace(b"\0", b" ").decode(errors="replace").strip()


def end(pid: int, *, patience_seconds: float) -> bool:
    """Asks the process to end, then its whole session by force; True if asking was enough."""
    if _signal_and_wait(pid, signal.SIGTERM, patience_seconds):
        return True
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return True
    _wait(pid, patience_seconds)
    return False


def _signal_and_wait(pid: int, number: int, patience_seconds: float) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return True
    return _wait(pid, patience_seconds)


def _wait(pid: int, patience_seconds: float) -> bool:
    deadline = time.monotonic() + patience_seconds
    while command_line(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _has_ended(pid: int) -> bool:
    """A child that ended stays in the table until it is waited for, as a zombie (state Z)."""
    stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    return stat.rpartition(")")[2].split()[0] == "Z"
