"""`fanfare campaign create|list|show|watch|schedule|history|publish|…`; more in messages.py."""

import uuid
from typing import Annotated, Any

import typer

from cli import campaign_view, output
from cli.commands import lists, messages
from cli.commands.common import Json, find_api, read_criteria
from cli.commands.following import follow, print_campaign
from cli.commands.message_options import (
    Body,
    Data,
    Silent,
    TimeToLive,
    Title,
    Whole,
    message_of,
)
from cli.interruption import on_interruption

app = typer.Typer(no_args_is_help=True, help="Messages, their audiences, and what became of them.")

Id = Annotated[str, typer.Argument(metavar="ID", help="The campaign's id.")]
IfLate = Annotated[
    str | None,
    typer.Option(
        "--if-late",
        metavar="publish|skip",
        help="If the list is READY only after its time: send then, or cancel. Default: publish.",
    ),
]
MOST_LISTED = 100


@app.command()
def create(  # noqa: PLR0917 (a command's options)
    ctx: typer.Context,
    name: Annotated[str, typer.Option(help="What people call it.")],
    criteria: Annotated[str, typer.Option(metavar="JSON|@FILE", help="Who gets it.")],
    title: Title = None,
    body: Body = None,
    data: Data = None,
    silent: Silent = False,
    time_to_live: TimeToLive = None,
    message: Whole = None,
    publish_at: Annotated[
        str | None, typer.Option(help="Send by itself then: 2026-12-24T09:00, or with an offset.")
    ] = None,
    time_zone: Annotated[
        str | None, typer.Option(help="For --publish-at without an offset: Asia/Taipei.")
    ] = None,
    refresh_before_publish: Annotated[
        bool, typer.Option("--refresh-before-publish", help="Each publish refreshes the list.")
    ] = False,
    if_late: IfLate = None,
    idempotency_key: Annotated[
        str | None, typer.Option(help="The same key again makes no second campaign.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Watch its list being built.")] = False,
    as_json: Json = False,
) -> None:
    """Create a campaign: its list is built in the background, then it waits to be published."""
    wanted: dict[str, Any] = {
        "name": name,
        "criteria": read_criteria(criteria),
        "message": message_of(
            title=title,
            body=body,
            data=data,
            silent=silent,
            time_to_live=time_to_live,
            whole=message,
        ),
    }
    given = {
        "publish_at": publish_at,
        "time_zone": time_zone,
        "if_late": if_late,
        "refresh": "before_publish" if refresh_before_publish else None,
    }
    wanted |= {field: value for field, value in given.items() if value is not None}
    api = find_api(ctx)
    # A key of its own where none is given: only so may the request be sent again if it gets lost.
    key = idempotency_key or str(uuid.uuid4())
    with on_interruption() as stands:
        stands.would_say(
            "interrupted: the campaign may have been created; look: fanfare campaign list"
        )
        campaign = api.post("campaigns", body=wanted, idempotency_key=key)
        campaign_id = campaign["id"]
        stands.would_say(f"interrupted: it goes on: fanfare campaign watch {campaign_id}")
        if watch:
            output.note(f"campaign {campaign_id} is being built")
            follow(api, campaign_id, as_json=as_json)
        else:
            print_campaign(campaign, as_json=as_json)


