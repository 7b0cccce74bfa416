import json
from pathlib import Path

import boto3
import pytest
from moto import mock_aws
from typer.testing import CliRunner, Result

from cli import clouds, target
from cli.main import app
from cli.target import Target
from tests.unit.cli.conftest import OUTPUTS

SECRET = "-----BEGIN PRIVATE KEY-----"


@pytest.fixture(autouse=True)
def cloud(monkeypatch: pytest.MonkeyPatch, local_folder: Path) -> object:
    """An account in moto, in which Fanfare is deployed."""
    monkeypatch.chdir(local_folder)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setattr(
        target,
        "find",
        lambda found, stack: Target(cloud=found, stack=stack, outputs=OUTPUTS, hello={}),
    )
    with mock_aws():
        yield


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["platform", *arguments])


def applications() -> dict[str, dict[str, str]]:
    sns = boto3.client("sns", region_name="us-east-1")
    return {
        found["PlatformApplicationArn"]: found["Attributes"]
        for found in sns.list_platform_applications()["PlatformApplications"]
    }


def parameter(name: str) -> str:
    ssm = boto3.client("ssm", region_name="us-east-1")
    return str(ssm.get_parameter(Name=name)["Parameter"]["Value"])


def service_account(name: str = "account.json", key: str = SECRET) -> str:
    Path(name).write_text(json.dumps({"type": "service_account", "private_key": key}))
    return name


def test_only_the_arn_is_kept() -> None:
    result = run("create", "GCM", "--credential-file", service_account())

    [arn] = applications()
    assert result.exit_code == 0
    assert arn.endswith(":app/GCM/Fanfare-platform-GCM")
    assert parameter("/Fanfare/platforms/GCM") == arn
    assert SECRET in applications()[arn]["PlatformCredential"]
    assert SECRET not in result.stdout + result.stderr


def test_again_it_replaces_the_credentials_and_makes_nothing_new() -> None:
    run("create", "GCM", "--credential-file", service_account())

    result = run("create", "GCM", "--credential-file", service_account(key="a newer key"))

    [arn] = applications()
    assert result.exit_code == 0
    assert "a newer key" in applications()[arn]["PlatformCredential"]


EVENTS_TOPIC = "arn:aws:sns:us-east-1:123456789012:Fanfare-EndpointEvents"


def test_a_new_platform_sends_its_events_to_the_stack() -> None:
    run("create", "GCM", "--credential-file", service_account())

    [attributes] = applications().values()
    assert {name: arn for name, arn in attributes.items() if name.startswith("Event")} == {
        "EventEndpointDeleted": EVENTS_TOPIC,
        "EventEndpointUpdated": EVENTS_TOPIC,
        "EventDeliveryFailure": EVENTS_TOPIC,
    }


def test_a_platform_that_was_there_before_sends_its_events_to_the_stack_from_now_on() -> None:
    boto3.client("sns", region_name="us-east-1").create_platform_application(
        Name="Fanfare-platform-GCM", Platform="GCM", Attributes={}
    )

    result = run("create", "GCM", "--credential-file", service_account())

    [attributes] = applications().values()
    assert result.exit_code == 0
    assert attributes["EventEndpointUpdated"] == EVENTS_TOPIC


def test_an_apns_signing_key_is_set_up_with_all_that_belongs_to_it() -> None:
    Path("key.p8").write_text(SECRET)

    result = run(
        *("create", "APNS", "--signing-key-file", "key.p8", "--signing-key-id", "K1"),
        *("--team-id", "T1", "--bundle-id", "com.example.app", "--json"),
    )

    assert json.loads(result.stdout)["platform"] == "APNS"
    [attributes] = applications().values()
    assert attributes["PlatformPrincipal"] == "K1"
    assert attributes["PlatformCredential"] == SECRET
    assert attributes["ApplePlatformTeamID"] == "T1"
    assert attributes["ApplePlatformBundleID"] == "com.example.app"


def test_an_apns_certificate_is_set_up_with_its_key() -> None:
    Path("cert.pem").write_text("certificate")
    Path("key.pem").write_text(SECRET)

    run(
        *("create", "APNS_SANDBOX", "--certificate-file", "cert.pem"),
        *("--private-key-file", "key.pem"),
    )

    [attributes] = applications().values()
    assert attributes["PlatformPrincipal"] == "certificate"
    assert attributes["PlatformCredential"] == SECRET


def test_adm_takes_its_secret_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FANFARE_ADM_CLIENT_ID", "client")
    monkeypatch.setenv("FANFARE_ADM_CLIENT_SECRET", "a secret")

    result = run("create", "ADM")

    [attributes] = applications().values()
    assert attributes["PlatformPrincipal"] == "client"
    assert attributes["PlatformCredential"] == "a secret"
    assert "a secret" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["GCM"], "GCM needs --credential-file"),
        (["GCM", "--credential-file", "none"], "none cannot be read"),
        (["GCM", "--credential-file", "text"], "is not JSON"),
        (["GCM", "--credential-file", "empty.json"], "it has no private_key"),
        (["ADM"], "ADM needs --credential-file with client_id and client_secret"),
        (["ADM", "--credential-file", "empty.json"], "ADM needs --credential-file"),
        (
            ["APNS", "--team-id", "T1"],
            "APNS needs --signing-key-file, --signing-key-id, --bundle-id",
        ),
        (["APNS", "--certificate-file", "text"], "APNS needs --private-key-file"),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_made(options: list[str], message: str) -> None:
    Path("text").write_text("{not json")
    Path("empty.json").write_text("{}")

    result = run("create", *options)

    assert result.exit_code == 2
    assert message in result.stderr
    assert applications() == {}


def test_a_credential_that_is_no_json_is_not_repeated() -> None:
    Path("key.json").write_text(SECRET)

    assert SECRET not in run("create", "GCM", "--credential-file", "key.json").stderr


def test_the_list_shows_what_is_set_up() -> None:
    assert "no push service is set up" in run("list").stdout
    run("create", "GCM", "--credential-file", service_account())

    found = json.loads(run("list", "--json").stdout)["platforms"]

    assert [(platform["name"], platform["enabled"]) for platform in found] == [("GCM", "yes")]
    assert clouds.LOCAL_REGION in found[0]["arn"]


def test_a_removed_platform_keeps_neither_application_nor_parameter() -> None:
    run("create", "GCM", "--credential-file", service_account())

    result = run("delete", "GCM", "--yes", "--json")

    assert json.loads(result.stdout) == {"platform": "GCM", "removed": True}
    assert applications() == {}
    assert json.loads(run("list", "--json").stdout) == {"platforms": []}
    assert json.loads(run("delete", "GCM", "--yes", "--json").stdout)["removed"] is False


def test_removing_a_platform_asks_first() -> None:
    run("create", "GCM", "--credential-file", service_account())

    result = run("delete", "GCM")

    assert result.exit_code == 1
    assert len(applications()) == 1
