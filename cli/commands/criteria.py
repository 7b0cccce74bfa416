"""`fanfare criteria from-pinpoint`."""

from pathlib import Path
from typing import Annotated

import typer

from cli import output
from cli.commands.common import Json, name_of, read_json_file
from cli.errors import CliError
from cli.pinpoint_segments import convert

app = typer.Typer(no_args_is_help=True, help="Who gets a message, as JSON for --criteria.")


@app.callback()
def criteria() -> None:
    """Makes a group of what would be a single command."""


@app.command("from-pinpoint")
def from_pinpoint(
    file: Annotated[
        Path,
        typer.Argument(help="What `aws pinpoint get-segment` printed, or a part of it; or -."),
    ],
    _as_json: Json = False,
) -> None:
    """Convert a segment of Amazon Pinpoint into criteria. They are JSON with --json and without.

    Exit code 1, and nothing on standard output: something in it cannot be converted, and is named.
    """
    raw = read_json_file("FILE", file)
    try:
        conversion = convert(raw)
    except CliError as error:
        raise error.of(name_of(file)) from None
    for remark in conversion.remarks:
        output.note(f"remark: {remark}")
    output.print_json(conversion.criteria)
