"""`fanfare audience count|sample`."""

from typing import Annotated, Any

import typer

from cli import audience_view, output
from cli.commands.common import Json, find_api, read_criteria

app = typer.Typer(no_args_is_help=True, help="Whom criteria match, before there is a campaign.")

Criteria = Annotated[str, typer.Option(help="Who: JSON, or @FILE.")]


@app.command()
def count(ctx: typer.Context, criteria: Criteria, as_json: Json = False) -> None:
    """Count the devices that match, and those that can be reached, by platform."""
    preview = _preview(ctx, criteria)
    if as_json:
        output.print_json(preview)
        return
    output.say(audience_view.sentence(preview))
    if preview["by_platform"]:
        output.print_table(["platform", "match#", "reachable#"], audience_view.rows(preview))


@app.command()
def sample(ctx: typer.Context, criteria: Criteria, as_json: Json = False) -> None:
    """Show up to ten devices that match, by their ids: those that can be reached first."""
    preview = _preview(ctx, criteria)
    if as_json:
        output.print_json(preview)
        return
    output.say(audience_view.sentence(preview))
    if preview["examples"]:
        output.print_table(["device"], [(device_id,) for device_id in preview["examples"]])


def _preview(ctx: typer.Context, criteria: str) -> dict[str, Any]:
    body = {"criteria": read_criteria(criteria)}
    # A count changes nothing, so it may be asked for again.
    preview: dict[str, Any] = find_api(ctx).post("audiences", "preview", body=body, repeatable=True)
    return preview
