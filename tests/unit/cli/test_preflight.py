"""What the set-up says on a machine that lacks something: programs are stood in for by scripts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.paths import ROOT

SCRIPT = ROOT / "scripts" / "preflight.sh"


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def preflight(what: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs it on a machine that has nothing but what lies in the folder."""
    return subprocess.run(
        ["/bin/sh", str(SCRIPT), what],
        env={"PATH": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_machine_that_has_everything_passes_in_silence(tmp_path: Path) -> None:
    program(tmp_path, "node", "echo v20.11.0")
    program(tmp_path, "npm", "")

    node = preflight("node", tmp_path)
    python = preflight("python", tmp_path, PYTHON=sys.executable)

    assert (node.returncode, node.stderr) == (0, "")
    assert (python.returncode, python.stderr) == (0, "")


def test_without_python_it_says_what_is_needed(tmp_path: Path) -> None:
    result = preflight("python", tmp_path)

    assert result.returncode == 1
    assert result.stderr.startswith("fanfare: no Python found as 'python3'\n")
    assert "PYTHON=" in result.stderr


def test_an_old_python_is_named_with_its_version(tmp_path: Path) -> None:
    program(tmp_path, "python3", 'case "$2" in *version_info*"< (3, 11)"*) exit 1;; esac; echo 3.9')

    result = preflight("python", tmp_path)

    assert result.returncode == 1
    assert "Python 3.11 or newer is needed; 'python3' is 3.9" in result.stderr


def test_a_python_without_ensurepip_gets_the_debian_package_named(tmp_path: Path) -> None:
    program(tmp_path, "mypython", 'case "$2" in *ensurepip*) exit 1;; esac; echo 3.12')

    result = preflight("python", tmp_path, PYTHON="mypython")

    assert result.returncode == 1
    assert "'mypython' cannot make virtual environments" in result.stderr
    assert "apt install python3-venv" in result.stderr


@pytest.mark.parametrize(
    ("node", "npm", "message"),
    [
        (None, None, "no Node.js found"),
        ("v18.20.0", "", "Node.js 20 or newer is needed; this is v18.20.0"),
        ("v20.0.0", None, "apt install npm"),
    ],
)
def test_what_node_lacks_is_said(
    tmp_path: Path, node: str | None, npm: str | None, message: str
) -> None:
    if node is not None:
        program(tmp_path, "node", f"echo {node}")
    if npm is not None:
        program(tmp_path, "npm", npm)

    result = preflight("node", tmp_path)

    assert result.returncode == 1
    assert message in result.stderr


def test_make_without_a_target_lists_the_targets() -> None:
    shown = subprocess.run(
        ["make", "-C", str(ROOT), "--no-print-directory"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    ).stdout

    targets = [line.split()[1] for line in shown.splitlines() if line.startswith("  make ")]
    assert targets == [
        *("help", "demo", "test", "up", "down", "status", "lint", "unit", "infra", "e2e"),
        *("bootstrap", "deploy", "destroy", "clean", "lock"),
    ]
