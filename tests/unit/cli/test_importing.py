import json
from pathlib import Path
from typing import Any

import pytest

from cli.api import Api
from cli.device_file import BadRow, DeviceFile, open_file
from cli.errors import FailedError, Wrong
from cli.importing import import_devices
from tests.unit.cli.conftest import FakeCloud


def file_of(tmp_path: Path, rows: int, *, extra: str = "") -> DeviceFile:
    path = tmp_path / "devices.csv"
    lines = [f"d{row},GCM,t{row},{row}.10" for row in range(rows)]
    path.write_text("\n".join(["Id,ChannelType,Address,Metrics.m", *lines]) + f"\n{extra}")
    return open_file(path)


def stored(count: int) -> tuple[int, dict[str, Any]]:
    return 200, {"results": [{"index": i, "status": "stored"} for i in range(count)]}


def test_rows_travel_in_batches_of_100_in_the_order_of_the_file(
    api: Api, fake_cloud: FakeCloud, tmp_path: Path
) -> None:
    fake_cloud.on("POST /devices/batch", stored(100), stored(100), stored(50))

    result = import_devices(api, file_of(tmp_path, 250), threads=1)

    assert result.stored == 250
    assert result.rejected == []
    sent = [json.loads(heard.body)["devices"] for heard in fake_cloud.heard]
    assert [len(batch) for batch in sent] == [100, 100, 50]
    assert [batch[0]["Id"] for batch in sent] == ["d0", "d100", "d200"]


def test_numbers_travel_as_they_are_written(
    api: Api, fake_cloud: FakeCloud, tmp_path: Path
) -> None:
    fake_cloud.on("POST /devices/batch", stored(1))

    import_devices(api, file_of(tmp_path, 1))

    assert '"Metrics": {"m": 0.10}' in fake_cloud.heard[0].body


def test_rejections_of_the_file_and_of_the_api_are_told_by_line(
    api: Api, fake_cloud: FakeCloud, tmp_path: Path
) -> None:
    errors = [{"place": "ChannelType", "reason": "no platform is set up for GCM"}]
    rejected = {"index": 0, "Id": "d0", "status": "rejected", "errors": errors}
    fake_cloud.on(
        "POST /devices/batch", (200, {"results": [rejected, {"index": 1, "status": "stored"}]})
    )
    done: list[int] = []

    result = import_devices(
        api, file_of(tmp_path, 2, extra="d9,GCM,t9,many\n"), progress=done.append
    )

    assert result.stored == 1
    assert result.rejected == [
        BadRow(
            line=2,
            wrong=(Wrong(place="ChannelType", reason="no platform is set up for GCM"),),
        ),
        BadRow(line=4, wrong=(Wrong(place="Metrics.m", reason="not a number"),)),
    ]
    assert sum(done) == 3


def test_a_batch_that_is_refused_stops_the_import_and_says_how_far_it_came(
    api: Api, fake_cloud: FakeCloud, tmp_path: Path
) -> None:
    fake_cloud.on("POST /devices/batch", stored(100), (403, {"message": "Forbidden"}))

    with pytest.raises(FailedError) as caught:
        import_devices(api, file_of(tmp_path, 1000), threads=1)

    assert caught.value.title == "the API refused lines 102 to 201: Forbidden (403)"
    assert "100 rows were stored before" in caught.value.detail
    assert len(fake_cloud.heard) < 10


def test_a_label_is_added_to_the_attributes_of_each_device(
    api: Api, fake_cloud: FakeCloud, tmp_path: Path
) -> None:
    fake_cloud.on("POST /devices/batch", stored(1))

    import_devices(api, file_of(tmp_path, 1), extra_attributes={"demo": ["x"]})

    [device] = json.loads(fake_cloud.heard[0].body)["devices"]
    assert device["Attributes"] == {"demo": ["x"]}
