from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import FakeCloud
from tests.unit.cli.imports import counts, file, told
from tests.unit.cli.test_commands import run


def rejecting(cloud: FakeCloud, *names: str, format_: str = "csv") -> dict[str, Any]:
    """An import in which a row of each of these files was rejected."""
    base = f"http://127.0.0.1:{cloud.port}/rejects"
    files = [
        file(name, format=format_, rejects_url=f"{base}/{number}")
        for number, name in enumerate(names)
    ]
    for number, name in enumerate(names):
        cloud.on(f"GET /rejects/{number}", (200, f"rejected of {name}"))
    found = told(files=[*files, file("all-good.csv")], counts=counts(rejected=len(names)))
    cloud.on("GET /imports/i1", (200, found))
    return found


def saved(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def test_each_file_with_rejected_rows_becomes_a_file_of_its_format(
    running: FakeCloud, tmp_path: Path
) -> None:
    rejecting(running, "part-0.gz", "part-1", format_="ndjson")
    folder = tmp_path / "new" / "rejects"

    result = run("devices", "import-status", "i1", "--rejects", str(folder))

    assert result.exit_code == 1
    assert saved(folder) == {
        "part-0.ndjson": "rejected of part-0.gz",
        "part-1.ndjson": "rejected of part-1",
    }
    assert f"rejected rows: {folder}/part-0.ndjson\n" in result.stderr


@pytest.mark.parametrize(
    ("names", "files"),
    [
        (["../../etc/x.csv"], ["_.._etc_x.csv"]),
        (["may/d.csv", "june/d.csv"], ["may_d.csv", "june_d.csv"]),
        (["a/b.csv", "a_b.csv", "A_B.csv"], ["a_b.csv", "a_b-2.csv", "A_B-3.csv"]),
        (["..", "臺北 01.CSV.gz"], ["file.csv", "臺北 01.CSV.csv"]),
    ],
)
def test_names_are_made_safe_and_stay_apart(
    running: FakeCloud, tmp_path: Path, names: list[str], files: list[str]
) -> None:
    rejecting(running, *names)

    run("devices", "import-status", "i1", "--rejects", str(tmp_path / "r"))

    assert sorted(saved(tmp_path / "r")) == sorted(files)


def test_nothing_is_overwritten(running: FakeCloud, tmp_path: Path) -> None:
    devices = tmp_path / "devices.csv"
    devices.write_text("x")
    folder = tmp_path / "rejects"
    folder.mkdir()
    (folder / "mended.csv").write_text("mine")

    result = run("devices", "import", str(devices), "--rejects", str(folder))

    assert result.exit_code == 2
    assert f"--rejects: {folder} is not empty: mended.csv\n" in result.stderr
    assert running.heard == []
    assert saved(folder) == {"mended.csv": "mine"}


def test_a_download_that_fails_leaves_no_half_file(running: FakeCloud, tmp_path: Path) -> None:
    rejecting(running, "devices.csv")
    running.on("GET /rejects/0", (403, "<Error/>"))

    result = run("devices", "import-status", "i1", "--rejects", str(tmp_path / "r"))

    assert result.exit_code == 1
    assert "devices.csv could not be downloaded\nS3 answered 403\n" in result.stderr
    assert saved(tmp_path / "r") == {}


def test_without_rejected_rows_the_folder_stays_empty(running: FakeCloud, tmp_path: Path) -> None:
    running.on("GET /imports/i1", (200, told()))

    result = run("devices", "import-status", "i1", "--rejects", str(tmp_path / "r"))

    assert result.exit_code == 0
    assert f"nothing was rejected: {tmp_path}/r stays empty\n" in result.stderr


def test_a_folder_that_becomes_unwritable_leaves_the_exit_code_to_the_import(
    running: FakeCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rejecting(running, "devices.csv")
    folder = tmp_path / "r"
    monkeypatch.setattr("cli.rejects.prepare", lambda _: None)

    result = run("devices", "import-status", "i1", "--rejects", str(folder))

    assert result.exit_code == 1
    assert f"{folder}/devices.csv cannot be written: No such file or directory" in result.stderr


def test_an_answer_that_breaks_off_leaves_no_half_file(running: FakeCloud, tmp_path: Path) -> None:
    found = rejecting(running, "devices.csv")
    found["files"][0]["rejects_url"] = "http://127.0.0.1:1/nobody"

    result = run("devices", "import-status", "i1", "--rejects", str(tmp_path / "r"))

    assert result.exit_code == 1
    assert "devices.csv could not be downloaded\nS3 did not answer, or broke off\n" in result.stderr
    assert saved(tmp_path / "r") == {}
