"""The script behind `make test`, with a `make` that only prints."""

import subprocess
from pathlib import Path

from cli.paths import ROOT

SCRIPT = ROOT / "scripts" / "run_tests.sh"
MAKE = """#!/bin/sh
case "$2" in
lint) echo 'All checks passed!' ;;
unit) echo '===== 12 passed in 1.20s =====' ;;
infra) echo '===== 1 failed, 3 passed in 2.00s ====='; exit 1 ;;
esac
"""


def run(tmp_path: Path, *suites: str) -> subprocess.CompletedProcess[str]:
    make = tmp_path / "make"
    make.write_text(MAKE)
    make.chmod(0o755)
    return subprocess.run(
        [str(SCRIPT), *suites],
        env={"PATH": "/usr/bin:/bin", "MAKE": str(make)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_when_every_suite_passes_the_summary_ends_with_pytests_own_line(tmp_path: Path) -> None:
    result = run(tmp_path, "lint", "unit")

    assert result.returncode == 0
    assert result.stdout.splitlines()[-1] == "===== 12 passed in 1.20s ====="
    assert "lint   ok" in result.stdout


def test_one_failure_fails_all_and_the_rest_still_runs(tmp_path: Path) -> None:
    result = run(tmp_path, "infra", "unit")

    assert result.returncode == 1
    summary = result.stdout.partition("== summary\n")[2].splitlines()
    assert summary[0].split()[:2] == ["infra", "FAILED"]
    assert summary[1].split()[:2] == ["unit", "ok"]
    # In the order of the suites, as the last thing that is seen.
    assert summary[2:] == [
        "===== 1 failed, 3 passed in 2.00s =====",
        "===== 12 passed in 1.20s =====",
    ]
