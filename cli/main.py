"""The `fanfare` command: which commands there are."""

from typing import Annotated

import typer

from cli import clouds, target
from cli.commands import audience, campaigns, cloud, criteria, demo, devices, platform
from cli.commands.common import CommandLine, Globals

app = typer.Typer(
    cls=CommandLine,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,  # a local variable may hold a token or a credential
    help="Targeted push broadcasts: pick an audience, build its list, reach it at one moment.",
)


@app.callback()
def fanfare(
    ctx: typer.Context,
    stack: Annotated[
        str, typer.Option(envvar="FANFARE_STACK", help="The CloudFormation stack's name.")
    ] = target.DEFAULT_STACK,
    choice: Annotated[
        clouds.Choice,
        typer.Option(
            "--cloud",
            envvar="FANFARE_CLOUD",
            help="auto: the local cloud while it runs, else AWS by the ordinary profile.",
        ),
    ] = clouds.Choice.AUTO,
) -> None:
    """What comes before the command's name."""
    ctx.obj = Globals(stack=stack, choice=choice)


app.command("up")(cloud.up)
app.command("down")(cloud.down)
app.command("status")(cloud.status)
app.command("demo")(demo.demo)
app.add_typer(platform.app, name="platform")
app.add_typer(devices.app, name="devices")
app.add_typer(audience.app, name="audience")
app.add_typer(criteria.app, name="criteria")
app.add_typer(campaigns.app, name="campaign")
