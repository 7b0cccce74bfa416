"""Publishing once: who may ask for it, who may call SNS, and what is known afterwards."""

import time
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum

from functions.campaigns.conflicts import NOBODY, NobodyError
from functions.campaigns.history import SYSTEM, Actor
from functions.campaigns.lateness import in_words, late_by
from functions.campaigns.message import Message
from functions.campaigns.publish_call import Accepted, NotAccepted, PublishAnswer, Unknown
from functions.campaigns.records import Campaign, IfLate, Publish, Refresh
from functions.campaigns.refresh_store import RefreshStore
from functions.campaigns.states import PublishState, State
from functions.campaigns.store import CampaignStore
from functions.shared.errors import ConflictError
from functions.shared.task_tokens import Wake

Send = Callable[[str, Message, str], PublishAnswer]

# Between one attempt and the next. With the time that calls may take (clients.py) it all fits into
# the publisher's timeout: 4 x 3 s to connect, 10 s to answer, 7.5 s of pauses.
PAUSES_SECONDS = (0.5, 1.0, 2.0, 4.0)


class Outcome(StrEnum):
    """Where the workflow goes after the publisher."""

    SENT = "SENT"  # SNS accepted it: wait for the receipt
    UNKNOWN = "UNKNOWN"  # wait for the receipt, which settles it
    REFUSED = "REFUSED"  # SNS did not accept it: the campaign is READY again
    SUPERSEDED = "SUPERSEDED"  # there is nothing to publish


def request_publish(
    campaign_id: str,
    *,
    store: RefreshStore,
    wake: Wake,
    by: Actor = SYSTEM,
    publish_id: str | None = None,
) -> Campaign:
    """The campaign, PUBLISHING, or REFRESHING if its list is refreshed before each publish;
    ConflictError if it is not READY or reaches nobody.

    Of several requests at once one wins. The workflow is woken after the request is stored; should
    that wake-up be lost, the next request repeats it. A publish that was asked for under the same
    id before is not asked for again: the campaign as it is now.
    """
    campaign = store.get(campaign_id)
    if publish_id is not None and _has(campaign, publish_id):
        _wake_if_publishing(campaign, wake)
        return campaign
    first = _refreshes_first(campaign)
    if not first:
        _refuse_nobody(campaign)
    try:
        new_id = publish_id or uuid.uuid4().hex
        if first:
            campaign = store.begin_refresh(campaign, publish_id=new_id, by=by)
        else:
            campaign = store.request_publish(campaign_id, new_id, by=by)
    except ConflictError:
        campaign = store.get(campaign_id)
        _wake_if_publishing(campaign, wake)
        if publish_id is not None and _has(campaign, publish_id):
            return campaign  # the same request, at the same time
        raise
    _open_gate(campaign, wake)
    return campaign


def refresh(campaign: Campaign, *, store: RefreshStore, wake: Wake, by: Actor = SYSTEM) -> Campaign:
    """The campaign, REFRESHING; ConflictError if its state does not allow it.

    The workflow at the gate is woken, and ends; another one, started by the stream, takes over.
    """
    refreshed = store.begin_refresh(campaign, by=by)
    _open_gate(campaign, wake)
    return refreshed


def publish_when_due(campaign: Campaign, *, store: RefreshStore, wake: Wake, now: datetime) -> None:
    """Publishes a READY campaign whose time has come; CANCELLED with nobody to reach, or if it is
    late and was not to be sent then. ConflictError if its time is moved at this moment."""
    if campaign.state is State.PUBLISHING:
        _open_gate(campaign, wake)  # an earlier call may have died before it did
    if campaign.state is not State.READY or campaign.due_at is None:
        return
    late = late_by(campaign, now=now)
    reason = _why_not(campaign, late)
    if reason is not None:
        store.change_state(
            campaign.campaign_id, State.CANCELLED, reason=reason, due_at=campaign.due_at
        )
        _open_gate(campaign, wake)
        return
    new_id, due_at = uuid.uuid4().hex, campaign.due_at
    if _refreshes_first(campaign):
        store.begin_refresh(campaign, publish_id=new_id, due_at=due_at, late_by=late)
    else:
        store.request_publish(campaign.campaign_id, new_id, due_at=due_at, late_by=late)
    _open_gate(campaign, wake)


def _why_not(campaign: Campaign, late: timedelta | None) -> str | None:
    nobody = campaign.tally is None or not campaign.tally.subscribed
    if nobody and not _refreshes_first(campaign):
        return NOBODY
    if late is not None and campaign.if_late is IfLate.SKIP:
        return f"Its list was READY too late: {in_words(late)} after its publish_at."
    return None


def _refreshes_first(campaign: Campaign) -> bool:
    return campaign.state is State.READY and campaign.refresh is Refresh.BEFORE_PUBLISH


