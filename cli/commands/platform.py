"""`fanfare platform create|list|delete`: the push services that messages go through."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cli import output, platforms
from cli.commands.common import Json, find_target, read_json, read_text
from cli.errors import UsageError
from cli.platforms import Credentials, PlatformName

app = typer.Typer(no_args_is_help=True, help="The push services that messages go through.")

ADM_ID_VARIABLE = "FANFARE_ADM_CLIENT_ID"
ADM_SECRET_VARIABLE = "FANFARE_ADM_CLIENT_SECRET"  # noqa: S105 (the variable's name)


@app.command()
def create(  # noqa: PLR0917 (a command's options)
    ctx: typer.Context,
    name: Annotated[PlatformName, typer.Argument(metavar="PLATFORM")],
    credential_file: Annotated[
        Path | None,
        typer.Option(
            help="GCM: the service account's JSON. ADM: JSON with client_id, client_secret."
        ),
    ] = None,
    signing_key_file: Annotated[Path | None, typer.Option(help="APNS: the .p8 file.")] = None,
    signing_key_id: Annotated[str | None, typer.Option(help="APNS: the key's id.")] = None,
    team_id: Annotated[str | None, typer.Option(help="APNS: Apple's team id.")] = None,
    bundle_id: Annotated[str | None, typer.Option(help="APNS: the app's bundle id.")] = None,
    certificate_file: Annotated[
        Path | None, typer.Option(help="APNS without a signing key: the certificate (PEM).")
    ] = None,
    private_key_file: Annotated[
        Path | None, typer.Option(help="APNS without a signing key: its private key (PEM).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Set a push service up: GCM, APNS, APNS_SANDBOX or ADM. Again: replaces its credentials.

    Credentials come from files only (ADM: also from FANFARE_ADM_CLIENT_ID and
    FANFARE_ADM_CLIENT_SECRET), go to SNS, and are kept nowhere else.
    """
    if name is PlatformName.GCM:
        credentials = _gcm(credential_file)
    elif name is PlatformName.ADM:
        credentials = _adm(credential_file)
    elif certificate_file is not None or private_key_file is not None:
        credentials = _apns_certificate(certificate_file, private_key_file)
    else:
        credentials = _apns_key(signing_key_file, signing_key_id, team_id, bundle_id)
    target = find_target(ctx)
    arn = platforms.create(target, name, credentials)
    if as_json:
        output.print_json({"platform": str(name), "arn": arn})
    else:
        output.say(f"{name} is set up: {arn}")


@app.command("list")
def list_(ctx: typer.Context, as_json: Json = False) -> None:
    """List the push services that are set up."""
    found = platforms.list_all(find_target(ctx))
    if as_json:
        output.print_json({"platforms": [asdict(platform) for platform in found]})
    elif found:
        rows = [(platform.name, platform.enabled, platform.arn) for platform in found]
        output.print_table(["platform", "enabled", "ARN"], rows)
    else:
        output.say("no push service is set up; see fanfare platform create --help")


@app.command()
def delete(
    ctx: typer.Context,
    name: Annotated[PlatformName, typer.Argument(metavar="PLATFORM")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Remove a push service: none of its devices can be reached any more."""
    target = find_target(ctx)
    if not yes:
        typer.confirm(f"Remove {name} and the endpoints of all its devices?", abort=True, err=True)
    removed = platforms.delete(target, name)
    if as_json:
        output.print_json({"platform": str(name), "removed": removed})
    else:
        output.say(f"{name} is removed" if removed else f"{name} was not set up")


def _gcm(file: Path | None) -> Credentials:
    text = _needed("--credential-file", file, PlatformName.GCM)
    account = read_json("--credential-file", text)
    if not isinstance(account, dict) or not account.get("private_key"):
        raise UsageError(
            "--credential-file is not a service account's JSON (it has no private_key)",
            detail="make one in the Firebase console: Project settings, Service accounts",
        )
    return Credentials(attributes={"PlatformCredential": text})


def _adm(file: Path | None) -> Credentials:
    given = {
        "client_id": os.environ.get(ADM_ID_VARIABLE),
        "client_secret": os.environ.get(ADM_SECRET_VARIABLE),
    }
    if file is not None:
        given = read_json("--credential-file", read_text("--credential-file", file))
    if not isinstance(given, dict) or not given.get("client_id") or not given.get("client_secret"):
        raise UsageError(
            "ADM needs --credential-file with client_id and client_secret",
            detail=f"or both in {ADM_ID_VARIABLE} and {ADM_SECRET_VARIABLE}",
        )
    return Credentials(
        attributes={
            "PlatformPrincipal": str(given["client_id"]),
            "PlatformCredential": str(given["client_secret"]),
        }
    )


def _apns_key(
    file: Path | None, key_id: str | None, team_id: str | None, bundle_id: str | None
) -> Credentials:
    options = {
        "--signing-key-file": file,
        "--signing-key-id": key_id,
        "--team-id": team_id,
        "--bundle-id": bundle_id,
    }
    missing = [option for option, value in options.items() if not value]
    if file is None or not key_id or not team_id or not bundle_id:
        raise UsageError(
            f"APNS needs {', '.join(missing)}",
            detail="or, without a signing key, --certificate-file and --private-key-file",
        )
    return Credentials(
        attributes={
            "PlatformPrincipal": key_id,
            "PlatformCredential": read_text("--signing-key-file", file),
            "ApplePlatformTeamID": team_id,
            "ApplePlatformBundleID": bundle_id,
        }
    )


def _apns_certificate(certificate: Path | None, key: Path | None) -> Credentials:
    return Credentials(
        attributes={
            "PlatformPrincipal": _needed("--certificate-file", certificate, PlatformName.APNS),
            "PlatformCredential": _needed("--private-key-file", key, PlatformName.APNS),
        }
    )


def _needed(option: str, file: Path | None, name: PlatformName) -> str:
    if file is None:
        raise UsageError(f"{name} needs {option}")
    return read_text(option, file)
