from pathlib import Path

import pytest

from cli.errors import FailedError
from cli.import_files import ImportFile, find_files
from cli.uploads import Uploader
from tests.unit.cli.conftest import FakeCloud


def files_of(tmp_path: Path, *contents: str) -> list[ImportFile]:
    for number, content in enumerate(contents):
        (tmp_path / f"f{number}").write_text(content, encoding="utf-8")
    return find_files([tmp_path])


def send(cloud: FakeCloud, files: list[ImportFile]) -> int:
    """Sends the files, and how many bytes the progress heard of in all."""
    heard: list[int] = []
    uploader = Uploader(direct=True, progress=heard.append, sleep=lambda _: None)
    base = f"http://127.0.0.1:{cloud.port}/bucket"
    uploader.send(files, {file.name: f"{base}/{file.name}?X-Amz-Signature=1" for file in files})
    return sum(heard)


def test_each_file_goes_to_its_own_url_with_its_length(
    fake_cloud: FakeCloud, tmp_path: Path
) -> None:
    fake_cloud.on("PUT /bucket/f0?X-Amz-Signature=1", (200, ""))
    fake_cloud.on("PUT /bucket/f1?X-Amz-Signature=1", (200, ""))

    assert send(fake_cloud, files_of(tmp_path, "臺北\n", "x" * 100_000)) == 100_007

    bodies = {heard.path.partition("?")[0]: heard for heard in fake_cloud.heard}
    assert bodies["/bucket/f0"].body == "臺北\n"
    assert bodies["/bucket/f1"].body == "x" * 100_000
    assert bodies["/bucket/f1"].headers["Content-Length"] == "100000"
    assert "Transfer-Encoding" not in bodies["/bucket/f1"].headers
    assert "Authorization" not in bodies["/bucket/f1"].headers


def test_an_upload_that_fails_for_now_is_tried_again_and_counted_once(
    fake_cloud: FakeCloud, tmp_path: Path
) -> None:
    fake_cloud.on("PUT /bucket/f0?X-Amz-Signature=1", (503, ""), (500, ""), (200, ""))

    assert send(fake_cloud, files_of(tmp_path, "12345")) == 5

    assert [heard.body for heard in fake_cloud.heard] == ["12345"] * 3


def test_an_upload_that_never_gets_there_fails_with_the_files_name(
    fake_cloud: FakeCloud, tmp_path: Path
) -> None:
    fake_cloud.on("PUT /bucket/f0?X-Amz-Signature=1", (503, ""))
    [file] = files_of(tmp_path, "12345")

    with pytest.raises(FailedError) as caught:
        send(fake_cloud, [file])

    assert caught.value.title == f"{file.path} could not be uploaded"
    assert caught.value.detail == "S3 answered 503"
    assert len(fake_cloud.heard) == 5


def test_an_address_that_ran_out_is_not_tried_again(fake_cloud: FakeCloud, tmp_path: Path) -> None:
    fake_cloud.on("PUT /bucket/f0?X-Amz-Signature=1", (403, "<Error/>"))

    with pytest.raises(FailedError) as caught:
        send(fake_cloud, files_of(tmp_path, "12345"))

    assert caught.value.detail.startswith("S3 answered 403: the address for it ran out")
    assert len(fake_cloud.heard) == 1


def test_no_proxy_stands_between_this_machine_and_itself(
    fake_cloud: FakeCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    fake_cloud.on("PUT /bucket/f0?X-Amz-Signature=1", (200, ""))

    assert send(fake_cloud, files_of(tmp_path, "12345")) == 5


def test_a_file_that_is_gone_by_then_is_named(fake_cloud: FakeCloud, tmp_path: Path) -> None:
    files = files_of(tmp_path, "x")
    files[0].path.unlink()

    with pytest.raises(FailedError, match="f0 cannot be read: No such file or directory"):
        send(fake_cloud, files)
