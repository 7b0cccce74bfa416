import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import FakeCloud
from tests.unit.cli.imports import counts, file, on_import, told
from tests.unit.cli.test_commands import run

REJECTS = [
    {"file": "devices.csv", "line": 3, "errors": [{"place": "Metrics.m", "reason": "no number"}]}
]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.import_job.LOCAL_POLL_SECONDS", 0.01)


@pytest.fixture
def devices(tmp_path: Path) -> str:
    path = tmp_path / "in" / "devices.csv"
    path.parent.mkdir()
    path.write_text("Id,ChannelType,Address\nd1,GCM,t1\n")
    return str(path)


def test_a_file_is_uploaded_started_and_watched_to_its_end(
    running: FakeCloud, devices: str
) -> None:
    halfway = {"bytes_checked": 0, "bytes_total": 0, "rows_loaded": 600, "rows_to_load": 1200}
    on_import(running, told("LOADING", progress=halfway), told(), names=("devices.csv",))

    result = run("devices", "import", devices)

    assert result.exit_code == 0
    assert json.loads(running.requests("POST /imports")[0].body) == {
        "files": [{"name": "devices.csv"}],
        "dry_run": False,
    }
    assert running.requests("PUT /bucket/0")[0].body == "Id,ChannelType,Address\nd1,GCM,t1\n"
    order = [heard.method for heard in running.heard if "imports" in heard.path]
    assert order == ["POST", "POST", "GET", "GET"]
    assert "uploading  0.0 of 0.0 kB" in result.stderr
    assert "loading  600 of 1,200 rows, 0 rows/s\n" in result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["devices.csv", "csv", "30", "bytes"] in lines
    assert ["stored", "1"] in lines
    assert lines[-1] == ["imported:", "1", "device", "is", "stored"]


def test_what_became_of_the_rows_is_told_by_the_count(running: FakeCloud, devices: str) -> None:
    found = counts(
        rows=2040,
        stored=2000,
        moved=7,
        duplicates=4,
        rejected=1,
        skipped={"SMS": 30, "EMAIL": 5},
    )
    on_import(running, told(counts=found, rejects=REJECTS), names=("devices.csv",))

    result = run("devices", "import", devices)

    assert result.exit_code == 1
    lines = [line.strip() for line in result.stdout.splitlines()]
    table = lines[lines.index(next(line for line in lines if line.startswith("what became"))) :]
    assert [line.split("  ")[0] for line in table[2:9]] == [
        "stored",
        "of these inactive: their token is another device's",
        "duplicates: the same Id came again, its last row counts",
        "rejected",
        "skipped: EMAIL",
        "skipped: SMS",
        "all",
    ]
    assert [line.split()[-1] for line in table[2:9]] == ["2,000", "7", "4", "1", "5", "30", "2,040"]
    assert ["devices.csv", "3", "Metrics.m", "no", "number"] in [line.split() for line in lines]
    assert lines[-1] == "imported: 2,000 devices are stored; 1 row is rejected"
    assert "as files: fanfare devices import-status i1 --rejects DIR\n" in result.stderr


def test_a_dry_run_says_that_nothing_is_written(running: FakeCloud, devices: str) -> None:
    on_import(running, told(dry_run=True), names=("devices.csv",))

    result = run("devices", "import", devices, "--dry-run")

    assert result.exit_code == 0
    assert json.loads(running.requests("POST /imports")[0].body)["dry_run"] is True
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["what", "would", "become", "of", "the", "rows", "rows"] in lines
    assert ["would", "be", "stored", "1"] in lines
    assert result.stdout.splitlines()[-1] == (
        "this was a dry run, nothing is written: 1 device would be stored"
    )


