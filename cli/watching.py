"""Waits for a campaign to get somewhere, by asking the API now and then."""

import time
from collections.abc import Callable, Collection
from typing import Any

from cli.api import Api
from cli.errors import FailedError

POLL_SECONDS = 1.0
LOCAL_POLL_SECONDS = 0.3

# Where a campaign rests: it goes on only if somebody (or its publish time) makes it.
RESTING = frozenset({"READY", "PUBLISHED", "CANCELLED", "FAILED"})
GOOD = frozenset({"READY", "PUBLISHED"})


def wait_for(
    api: Api,
    campaign_id: str,
    *,
    until: Collection[str],
    update: Callable[[dict[str, Any]], None] = lambda _: None,
    patience_seconds: float | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Any]:
    """The campaign once its state is one of `until`; FailedError if patience runs out first."""
    poll = POLL_SECONDS if api.target.cloud.local is None else LOCAL_POLL_SECONDS
    deadline = None if patience_seconds is None else time.monotonic() + patience_seconds
    while True:
        campaign: dict[str, Any] = api.get("campaigns", campaign_id)
        update(campaign)
        if campaign["state"] in until:
            return campaign
        if deadline is not None and time.monotonic() > deadline:
            raise FailedError(
                f"the campaign is still {campaign['state']} after {patience_seconds:.0f} s",
                detail=f"look again: fanfare campaign show {campaign_id}",
            )
        sleep(poll)
