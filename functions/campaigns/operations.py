"""What the campaign API does: create, look, publish, cancel, delete."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from functions.audience.criteria import Criteria, parse
from functions.audience.lists import ListStore
from functions.audience.records import ListProgress
from functions.campaigns.conflicts import StateConflictError
from functions.campaigns.executions import Executions
from functions.campaigns.history import SYSTEM, Actor
from functions.campaigns.history_schema import HistoryPage, entry_view
from functions.campaigns.paging import (
    decode_next,
    decode_next_entry,
    encode_next,
    encode_next_entry,
)
from functions.campaigns.payloads import render
from functions.campaigns.probe import SPECIMEN
from functions.campaigns.publish_time import parse_publish_at
from functions.campaigns.publishing import refresh, request_publish
from functions.campaigns.records import Campaign
from functions.campaigns.refresh_steps import drop_waiting_publish
from functions.campaigns.refresh_store import RefreshStore
from functions.campaigns.schedule import Schedules
from functions.campaigns.schema import (
    CampaignPage,
    CampaignRequest,
    CampaignView,
    ScheduleRequest,
    campaign_summary,
    campaign_view,
)
from functions.campaigns.states import SCHEDULABLE, State
from functions.shared.clock import Clock
from functions.shared.errors import IdempotencyMismatchError, NotFoundError
from functions.shared.task_tokens import Wake

KEY_NAMESPACE = uuid.UUID("5f0f6c1e-2d0b-4a43-9a5e-6d6c1b1c0a01")


def check(request: CampaignRequest) -> Criteria:
    """The request's criteria; InvalidInputError if these are wrong or a push service would not take
    the message."""
    criteria = parse(request.criteria)
    render(request.message, probe=SPECIMEN)
    return criteria


@dataclass(frozen=True, kw_only=True)
class Campaigns:
    """The operations over their stores and gateways."""

    store: RefreshStore
    lists: ListStore
    executions: Executions
    schedules: Schedules
    wake: Wake
    clock: Clock
    gate_days: int

    def create(
        self, request: CampaignRequest, *, key: str | None = None, by: Actor = SYSTEM
    ) -> CampaignView:
        """The new campaign, BUILDING; InvalidInputError for whatever could not be sent later.

        An idempotency key names one campaign for as long as that exists: the id comes from it, so
        that even a request that died half-way is not made twice.
        """
        now = self.clock()
        criteria = check(request)
        campaign_id = uuid.uuid4().hex if key is None else uuid.uuid5(KEY_NAMESPACE, key).hex
        campaign = Campaign(
            campaign_id=campaign_id,
            name=request.name,
            state=State.BUILDING,
            criteria=criteria,
            message=request.message,
            created_at=now,
            times={State.BUILDING: now},
            refresh=request.refresh,
            publish_at=self._publish_at(request.publish_at, request.time_zone),
            if_late=request.if_late,
        )
        if self.store.create(campaign, by=by):
            return campaign_view(campaign, None, now=now)
        existing = self.store.get(campaign_id)
        if _asked(existing) != _asked(campaign):
            raise IdempotencyMismatchError("The Idempotency-Key made another campaign before.")
        return self._view(existing)

    def show(self, campaign_id: str) -> CampaignView:
        """The campaign as it is now; NotFoundError."""
        return self._view(self.store.get(campaign_id))

    def page(self, *, limit: int, token: str | None) -> CampaignPage:
        """A page of campaigns, newest first."""
        found, start = self.store.page(limit=limit, after=decode_next(token))
        progress = self.lists.progress([campaign.campaign_id for campaign in found])
        now = self.clock()
        views = [
            campaign_summary(campaign, progress.get(campaign.campaign_id), now=now)
            for campaign in found
        ]
        return CampaignPage(campaigns=views, next=encode_next(start))

    def history(self, campaign_id: str, *, limit: int, token: str | None) -> HistoryPage:
        """A page of what happened to the campaign, newest first; NotFoundError."""
        self.store.get(campaign_id)
        found, start = self.store.history(campaign_id, limit=limit, after=decode_next_entry(token))
        return HistoryPage(
            entries=[entry_view(entry) for entry in found], next=encode_next_entry(start)
        )

    def publish(
        self, campaign_id: str, *, by: Actor = SYSTEM, key: str | None = None
    ) -> CampaignView:
        """The campaign, PUBLISHING, or REFRESHING if it does that before; ConflictError if it is
        not READY, NotFoundError.

        An idempotency key names one publish: the campaign as it is now if that was asked for.
        """
        named = None if key is None else uuid.uuid5(KEY_NAMESPACE, f"{campaign_id} {key}").hex
        try:
            campaign = request_publish(
                campaign_id, store=self.store, wake=self.wake, by=by, publish_id=named
            )
            return self._view(campaign)
        except StateConflictError as error:
            # Whoever waits for the list wants to know how long.
            progress = self._progress(campaign_id)
            raise StateConflictError(error.campaign, error.asked, progress=progress) from error

    def refresh(self, campaign_id: str, *, by: Actor = SYSTEM) -> CampaignView:
        """The campaign, REFRESHING; ConflictError if its state does not allow it, NotFoundError."""
        campaign = self.store.get(campaign_id)
        return self._view(refresh(campaign, store=self.store, wake=self.wake, by=by))

    def cancel(self, campaign_id: str, *, by: Actor = SYSTEM) -> CampaignView:
        """The campaign, CANCELLED, with nothing going on for it; ConflictError, NotFoundError."""
        campaign = self.store.get(campaign_id)
        if campaign.state is not State.CANCELLED:
            campaign = self.store.change_state(
                campaign_id, State.CANCELLED, reason="cancelled", by=by
            )
        drop_waiting_publish(campaign, "cancelled", store=self.store)
        self.lists.close(campaign_id)
        if campaign.execution_arn is not None:
            self.executions.stop(campaign.execution_arn, "cancelled")
        for at in campaign.schedule_times:
            self.schedules.remove(campaign_id, at)
        return self.show(campaign_id)

    def reschedule(
        self, campaign_id: str, request: ScheduleRequest, *, by: Actor = SYSTEM
    ) -> CampaignView:
        """The campaign with its time moved or removed; ConflictError once a publish is asked for,
        NotFoundError, InvalidInputError.

        The new schedule is made first: whoever dies after that leaves one too many, which finds
        out from the record that nothing is due, and never one too few. For the same reason the old
        one stays: two who move a time to and fro at once could remove the one that counts.
        """
        campaign = self.store.get(campaign_id)
        at = campaign.publish_at
        if request.names_a_time:
            at = self._publish_at(request.publish_at, request.time_zone)
        if at is not None and request.names_a_time and campaign.state in SCHEDULABLE:
            self.schedules.set(campaign_id, at)
        changed = self.store.reschedule(
            campaign_id,
            publish_at=at,
            if_late=request.if_late or campaign.if_late,
            former=campaign.schedule_times,
            by=by,
        )
        return self._view(changed)

    def _publish_at(self, text: str | None, time_zone: str | None) -> datetime | None:
        at_most = timedelta(days=self.gate_days)
        return parse_publish_at(text, time_zone, now=self.clock(), at_most=at_most)

    def delete(self, campaign_id: str, *, by: Actor = SYSTEM) -> CampaignView:
        """The campaign as it was; from now on it is hidden, and its parts are being removed.
        Asked again before they are, they are removed again. ConflictError while it is PUBLISHING,
        NotFoundError."""
        campaign = self.store.find(campaign_id)
        if campaign is None:
            raise NotFoundError(f"There is no campaign {campaign_id}.")
        view = self._view(campaign)
        self.store.mark_deleting(campaign_id, by=by)
        return view

    def _view(self, campaign: Campaign) -> CampaignView:
        return campaign_view(campaign, self._progress(campaign.campaign_id), now=self.clock())

    def _progress(self, campaign_id: str) -> ListProgress | None:
        return self.lists.progress([campaign_id]).get(campaign_id)


def _asked(campaign: Campaign) -> tuple[object, ...]:
    return (
        campaign.name,
        campaign.criteria,
        campaign.message,
        campaign.publish_at,
        campaign.refresh,
        campaign.if_late,
    )
