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
    what = "what would become of the rows" if found["dry_run"] else "what became of the rows"
    output.print_table([what, "rows#"], _count_rows(found["counts"], dry_run=found["dry_run"]))
    _print_reasons(found.get("reject_reasons") or [])
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
        output.say(_outcome(counts, dry_run=found["dry_run"]))


def print_imports(imports: list[dict[str, Any]]) -> None:
    """Imports in a list, on standard output."""
    output.print_table(
        ["id", "created", "file", "state", "stored#", "rejected#"],
        [
            (
                each["id"],
                f"{each['created_at'][:16].replace('T', ' ')}Z",
                _file_in_short(each),
                each["state"] + (" (dry run)" if each["dry_run"] else ""),
                f"{each['counts']['stored']:,}",
                f"{each['counts']['rejected']:,}",
            )
            for each in imports
        ],
        narrow="file",
    )


def _file_in_short(summary: dict[str, Any]) -> str:
    more = f" and {summary['files'] - 1:,} more" if summary["files"] > 1 else ""
    return f"{summary['first_file']}{more}"


def exit_code(found: dict[str, Any]) -> int:
    """0 as long as all is well, 1 if rows were rejected or it failed, 2 if it was refused."""
    if found["state"] == "REFUSED":
        return EXIT_USAGE
    bad = found["state"] == "FAILED" or found["counts"]["rejected"]
    return EXIT_REFUSED if bad else 0


def _outcome(counts: dict[str, Any], *, dry_run: bool) -> str:
    """What came out; that nothing did must not read like success."""
    stored, rejected = counts["stored"], counts["rejected"]
    if dry_run:
        begin, is_, are = "this was a dry run, nothing is written", "would be", "would be"
    else:
        begin, is_, are = "imported" if stored else "nothing is imported", "is", "are"
    left_out = f"; {_number(rejected, 'row', is_, are)} rejected" if rejected else ""
    return f"{begin}: {_number(stored, 'device', is_, are)} stored{left_out}"


def _number(number: int, what: str, is_: str, are: str) -> str:
    if number == 1:
        return f"1 {what} {is_}"
    return f"{number:,} {what}s {are}" if number else f"no {what} {is_}"


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
        more = len(files) - len(shown)
        output.say(f"and {more:,} file{'s' if more > 1 else ''} more")


def _format(file: dict[str, Any]) -> str:
    return f"{file['format'] or ''}{', gzip' if file['gzip'] else ''}"


def _count_rows(counts: dict[str, Any], *, dry_run: bool) -> list[tuple[str, str]]:
    stored = "would be stored" if dry_run else "stored"
    rows = {
        stored: counts["stored"],
        "  of these inactive: their token is another device's": counts["moved"],
        "duplicates: the same Id came again, its last row counts": counts["duplicates"],
        "rejected": counts["rejected"],
        **{f"skipped: {channel}": number for channel, number in sorted(counts["skipped"].items())},
    }
    shown = [(what, f"{number:,}") for what, number in rows.items() if number or what == stored]
    return [*shown, ("all", f"{counts['rows']:,}")]


def _print_reasons(reasons: list[dict[str, Any]]) -> None:
    if reasons:
        output.print_table(
            ["rejected for", "reason", "rows#"],
            [(each["field"], each["reason"], f"{each['rows']:,}") for each in reasons],
        )


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
    if more := rejected - len(shown):
        output.say(f"and {more:,} rejected row{'s' if more > 1 else ''} more")
