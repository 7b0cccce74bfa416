"""`fanfare campaign refresh|members|verify`: what has to do with a campaign's list."""

from typing import Annotated, Any

import typer

from cli import output, verification
from cli.api import Api
from cli.commands.common import Json, find_api, find_target
from cli.commands.following import follow, print_campaign
from cli.errors import EXIT_REFUSED
from cli.progress import campaign_progress
from cli.verification import Drift, Member
from cli.watching import RESTING, wait_for

Id = Annotated[str, typer.Argument(metavar="ID", help="The campaign's id.")]
MOST_LISTED = 1_000
SHOWN = 10


def refresh(
    ctx: typer.Context,
    campaign_id: Id,
    watch: Annotated[bool, typer.Option("--watch", help="Watch it until it is READY.")] = False,
    as_json: Json = False,
) -> None:
    """Bring the list in line with the audience of now; then it can be published again."""
    api = find_api(ctx)
    campaign = api.post("campaigns", campaign_id, "refresh")
    if watch:
        follow(api, campaign_id, as_json=as_json)
    else:
        print_campaign(campaign, as_json=as_json)


def members(
    ctx: typer.Context,
    campaign_id: Id,
    limit: Annotated[int, typer.Option(min=1, max=MOST_LISTED, help="How many.")] = 100,
    after: Annotated[
        str | None, typer.Option("--next", help="Go on from where the last page ended.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the devices of the list, and what became of each."""
    query = {"limit": str(limit)} | ({"next": after} if after else {})
    page = find_api(ctx).get("campaigns", campaign_id, "members", query=query)
    if as_json:
        output.print_json(page)
        return
    if not page["members"]:
        output.say("the list has no members")
        return
    output.print_table(
        ["id", "status", "reason"],
        [(each["Id"], each["status"], each["reason"] or "") for each in page["members"]],
        narrow="id",
    )
    if page.get("next"):
        output.say(f"more: fanfare campaign members {campaign_id} --next {page['next']}")


def verify(
    ctx: typer.Context,
    campaign_id: Id,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend what differs, by a refresh.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare the topic's real subscriptions with the list (exit 1 if they differ)."""
    target = find_target(ctx)
    api = Api(target=target)
    drift = verification.verify(target, api, campaign_id)
    if repair and not drift.clean:
        _say_unless(as_json, drift)
        _mend(api, campaign_id, drift, as_json=as_json)
        drift = verification.verify(target, api, campaign_id)
    if as_json:
        output.print_json(_shown(drift))
    else:
        _say(drift)
    if not drift.clean:
        if not repair and not as_json:
            output.say(f"mend it: fanfare campaign verify {campaign_id} --repair")
        raise typer.Exit(EXIT_REFUSED)


def _mend(api: Api, campaign_id: str, drift: Drift, *, as_json: bool) -> None:
    verification.repair(api, campaign_id, drift)
    api.post("campaigns", campaign_id, "refresh")
    with campaign_progress(show=not as_json) as update:
        wait_for(api, campaign_id, until=RESTING, update=update)


def _say_unless(as_json: bool, drift: Drift) -> None:
    if not as_json:
        _say(drift)


def _say(drift: Drift) -> None:
    output.say(
        f"{drift.members:,} members are subscribed as the list has it, and "
        f"{drift.subscriptions:,} devices are on the topic"
    )
    for title, ids in (
        ("missing on the topic", [each.device_id for each in drift.missing]),
        ("on the topic with another endpoint", [each.device_id for each in drift.other_endpoint]),
        ("on the topic and nobody's", [each.subscription_arn for each in drift.extra]),
    ):
        if ids:
            more = f" and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else ""
            output.say(f"{len(ids):,} {title}: {', '.join(ids[:SHOWN])}{more}")
    if not drift.probe:
        output.say("the probe is not on the topic: a publish would get no receipt")
    if drift.clean:
        output.say("they are the same")


def _shown(drift: Drift) -> dict[str, Any]:
    return {
        "clean": drift.clean,
        "members": drift.members,
        "subscriptions": drift.subscriptions,
        "missing": [_member(each) for each in drift.missing],
        "other_endpoint": [_member(each) for each in drift.other_endpoint],
        "extra": [
            {"subscription_arn": each.subscription_arn, "endpoint_arn": each.endpoint}
            for each in drift.extra
        ],
        "probe": drift.probe,
    }


def _member(member: Member) -> dict[str, Any]:
    return {
        "Id": member.device_id,
        "endpoint_arn": member.endpoint_arn,
        "subscription_arn": member.subscription_arn,
    }
