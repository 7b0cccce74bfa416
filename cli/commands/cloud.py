"""`fanfare up`, `down`, `status`: the local cloud on this machine."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from cli import clouds, local_up, output, target
from cli.commands.common import Globals, Json, find_target, local_cloud
from cli.errors import EXIT_USAGE
from cli.steps import Steps

Port = Annotated[
    int | None,
    typer.Option(help="Port of the local cloud on 127.0.0.1. [default: 4566]", show_default=False),
]


def up(ctx: typer.Context, port: Port = None, as_json: Json = False) -> None:
    """Start the local cloud if need be, and deploy this checkout to it."""
    options: Globals = ctx.obj
    found = local_up.bring_up(local_cloud(), port=port, stack=options.stack, steps=Steps())
    if as_json:
        output.print_json(_description(found))
    else:
        _print(found)
        output.say("next: fanfare demo, or fanfare devices import examples/devices.csv")


def down(as_json: Json = False) -> None:
    """Stop the local cloud and remove what it kept."""
    here = local_cloud()
    leftover = here.leftover()
    stopped = here.stop()
    if as_json:
        output.print_json({"stopped": stopped})
    elif stopped:
        output.say("the local cloud is stopped, and what it kept is removed")
    else:
        output.say("no local cloud was running" + ("; a leftover is removed" if leftover else ""))


def status(ctx: typer.Context, as_json: Json = False) -> None:
    """Say what is running and under which addresses; exit code 2 if nothing is."""
    options: Globals = ctx.obj
    here = local_cloud()
    if options.choice is not clouds.Choice.AWS and here.running() is None:
        if as_json:
            output.print_json({"local": None, "leftover": here.leftover()})
        else:
            gone = " (one was, and is gone)" if here.leftover() else ""
            output.say(f"no local cloud is running{gone}; start one: fanfare up")
            output.say("for what is deployed in AWS: fanfare --cloud aws status")
        raise typer.Exit(EXIT_USAGE)
    found = find_target(ctx)
    if as_json:
        output.print_json(_description(found))
    else:
        _print(found)


def _description(found: target.Target) -> dict[str, Any]:
    local = found.cloud.local
    return {
        "local": None if local is None else asdict(local),
        "stack": found.stack,
        "api_url": found.api_url,
        "hello_url": found.hello_url,
    }


def _print(found: target.Target) -> None:
    local = found.cloud.local
    if local is not None:
        output.say(f"local cloud  {local.url}, process {local.pid}, since {local.started}")
        output.say(f"log          {local_cloud().log_file}")
    output.say(f"stack        {found.stack}")
    output.say(f"API          {found.api_url}")
    output.say(f"hello        {found.hello_url or 'not deployed'}")
