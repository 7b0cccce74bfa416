"""The options that say what a message is, shared by the commands that take one."""

from typing import Annotated, Any

import typer

from cli.commands.common import read_json
from cli.errors import UsageError

Title = Annotated[str | None, typer.Option(help="The message's title.")]
Body = Annotated[str | None, typer.Option(help="The message's text.")]
Data = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="For the app; may come several times."),
]
Silent = Annotated[
    bool, typer.Option("--silent", help="For the app only: --data, and nothing to show.")
]
TimeToLive = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PLATFORM=SECONDS",
        help="How long GCM, APNS, APNS_SANDBOX or ADM keeps it for a device that is off; "
        "may come several times.",
    ),
]
Whole = Annotated[
    str | None,
    typer.Option("--message", metavar="JSON|@FILE", help="The whole message instead."),
]


def message_of(
    *,
    title: str | None,
    body: str | None,
    data: list[str] | None,
    silent: bool,
    time_to_live: list[str] | None,
    whole: str | None,
) -> dict[str, Any]:
    """The message for the API; UsageError for options that do not go together."""
    if whole is not None:
        if title is not None or body is not None or data or silent or time_to_live:
            raise UsageError(
                "--message is the whole message: leave out --title, --body, --data, --silent, "
                "--time-to-live"
            )
        message = read_json("--message", whole)
        if not isinstance(message, dict):
            raise UsageError("--message must be a JSON object")
        return message
    message = _silent(title, body) if silent else _shown(title, body)
    if data:
        message["data"] = dict(_pair("--data", "NAME=VALUE", text) for text in data)
    if time_to_live:
        message["time_to_live"] = dict(map(_seconds, time_to_live))
    return message


def _shown(title: str | None, body: str | None) -> dict[str, Any]:
    if title is None or body is None:
        raise UsageError(
            "a message is needed: --title and --body, or --silent and --data, or --message @FILE"
        )
    return {"title": title, "body": body}


def _silent(title: str | None, body: str | None) -> dict[str, Any]:
    if title is not None or body is not None:
        raise UsageError("--silent shows nothing: leave out --title and --body")
    return {"silent": True}


def _seconds(text: str) -> tuple[str, int]:
    platform, seconds = _pair("--time-to-live", "PLATFORM=SECONDS", text)
    if not (seconds.isascii() and seconds.isdigit()):
        raise UsageError(f"--time-to-live must be PLATFORM=SECONDS, not {text!r}")
    return platform, int(seconds)


def _pair(option: str, form: str, text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise UsageError(f"{option} must be {form}, not {text!r}")
    return name, value
