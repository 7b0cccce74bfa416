"""The states of a campaign and the changes that are allowed: the one model of its life."""

from enum import StrEnum


class State(StrEnum):
    """Where a campaign is."""

    BUILDING = "BUILDING"  # its list is being built
    READY = "READY"  # the list is complete; waits for publish or for publish_at
    PUBLISHING = "PUBLISHING"  # a publish is asked for; not yet proved by a receipt
    PUBLISHED = "PUBLISHED"  # the probe heard the message on the campaign's own topic
    REFRESHING = "REFRESHING"  # the list is being brought in line with the audience of now
    CANCELLED = "CANCELLED"  # given up on purpose, or nobody asked for it in time
    FAILED = "FAILED"  # something went wrong; the reason says what


ALLOWED: dict[State, frozenset[State]] = {
    State.BUILDING: frozenset({State.READY, State.CANCELLED, State.FAILED}),
    State.READY: frozenset({State.PUBLISHING, State.CANCELLED, State.FAILED, State.REFRESHING}),
    # Back to READY when SNS is known not to have accepted the message.
    State.PUBLISHING: frozenset({State.PUBLISHED, State.READY, State.FAILED}),
    State.PUBLISHED: frozenset({State.REFRESHING}),
    # PUBLISHING if the publish was asked for before the refresh: refresh "before_publish".
    State.REFRESHING: frozenset(
        {State.READY, State.PUBLISHING, State.CANCELLED, State.FAILED},
    ),
    State.CANCELLED: frozenset(),
    # PUBLISHED only by a receipt that came after the wait for it was over: the message did go out.
    # REFRESHING only if it was a refresh that failed: the list is between two audiences then, and a
    # refresh is what mends it. Back to READY or PUBLISHED would claim that it is one of the two.
    State.FAILED: frozenset({State.PUBLISHED, State.REFRESHING}),
}


# Where a time to publish at can be set, moved or removed: no publish is asked for.
SCHEDULABLE = (State.BUILDING, State.READY, State.REFRESHING)


def allowed_from(target: State) -> frozenset[State]:
    """The states from which a campaign may change into the target."""
    return frozenset(state for state, after in ALLOWED.items() if target in after)


class PublishState(StrEnum):
    """How far one publish request is."""

    REQUESTED = "REQUESTED"  # asked for; SNS has not been called
    SENDING = "SENDING"  # SNS is about to be called, or was called and the answer is not known
    SENT = "SENT"  # SNS accepted the message and gave it an id
    REFUSED = "REFUSED"  # SNS is known not to have accepted it
    RECEIVED = "RECEIVED"  # the probe heard it