@pytest.mark.parametrize(
    ("dry_run", "stored", "rejected", "said"),
    [
        (False, 0, 1, "nothing is imported: no device is stored; 1 row is rejected"),
        (False, 0, 0, "nothing is imported: no device is stored"),
        (False, 1, 1200, "imported: 1 device is stored; 1,200 rows are rejected"),
        (
            True,
            0,
            2,
            "this was a dry run, nothing is written: no device would be stored; "
            "2 rows would be rejected",
        ),
        (
            True,
            1200,
            1,
            "this was a dry run, nothing is written: 1,200 devices would be stored; "
            "1 row would be rejected",
        ),
    ],
)
def test_the_last_line_says_what_came_out(
    running: FakeCloud, dry_run: bool, stored: int, rejected: int, said: str
) -> None:
    found = counts(rows=stored + rejected, stored=stored, rejected=rejected)
    running.on("GET /imports/i1", (200, told(dry_run=dry_run, counts=found)))

    result = run("devices", "import-status", "i1")

    assert result.stdout.splitlines()[-1] == said


def test_reasons_are_counted(running: FakeCloud) -> None:
    reasons = [
        {"field": "Attributes.plan", "reason": "must not hold control characters", "rows": 1037},
        {"field": "ChannelType", "reason": "is no channel", "rows": 2},
    ]
    found = told(counts=counts(rejected=1039), rejects=REJECTS, reject_reasons=reasons)
    running.on("GET /imports/i1", (200, found))

    result = run("devices", "import-status", "i1")

    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "Attributes.plan must not hold control characters 1,037" in lines
    assert "ChannelType is no channel 2" in lines
    assert "and 1,038 rejected rows more" in lines


SUMMARY = {
    **{name: told()[name] for name in ("id", "state", "dry_run", "reason", "created_at")},
    **{"started_at": None, "ended_at": None, "files": 1, "first_file": "devices.csv"},
    "counts": counts(stored=1200, rejected=37),
}


def test_imports_can_be_found_again(running: FakeCloud) -> None:
    trial = {**SUMMARY, "id": "i2", "dry_run": True, "files": 12, "first_file": "part-0"}
    page = {"imports": [SUMMARY, trial], "next": "n1"}
    running.on("GET /imports?limit=2", (200, page))

    result = run("devices", "imports", "--limit", "2")

    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "i1 2026-12-01 08:00Z devices.csv DONE 1,200 37" in lines
    assert "i2 2026-12-01 08:00Z part-0 and 11 more DONE (dry run) 1,200 37" in lines
    assert lines[-2:] == [
        "look at one: fanfare devices import-status i1",
        "more: fanfare devices imports --next n1",
    ]


def test_imports_are_listed_for_scripts_and_page_by_page(running: FakeCloud) -> None:
    page = {"imports": [SUMMARY], "next": None}
    running.on("GET /imports?limit=20&next=n1", (200, page))

    assert json.loads(run("devices", "imports", "--next", "n1", "--json").stdout) == page


def test_without_imports_it_is_said(running: FakeCloud) -> None:
    running.on("GET /imports?limit=20", (200, {"imports": [], "next": None}))

    assert "there are no imports of the last 30 days" in run("devices", "imports").stdout


def test_a_refused_import_exits_with_2_and_names_the_file(running: FakeCloud, devices: str) -> None:
    refused = file("devices.csv", format=None, refused="line 2 is not UTF-8")
    on_import(running, told("REFUSED", files=[refused]), names=("devices.csv",))

    result = run("devices", "import", devices)

    assert result.exit_code == 2
    assert result.stderr.endswith(
        "error: refused as a whole, nothing is written\n  devices.csv: line 2 is not UTF-8\n"
    )
    assert result.stdout == ""


def test_a_failed_import_exits_with_1_and_gives_the_reason(
    running: FakeCloud, devices: str
) -> None:
    on_import(running, told("FAILED", reason="it took too long"), names=("devices.csv",))

    result = run("devices", "import", devices)

    assert result.exit_code == 1
    assert "error: the import failed\nit took too long\n" in result.stderr
    assert "again is harmless" in result.stderr


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (told(), 0),
        (told(counts=counts(rejected=1), rejects=REJECTS), 1),
        (told("FAILED"), 1),
        (told("REFUSED"), 2),
    ],
)
def test_for_scripts_there_is_json_and_nothing_else(
    running: FakeCloud, devices: str, found: dict[str, object], code: int
) -> None:
    on_import(running, found, names=("devices.csv",))

    result = run("devices", "import", devices, "--json")

    assert result.exit_code == code
    assert json.loads(result.stdout) == found


