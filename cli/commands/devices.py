"""`fanfare devices get|put|delete`, and the commands for whole files."""

from typing import Annotated, Any

import typer

from cli import output
from cli.commands import device_files
from cli.commands.common import Json, find_api, read_json
from cli.errors import UsageError

app = typer.Typer(no_args_is_help=True, help="The devices that can be reached.")
app.command("import")(device_files.import_)
app.command("imports")(device_files.imports)
app.command("import-status")(device_files.import_status)
app.command("export")(device_files.export_)


@app.command()
def get(ctx: typer.Context, device_id: str, as_json: Json = False) -> None:
    """Show one device, with its push token."""
    device = find_api(ctx).get("devices", device_id)
    if as_json:
        output.print_json(device)
    else:
        output.print_table(["field", "value"], _fields("", device))


@app.command()
def put(
    ctx: typer.Context,
    device_id: str,
    device: Annotated[str, typer.Option(help="The device as JSON, or @FILE.")],
    as_json: Json = False,
) -> None:
    """Store one device, new or again."""
    body = read_json("--device", device)
    if not isinstance(body, dict):
        raise UsageError("--device must be a JSON object")
    stored = find_api(ctx).put("devices", device_id, body={"Id": device_id, **body})
    if as_json:
        output.print_json(stored)
    else:
        output.say(f"{device_id} is stored")


@app.command()
def delete(ctx: typer.Context, device_id: str, as_json: Json = False) -> None:
    """Remove one device and its endpoint; harmless if it is gone already."""
    find_api(ctx).delete("devices", device_id)
    if as_json:
        output.print_json({"deleted": device_id})
    else:
        output.say(f"{device_id} is removed")


def _fields(place: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        found = []
        for name, inner in value.items():
            found += _fields(f"{place}.{name}" if place else name, inner)
        return found
    if isinstance(value, list):
        return [(place, ", ".join(str(item) for item in value))]
    return [(place, str(value))]
