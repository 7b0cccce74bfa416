import csv
import io
import json
import os
import stat
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import FakeCloud
from tests.unit.cli.test_commands import run

PLAIN = {"Id": "d1", "ChannelType": "GCM", "Address": "t1"}


def holding(cloud: FakeCloud, *devices: dict[str, Any]) -> None:
    """All devices in the first of four segments."""
    cloud.on(
        "GET /devices?limit=1000&segment=0&segments=4", (200, {"devices": devices, "next": None})
    )
    for segment in (1, 2, 3):
        empty: dict[str, Any] = {"devices": [], "next": None}
        cloud.on(f"GET /devices?limit=1000&segment={segment}&segments=4", (200, empty))


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_every_page_of_every_segment_is_written(running: FakeCloud) -> None:
    for segment in range(4):
        route = f"GET /devices?limit=1000&segment={segment}&segments=4"
        first, second = {**PLAIN, "Id": f"a{segment}"}, {**PLAIN, "Id": f"b{segment}"}
        running.on(route, (200, {"devices": [first], "next": "臺/1"}))
        running.on(f"{route}&next=%E8%87%BA%2F1", (200, {"devices": [second], "next": None}))

    result = run("devices", "export")

    assert result.exit_code == 0
    ids = [json.loads(line)["Id"] for line in result.stdout.splitlines()]
    assert sorted(ids) == ["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"]
    assert result.stderr.endswith("8 devices are written\n")


def test_a_line_of_json_holds_a_device_with_its_numbers_as_they_are(running: FakeCloud) -> None:
    text = (
        '{"Id": "d1", "Metrics": {"m": 0.1000000000000000055}, "Attributes": {"i": ["茶🍵", "b"]}}'
    )
    page = f'{{"devices": [{text}], "next": null}}'
    running.on("GET /devices?limit=1000&segment=0&segments=4", (200, page))
    for segment in (1, 2, 3):
        empty: dict[str, Any] = {"devices": [], "next": None}
        running.on(f"GET /devices?limit=1000&segment={segment}&segments=4", (200, empty))

    assert run("devices", "export").stdout == text + "\n"


def test_an_unchanged_device_is_the_same_line_whatever_the_order_of_its_names(
    running: FakeCloud,
) -> None:
    holding(running, {**PLAIN, "Metrics": {"b": 1, "a": 2}, "User": {"UserId": "u"}})

    assert run("devices", "export").stdout == (
        '{"Id": "d1", "ChannelType": "GCM", "Address": "t1", "Metrics": {"a": 2, "b": 1}, '
        '"User": {"UserId": "u"}}\n'
    )


def test_the_columns_of_a_csv_are_those_of_all_devices_in_a_fixed_order(
    running: FakeCloud,
) -> None:
    holding(
        running,
        {"Metrics": {"b": 1}, "Location": {"City": "東京, 港"}, **PLAIN},
        {
            **{**PLAIN, "Id": "d2", "OptOut": "ALL", "EndpointStatus": "INACTIVE"},
            **{"StatusReason": "moved", "EffectiveDate": "2026-01-02", "EndpointArn": "arn"},
            "Attributes": {"a.b": ["x"]},
            "User": {"UserId": "u", "UserAttributes": {'"q"': ["y"]}},
            "Metrics": {"a": 1.5},
        },
    )

    result = run("devices", "export", "--format", "csv")

    assert rows_of(result.stdout_bytes.decode()) == [
        [
            *("Id", "ChannelType", "Address", "OptOut", "EndpointStatus", "StatusReason"),
            *("EffectiveDate", "EndpointArn", "User.UserId", "Attributes.a.b", "Location.City"),
            *("Metrics.a", "Metrics.b", 'User.UserAttributes."q"'),
        ],
        ["d1", "GCM", "t1", "", "", "", "", "", "", "", "東京, 港", "", "1", ""],
        [
            *("d2", "GCM", "t1", "ALL", "INACTIVE", "moved"),
            *("2026-01-02", "arn", "u", "x", "", "1.5", "", "y"),
        ],
    ]
    assert result.stdout_bytes.count(b"\r\n") == 3