def test_without_waiting_only_the_id_is_told(running: FakeCloud, devices: str) -> None:
    on_import(running, names=("devices.csv",))

    result = run("devices", "import", devices, "--no-wait")

    assert result.exit_code == 0
    assert result.stdout == ("import i1 is started\nlook at it: fanfare devices import-status i1\n")
    assert running.requests("GET /imports/i1") == []


def test_rejected_rows_cannot_be_had_of_an_import_that_is_not_waited_for(
    running: FakeCloud, devices: str, tmp_path: Path
) -> None:
    result = run("devices", "import", devices, "--no-wait", "--rejects", str(tmp_path / "r"))

    assert result.exit_code == 2
    assert running.heard == []


def test_a_folder_is_uploaded_file_by_file(running: FakeCloud, tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "b.gz").write_bytes(b"\x1f\x8b\x00\xff")
    (parts / "a.csv").write_text("a")
    on_import(running, told(), names=("a.csv", "b.gz"))

    assert run("devices", "import", str(parts)).exit_code == 0

    assert [heard.body for heard in running.requests("PUT /bucket/0")] == ["a"]
    assert len(running.requests("PUT /bucket/1")) == 1


def test_a_file_that_is_not_there_exits_with_2_and_sends_nothing(running: FakeCloud) -> None:
    result = run("devices", "import", "none.csv")

    assert result.exit_code == 2
    assert "none.csv: cannot be read: No such file or directory" in result.stderr
    assert running.heard == []


def test_an_interruption_while_it_works_says_that_the_import_goes_on(
    running: FakeCloud, devices: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_import(running, told("LOADING"), names=("devices.csv",))
    monkeypatch.setattr("cli.progress.ImportProgress.update", _interrupt)

    result = run("devices", "import", devices)

    assert result.exit_code == 130
    assert "interrupted; the import goes on in the account\n" in result.stderr
    assert "look at it: fanfare devices import-status i1\n" in result.stderr
    assert "importing the same files again is harmless\n" in result.stderr


def test_an_interruption_of_the_upload_says_that_nothing_was_started(
    running: FakeCloud, devices: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_import(running, names=("devices.csv",))
    monkeypatch.setattr("cli.uploads.Uploader.send", _interrupt)

    result = run("devices", "import", devices)

    assert result.exit_code == 130
    assert "interrupted before the import was started\nnothing is written" in result.stderr
    assert running.requests("POST /imports/i1/start") == []


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_an_import_that_is_lost_sight_of_says_that_it_goes_on(
    running: FakeCloud, devices: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.api.FIRST_BACKOFF_SECONDS", 0.001)
    on_import(running, names=("devices.csv",))
    running.on("GET /imports/i1", (503, {"title": "Unavailable for now"}))

    result = run("devices", "import", devices)

    assert result.exit_code == 1
    assert (
        "error: the import was lost sight of; it goes on in the account\n"
        "Unavailable for now (503)\n"
        "look at it: fanfare devices import-status i1\n" in result.stderr
    )


def test_the_status_of_an_import_that_works_is_shown(running: FakeCloud) -> None:
    halfway = {"bytes_checked": 0, "bytes_total": 0, "rows_loaded": 600, "rows_to_load": 1200}
    running.on("GET /imports/i1", (200, told("LOADING", progress=halfway)))

    result = run("devices", "import-status", "i1")

    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "import i1 loads: 600 of 1,200 rows"


def test_the_status_can_be_waited_for(running: FakeCloud) -> None:
    running.on("GET /imports/i1", (200, told("CHECKING")), (200, told(counts=counts(rejected=2))))

    assert run("devices", "import-status", "i1", "--wait").exit_code == 1


def test_an_unknown_import_exits_with_1(running: FakeCloud) -> None:
    running.on("GET /imports/none", (404, {"title": "Not found"}))

    result = run("devices", "import-status", "none")

    assert result.exit_code == 1
    assert "error: Not found (404)" in result.stderr


def test_many_files_are_not_all_listed(running: FakeCloud) -> None:
    running.on("GET /imports/i1", (200, told(files=[file(f"part-{n}") for n in range(1000)])))

    result = run("devices", "import-status", "i1")

    assert "part-19" in result.stdout
    assert "part-20 " not in result.stdout
    assert "and 980 files more\n" in result.stdout
