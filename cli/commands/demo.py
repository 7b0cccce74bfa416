"""`fanfare demo`: the main job from beginning to end, with a summary that says if all is right."""

import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from cli import demo as job
from cli import output
from cli.commands.cloud import Port
from cli.commands.common import Globals, Json, local_cloud
from cli.demo import DemoResult
from cli.demo_file import sample_file
from cli.errors import EXIT_REFUSED


def demo(  # noqa: PLR0917 (a command's options)
    ctx: typer.Context,
    devices: Annotated[
        int | None, typer.Option(min=1, help="Generate that many devices instead of the sample.")
    ] = None,
    rows: Annotated[Path | None, typer.Option(help="Use this device file instead.")] = None,
    everyone: Annotated[
        bool, typer.Option("--everyone", help="Send to all devices, not to about half of them.")
    ] = False,
    port: Port = None,
    as_json: Json = False,
) -> None:
    """Run the main job on the local cloud, from deployment to receipt, and check what came out."""
    options: Globals = ctx.obj
    here = local_cloud()
    result = job.run(
        here,
        choice=options.choice,
        stack=options.stack,
        port=port,
        file=sample_file(here, devices=devices, rows=rows),
        everyone=everyone,
        show=not as_json,
    )
    if as_json:
        output.print_json(_description(result))
    else:
        _print(result)
    if not result.ok:
        raise typer.Exit(EXIT_REFUSED)


def _speeds(result: DemoResult) -> dict[str, float]:
    """Things a second, for the two steps in which there are many."""
    done = {"import": result.rows, "build the list": result.campaign["counts"]["matched"]}
    return {name: number / max(result.seconds[name], 0.001) for name, number in done.items()}


def _description(result: DemoResult) -> dict[str, Any]:
    return {
        "ok": result.ok,
        "checks": [
            {
                "name": check.name,
                "expected": check.expected,
                "found": check.found,
                "remark": check.remark,
                "ok": check.ok,
            }
            for check in result.checks
        ],
        "seconds": {name: round(seconds, 2) for name, seconds in result.seconds.items()},
        "devices_per_second": {name: round(speed) for name, speed in _speeds(result).items()},
        "campaign": result.campaign,
    }


def _print(result: DemoResult) -> None:
    speeds = _speeds(result)
    output.print_table(
        ["step", "seconds#", "devices/s#"],
        [
            (name, f"{seconds:.1f}", f"{speeds[name]:,.0f}" if name in speeds else "")
            for name, seconds in result.seconds.items()
        ]
        + [("all", f"{sum(result.seconds.values()):.1f}", "")],
    )
    output.print_table(
        ["checked apart from the product", "expected#", "found#", ""],
        [
            (
                check.name,
                check.expected,
                check.found,
                "ok" if check.ok else f"DIFFERS {check.remark}".rstrip(),
            )
            for check in result.checks
        ],
    )
    wrong = sum(1 for check in result.checks if not check.ok)
    output.say("everything is as it should be" if result.ok else f"{wrong} checks DIFFER")
    output.say("")
    output.say("what to try next:")
    for command in _next(result):
        output.say(f"  {command}")


def _next(result: DemoResult) -> list[str]:
    # As it can be copied: `make` runs the command without its folder being on the PATH.
    fanfare = "fanfare" if shutil.which("fanfare") else ".venv/bin/fanfare"
    commands = [
        f"{fanfare} campaign show {result.campaign['id']}",
        f"{fanfare} campaign list",
        f"{fanfare} devices get device-0000001",
        f"{fanfare} campaign create --name hello --criteria @examples/criteria.json "
        "--title Hello --body 'Good evening' --watch",
    ]
    if result.target.hello_url:
        # Quoted: the stage's name begins with a dollar sign, which a shell would expand.
        commands.append(f"ab -c 10 -n 5000 -k '{result.target.hello_url}'")
    return [*commands, "make down"]
