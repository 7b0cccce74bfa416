"""The campaign API's bodies: what is accepted, and what is answered."""

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from functions.audience.criteria import to_wire as criteria_to_wire
from functions.audience.records import ListProgress
from functions.campaigns.message import Message
from functions.campaigns.records import Campaign, IfLate, Publish, Refresh
from functions.campaigns.states import PublishState, State
from functions.shared.clock import optional_to_wire, to_wire

NAME_MAX_CHARACTERS = 100
PAGE_MAX = 100
PAGE_DEFAULT = 20


class CampaignRequest(BaseModel):
    """A campaign to be created."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        json_schema_extra={
            "example": {
                "name": "Jazz night",
                "criteria": {"field": "Location.Country", "op": "in", "values": ["TW", "JP"]},
                "message": {"title": "Jazz night", "body": "Tonight at eight."},
                "publish_at": "2026-12-24T18:00:00",
                "time_zone": "Asia/Taipei",
            }
        },
    )

    name: Annotated[
        str, Field(min_length=1, max_length=NAME_MAX_CHARACTERS, description="For people.")
    ]
    criteria: Annotated[dict[str, Any], Field(description="Which devices: see docs/criteria.md.")]
    message: Message
    publish_at: Annotated[
        str | None,
        Field(description="ISO 8601, with an offset or with time_zone. Without it: by hand."),
    ] = None
    time_zone: Annotated[str | None, Field(description="IANA name, for a local publish_at.")] = None
    refresh: Annotated[
        Refresh | None,
        Field(description="before_publish: each publish refreshes the list first."),
    ] = None
    if_late: Annotated[
        IfLate, Field(description="If the list is READY only after publish_at: send, or cancel.")
    ] = IfLate.PUBLISH


class ScheduleRequest(BaseModel):
    """Another time for a campaign, or none: `"publish_at": null`."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    publish_at: Annotated[
        str | None,
        Field(description="ISO 8601, with an offset or with time_zone. null: by hand."),
    ] = None
    time_zone: Annotated[str | None, Field(description="IANA name, for a local publish_at.")] = None
    if_late: Annotated[IfLate | None, Field(description="Left out: as it was.")] = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.names_a_time and self.if_late is None:
            raise ValueError("needs publish_at (a time, or null for none) or if_late")
        return self

    @property
    def names_a_time(self) -> bool:
        """Whether the time is to be another; a time zone alone is refused for want of a time."""
        return bool({"publish_at", "time_zone"} & self.model_fields_set)


class CountsView(BaseModel):
    """How many devices. `subscribed`, `skipped` and `failed` are known from READY on, and are those
    of before while the list is refreshed."""

    matched: int
    processed: int
    subscribed: int | None
    skipped: dict[str, int]
    failed: dict[str, int]
    chunks_done: int
    chunks_total: int
    segments_listed: int
    segments_total: int


class ChangesView(BaseModel):
    """What the last refresh found: members that leave and devices that come. A device that is only
    treated anew does both."""

    found: int
    done: int


class PublishView(BaseModel):
    """One publish request; `receipts` is how many messages of it the probe heard."""

    id: str
    state: PublishState
    requested_at: str
    sent_at: str | None
    received_at: str | None
    message_id: str | None
    receipts: int
    reason: str | None
    late_by_seconds: Annotated[
        int | None, Field(description="How long after publish_at; null if it was in time.")
    ]


class CampaignSummary(BaseModel):
    """A campaign in a list: when it can be sent, how many will get it, when it went out."""

    id: str
    name: str
    state: State
    reason: str | None
    publish_at: str | None
    if_late: IfLate
    topic_arn: str | None
    created_at: str
    counts: CountsView
    refresh: Refresh | None
    generation: Annotated[int, Field(description="1, and one more for each refresh.")]
    changes: ChangesView | None
    rate: Annotated[float | None, Field(description="Devices a second while the list is built.")]
    times: Annotated[dict[State, str], Field(description="When each state was entered last.")]


class CampaignView(CampaignSummary):
    """A campaign with all that it says and whether it went out once."""

    criteria: dict[str, Any]
    message: Message
    publishes: list[PublishView]


class CampaignPage(BaseModel):
    """Campaigns, newest first; `next` asks for the page after this one. One by one they show more:
    a hundred messages and criteria may not fit into an answer."""

    campaigns: list[CampaignSummary]
    next: str | None


def campaign_summary(
    campaign: Campaign, progress: ListProgress | None, *, now: datetime
) -> CampaignSummary:
    """The campaign as a page shows it."""
    return CampaignSummary(
        id=campaign.campaign_id,
        name=campaign.name,
        state=campaign.state,
        reason=campaign.reason,
        publish_at=optional_to_wire(campaign.publish_at),
        if_late=campaign.if_late,
        topic_arn=campaign.topic_arn,
        created_at=to_wire(campaign.created_at),
        counts=_counts(campaign, progress),
        refresh=campaign.refresh,
        generation=campaign.generation,
        changes=_changes(campaign, progress),
        rate=_rate(campaign, progress, now),
        times={state: to_wire(time) for state, time in campaign.times.items()},
    )


def campaign_view(
    campaign: Campaign, progress: ListProgress | None, *, now: datetime
) -> CampaignView:
    """The campaign as the API shows it alone."""
    return CampaignView(
        **dict(campaign_summary(campaign, progress, now=now)),
        criteria=criteria_to_wire(campaign.criteria),
        message=campaign.message,
        publishes=[_publish_view(publish) for publish in campaign.publishes],
    )


def _counts(campaign: Campaign, progress: ListProgress | None) -> CountsView:
    tally = campaign.tally
    return CountsView(
        matched=tally.total if tally else progress.matched if progress else 0,
        processed=tally.total if tally else progress.processed if progress else 0,
        subscribed=tally.subscribed if tally else None,
        skipped=tally.skipped if tally else {},
        failed=tally.failed if tally else {},
        chunks_done=progress.chunks_done if progress else 0,
        chunks_total=progress.chunks_total if progress else 0,
        segments_listed=progress.segments_listed if progress else 0,
        segments_total=progress.segments_total if progress else 0,
    )


def _changes(campaign: Campaign, progress: ListProgress | None) -> ChangesView | None:
    if progress is None or campaign.generation == 1:
        return None
    if progress.generation != campaign.generation:  # asked for, and not begun
        return ChangesView(found=0, done=0)
    return ChangesView(found=progress.matched, done=progress.processed)


def _rate(campaign: Campaign, progress: ListProgress | None, now: datetime) -> float | None:
    if progress is None or not progress.processed or campaign.generation > 1:
        return None
    # Without a READY the list is being built still, or was given up at the time of the last state.
    over = campaign.times.get(State.READY) or (
        now if campaign.state is State.BUILDING else max(campaign.times.values())
    )
    seconds = (over - campaign.times[State.BUILDING]).total_seconds()
    return round(progress.processed / seconds, 1) if seconds > 0 else None


def _publish_view(publish: Publish) -> PublishView:
    return PublishView(
        id=publish.publish_id,
        state=publish.state,
        requested_at=to_wire(publish.requested_at),
        sent_at=optional_to_wire(publish.sent_at),
        received_at=optional_to_wire(publish.received_at),
        message_id=publish.message_id,
        receipts=len(publish.receipts),
        reason=publish.reason,
        late_by_seconds=publish.late_by_seconds,
    )
