"""What is said when a campaign's state does not allow what was asked."""

import pytest

from functions.audience.lists import Claim
from functions.campaigns.states import State
from functions.shared.errors import ConflictError
from tests.unit.campaigns.conftest import World


def refused_to_publish(world: World) -> str:
    with pytest.raises(ConflictError) as caught:
        world.campaigns.publish("c1")
    return str(caught.value)


def refused_to_cancel(world: World) -> str:
    with pytest.raises(ConflictError) as caught:
        world.campaigns.cancel("c1")
    return str(caught.value)


def test_who_publishes_too_early_is_told_how_far_the_list_is(world: World) -> None:
    world.listed("c1", subscribed=1200)
    assert refused_to_publish(world) == (
        "The campaign is BUILDING: its list is still being built (1,200 of 1,200 devices); "
        "publish when it is READY: fanfare campaign watch c1"
    )


def test_a_number_that_still_grows_is_said_to(world: World) -> None:
    world.building("c1")
    world.steps.prepare("c1", "execution")
    world.lists.claim("c1", 0, Claim(attempt="a1", chunks=50, matched=5000))
    assert refused_to_publish(world) == (
        "The campaign is BUILDING: its list is still being built "
        "(0 of 5,000 devices found so far); "
        "publish when it is READY: fanfare campaign watch c1"
    )


def test_a_list_that_reaches_nobody_leads_to_the_reasons(world: World) -> None:
    world.ready("c1", subscribed=0)
    assert refused_to_publish(world) == (
        "The campaign is READY. Nobody is subscribed: no device matched, or none could be "
        "subscribed. See who was left out and why: fanfare campaign show c1"
    )


@pytest.mark.parametrize(
    ("states", "text"),
    [
        (
            [State.PUBLISHING],
            "The campaign is PUBLISHING: the message is going out already; "
            "see what becomes of it: fanfare campaign watch c1",
        ),
        (
            [State.PUBLISHING, State.PUBLISHED],
            "The campaign is PUBLISHED: the message went out, and does so once for each time that "
            "its list is made; to send it again, refresh the list first: "
            "fanfare campaign refresh c1",
        ),
        (
            [State.CANCELLED],
            "The campaign is CANCELLED: it was given up; "
            "to send something, create another one: fanfare campaign create",
        ),
        (
            [State.FAILED],
            "The campaign is FAILED: see why: fanfare campaign show c1; "
            "to send something, create another one: fanfare campaign create",
        ),
        (
            [State.REFRESHING],
            "The campaign is REFRESHING: its list is being brought up to date; "
            "publish when it is READY: fanfare campaign watch c1",
        ),
    ],
)
def test_publishing_out_of_turn_is_answered_with_what_to_do(
    world: World, states: list[State], text: str
) -> None:
    world.ready("c1")
    for state in states:
        world.store.change_state("c1", state)
    assert refused_to_publish(world) == text


@pytest.mark.parametrize(
    ("states", "text"),
    [
        (
            [State.PUBLISHING],
            "The campaign is PUBLISHING: the message is going out and cannot be held back; "
            "see what becomes of it: fanfare campaign watch c1",
        ),
        (
            [State.PUBLISHING, State.PUBLISHED],
            "The campaign is PUBLISHED: the message went out and cannot be taken back; "
            "remove what is left of the campaign: fanfare campaign delete c1",
        ),
        (
            [State.FAILED],
            "The campaign is FAILED: nothing goes on for it any more; "
            "remove it: fanfare campaign delete c1",
        ),
    ],
)
def test_cancelling_too_late_is_answered_with_what_to_do(
    world: World, states: list[State], text: str
) -> None:
    world.ready("c1")
    for state in states:
        world.store.change_state("c1", state)
    assert refused_to_cancel(world) == text


def test_deleting_while_it_goes_out_is_answered_with_what_to_do(world: World) -> None:
    world.ready("c1")
    world.store.change_state("c1", State.PUBLISHING)
    with pytest.raises(ConflictError) as caught:
        world.campaigns.delete("c1")
    assert str(caught.value) == (
        "The campaign is PUBLISHING: without its topic, messages that are under way could be "
        "lost; delete it when it is PUBLISHED: fanfare campaign watch c1"
    )


def test_a_change_that_nobody_asked_for_by_hand_just_names_the_states(world: World) -> None:
    world.ready("c1")
    with pytest.raises(ConflictError) as caught:
        world.store.attach("c1", topic_arn="t", execution_arn="e")
    assert str(caught.value) == "The campaign is READY; it cannot become BUILDING from there."