@app.command("list")
def list_(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=MOST_LISTED, help="How many.")] = 20,
    after: Annotated[
        str | None, typer.Option("--next", help="Go on from where the last page ended.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List campaigns, the newest first."""
    query = {"limit": str(limit)} | ({"next": after} if after else {})
    page = find_api(ctx).get("campaigns", query=query)
    if as_json:
        output.print_json(page)
        return
    if not page["campaigns"]:
        output.say("there are no campaigns yet; see fanfare campaign create --help")
        return
    output.print_table(
        ["id", "name", "state", "when", "gets it#"],
        [
            (
                campaign["id"],
                campaign["name"],
                campaign["state"],
                campaign_view.when_in_short(campaign),
                campaign_view.reach_in_short(campaign),
            )
            for campaign in page["campaigns"]
        ],
        narrow="name",
    )
    if page.get("next"):
        output.say(f"more: fanfare campaign list --next {page['next']}")


@app.command()
def show(ctx: typer.Context, campaign_id: Id, as_json: Json = False) -> None:
    """Show one campaign: can it be sent, who gets it, did it go out once."""
    print_campaign(find_api(ctx).get("campaigns", campaign_id), as_json=as_json)


@app.command()
def watch(ctx: typer.Context, campaign_id: Id, as_json: Json = False) -> None:
    """Watch a campaign until it is READY, PUBLISHED, CANCELLED or FAILED (the last two: exit 1)."""
    follow(find_api(ctx), campaign_id, as_json=as_json)


@app.command()
def publish(
    ctx: typer.Context,
    campaign_id: Id,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the probe heard it.")] = False,
    as_json: Json = False,
) -> None:
    """Send the message to the list, now. Is never repeated by itself."""
    api = find_api(ctx)
    with on_interruption(
        "interrupted: the publish may have been asked for; "
        f"look: fanfare campaign show {campaign_id}"
    ):
        campaign = api.post("campaigns", campaign_id, "publish")
        if wait:
            follow(api, campaign_id, as_json=as_json, good={"PUBLISHED"})
        else:
            print_campaign(campaign, as_json=as_json)


@app.command()
def schedule(  # noqa: PLR0917 (a command's options)
    ctx: typer.Context,
    campaign_id: Id,
    publish_at: Annotated[
        str | None, typer.Option(help="The new time: 2026-12-24T09:00, or with an offset.")
    ] = None,
    time_zone: Annotated[
        str | None, typer.Option(help="For --publish-at without an offset: Asia/Taipei.")
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="No time: publish it by hand.")] = False,
    if_late: IfLate = None,
    as_json: Json = False,
) -> None:
    """Move or remove the time at which a campaign is sent, until that is asked for."""
    if none and publish_at is not None:
        raise typer.BadParameter("--publish-at and --none contradict each other")
    given = {"publish_at": publish_at, "time_zone": time_zone, "if_late": if_late}
    wanted: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
    if none:
        wanted["publish_at"] = None
    print_campaign(find_api(ctx).patch("campaigns", campaign_id, body=wanted), as_json=as_json)


@app.command()
def history(
    ctx: typer.Context,
    campaign_id: Id,
    limit: Annotated[int, typer.Option(min=1, max=MOST_LISTED, help="How many lines.")] = 20,
    after: Annotated[
        str | None, typer.Option("--next", help="Go on from where the last page ended.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show who did what to a campaign, and what Fanfare did by itself; the newest first."""
    query = {"limit": str(limit)} | ({"next": after} if after else {})
    page = find_api(ctx).get("campaigns", campaign_id, "history", query=query)
    if as_json:
        output.print_json(page)
        return
    output.print_table(
        ["when", "who", "did", "then", "reason"],
        [
            (each["at"], each["who"], each["action"], each["outcome"], each["reason"] or "")
            for each in page["entries"]
        ],
        narrow="reason",
    )
    if page["next"]:
        output.say(f"more: fanfare campaign history {campaign_id} --next {page['next']}")


app.command("refresh")(lists.refresh)
app.command("members")(lists.members)
app.command("verify")(lists.verify)
app.command("preview")(messages.preview)
app.command("test-send")(messages.send_test)


@app.command()
def cancel(ctx: typer.Context, campaign_id: Id, as_json: Json = False) -> None:
    """Give a campaign up before it is sent."""
    print_campaign(find_api(ctx).post("campaigns", campaign_id, "cancel"), as_json=as_json)


@app.command()
def delete(ctx: typer.Context, campaign_id: Id, as_json: Json = False) -> None:
    """Remove a campaign with its topic, its subscriptions and its list."""
    campaign = find_api(ctx).delete("campaigns", campaign_id)
    if as_json:
        output.print_json(campaign)
    else:
        output.say(f"{campaign_id} is removed; its topic and list go in the background")
