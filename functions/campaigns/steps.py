"""The steps of the campaign workflow, each safe to repeat."""

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from functions.audience.lists import ListStore
from functions.audience.relative import resolve
from functions.campaigns.publishing import (
    Outcome,
    current_publish,
    publish_when_due,
    settle,
)
from functions.campaigns.records import Campaign
from functions.campaigns.refresh_steps import RefreshSteps
from functions.campaigns.refresh_store import RefreshStore
from functions.campaigns.schedule import Schedules
from functions.campaigns.states import PublishState, State
from functions.campaigns.topics import Topics
from functions.shared.clock import Clock, to_wire
from functions.shared.errors import ConflictError, FanfareError, NotFoundError
from functions.shared.observability import LIST_BUILD_SECONDS, logger, metrics
from functions.shared.task_tokens import Wake

REASON_MAX_CHARACTERS = 500
LATE_AFTER = timedelta(hours=1)


class ListDoesNotAddUpError(FanfareError):
    """The members are not those that there should be."""


@dataclass(frozen=True, kw_only=True)
class Steps:
    """The workflow's steps over their stores and gateways."""

    store: RefreshStore
    lists: ListStore
    refreshing: RefreshSteps
    topics: Topics
    schedules: Schedules
    wake: Wake
    clock: Clock
    topic_name_prefix: str
    probe_queue_arn: str
    scan_segments: int

    def prepare(self, campaign_id: str, execution_arn: str, generation: int = 1) -> dict[str, Any]:
        """Makes the topic and opens the list; the segments to be listed, none if it is over."""
        campaign = self.store.find(campaign_id)
        if campaign is None or campaign.deleting:
            return self._leave_nothing(campaign_id)
        if campaign.generation != generation:
            return _inactive()
        if campaign.state is State.REFRESHING:
            return self._prepare_refresh(campaign, execution_arn)
        return self._prepare_build(campaign, execution_arn)

    def _prepare_build(self, campaign: Campaign, execution_arn: str) -> dict[str, Any]:
        if campaign.state is not State.BUILDING:
            return _inactive()
        campaign_id = campaign.campaign_id
        topic_arn = self.topics.create(self._topic_name(campaign_id))
        self.topics.subscribe_probe(topic_arn, self.probe_queue_arn)
        self.lists.open(
            campaign_id,
            # As they stand now, for all segments and all tries; the campaign keeps what was asked.
            criteria=resolve(campaign.criteria, now=self.clock()),
            topic_arn=topic_arn,
            segments_total=self.scan_segments,
        )
        try:
            self.store.attach(campaign_id, topic_arn=topic_arn, execution_arn=execution_arn)
        except ConflictError:
            return _inactive()
        except NotFoundError:
            return self._leave_nothing(campaign_id)
        # The list's own number: a deployment between two tries of this step may have changed ours.
        segments_total = self.lists.progress([campaign_id])[campaign_id].segments_total
        segments = [
            {"campaign_id": campaign_id, "segment": segment, "segments_total": segments_total}
            for segment in range(segments_total)
        ]
        return {"active": True, "refresh": False, "segments": segments}

    def _prepare_refresh(self, campaign: Campaign, execution_arn: str) -> dict[str, Any]:
        topic_arn = campaign.topic_arn
        if topic_arn is None:  # an older version may not have noted it
            topic_arn = self.topics.create(self._topic_name(campaign.campaign_id))
        try:
            return self.refreshing.prepare(campaign, topic_arn, execution_arn)
        except (ConflictError, NotFoundError):
            return _inactive()

    def await_list(self, campaign_id: str, task_token: str) -> None:
        """Stores who waits for the list; wakes it at once if the list is complete already."""
        progress = self.lists.store_waiter(campaign_id, task_token)
        if progress is None or progress.complete:
            self.wake(task_token)

    def mark_ready(self, campaign_id: str, generation: int = 1) -> None:
        """Counts the members and turns BUILDING or REFRESHING into what follows."""
        campaign = self.store.find(campaign_id)
        progress = self.lists.progress([campaign_id]).get(campaign_id)
        if campaign is None or progress is None or campaign.generation != generation:
            return
        if campaign.state not in (State.BUILDING, State.REFRESHING):
            return
        tally = self.lists.tally(campaign_id)
        if not progress.complete or tally.total != progress.expected:
            raise ListDoesNotAddUpError(
                f"{progress.expected} devices matched, but the list has {tally.total} members; "
                f"{progress.chunks_done} of {progress.chunks_total} chunks are done"
            )
        self.lists.close(campaign_id, adds_up=True)
        try:
            if campaign.state is State.REFRESHING:
                self.refreshing.finish(campaign, tally)
                return
            ready = self.store.change_state(campaign_id, State.READY, tally=tally)
        except (ConflictError, NotFoundError):
            return
        seconds = (ready.times[State.READY] - ready.times[State.BUILDING]).total_seconds()
        metrics.add_metric(name=LIST_BUILD_SECONDS, unit=MetricUnit.Seconds, value=seconds)

    def await_gate(self, campaign_id: str, task_token: str, generation: int = 1) -> None:
        """Stores who waits for the gate; opens it at once if there is nothing to wait for."""
        try:
            campaign = self.store.store_gate_token(campaign_id, task_token, generation)
        except (ConflictError, NotFoundError):
            self.wake(task_token)
            return
        if campaign.state is not State.READY:
            self.wake(task_token)
        elif campaign.due_at is not None:
            self._wait_for(campaign, campaign.due_at)

    def _wait_for(self, campaign: Campaign, due_at: datetime) -> None:
        now = self.clock()
        if due_at > now:
            self.schedules.set(campaign.campaign_id, due_at)
            return
        try:
            publish_when_due(campaign, store=self.store, wake=self.wake, now=now)
        except (ConflictError, NotFoundError) as error:
            # Whoever moved the time has made the schedule for it; whoever published opens the gate.
            logger.info("not due any more", extra={"detail": str(error)})

    def expire(self, campaign_id: str, generation: int = 1) -> None:
        """Cancels a campaign that nobody published in time.

        A publish whose wake-up was lost long ago is not sent now, when nobody expects it any more.
        """
        if not self._is_at(campaign_id, generation):
            return
        try:
            self._refuse_late_publish(campaign_id)
            self.store.change_state(
                campaign_id, State.CANCELLED, reason="Nobody published it in time."
            )
        except (ConflictError, NotFoundError) as error:
            logger.info("nothing to expire", extra={"detail": str(error)})

    def _refuse_late_publish(self, campaign_id: str) -> None:
        campaign = self.store.find(campaign_id)
        publish = None if campaign is None else current_publish(campaign)
        if publish is None or publish.state is not PublishState.REQUESTED:
            return
        if self.clock() - publish.requested_at > LATE_AFTER:
            reason = f"Asked for at {to_wire(publish.requested_at)}, it was never sent."
            self.store.refuse_publish(
                campaign_id, publish.publish_id, reason, while_=PublishState.REQUESTED
            )

    def await_receipt(self, campaign_id: str, task_token: str, generation: int = 1) -> None:
        """Stores who waits for the receipt; wakes it at once if it has come already."""
        try:
            campaign = self.store.store_receipt_token(campaign_id, task_token, generation)
        except (ConflictError, NotFoundError):
            self.wake(task_token)
            return
        publish = current_publish(campaign)
        if publish is None or publish.state is PublishState.RECEIVED:
            self.wake(task_token)

    def settle(self, campaign_id: str, generation: int = 1) -> dict[str, str]:
        """Decides what became of the publish; REFUSED leads back to the gate."""
        if not self._is_at(campaign_id, generation):
            return {"outcome": Outcome.SUPERSEDED}
        outcome = settle(campaign_id, store=self.store)
        return {"outcome": outcome}

    def fail(self, campaign_id: str, error: dict[str, Any], generation: int = 1) -> None:
        """Leaves the campaign FAILED with the reason, unless it is over already."""
        campaign = self.store.find(campaign_id)
        if campaign is not None and campaign.generation != generation:
            return
        self.lists.close(campaign_id)
        try:
            if campaign is not None and campaign.state is State.REFRESHING:
                self.refreshing.fail(campaign, _reason(error))
                return
            self.store.change_state(campaign_id, State.FAILED, reason=_reason(error))
        except (ConflictError, NotFoundError) as over:
            logger.info("nothing to fail", extra={"detail": str(over)})

    def _is_at(self, campaign_id: str, generation: int) -> bool:
        """False if a refresh has another workflow see to the campaign by now."""
        campaign = self.store.find(campaign_id)
        return campaign is None or campaign.generation == generation

    def _topic_name(self, campaign_id: str) -> str:
        return self.topic_name_prefix + campaign_id

    def _leave_nothing(self, campaign_id: str) -> dict[str, Any]:
        """A deleted campaign keeps no topic and no list, even if they were just made for it."""
        self.topics.delete(self.topics.create(self._topic_name(campaign_id)))
        self.lists.delete_all(campaign_id)
        return _inactive()


def _inactive() -> dict[str, Any]:
    return {"active": False, "refresh": False, "segments": []}


def _reason(error: dict[str, Any]) -> str:
    """What Step Functions caught, readable: the error's name and the message of its cause."""
    cause = str(error.get("Cause", ""))
    with suppress(ValueError, KeyError, TypeError):  # not every cause is a function's
        cause = str(json.loads(cause)["errorMessage"])
    return f"{error.get('Error', 'unknown')}: {cause}"[:REASON_MAX_CHARACTERS]
