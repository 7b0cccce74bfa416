"""One publish request reaches SNS at most once, and its receipt settles what is not known."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from functions.campaigns.message import Message
from functions.campaigns.publish_call import Accepted, NotAccepted, PublishAnswer, Unknown
from functions.campaigns.publishing import (
    Outcome,
    note_receipt,
    request_publish,
    send_once,
    settle,
)
from functions.campaigns.records import Campaign, Publish
from functions.campaigns.states import PublishState, State
from functions.shared.errors import ConflictError
from tests.unit.campaigns.conftest import World


@dataclass
class FakeSend:
    """Answers by script, and keeps what was sent."""

    answers: list[PublishAnswer] = field(default_factory=list)
    sent: list[tuple[str, Message, str]] = field(default_factory=list)

    def __call__(self, topic_arn: str, message: Message, publish_id: str) -> PublishAnswer:
        self.sent.append((topic_arn, message, publish_id))
        return self.answers.pop(0) if self.answers else Accepted(message_id="m1")


def ask(world: World) -> Campaign:
    return request_publish("c1", store=world.store, wake=world.waker)


def send(world: World, sender: FakeSend) -> Outcome:
    return send_once("c1", store=world.store, send=sender, sleep=lambda _seconds: None)


def receive(world: World, message_id: str = "m1") -> float | None:
    campaign = world.store.get("c1")
    assert campaign.publish_id is not None
    return note_receipt("c1", campaign.publish_id, message_id, store=world.store, wake=world.waker)


def only_publish(world: World) -> Publish:
    (publish,) = world.store.get("c1").publishes
    return publish


def test_a_publish_goes_from_request_over_sns_to_the_receipt(world: World) -> None:
    world.ready()
    sender = FakeSend()
    assert ask(world).state is State.PUBLISHING
    assert world.waker.tokens == ["gate"]
    assert only_publish(world).state is PublishState.REQUESTED
    assert send(world, sender) is Outcome.SENT
    assert only_publish(world).state is PublishState.SENT
    world.clock.pass_seconds(0.25)
    assert receive(world) == pytest.approx(250)
    campaign = world.store.get("c1")
    assert campaign.state is State.PUBLISHED
    assert only_publish(world).receipts == {"m1"}
    (sent,) = sender.sent
    assert sent == (
        "arn:aws:sns:us-east-1:123456789012:fanfare-campaign-c1",
        Message(title="Jazz", body="Tonight at eight."),
        only_publish(world).publish_id,
    )


def test_of_two_requests_that_both_saw_ready_one_wins(world: World) -> None:
    world.ready()
    get = world.store.get

    def overtaken(campaign_id: str) -> Campaign:
        seen = get(campaign_id)
        patch.undo()
        ask(world)
        return seen

    patch = pytest.MonkeyPatch()
    patch.setattr(world.store, "get", overtaken)
    with pytest.raises(ConflictError, match="The campaign is PUBLISHING"):
        ask(world)
    assert len(world.store.get("c1").publishes) == 1


@pytest.mark.parametrize("state", [State.CANCELLED, State.FAILED])
def test_a_campaign_that_is_over_is_not_published(world: World, state: State) -> None:
    world.ready()
    world.store.change_state("c1", state)
    with pytest.raises(ConflictError, match=f"The campaign is {state}"):
        ask(world)
    assert world.store.get("c1").publishes == ()


def test_a_building_campaign_is_not_published(world: World) -> None:
    world.building()
    with pytest.raises(ConflictError, match="The campaign is BUILDING"):
        ask(world)


def test_a_campaign_that_reaches_nobody_is_not_published(world: World) -> None:
    world.ready(subscribed=0)
    with pytest.raises(ConflictError, match="Nobody is subscribed"):
        ask(world)
    assert world.store.get("c1").state is State.READY


def test_a_request_whose_wake_up_was_lost_is_woken_by_the_next_one(world: World) -> None:
    world.ready()
    world.store.request_publish("c1", "p1")
    assert world.waker.tokens == []
    with pytest.raises(ConflictError, match="PUBLISHING"):
        ask(world)
    assert world.waker.tokens == ["gate"]


def test_the_publisher_called_again_never_calls_sns_again(world: World) -> None:
    world.ready()
    ask(world)
    sender = FakeSend()
    assert send(world, sender) is Outcome.SENT
    assert send(world, sender) is Outcome.UNKNOWN
    assert len(sender.sent) == 1


def test_a_publisher_that_died_at_the_call_is_not_repeated(world: World) -> None:
    world.ready()
    ask(world)

    def die(*_: object) -> PublishAnswer:
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        send_once("c1", store=world.store, send=die)
    sender = FakeSend()
    assert send(world, sender) is Outcome.UNKNOWN
    assert sender.sent == []


def test_a_lost_answer_is_settled_by_the_receipt(world: World) -> None:
    world.ready()
    ask(world)
    sender = FakeSend([Unknown(code="ReadTimeoutError")])
    assert send(world, sender) is Outcome.UNKNOWN
    assert world.store.get("c1").state is State.PUBLISHING
    receive(world, "m7")
    assert world.store.get("c1").state is State.PUBLISHED
    assert len(sender.sent) == 1


def test_a_lost_answer_without_a_receipt_fails_with_the_reason(world: World) -> None:
    world.ready()
    ask(world)
    send(world, FakeSend([Unknown(code="InternalError")]))
    settle("c1", store=world.store)
    campaign = world.store.get("c1")
    assert campaign.state is State.FAILED
    assert campaign.reason == (
        "It is not known whether SNS accepted the message; no receipt came in time."
    )


def test_a_receipt_that_comes_too_late_still_tells_the_truth(world: World) -> None:
    world.ready()
    ask(world)
    send(world, FakeSend([Unknown(code="InternalError")]))
    settle("c1", store=world.store)
    receive(world)
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.reason) == (State.PUBLISHED, None)


def test_a_refusal_makes_the_campaign_ready_again_and_a_new_request_may_follow(
    world: World,
) -> None:
    world.ready()
    ask(world)
    sender = FakeSend([NotAccepted(code="InvalidParameter", later=False)])
    assert send(world, sender) is Outcome.REFUSED
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.reason) == (
        State.READY,
        "SNS did not accept it: InvalidParameter",
    )
    world.clock.pass_seconds(1)
    ask(world)
    assert send(world, sender) is Outcome.SENT
    assert [publish.state for publish in world.store.get("c1").publishes] == [
        PublishState.REFUSED,
        PublishState.SENT,
    ]


def test_a_throttle_is_known_not_to_be_accepted_and_is_tried_again(world: World) -> None:
    world.ready()
    ask(world)
    throttled = NotAccepted(code="Throttling", later=True)
    sender = FakeSend([throttled, throttled, Accepted(message_id="m1")])
    assert send(world, sender) is Outcome.SENT
    assert len(sender.sent) == 3


def test_throttled_for_good_the_campaign_is_ready_again(world: World) -> None:
    world.ready()
    ask(world)
    sender = FakeSend([NotAccepted(code="Throttling", later=True)] * 9)
    assert send(world, sender) is Outcome.REFUSED
    assert len(sender.sent) == 5
    assert world.store.get("c1").state is State.READY


def test_a_receipt_may_come_before_the_answer(world: World) -> None:
    world.ready()
    ask(world)

    def heard_first(*_: object) -> PublishAnswer:
        receive(world)
        return Accepted(message_id="m1")

    assert send_once("c1", store=world.store, send=heard_first) is Outcome.SENT
    publish = only_publish(world)
    assert (publish.state, publish.message_id) == (PublishState.RECEIVED, "m1")
    assert world.store.get("c1").state is State.PUBLISHED


def test_a_receipt_heard_twice_counts_once_and_another_message_is_seen(world: World) -> None:
    world.ready()
    ask(world)
    send(world, FakeSend())
    receive(world, "m1")
    assert receive(world, "m1") is None
    assert only_publish(world).receipts == {"m1"}
    receive(world, "m2")
    assert only_publish(world).receipts == {"m1", "m2"}


def test_a_receipt_wakes_the_workflow_that_waits_for_it(world: World) -> None:
    world.ready()
    ask(world)
    send(world, FakeSend())
    world.steps.await_receipt("c1", "receipt")
    receive(world)
    assert world.waker.tokens == ["gate", "receipt"]


def test_a_workflow_that_waits_after_the_receipt_is_woken_at_once(world: World) -> None:
    world.ready()
    ask(world)
    send(world, FakeSend())
    receive(world)
    world.steps.await_receipt("c1", "receipt")
    assert world.waker.tokens == ["gate", "receipt"]


def test_an_accepted_message_without_a_receipt_is_published_and_says_so(world: World) -> None:
    world.ready()
    ask(world)
    send(world, FakeSend())
    settle("c1", store=world.store)
    campaign = world.store.get("c1")
    assert campaign.state is State.PUBLISHED
    assert campaign.reason == "SNS accepted it as message m1; no receipt came in time."


def test_a_publisher_that_never_ran_leads_back_to_ready(world: World) -> None:
    world.ready()
    ask(world)
    assert settle("c1", store=world.store) is Outcome.REFUSED
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.reason) == (State.READY, "SNS was never called.")
    assert send(world, FakeSend()) is Outcome.SUPERSEDED


def test_a_publisher_that_died_after_a_refusal_leaves_a_campaign_with_its_reason(
    world: World,
) -> None:
    world.ready()
    ask(world)

    def die(*_: object, **__: object) -> bool:
        raise RuntimeError("killed")

    with pytest.MonkeyPatch.context() as patch, pytest.raises(RuntimeError, match="killed"):
        patch.setattr(world.store, "refuse_publish", die)
        send(world, FakeSend([NotAccepted(code="InvalidParameter", later=False)]))
    assert settle("c1", store=world.store) is Outcome.SENT
    campaign = world.store.get("c1")
    assert campaign.state is State.FAILED
    assert campaign.reason == (
        "It is not known whether SNS accepted the message; no receipt came in time."
    )


def test_a_receipt_function_that_died_before_the_state_is_made_good_by_settling(
    world: World,
) -> None:
    world.ready()
    campaign = ask(world)
    send(world, FakeSend())
    assert campaign.publish_id is not None
    world.store.note_receipt("c1", campaign.publish_id, "m1")
    settle("c1", store=world.store)
    assert world.store.get("c1").state is State.PUBLISHED
    assert receive(world) is None


def test_a_write_that_the_sdk_repeats_still_lets_its_caller_send(world: World) -> None:
    world.ready()
    campaign = ask(world)
    assert campaign.publish_id is not None
    change = world.store._change_publish

    def answer_lost(*arguments: Any, **more: Any) -> bool:
        change(*arguments, **more)
        return change(*arguments, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world.store, "_change_publish", answer_lost)
        assert world.store.begin_sending("c1", campaign.publish_id)
    assert not world.store.begin_sending("c1", campaign.publish_id)


def test_settling_does_not_refuse_what_is_being_sent_at_this_moment(world: World) -> None:
    world.ready()
    campaign = ask(world)
    find = world.store.find

    def overtaken(campaign_id: str) -> Campaign | None:
        seen = find(campaign_id)
        patch.undo()
        assert campaign.publish_id is not None
        assert world.store.begin_sending(campaign_id, campaign.publish_id)
        return seen

    patch = pytest.MonkeyPatch()
    patch.setattr(world.store, "find", overtaken)
    with pytest.raises(ConflictError, match="moved on"):
        settle("c1", store=world.store)
    assert only_publish(world).state is PublishState.SENDING
    assert world.store.get("c1").state is State.PUBLISHING
    settle("c1", store=world.store)
    assert world.store.get("c1").state is State.FAILED


def test_a_receipt_of_an_unknown_publish_changes_nothing(world: World) -> None:
    world.ready()
    assert note_receipt("c1", "nope", "m1", store=world.store, wake=world.waker) is None
    assert note_receipt("gone", "nope", "m1", store=world.store, wake=world.waker) is None
    assert world.store.get("c1").state is State.READY
