"""The steps of the workflow that are a refresh's own, each safe to repeat."""

from dataclasses import dataclass
from typing import Any

from functions.audience.records import Tally
from functions.audience.refresh_lists import RefreshLists
from functions.audience.relative import resolve
from functions.campaigns.conflicts import NOBODY
from functions.campaigns.publishing import current_publish
from functions.campaigns.records import Campaign
from functions.campaigns.refresh_store import RefreshStore
from functions.campaigns.states import PublishState, State
from functions.campaigns.topics import Topics
from functions.shared.clock import Clock


@dataclass(frozen=True, kw_only=True)
class RefreshSteps:
    """A refresh's steps over their stores and gateways."""

    store: RefreshStore
    refreshes: RefreshLists
    topics: Topics
    clock: Clock
    probe_queue_arn: str
    scan_segments: int

    def prepare(self, campaign: Campaign, topic_arn: str, execution_arn: str) -> dict[str, Any]:
        """Opens the list for the sweep; what the workflow is to do. Calls SNS only if the topic has
        lost its probe. ConflictError or NotFoundError if the refresh was given up meanwhile."""
        campaign_id, generation = campaign.campaign_id, campaign.generation
        if campaign.probe_lost:
            self.topics.subscribe_probe(topic_arn, self.probe_queue_arn)
        self.store.attach_refresh(
            campaign_id, topic_arn=topic_arn, execution_arn=execution_arn, generation=generation
        )
        self.refreshes.reopen(
            campaign_id,
            generation=generation,
            criteria=resolve(campaign.criteria, now=self.clock()),
        )
        segments = [
            {
                "campaign_id": campaign_id,
                "generation": generation,
                "segment": segment,
                "segments_total": self.scan_segments,
            }
            for segment in range(self.scan_segments)
        ]
        return {
            "active": True,
            "refresh": True,
            "generation": generation,
            "segments": segments,
            "segments_total": self.scan_segments,
        }

    def begin_listing(self, campaign_id: str, generation: int, segments_total: int) -> None:
        """After the sweep: the devices are listed next."""
        self.refreshes.begin_listing(
            campaign_id, generation=generation, segments_total=segments_total
        )

    def finish(self, campaign: Campaign, tally: Tally) -> None:
        """READY again; or PUBLISHING, if that was asked for and there is somebody to reach.
        ConflictError or NotFoundError if the refresh was given up meanwhile."""
        target, reason = State.READY, None
        publish = current_publish(campaign)
        if publish is not None and publish.state is PublishState.REQUESTED:
            target = State.PUBLISHING
            if not tally.subscribed:
                target, reason = State.READY, NOBODY
                self.store.drop_publish(campaign.campaign_id, publish.publish_id, NOBODY)
        self.store.end_refresh(
            campaign.campaign_id,
            target,
            generation=campaign.generation,
            tally=tally,
            reason=reason,
        )

    def fail(self, campaign: Campaign, reason: str) -> None:
        """FAILED, from where it can be refreshed again; a publish that waited is not sent."""
        self.store.end_refresh(
            campaign.campaign_id, State.FAILED, generation=campaign.generation, reason=reason
        )
        drop_waiting_publish(campaign, "The list could not be refreshed.", store=self.store)


def drop_waiting_publish(campaign: Campaign, reason: str, *, store: RefreshStore) -> None:
    """Gives up a publish that waits for a refresh which will not be finished."""
    publish = current_publish(campaign)
    if publish is not None and publish.state is PublishState.REQUESTED:
        store.drop_publish(campaign.campaign_id, publish.publish_id, reason)
