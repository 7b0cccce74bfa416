"""What the campaign's state does not allow, said with what to do instead."""

from functions.audience.records import ListProgress
from functions.campaigns.records import Campaign
from functions.campaigns.states import State
from functions.shared.errors import ConflictError

NOBODY = "Nobody is subscribed: no device matched, or none could be subscribed."

_ANOTHER = "to send something, create another one: fanfare campaign create"
_PUBLISH: dict[State, str] = {
    State.BUILDING: "its list is still being built{so_far}; "
    "publish when it is READY: fanfare campaign watch {id}",
    State.REFRESHING: "its list is being brought up to date; "
    "publish when it is READY: fanfare campaign watch {id}",
    State.PUBLISHING: "the message is going out already; "
    "see what becomes of it: fanfare campaign watch {id}",
    State.PUBLISHED: "the message went out, and does so once for each time that its list is made; "
    "to send it again, refresh the list first: fanfare campaign refresh {id}",
    State.CANCELLED: f"it was given up; {_ANOTHER}",
    State.FAILED: "see why: fanfare campaign show {id}; " + _ANOTHER,
}
_CANCEL: dict[State, str] = {
    State.PUBLISHING: "the message is going out and cannot be held back; "
    "see what becomes of it: fanfare campaign watch {id}",
    State.PUBLISHED: "the message went out and cannot be taken back; "
    "remove what is left of the campaign: fanfare campaign delete {id}",
    State.FAILED: "nothing goes on for it any more; remove it: fanfare campaign delete {id}",
}
_REFRESH: dict[State, str] = {
    State.BUILDING: "its list is still being built{so_far}; "
    "refresh it when it is READY: fanfare campaign watch {id}",
    State.REFRESHING: "its list is being brought up to date already: fanfare campaign watch {id}",
    State.PUBLISHING: "the message is going out; "
    "refresh the list when it is PUBLISHED: fanfare campaign watch {id}",
    State.CANCELLED: f"it was given up; {_ANOTHER}",
    State.FAILED: "see why: fanfare campaign show {id}; " + _ANOTHER,
}
_DELETE: dict[State, str] = {
    State.PUBLISHING: "without its topic, messages that are under way could be lost; "
    "delete it when it is PUBLISHED: fanfare campaign watch {id}",
}
# By the state that was asked for; a deletion asks for none.
_ADVICE: dict[State | None, dict[State, str]] = {
    State.PUBLISHING: _PUBLISH,
    State.CANCELLED: _CANCEL,
    State.REFRESHING: _REFRESH,
    None: _DELETE,
}


class StateConflictError(ConflictError):
    """The campaign's state does not allow what was asked."""

    def __init__(
        self, campaign: Campaign, asked: State | None, *, progress: ListProgress | None = None
    ) -> None:
        super().__init__(_text(campaign, asked, progress))
        self.campaign = campaign
        self.asked = asked


class NotSchedulableError(ConflictError):
    """The time of a campaign cannot be changed any more."""

    def __init__(self, campaign: Campaign) -> None:
        super().__init__(
            f"The campaign is {campaign.state}: its time can be moved or removed until a publish "
            "is asked for, and once it is REFRESHING or READY again."
        )


class NobodyError(ConflictError):
    """The campaign reaches no device."""

    def __init__(self, campaign: Campaign) -> None:
        see = f"See who was left out and why: fanfare campaign show {campaign.campaign_id}"
        super().__init__(f"The campaign is {campaign.state}. {NOBODY} {see}")


def _text(campaign: Campaign, asked: State | None, progress: ListProgress | None) -> str:
    advice = _ADVICE.get(asked, {}).get(campaign.state)
    if advice is None:
        cannot = f"; it cannot become {asked} from there" if asked else ""
        return f"The campaign is {campaign.state}{cannot}."
    said = advice.format(id=campaign.campaign_id, so_far=_so_far(progress))
    return f"The campaign is {campaign.state}: {said}"


def _so_far(progress: ListProgress | None) -> str:
    if progress is None or not progress.matched:
        return ""
    known = progress.segments_listed == progress.segments_total
    found = "" if known else " found so far"
    return f" ({progress.processed:,} of {progress.matched:,} devices{found})"
