"""`fanfare devices import|get|put|delete`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cli import output
from cli.commands.common import Json, find_api, read_json
from cli.device_file import BadRow, open_file
from cli.errors import EXIT_REFUSED, UsageError
from cli.importing import DEFAULT_THREADS, ImportResult, import_devices
from cli.progress import import_progress

app = typer.Typer(no_args_is_help=True, help="The devices that can be reached.")

MOST_THREADS = 32
SHOWN_REJECTIONS = 50


@app.command("import")
def import_(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="CSV in UTF-8 with Pinpoint's column names.")],
    threads: Annotated[
        int, typer.Option(min=1, max=MOST_THREADS, help="Batches sent at once.")
    ] = DEFAULT_THREADS,
    as_json: Json = False,
) -> None:
    """Import devices from a CSV file: 100 a batch. Importing a file again is harmless.

    Exit code 0: every row is stored; 1: some rows were rejected, and are listed; 2: the file
    cannot be imported, and nothing was sent.
    """
    opened = open_file(file)
    if opened.ignored:
        output.note(f"columns that are not imported: {', '.join(opened.ignored)}")
    api = find_api(ctx)
    with import_progress(opened.row_count, show=not as_json) as advance:
        result = import_devices(api, opened, threads=threads, progress=advance)
    if as_json:
        output.print_json(_description(result))
    else:
        _print(result)
    if result.rejected:
        raise typer.Exit(EXIT_REFUSED)


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


def _description(result: ImportResult) -> dict[str, Any]:
    return {
        "stored": result.stored,
        "rejected": [
            {
                "line": row.line,
                "errors": [{"place": wrong.place, "reason": wrong.reason} for wrong in row.wrong],
            }
            for row in result.rejected
        ],
    }


def _print(result: ImportResult) -> None:
    output.say(f"{result.stored:,} stored, {len(result.rejected):,} rejected")
    if result.rejected:
        shown = result.rejected[:SHOWN_REJECTIONS]
        output.print_table(
            ["line#", "place", "reason"], [cells for row in shown for cells in _cells(row)]
        )
    if len(result.rejected) > SHOWN_REJECTIONS:
        output.say(f"the first {SHOWN_REJECTIONS} are shown; --json lists all")


def _cells(row: BadRow) -> list[tuple[int, str, str]]:
    return [(row.line, wrong.place, wrong.reason) for wrong in row.wrong]
