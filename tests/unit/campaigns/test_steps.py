"""Each step of the workflow may run twice, late or for a campaign that is gone."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from functions.audience.criteria import parse, to_wire
from functions.audience.records import Member, MemberStatus, Tally
from functions.campaigns.states import PublishState, State
from functions.campaigns.steps import ListDoesNotAddUpError
from functions.campaigns.workflow import run
from functions.shared.observability import metrics
from tests.unit.campaigns.conftest import NOON, PROBE, World

TOPIC = "arn:aws:sns:us-east-1:123456789012:fanfare-campaign-c1"


def test_prepare_makes_topic_probe_list_and_segments_once(world: World) -> None:
    world.building()
    expected = {
        "active": True,
        "refresh": False,
        "segments": [
            {"campaign_id": "c1", "segment": 0, "segments_total": 2},
            {"campaign_id": "c1", "segment": 1, "segments_total": 2},
        ],
    }
    event = {"step": "prepare", "campaign_id": "c1", "execution_arn": "x1"}
    assert run(world.steps, event) == expected
    assert run(world.steps, event) == expected
    assert world.topics.topics == {TOPIC: [PROBE]}
    campaign = world.store.get("c1")
    assert (campaign.topic_arn, campaign.execution_arn) == (TOPIC, "x1")


def test_a_relative_time_counts_from_the_first_try_to_prepare_and_the_campaign_keeps_it(
    world: World,
) -> None:
    asked = {"field": "EffectiveDate", "op": "in_last", "value": "P7D"}
    campaign = replace(world.building("other"), campaign_id="c1", criteria=parse(asked))
    world.store.create(campaign)
    world.steps.prepare("c1", "x1")
    world.clock.now += timedelta(hours=1)
    world.steps.prepare("c1", "x1")
    listed = world.lists.criteria("c1")
    assert listed is not None
    assert to_wire(listed) == {
        "field": "EffectiveDate",
        "op": "between",
        "values": ["2026-11-24T12:00:00.000Z", "9999-12-31"],
    }
    assert to_wire(world.store.get("c1").criteria) == asked


def test_prepare_leaves_a_cancelled_campaign_alone(world: World) -> None:
    world.building()
    world.store.change_state("c1", State.CANCELLED)
    assert world.steps.prepare("c1", "x1") == {"active": False, "refresh": False, "segments": []}
    assert world.topics.topics == {}


def test_prepare_leaves_nothing_of_a_deleted_campaign(world: World) -> None:
    world.building()
    world.steps.prepare("c1", "x1")
    world.store.delete("c1")
    assert world.steps.prepare("c1", "x1") == {"active": False, "refresh": False, "segments": []}
    assert world.topics.topics == {}
    assert world.lists.progress(["c1"]) == {}


def test_a_campaign_deleted_while_it_is_prepared_leaves_nothing(world: World) -> None:
    world.building()
    create = world.topics.create

    def deleted_meanwhile(name: str) -> str:
        world.store.delete("c1")
        return create(name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world.topics, "create", deleted_meanwhile)
        assert world.steps.prepare("c1", "x1")["active"] is False
    assert world.topics.topics == {}
    assert world.lists.progress(["c1"]) == {}


def test_the_waiter_for_a_complete_list_is_woken_at_once(world: World) -> None:
    world.listed()
    world.steps.await_list("c1", "list-token")
    assert world.waker.tokens == ["list-token"]


def test_the_waiter_for_an_unfinished_list_is_kept(world: World) -> None:
    world.building()
    world.steps.prepare("c1", "x1")
    world.steps.await_list("c1", "list-token")
    assert world.waker.tokens == []
    assert world.lists.progress(["c1"])["c1"].waiter == "list-token"


def test_ready_has_the_counts_of_the_members(world: World) -> None:
    world.listed(subscribed=3)
    world.clock.pass_seconds(7)
    world.steps.mark_ready("c1")
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.tally) == (State.READY, Tally(subscribed=3))
    assert campaign.times == {State.BUILDING: NOON, State.READY: NOON + timedelta(seconds=7)}
    world.steps.mark_ready("c1")
    assert world.store.get("c1") == campaign


def test_a_list_whose_members_do_not_add_up_is_not_ready(world: World) -> None:
    world.listed(subscribed=3)
    stranger = Member(campaign_id="c1", device_id="d9", status=MemberStatus.SUBSCRIBED)
    world.lists.write_members([stranger])
    with pytest.raises(ListDoesNotAddUpError, match="3 devices matched, but the list has 4"):
        world.steps.mark_ready("c1")
    assert world.store.get("c1").state is State.BUILDING


def test_a_list_that_is_not_complete_is_not_ready(world: World) -> None:
    world.building()
    world.steps.prepare("c1", "x1")
    with pytest.raises(ListDoesNotAddUpError):
        world.steps.mark_ready("c1")


def test_a_cancelled_campaign_does_not_become_ready(world: World) -> None:
    world.listed()
    world.store.change_state("c1", State.CANCELLED)
    world.steps.mark_ready("c1")
    assert world.store.get("c1").state is State.CANCELLED


def test_the_gate_of_a_scheduled_campaign_sets_its_schedule(world: World) -> None:
    at = NOON + timedelta(hours=6)
    world.ready(publish_at=at)
    assert world.schedules.due == [("c1", at)]
    assert world.waker.tokens == []


def test_a_campaign_ready_after_its_time_is_published_at_once(world: World) -> None:
    world.listed(publish_at=NOON + timedelta(seconds=5))
    world.clock.pass_seconds(60)
    world.steps.mark_ready("c1")
    world.steps.await_gate("c1", "gate")
    assert world.store.get("c1").state is State.PUBLISHING
    assert world.waker.tokens == ["gate"]


def test_a_scheduled_campaign_that_reaches_nobody_is_cancelled_at_its_time(world: World) -> None:
    world.listed(subscribed=0, publish_at=NOON + timedelta(seconds=5))
    world.clock.pass_seconds(60)
    world.steps.mark_ready("c1")
    world.steps.await_gate("c1", "gate")
    campaign = world.store.get("c1")
    assert campaign.state is State.CANCELLED
    assert campaign.reason is not None
    assert campaign.reason.startswith("Nobody is subscribed")
    assert world.waker.tokens == ["gate"]


def test_a_scheduled_publish_that_was_refused_is_not_repeated_by_itself(world: World) -> None:
    world.listed(publish_at=NOON + timedelta(seconds=5))
    world.clock.pass_seconds(60)
    world.steps.mark_ready("c1")
    world.steps.await_gate("c1", "gate")
    world.store.change_state("c1", State.READY, reason="SNS did not accept it: InvalidParameter")
    world.steps.await_gate("c1", "gate 2")
    assert world.store.get("c1").state is State.READY
    assert world.waker.tokens == ["gate"]


def test_a_gate_that_is_reached_after_the_request_opens_at_once(world: World) -> None:
    world.listed()
    world.steps.mark_ready("c1")
    world.store.request_publish("c1", "p1")
    world.steps.await_gate("c1", "gate")
    assert world.waker.tokens == ["gate"]


def test_the_gate_of_a_deleted_campaign_opens(world: World) -> None:
    world.steps.await_gate("gone", "gate")
    world.steps.await_receipt("gone", "receipt")
    world.steps.await_list("gone", "list")
    assert world.waker.tokens == ["gate", "receipt", "list"]


def test_a_campaign_nobody_published_is_cancelled(world: World) -> None:
    world.ready()
    world.steps.expire("c1")
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.reason) == (
        State.CANCELLED,
        "Nobody published it in time.",
    )


def test_expiry_leaves_a_publish_that_was_just_asked_for_alone(world: World) -> None:
    world.ready()
    world.store.request_publish("c1", "p1")
    world.clock.pass_seconds(3600)
    world.steps.expire("c1")
    assert world.store.get("c1").state is State.PUBLISHING


def test_expiry_does_not_send_what_was_asked_for_long_ago(world: World) -> None:
    world.ready()
    world.store.request_publish("c1", "p1")
    world.clock.pass_seconds(3601)
    world.steps.expire("c1")
    campaign = world.store.get("c1")
    assert campaign.state is State.CANCELLED
    (publish,) = campaign.publishes
    assert publish.reason == "Asked for at 2026-12-01T12:00:00.000Z, it was never sent."


def test_expiry_refuses_nothing_that_may_have_been_sent(world: World) -> None:
    world.ready()
    world.store.request_publish("c1", "p1")
    world.store.begin_sending("c1", "p1")
    world.clock.pass_seconds(90 * 24 * 3600)
    world.steps.expire("c1")
    campaign = world.store.get("c1")
    assert campaign.state is State.PUBLISHING
    assert campaign.publishes[0].state is PublishState.SENDING


def test_a_deployment_between_two_tries_does_not_change_the_number_of_segments(
    world: World,
) -> None:
    world.building()
    first = world.steps.prepare("c1", "x1")
    assert replace(world.steps, scan_segments=5).prepare("c1", "x1") == first


def test_a_failure_is_kept_with_its_reason_and_closes_the_list(world: World) -> None:
    world.listed()
    cause = '{"errorMessage": "the table is gone", "errorType": "X", "stackTrace": []}'
    run(
        world.steps,
        {
            "step": "fail",
            "campaign_id": "c1",
            "error": {"Error": "Runtime.HandlerError", "Cause": cause},
        },
    )
    campaign = world.store.get("c1")
    assert (campaign.state, campaign.reason) == (
        State.FAILED,
        "Runtime.HandlerError: the table is gone",
    )
    assert world.lists.criteria("c1") is None


def test_a_time_limit_is_a_readable_reason(world: World) -> None:
    world.listed()
    world.steps.fail("c1", {"Error": "States.Timeout", "Cause": ""})
    assert world.store.get("c1").reason == "States.Timeout: "


@pytest.mark.parametrize("state", [State.CANCELLED, State.FAILED])
def test_a_failure_after_the_end_changes_nothing(world: World, state: State) -> None:
    world.listed()
    world.store.change_state("c1", state, reason="first")
    world.steps.fail("c1", {"Error": "E", "Cause": "late"})
    assert world.store.get("c1").reason == "first"


def test_an_unknown_step_is_an_error(world: World) -> None:
    with pytest.raises(KeyError, match="dance"):
        run(world.steps, {"step": "dance", "campaign_id": "c1"})


def test_the_seconds_that_a_list_took_are_a_metric(world: World) -> None:
    world.listed()
    world.clock.pass_seconds(7)
    metrics.clear_metrics()
    world.steps.mark_ready("c1")
    written: dict[str, Any] = dict(metrics.serialize_metric_set())
    metrics.clear_metrics()
    assert written["ListBuildSeconds"] == [7.0]
