"""`fanfare devices import|imports|import-status|export`: devices by the file."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from cli import export, import_job, import_view, output, rejects
from cli.api import Api
from cli.commands.common import STANDARD_STREAM, Json, find_api
from cli.errors import UsageError
from cli.export import Format
from cli.import_files import ImportFile, find_files
from cli.interruption import Interruption, on_interruption
from cli.progress import export_progress, import_progress

Rejects = Annotated[
    Path | None,
    typer.Option("--rejects", help="Save the rejected rows here: a new or empty folder."),
]
# By these names a file in its place would come between the shell and what it redirected.
STANDARD_OUTPUT = frozenset(map(Path, ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")))

MOST_LISTED = 100


def import_(  # noqa: PLR0917 (a command's options)
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="CSV or NDJSON as Pinpoint has it, plain or gzip; or folders of such.",
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check every row and report; write nothing.")
    ] = False,
    rejects_folder: Rejects = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Stay until it is over, or only start it.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Import devices from files. The work is done in the account; again is harmless.

    Exit code 0: every row is loaded; 1: some rows were rejected, or the import failed; 2: refused
    as a whole, and nothing is written; 130: interrupted, and the text says what goes on.
    """
    if rejects_folder is not None and not wait:
        raise UsageError("--rejects needs the import's end: leave out --no-wait")
    found = find_files(files, remark=output.note)
    if rejects_folder is not None:
        rejects.prepare(rejects_folder)
    api = find_api(ctx)
    with on_interruption() as stands:
        view = _run(api, found, stands, dry_run=dry_run, wait=wait, show=not as_json)
        if not wait and not as_json:
            output.say(f"import {view['id']} is started")
            output.say(f"look at it: fanfare devices import-status {view['id']}")
            return
        _report(api, view, rejects_folder, as_json=as_json)


def _run(
    api: Api,
    files: Sequence[ImportFile],
    stands: Interruption,
    *,
    dry_run: bool,
    wait: bool,
    show: bool,
) -> dict[str, Any]:
    size = sum(file.size for file in files)
    with import_progress(show=show, size=size) as progress:
        view = import_job.begin(
            api, files, dry_run=dry_run, stands=stands, uploaded=progress.uploaded
        )
        if wait:
            view = import_job.wait_for(api, view["id"], update=progress.update)
            import_job.is_over(stands, view["id"])
    return view


def imports(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=MOST_LISTED, help="How many.")] = 20,
    after: Annotated[
        str | None, typer.Option("--next", help="Go on from where the last page ended.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the imports of the last 30 days, the newest first."""
    query = {"limit": str(limit)} | ({"next": after} if after else {})
    page = find_api(ctx).get("imports", query=query)
    if as_json:
        output.print_json(page)
        return
    if not page["imports"]:
        output.say("there are no imports of the last 30 days; see fanfare devices import --help")
        return
    import_view.print_imports(page["imports"])
    output.say(f"look at one: fanfare devices import-status {page['imports'][0]['id']}")
    if page["next"]:
        output.say(f"more: fanfare devices imports --next {page['next']}")


def import_status(
    ctx: typer.Context,
    import_id: Annotated[str, typer.Argument(metavar="ID", help="The import's id.")],
    wait: Annotated[bool, typer.Option("--wait", help="Stay until it is over.")] = False,
    rejects_folder: Rejects = None,
    as_json: Json = False,
) -> None:
    """Show how far an import is, or how it ended, with the exit codes of `import`."""
    if rejects_folder is not None:
        rejects.prepare(rejects_folder)
    api = find_api(ctx)
    if wait:
        with on_interruption() as stands, import_progress(show=not as_json) as progress:
            import_job.goes_on(stands, import_id)
            view = import_job.wait_for(api, import_id, update=progress.update)
    else:
        view = api.get("imports", import_id)
    _report(api, view, rejects_folder, as_json=as_json)


def export_(
    ctx: typer.Context,
    format_: Annotated[
        Format, typer.Option("--format", help="NDJSON keeps every kind of value as it is.")
    ] = Format.NDJSON,
    out: Annotated[
        Path, typer.Option(help="The file, replaced once all is there; - is standard output.")
    ] = STANDARD_STREAM,
) -> None:
    """Write all devices to a file that `import` takes; importing it again changes nothing.

    In no order; what is registered or removed meanwhile may be in it or not.
    """
    api = find_api(ctx)
    file = None if out in STANDARD_OUTPUT else out
    # On a terminal the devices themselves are to be seen.
    show = file is not None or not sys.stdout.isatty()
    left = "" if file is None else f": {file} is left as it was"
    with on_interruption(f"interrupted{left}"), export_progress(show=show) as advance:
        written = export.run(api, format_, file, advance)
    output.note(f"{written:,} devices are written")


def _report(api: Api, view: dict[str, Any], folder: Path | None, *, as_json: bool) -> None:
    if as_json:
        output.print_json(view)
    else:
        import_view.print_import(view)
    if folder is not None:
        _save_rejects(api, view, folder)
    elif view["counts"]["rejected"]:
        output.note(
            f"to have them as files: fanfare devices import-status {view['id']} --rejects DIR"
        )
    if not as_json:
        import_view.print_how_it_ended(view)
    if code := import_view.exit_code(view):
        raise typer.Exit(code)


def _save_rejects(api: Api, view: dict[str, Any], folder: Path) -> None:
    saved = rejects.download(api, view, folder)
    for path in saved:
        output.note(f"rejected rows: {path}")
    if not saved and view["state"] in import_job.OVER:
        output.note(f"nothing was rejected: {folder} stays empty")
