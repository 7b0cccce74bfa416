import subprocess
import sys
from pathlib import Path

from cli.device_file import GoodRow, open_file
from cli.paths import DEVICES_GENERATOR, SAMPLE_DEVICES


def made(*arguments: str) -> bytes:
    return subprocess.run(
        [sys.executable, str(DEVICES_GENERATOR), *arguments], capture_output=True, check=True
    ).stdout


def test_the_sample_file_is_what_the_script_makes(tmp_path: Path) -> None:
    made("--out", str(tmp_path / "again.csv"))

    assert (tmp_path / "again.csv").read_bytes() == SAMPLE_DEVICES.read_bytes()


def test_a_longer_file_begins_with_a_shorter_one() -> None:
    assert made("--rows", "60").startswith(made("--rows", "50"))


def test_every_row_of_the_sample_file_can_be_imported() -> None:
    opened = open_file(SAMPLE_DEVICES)

    rows = list(opened.rows())

    assert len(rows) == opened.row_count == 2000
    assert all(isinstance(row, GoodRow) for row in rows)


def test_the_sample_file_holds_what_a_demonstration_needs() -> None:
    devices = [row.device for row in open_file(SAMPLE_DEVICES).rows() if isinstance(row, GoodRow)]

    countries = {device["Location"]["Country"] for device in devices}
    assert countries == {"TW", "JP", "KR", "US", "DE", "BR", "FR"}
    assert {device["ChannelType"] for device in devices} == {"GCM", "APNS", "APNS_SANDBOX", "ADM"}
    assert {"臺北市", "東京", "서울"} <= {device["Location"]["City"] for device in devices}
    assert sum(1 for device in devices if device["OptOut"] == "ALL") == 63
    assert any(len(device.get("Attributes", {}).get("interests", [])) > 1 for device in devices)
    assert len({device["Address"] for device in devices}) == 2000
