"""`fanfare campaign preview|test-send`: a message before it is sent to a list."""

from typing import Annotated, Any

import typer

from cli import output
from cli.commands.common import Json, find_api
from cli.commands.message_options import (
    Body,
    Data,
    Silent,
    TimeToLive,
    Title,
    Whole,
    message_of,
)
from cli.errors import EXIT_REFUSED


def preview(  # noqa: PLR0917 (a command's options)
    ctx: typer.Context,
    title: Title = None,
    body: Body = None,
    data: Data = None,
    silent: Silent = False,
    time_to_live: TimeToLive = None,
    message: Whole = None,
    as_json: Json = False,
) -> None:
    """See whether a message fits each push service. Sends nothing; exit code 1 if it does not.

    With --json also the payloads, exactly as they would be sent.
    """
    wanted = message_of(
        title=title,
        body=body,
        data=data,
        silent=silent,
        time_to_live=time_to_live,
        whole=message,
    )
    shown = find_api(ctx).post("campaigns", "preview", body={"message": wanted}, repeatable=True)
    if as_json:
        output.print_json(shown)
    else:
        _print_preview(shown)
    if shown["refused"]:
        raise typer.Exit(EXIT_REFUSED)


def send_test(
    ctx: typer.Context,
    campaign_id: Annotated[str, typer.Argument(metavar="ID", help="The campaign's id.")],
    devices: Annotated[
        list[str], typer.Argument(metavar="DEVICE", help="Ids of devices, ten at most.")
    ],
    as_json: Json = False,
) -> None:
    """Send a campaign's message to a few devices, now. The campaign and its list stay as they are.

    Exit code 1 if any of them was not sent it. Is never repeated by itself.
    """
    answer = find_api(ctx).post("campaigns", campaign_id, "test-send", body={"device_ids": devices})
    results = answer["results"]
    if as_json:
        output.print_json(answer)
    else:
        output.print_table(
            ["device", "status", "message id", "why"],
            [(each["Id"], each["status"], each["message_id"], each["reason"]) for each in results],
            narrow="why",
        )
    if any(each["status"] != "sent" for each in results):
        raise typer.Exit(EXIT_REFUSED)


def _print_preview(shown: dict[str, Any]) -> None:
    platforms = shown["platforms"]
    output.print_table(
        ["platform", "bytes#", "limit#", ""],
        [
            (
                name,
                f"{each['bytes']:,}",
                f"{each['limit']:,}",
                "refused: too long" if each["refused"] else "ok",
            )
            for name, each in platforms.items()
        ],
    )
    for name, value in shown["attributes"].items():
        output.say(f"{name} = {value}")
    on_platforms = {f"message on {name}" for name in platforms}
    for wrong in shown["refused"]:
        if wrong["place"] not in on_platforms:
            output.say(f"refused: {wrong['place']} {wrong['reason']}")