def _refuse_nobody(campaign: Campaign) -> None:
    if campaign.state is State.READY and (campaign.tally is None or not campaign.tally.subscribed):
        raise NobodyError(campaign)


def _has(campaign: Campaign, publish_id: str) -> bool:
    return any(publish.publish_id == publish_id for publish in campaign.publishes)


def _wake_if_publishing(campaign: Campaign, wake: Wake) -> None:
    if campaign.state is State.PUBLISHING:
        _open_gate(campaign, wake)


def current_publish(campaign: Campaign) -> Publish | None:
    """The publish that the campaign is at."""
    for publish in campaign.publishes:
        if publish.publish_id == campaign.publish_id:
            return publish
    return None


def send_once(
    campaign_id: str,
    *,
    store: CampaignStore,
    send: Send,
    generation: int = 1,
    sleep: Callable[[float], None] = time.sleep,
) -> Outcome:
    """Calls SNS for the campaign's requested publish, unless anybody may have done so before, or
    it is for the workflow of another generation to do."""
    campaign = store.find(campaign_id)
    publish = None if campaign is None else current_publish(campaign)
    if campaign is None or publish is None or campaign.topic_arn is None:
        return Outcome.SUPERSEDED
    if campaign.state is not State.PUBLISHING or campaign.generation != generation:
        return Outcome.SUPERSEDED
    if not store.begin_sending(campaign_id, publish.publish_id):
        return Outcome.UNKNOWN
    match _send(campaign.topic_arn, campaign.message, publish.publish_id, send, sleep):
        case Accepted(message_id=message_id):
            store.note_sent(campaign_id, publish.publish_id, message_id)
            return Outcome.SENT
        case NotAccepted(code=code):
            reason = f"SNS did not accept it: {code}"
            refused = store.refuse_publish(
                campaign_id, publish.publish_id, reason, while_=PublishState.SENDING
            )
            return Outcome.REFUSED if refused else Outcome.UNKNOWN
        case Unknown():
            return Outcome.UNKNOWN


def settle(campaign_id: str, *, store: CampaignStore) -> Outcome:
    """Decides what is known when the wait for the receipt is over, with a receipt or without.

    ConflictError if the publish moves on at this moment: the step is to be repeated.
    """
    campaign = store.find(campaign_id)
    publish = None if campaign is None else current_publish(campaign)
    if campaign is None or publish is None or campaign.state is not State.PUBLISHING:
        return Outcome.SUPERSEDED
    match publish.state:
        case PublishState.RECEIVED:
            _published(campaign_id, store)
        case PublishState.SENT:
            reason = f"SNS accepted it as message {publish.message_id}; no receipt came in time."
            store.change_state(campaign_id, State.PUBLISHED, reason=reason)
        case PublishState.SENDING:
            reason = "It is not known whether SNS accepted the message; no receipt came in time."
            store.change_state(campaign_id, State.FAILED, reason=reason)
        case PublishState.REQUESTED | PublishState.REFUSED:
            if not store.refuse_publish(
                campaign_id,
                publish.publish_id,
                "SNS was never called.",
                while_=PublishState.REQUESTED,
            ):
                raise ConflictError("The publish moved on meanwhile; look again.")
            return Outcome.REFUSED
    return Outcome.SENT


def note_receipt(
    campaign_id: str, publish_id: str, message_id: str, *, store: CampaignStore, wake: Wake
) -> float | None:
    """Milliseconds from the call to the first receipt, when this one publishes the campaign."""
    publish = store.note_receipt(campaign_id, publish_id, message_id)
    if publish is None:
        return None
    campaign = store.find(campaign_id)
    if campaign is None or campaign.publish_id != publish_id:
        return None
    waited_for = campaign.state in (State.PUBLISHING, State.FAILED) and not campaign.refresh_failed
    published = waited_for and _published(campaign_id, store)
    if campaign.receipt_token is not None:
        wake(campaign.receipt_token)
    if not published or publish.received_at is None or publish.sending_at is None:
        return None
    return (publish.received_at - publish.sending_at).total_seconds() * 1000


def _send(
    topic_arn: str, message: Message, publish_id: str, send: Send, sleep: Callable[[float], None]
) -> PublishAnswer:
    """What SNS answered; only what it is known not to have accepted is sent again."""
    for pause in PAUSES_SECONDS:
        answer = send(topic_arn, message, publish_id)
        if not (isinstance(answer, NotAccepted) and answer.later):
            return answer
        sleep(pause)
    return send(topic_arn, message, publish_id)


def _published(campaign_id: str, store: CampaignStore) -> bool:
    """False if somebody else has just noted it."""
    try:
        store.change_state(campaign_id, State.PUBLISHED)
    except ConflictError:
        return False
    return True


def _open_gate(campaign: Campaign, wake: Wake) -> None:
    """Whoever stores the gate's token looks at the state after that, so no token is no loss."""
    if campaign.gate_token is not None:
        wake(campaign.gate_token)
