import csv
import io
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from cli.paths import DEVICES_GENERATOR, SAMPLE_DEVICES


def made(*arguments: str) -> bytes:
    return subprocess.run(
        [sys.executable, str(DEVICES_GENERATOR), *arguments], capture_output=True, check=True
    ).stdout


def endpoints(*arguments: str) -> list[dict[str, Any]]:
    text = made("--format", "ndjson", *arguments).decode()
    return [json.loads(line) for line in text.splitlines()]


def sample() -> list[dict[str, str]]:
    with SAMPLE_DEVICES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_the_sample_file_is_what_the_script_makes(tmp_path: Path) -> None:
    made("--out", str(tmp_path / "again.csv"))

    assert (tmp_path / "again.csv").read_bytes() == SAMPLE_DEVICES.read_bytes()


def test_a_longer_file_begins_with_a_shorter_one() -> None:
    assert made("--rows", "60").startswith(made("--rows", "50"))
    assert made("--rows", "60", "--mixed").startswith(made("--rows", "50", "--mixed"))


def test_the_sample_file_holds_what_a_demonstration_needs() -> None:
    devices = sample()

    assert {device["Location.Country"] for device in devices} == {
        *("TW", "JP", "KR", "US", "DE", "BR", "FR")
    }
    assert {device["ChannelType"] for device in devices} == {"GCM", "APNS", "APNS_SANDBOX", "ADM"}
    assert {"臺北市", "東京", "서울"} <= {device["Location.City"] for device in devices}
    assert sum(1 for device in devices if device["OptOut"] == "ALL") == 63
    assert len({device["Address"] for device in devices}) == 2000


def test_as_json_the_first_device_is_the_same_one() -> None:
    [device] = endpoints("--rows", "1")

    assert device == {
        "Id": "device-0000001",
        "ChannelType": "APNS",
        "Address": "3c43d624152d71a684ed86ccc97be632100b6d9a632773918eaf84a8a1eb5a10",
        "OptOut": "ALL",
        "EffectiveDate": "2026-08-16T07:47:00Z",
        "Attributes": {"interests": ["music"], "plan": ["plus"]},
        "Metrics": {"sessions": 423, "spent": 394.0},
        "Demographic": {
            "AppVersion": "4.1.0",
            "Locale": "ja-JP",
            "Make": "Apple",
            "Model": "iPhone 17",
            "Platform": "iOS",
            "PlatformVersion": "26.1",
            "Timezone": "Asia/Tokyo",
        },
        "Location": {
            "City": "大阪",
            "Country": "JP",
            "Latitude": 34.6937,
            "Longitude": 135.5023,
        },
        "User": {"UserId": "user-0000001", "UserAttributes": {"name": ["髙橋 さくら"]}},
    }


def test_a_mixed_file_holds_the_devices_between_other_channels_and_wrong_rows() -> None:
    rows = list(csv.DictReader(io.StringIO(made("--rows", "300", "--mixed").decode())))

    devices = [row for row in rows if row["Id"].startswith("device-")]
    plain = csv.DictReader(io.StringIO(made("--rows", "300").decode()))
    assert devices == list(plain)
    others = Counter(row["ChannelType"] for row in rows)
    assert (others["SMS"], others["EMAIL"], others["VOICE"]) == (23, 37, 10)
    assert sum(1 for row in rows if row["Id"].startswith("wrong-")) == 8


def test_a_mixed_file_of_json_carries_pinpoints_bookkeeping() -> None:
    rows = endpoints("--rows", "100", "--mixed")

    assert {row["CohortId"] for row in rows} == {"17"}
    assert {"SMS", "EMAIL"} <= {row["ChannelType"] for row in rows}
