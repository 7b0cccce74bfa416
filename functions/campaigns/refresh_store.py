"""The store of campaigns, as far as refreshing goes. Every change names the generation it is for:
what is left of an older workflow changes nothing any more."""

from datetime import datetime, timedelta
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionBase

from functions.audience.records import Tally
from functions.campaigns.conflicts import StateConflictError
from functions.campaigns.history import SYSTEM, Action, Actor
from functions.campaigns.items import publish_item, tally_item
from functions.campaigns.records import Campaign, Publish
from functions.campaigns.states import PublishState, State
from functions.campaigns.store import CampaignStore, Change, campaign_key, conflict, still_due
from functions.shared.clock import to_wire
from functions.shared.transactions import ConditionFailedError, transact

# From where a refresh may be asked for; beside these a FAILED one, if a refresh failed.
REFRESHABLE = frozenset({State.READY, State.PUBLISHED})


_ENDS = {
    State.READY: Action.READY,
    State.PUBLISHING: Action.READY,  # and goes out at once, as was asked before
    State.FAILED: Action.FAIL,
}


class RefreshStore(CampaignStore):
    """The campaigns table, with what a refresh does to it."""

    def begin_refresh(
        self,
        campaign: Campaign,
        *,
        publish_id: str | None = None,
        due_at: datetime | None = None,
        late_by: timedelta | None = None,
        by: Actor = SYSTEM,
    ) -> Campaign:
        """The campaign, REFRESHING, at its next generation; the stream starts the workflow.

        With a publish, which only a READY one can have, that is REQUESTED, both or none. With
        `due_at` only while that is its time, which a publish uses up. ConflictError if the campaign
        is not as it was seen, or must not be refreshed.
        """
        if not may_be_refreshed(campaign) or (publish_id and campaign.state is not State.READY):
            raise StateConflictError(campaign, State.REFRESHING)
        now = self._clock()
        values: dict[str, Any] = {
            "generation": campaign.generation + 1,
            "refresh_asked_at": to_wire(now),
            "refresh_failed": False,
            "reason": None,
        }
        asked = Action.REFRESH if publish_id is None else Action.PUBLISH
        actions = [self._entry(campaign.campaign_id, by, asked, State.REFRESHING)]
        if publish_id is not None:
            late = None if late_by is None else int(late_by.total_seconds())
            values |= {"publish_id": publish_id, "time_used": True, "late_by_seconds": late}
            publish = Publish(
                publish_id=publish_id,
                state=PublishState.REQUESTED,
                requested_at=now,
                late_by_seconds=late,
            )
            put = {
                "TableName": self._table.name,
                "Item": publish_item(campaign.campaign_id, publish),
                "ConditionExpression": "attribute_not_exists(#record)",
                "ExpressionAttributeNames": {"#record": "record"},
            }
            actions.append({"Put": put})
        change = Change(values, state=State.REFRESHING, now=now)
        same = "#set_generation = :seen_generation"
        if campaign.generation == 1:
            same = f"(attribute_not_exists(#set_generation) OR {same})"
        still, due = still_due(due_at)
        update = self._update_action(
            campaign_key(campaign.campaign_id),
            change,
            f"#set_state = :seen_state AND {same} AND attribute_not_exists(deleting){still}",
            {":seen_state": campaign.state, ":seen_generation": campaign.generation} | due,
        )
        try:
            transact(self._table, [update, *actions])
        except ConditionFailedError as error:
            found = self.find(campaign.campaign_id)
            raise conflict(found, campaign.campaign_id, State.REFRESHING) from error
        return self.get(campaign.campaign_id)

    def attach_refresh(
        self, campaign_id: str, *, topic_arn: str, execution_arn: str, generation: int
    ) -> Campaign:
        """Notes the workflow of a refresh; ConflictError if the campaign is not at it any more."""
        return self._update(
            campaign_id,
            {"topic_arn": topic_arn, "execution_arn": execution_arn, "probe_lost": False},
            condition=_refreshing(generation),
            asked=State.REFRESHING,
        )

    def end_refresh(
        self,
        campaign_id: str,
        target: State,
        *,
        generation: int,
        tally: Tally | None = None,
        reason: str | None = None,
    ) -> Campaign:
        """The campaign in the state that follows; FAILED it may be refreshed again.
        ConflictError if it is not at this refresh any more, NotFoundError."""
        values: dict[str, Any] = {"reason": reason, "refresh_failed": target is State.FAILED}
        if tally is not None:
            values["tally"] = tally_item(tally)
        change = Change(values, state=target, now=self._clock())
        change.names |= {"#generation": "generation", "#deleting": "deleting"}
        at_it = "#set_state = :refreshing AND #generation = :generation"
        return self._change(
            campaign_id,
            change,
            f"{at_it} AND attribute_not_exists(#deleting)",
            {":refreshing": State.REFRESHING, ":generation": generation},
            self._entry(campaign_id, SYSTEM, _ENDS[target], target, reason),
            asked=target,
        )

    def drop_publish(self, campaign_id: str, publish_id: str, reason: str) -> bool:
        """A publish that nobody has sent becomes REFUSED, whatever the campaign is at."""
        return self._change_publish(
            campaign_id,
            publish_id,
            {"state": PublishState.REFUSED, "reason": reason},
            condition=Attr("state").eq(PublishState.REQUESTED),
        )

    def lose_probe(self, campaign_id: str) -> None:
        """Has the next refresh subscribe the probe again."""
        self._update(campaign_id, {"probe_lost": True})


def may_be_refreshed(campaign: Campaign) -> bool:
    """Whether its state allows it."""
    if campaign.state is State.FAILED:
        return campaign.refresh_failed
    return campaign.state in REFRESHABLE


def _refreshing(generation: int) -> ConditionBase:
    return (
        Attr("state").eq(State.REFRESHING)
        & Attr("generation").eq(generation)
        & Attr("deleting").not_exists()
    )