@pytest.mark.parametrize(
    ("values", "cell"),
    [
        (["music"], "music"),
        (["a", "b, c"], '["a", "b, c"]'),
        (["[x]"], '["[x]"]'),
        (["[vip] club"], '["[vip] club"]'),
        ([' ["a"]'], '[" [\\"a\\"]"]'),
        (["00123"], "00123"),
        (["茶🍵", '"quoted"'], '["茶🍵", "\\"quoted\\""]'),
    ],
)
def test_a_cell_that_could_be_read_as_several_values_is_written_as_an_array(
    running: FakeCloud, values: list[str], cell: str
) -> None:
    holding(running, {**PLAIN, "Attributes": {"i": values}})

    result = run("devices", "export", "--format", "csv")

    assert rows_of(result.stdout_bytes.decode())[1][3] == cell


def test_a_file_is_replaced_once_all_is_there(running: FakeCloud, tmp_path: Path) -> None:
    out = tmp_path / "devices.ndjson"
    out.write_text("old")
    holding(running, PLAIN)

    result = run("devices", "export", "--out", str(out))

    assert result.exit_code == 0
    assert result.stdout == ""
    assert json.loads(out.read_text()) == PLAIN
    assert out.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("form", ["ndjson", "csv"])
def test_a_broken_export_leaves_what_was_there_and_no_half_file(
    running: FakeCloud, tmp_path: Path, form: str
) -> None:
    out = tmp_path / "out" / "devices"
    out.parent.mkdir()
    out.write_text("old")
    holding(running, PLAIN)
    running.on(
        "GET /devices?limit=1000&segment=3&segments=4", (400, {"title": "The input is not valid"})
    )

    result = run("devices", "export", "--format", form, "--out", str(out))

    assert result.exit_code == 1
    assert [path.name for path in out.parent.iterdir()] == ["devices"]
    assert out.read_text() == "old"


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("none/x", "No such file or directory"),
        ("file/x", "Not a directory"),
        ("folder", "it is a folder"),
        ("pipe", "it is no ordinary file"),
        ("/dev/full", "it is no ordinary file"),
        ("loop", "Too many levels of symbolic links"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_file_that_cannot_be_written_is_named_before_anything_is_asked(
    running: FakeCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("folder").mkdir()
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")

    result = run("devices", "export", "--out", out)

    assert result.exit_code == 2
    assert f"error: {out} cannot be written: {reason}\n" in result.stderr
    assert not [heard for heard in running.heard if "/devices" in heard.path]
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_replaced(
    running: FakeCloud, tmp_path: Path, there: bool
) -> None:
    holding(running, PLAIN)
    file, link = tmp_path / "elsewhere" / "devices", tmp_path / "link"
    file.parent.mkdir()
    if there:
        file.write_text("old")
    link.symlink_to(file)

    result = run("devices", "export", "--out", str(link))

    assert result.exit_code == 0
    assert link.is_symlink()
    assert json.loads(file.read_text()) == PLAIN
    assert [path.name for path in file.parent.iterdir()] == ["devices"]


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_standard_output_has_two_names(running: FakeCloud, out: str) -> None:
    holding(running, PLAIN)

    assert json.loads(run("devices", "export", "--out", out).stdout) == PLAIN


def test_a_disk_that_is_full_is_said_and_leaves_no_half_file(
    running: FakeCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding(running, PLAIN)
    folder = tmp_path / "out"
    folder.mkdir()
    opened = os.fdopen
    monkeypatch.setattr(os, "fdopen", lambda *_: opened(os.open("/dev/full", os.O_WRONLY), "wb"))

    result = run("devices", "export", "--out", str(folder / "devices"))

    assert result.exit_code == 2
    assert f"error: {folder}/devices cannot be written: No space left on device\n" in result.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("full", [True, False])
def test_a_temporary_file_that_cannot_be_written_is_said(
    running: FakeCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: bool
) -> None:
    holding(running, PLAIN)
    if full:
        full_disk = partial(Path("/dev/full").open, "r+b")
        monkeypatch.setattr(tempfile, "TemporaryFile", full_disk)
    else:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))

    result = run("devices", "export", "--format", "csv")

    assert result.exit_code == 2
    reason = "No space left on device" if full else "No such file or directory"
    assert f"(TMPDIR) cannot be written: {reason}\n" in result.stderr


def test_without_devices_nothing_is_written(running: FakeCloud) -> None:
    holding(running)

    result = run("devices", "export", "--format", "csv")

    assert result.stdout == ""
    assert result.stderr.endswith("0 devices are written\n")


def test_more_columns_than_an_import_takes_are_told(running: FakeCloud) -> None:
    holding(running, {**PLAIN, "Metrics": {f"m{number}": 1 for number in range(998)}})

    result = run("devices", "export", "--format", "csv")

    assert result.exit_code == 0
    assert "1,001 columns, and an import takes 1,000: use --format ndjson\n" in result.stderr
