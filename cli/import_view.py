"""An import in words: what became of the rows, which were rejected and why, how it ended."""

from typing import Any

from rich.filesize import decimal

from cli import output
from cli.errors import EXIT_REFUSED, EXIT_USAGE, CliError, FailedError, Wrong

SHOWN_FILES = 20
SHOWN_REJECTS = 20


def print_import(found: dict[str, Any]) -> None:
    """What there is to know of an import, on standard output; for REFUSED that is nothing."""
    if found["state"] == "REFUSED":
        return
    output.say(_headline(found))
    if found["state"] == "UPLOADING":
        return
    _print_files(found["files"])
    output.print_table(["what became of the rows", "rows#"], _count_rows(found["counts"]))
    _print_rejects(found)


def print_how_it_ended(found: dict[str, Any]) -> None:
    """The last line, on standard output; raises the failure that an import ended with."""
    state, counts = found["state"], found["counts"]
    if state == "REFUSED":
        raise CliError(
            "refused as a whole, nothing is written",
            detail=found["reason"] or "",
            wrong=[
                Wrong(place=file["name"], reason=file["refused"])
                for file in found["files"]
                if file["refused"]
            ],
        )
    if state == "FAILED":
        raise FailedError(
            "the import failed",
            detail=f"{found['reason'] or 'it gives no reason'}\n"
            "importing the same files again is harmless",
        )
    if state == "DONE":
        done = "this was a dry run: nothing is written" if found["dry_run"] else "imported"
        rejected = f"; {counts['rejected']:,} rows are rejected" if counts["rejected"] else ""
        output.say(f"{done}{rejected}")


def exit_code(found: dict[str, Any]) -> int:
    """0 as long as all is well, 1 if rows were rejected or it failed, 2 if it was refused."""
    if found["state"] == "REFUSED":
        return EXIT_USAGE
    bad = found["state"] == "FAILED" or found["counts"]["rejected"]
    return EXIT_REFUSED if bad else 0


def _headline(found: dict[str, Any]) -> str:
    progress = found["progress"]
    doing = {
        "UPLOADING": "waits for its files",
        "CHECKING": f"checks its files: {decimal(progress['bytes_checked'])} of "
        f"{decimal(progress['bytes_total'])}",
        "LOADING": f"loads: {progress['rows_loaded']:,} of {progress['rows_to_load']:,} rows",
        "DONE": "is done",
        "FAILED": "failed",
    }
    kind = "dry run" if found["dry_run"] else "import"
    return f"{kind} {found['id']} {doing.get(found['state'], found['state'])}"


def _print_files(files: list[dict[str, Any]]) -> None:
    shown = files[:SHOWN_FILES]
    output.print_table(
        ["file", "format", "size#"],
        [(file["name"], _format(file), decimal(file["bytes"] or 0)) for file in shown],
    )
    if len(files) > len(shown):
        output.say(f"and {len(files) - len(shown):,} files more")


def _format(file: dict[str, Any]) -> str:
    return f"{file['format'] or ''}{', gzip' if file['gzip'] else ''}"


def _count_rows(counts: dict[str, Any]) -> list[tuple[str, str]]:
    rows = {
        "stored": counts["stored"],
        "  of these inactive: their token is another device's": counts["moved"],
        "duplicates: the same Id came again, its last row counts": counts["duplicates"],
        "rejected": counts["rejected"],
        **{f"skipped: {channel}": number for channel, number in sorted(counts["skipped"].items())},
    }
    shown = [(what, f"{number:,}") for what, number in rows.items() if number or what == "stored"]
    return [*shown, ("all", f"{counts['rows']:,}")]


def _print_rejects(found: dict[str, Any]) -> None:
    rejected, shown = found["counts"]["rejected"], found["rejects"][:SHOWN_REJECTS]
    if not shown:
        return
    output.print_table(
        ["rejected in", "line#", "place", "reason"],
        [
            (reject["file"], reject["line"], wrong["place"], wrong["reason"])
            for reject in shown
            for wrong in reject["errors"]
        ],
    )
    if rejected > len(shown):
        output.say(f"and {rejected - len(shown):,} rejected rows more")
