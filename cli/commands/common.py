"""What every command shares: the global options, and the one place where failures become exits."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import botocore.exceptions
import typer
from typer.core import TyperGroup

from cli import clouds, exact_json, output, paths, target
from cli.api import Api
from cli.errors import EXIT_REFUSED, EXIT_UNREAD, CliError, NoCloudError, UsageError
from cli.interruption import on_interruption
from cli.local_cloud import LocalCloud
from cli.pinpoint_dimensions import DIMENSIONS

STANDARD_STREAM = Path("-")
OF_A_SEGMENT = frozenset(
    {"SegmentResponse", "SegmentsResponse", "SegmentGroups", "Groups", "Dimensions", *DIMENSIONS}
)
Json = Annotated[bool, typer.Option("--json", help="JSON on standard output, for scripts.")]


@dataclass(frozen=True, kw_only=True)
class Globals:
    """The options before the command's name."""

    stack: str
    choice: clouds.Choice


class CommandLine(TyperGroup):
    """The root group: an expected failure is printed plainly and becomes its exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the command line, whatever standard output can show and however long it is read."""
        output.show_what_can_be_shown()
        try:
            return super().main(*args, **kwargs)
        except SystemExit as end:
            # That is how Typer and rich end where a reader is gone; others are killed by SIGPIPE.
            if isinstance(end.__context__, BrokenPipeError):
                end.code = EXIT_UNREAD
            raise
        except OSError as error:
            # The boundary: whatever this machine refuses, a folder, a disk, a device.
            reason = error.strerror or type(error).__name__
            refused = UsageError(f"{error.filename}: {reason}" if error.filename else reason)
            output.print_error(refused)
            sys.exit(refused.exit_code)
        finally:
            output.let_go()

    def get_params(self, ctx: Any) -> Any:
        """The options of this group, flags without a type in the help: they take no value."""
        return _untyped_flags(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, with its flags likewise."""
        command = super().get_command(ctx, cmd_name)
        for each in (command, *getattr(command, "commands", {}).values()):
            if each is not None:
                _untyped_flags(each.get_params(ctx))
        return command

    def invoke(self, ctx: Any) -> Any:
        """Runs the command."""
        try:
            with on_interruption():
                return _invoke(super().invoke, ctx)
        except CliError as error:
            output.print_error(error)
            raise typer.Exit(error.exit_code) from None
        except botocore.exceptions.ClientError as error:
            # AWS's own refusals name the action and the reason; they hold none of our inputs.
            output.print_error(CliError("AWS refused", detail=str(error)))
            raise typer.Exit(EXIT_REFUSED) from None
        except (
            botocore.exceptions.ConnectionError,
            botocore.exceptions.HTTPClientError,
        ) as error:
            silent = NoCloudError("this cloud does not answer", detail=str(error))
            output.print_error(silent)
            raise typer.Exit(silent.exit_code) from None


def _invoke(command: Callable[[Any], Any], ctx: Any) -> Any:
    """Runs it; KeyboardInterrupt also for Ctrl-C at a question, of which an Abort is made."""
    try:
        return command(ctx)
    except typer.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise


def _untyped_flags(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


def local_cloud() -> LocalCloud:
    """The local cloud of this checkout."""
    return LocalCloud(folder=paths.local_folder())


def find_target(ctx: typer.Context) -> target.Target:
    """The Fanfare that the global options mean."""
    options: Globals = ctx.obj
    return target.find(clouds.choose(options.choice, local_cloud()), options.stack)


def find_api(ctx: typer.Context) -> Api:
    """Its API."""
    return Api(target=find_target(ctx))


def name_of(path: Path) -> str:
    """What a person calls it: the path, or standard input for `-`."""
    return "standard input" if path == STANDARD_STREAM else str(path)


def read_text(option: str, path: Path) -> str:
    """The text of the file, or of standard input for `-`; UsageError if there is none."""
    name = name_of(path)
    try:
        content = sys.stdin.buffer.read() if path == STANDARD_STREAM else path.read_bytes()
    except OSError as error:
        raise UsageError(f"{option}: {name} cannot be read: {error.strerror}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{option}: {name} is not UTF-8") from None


def read_json(option: str, text: str) -> Any:
    """The JSON given as it is, as @FILE, or as @- on standard input; UsageError that says where it
    stops being JSON."""
    if text.startswith("@"):
        return read_json_file(option, Path(text[1:]))
    detail = ""
    if Path(text).suffix == ".json" or _is_file(text):
        detail = f"to have it read from a file: {option} @{text}"
    return _json(option, text, detail)


def read_json_file(option: str, path: Path) -> Any:
    """The JSON in the file, or on standard input for `-`; UsageError that names it."""
    return _json(f"{option}: {name_of(path)}", read_text(option, path))


def read_criteria(text: str) -> Any:
    """The JSON of --criteria; UsageError with a hint where it is a segment of Pinpoint instead."""
    criteria = read_json("--criteria", text)
    if isinstance(criteria, dict) and criteria.keys() & OF_A_SEGMENT:
        raise UsageError(
            "--criteria is a segment of Pinpoint and has to be converted first",
            detail="fanfare criteria from-pinpoint segment.json > criteria.json",
        )
    return criteria


def _json(name: str, text: str, detail: str = "") -> Any:
    try:
        return exact_json.loads(text)
    except RecursionError:
        raise UsageError(f"{name} is nested too deeply") from None
    except (ValueError, ArithmeticError) as error:
        raise UsageError(f"{name} is not JSON: {error}", detail=detail) from None


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # longer than a name may be, or no name at all
        return False
