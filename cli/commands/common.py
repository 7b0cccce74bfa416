"""What every command shares: the global options, and the one place where failures become exits."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import botocore.exceptions
import typer
from typer.core import TyperGroup

from cli import clouds, exact_json, output, paths, target
from cli.api import Api
from cli.errors import EXIT_REFUSED, CliError, NoCloudError, UsageError
from cli.interruption import on_interruption
from cli.local_cloud import LocalCloud

Json = Annotated[bool, typer.Option("--json", help="JSON on standard output, for scripts.")]


@dataclass(frozen=True, kw_only=True)
class Globals:
    """The options before the command's name."""

    stack: str
    choice: clouds.Choice


class CommandLine(TyperGroup):
    """The root group: an expected failure is printed plainly and becomes its exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the command line, whatever standard output can show."""
        output.show_what_can_be_shown()
        return super().main(*args, **kwargs)

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


def read_text(option: str, path: Path) -> str:
    """The file's text; UsageError if there is none."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{option}: {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{option}: {path} is not UTF-8") from None


def read_json(option: str, text: str) -> Any:
    """The JSON given as it is, or as @FILE; UsageError that says where it stops being JSON."""
    source = text
    if text.startswith("@"):
        source = read_text(option, Path(text[1:]))
    try:
        return exact_json.loads(source)
    except ValueError as error:
        raise UsageError(f"{option} is not JSON: {error}") from None
