import json
from pathlib import Path

import pytest

from cli import clouds, target
from cli.clouds import Choice, Cloud
from cli.errors import NoCloudError
from cli.local_cloud import LocalCloud, RunningCloud
from tests.unit.cli.conftest import OUTPUTS, FakeCloud

HELLO = {"HelloApiId": "h1", "HelloUrl": "https://h1.execute-api.eu-west-1.amazonaws.com"}


def in_aws(**outputs: dict[str, str]) -> target.Target:
    cloud = Cloud(session=clouds.local_session(), local=None)
    return target.Target(cloud=cloud, stack="Fanfare", **outputs)


def test_the_local_cloud_is_chosen_while_it_runs_and_says_so(
    running: FakeCloud, local_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = clouds.choose(Choice.AUTO, LocalCloud(folder=local_folder))

    assert chosen.local is not None
    assert chosen.local.port == running.port
    heard = capsys.readouterr()
    assert heard.err == f"using the local cloud at http://127.0.0.1:{running.port}\n"
    assert heard.out == ""


def test_without_a_local_cloud_the_ordinary_profile_is_chosen(
    local_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")
    monkeypatch.setenv("AWS_REGION", "ap-northeast-1")

    chosen = clouds.choose(Choice.AUTO, LocalCloud(folder=local_folder))

    assert chosen.local is None
    assert chosen.session.region_name == "ap-northeast-1"
    assert capsys.readouterr().err == "using AWS in ap-northeast-1\n"


def test_aws_can_be_chosen_while_a_local_cloud_runs(
    running: FakeCloud, local_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")

    assert clouds.choose(Choice.AWS, LocalCloud(folder=local_folder)).local is None
    assert running.heard == []


def test_without_either_there_is_no_cloud(local_folder: Path) -> None:
    with pytest.raises(NoCloudError, match="there are no AWS credentials"):
        clouds.choose(Choice.AUTO, LocalCloud(folder=local_folder))


def test_without_a_region_there_is_no_cloud(
    local_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")

    with pytest.raises(NoCloudError, match="no AWS Region is set"):
        clouds.choose(Choice.AUTO, LocalCloud(folder=local_folder))


def test_a_profile_that_does_not_exist_is_named(
    local_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")

    with pytest.raises(NoCloudError) as caught:
        clouds.choose(Choice.AUTO, LocalCloud(folder=local_folder))

    assert "nobody" in caught.value.detail


@pytest.mark.parametrize("choice", [Choice.AUTO, Choice.LOCAL])
def test_a_local_cloud_that_went_away_sends_nothing_to_aws(
    local_folder: Path, choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "real")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "real")
    state = {"pid": 2**22 + 1, "port": 1, "started": "2026-12-01T08:00:00+00:00"}
    (local_folder / "cloud.json").write_text(json.dumps(state))

    with pytest.raises(NoCloudError, match="was running here and is gone"):
        clouds.choose(choice, LocalCloud(folder=local_folder))


def test_the_local_addresses_are_built_from_the_ids(fake_cloud: FakeCloud) -> None:
    fake_cloud.stacks["Fanfare-Hello"] = HELLO
    local = RunningCloud(pid=1, port=fake_cloud.port, started="")
    cloud = Cloud(session=clouds.local_session(), local=local)

    found = target.find(cloud, "Fanfare")

    base = f"http://127.0.0.1:{fake_cloud.port}/_aws/execute-api"
    assert found.api_url == f"{base}/api1/$default"
    assert found.hello_url == f"{base}/h1/$default/hello"


def test_the_addresses_in_aws_are_the_stacks_own() -> None:
    found = in_aws(outputs={"ApiId": "a1", "ApiUrl": "https://a1.example/"}, hello=HELLO)

    assert found.api_url == "https://a1.example"
    assert found.hello_url == "https://h1.execute-api.eu-west-1.amazonaws.com/hello"


def test_the_hello_stack_may_be_left_out() -> None:
    assert in_aws(outputs=OUTPUTS, hello={}).hello_url is None


def test_an_output_that_is_missing_asks_for_a_new_deployment() -> None:
    with pytest.raises(NoCloudError) as caught:
        in_aws(outputs={}, hello={}).output("ProbeQueueUrl")

    assert caught.value.detail == "deploy this version again"


def test_a_stack_that_is_not_there_says_how_to_deploy_it(fake_cloud: FakeCloud) -> None:
    local = RunningCloud(pid=1, port=fake_cloud.port, started="")
    cloud = Cloud(session=clouds.local_session(), local=local)

    with pytest.raises(NoCloudError) as caught:
        target.find(cloud, "Other")

    assert caught.value.title == "there is no stack Other in this cloud"
    assert caught.value.detail == "deploy it: fanfare up"
