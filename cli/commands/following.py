"""How commands show a campaign, or follow it until it rests."""

from typing import Any

import typer

from cli import campaign_view, output
from cli.api import Api
from cli.errors import EXIT_REFUSED
from cli.progress import campaign_progress
from cli.watching import GOOD, RESTING, wait_for


def follow(
    api: Api, campaign_id: str, *, as_json: bool, good: frozenset[str] | set[str] = GOOD
) -> None:
    """Watches the campaign until it rests; leaves with exit 1 where that is not `good`."""
    with campaign_progress(show=not as_json) as update:
        campaign = wait_for(api, campaign_id, until=RESTING, update=update)
    print_campaign(campaign, as_json=as_json)
    if campaign["state"] not in good:
        raise typer.Exit(EXIT_REFUSED)


def print_campaign(campaign: dict[str, Any], *, as_json: bool) -> None:
    """The campaign in words, or as JSON."""
    if as_json:
        output.print_json(campaign)
        return
    for question, answer in campaign_view.lines(campaign):
        output.say(f"{question:<18}{answer}")
