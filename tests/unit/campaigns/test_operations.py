"""What the campaign API does, without HTTP."""

from datetime import timedelta
from typing import Any

import pytest

from functions.campaigns.deletion import Deletion
from functions.campaigns.history import SYSTEM, Action, Entry
from functions.campaigns.message import Message
from functions.campaigns.records import Campaign
from functions.campaigns.schema import CampaignRequest
from functions.campaigns.states import PublishState, State
from functions.shared.errors import (
    ConflictError,
    IdempotencyMismatchError,
    InvalidInputError,
    NotFoundError,
)
from tests.unit.campaigns.conftest import CRITERIA, World


def request(name: str = "Jazz night", **more: Any) -> CampaignRequest:
    return CampaignRequest.model_validate(
        {"name": name, "criteria": CRITERIA, "message": {"title": "Jazz", "body": "Tonight."}}
        | more
    )


def deletion(world: World) -> Deletion:
    return Deletion(
        store=world.store,
        lists=world.lists,
        topics=world.topics,  # type: ignore[arg-type]
        executions=world.executions,  # type: ignore[arg-type]
        schedules=world.schedules,  # type: ignore[arg-type]
        topic_arn_prefix="arn:aws:sns:us-east-1:123456789012:fanfare-campaign-",
    )


def test_a_new_campaign_is_building_and_shows_what_was_asked(world: World) -> None:
    created = world.campaigns.create(request(publish_at="2026-12-24T18:00:00+01:00"))
    assert created.state is State.BUILDING
    assert created.publish_at == "2026-12-24T17:00:00.000Z"
    assert created.times == {State.BUILDING: "2026-12-01T12:00:00.000Z"}
    assert world.campaigns.show(created.id) == created
    assert (created.criteria, created.message) == (
        CRITERIA,
        Message(title="Jazz", body="Tonight."),
    )


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"criteria": {"field": "Shoe.Size", "op": "eq", "value": "9"}}, "criteria.field"),
        ({"criteria": {"all": []}}, "criteria.all"),
        ({"publish_at": "2026-11-30T12:00:00Z"}, "publish_at"),
        ({"publish_at": "2027-12-24T12:00:00Z"}, "publish_at"),
        ({"publish_at": "2026-12-24T18:00:00"}, "publish_at"),
        ({"publish_at": "tomorrow"}, "publish_at"),
        ({"time_zone": "Europe/Berlin"}, "time_zone"),
        ({"publish_at": "2026-12-24T18:00:00", "time_zone": "Moon/Crater"}, "time_zone"),
        ({"publish_at": "2026-12-24T18:00:00Z", "time_zone": "Europe/Berlin"}, "time_zone"),
        ({"message": {"title": "x", "body": "é" * 3000}}, "message"),
    ],
)
def test_what_could_not_be_sent_is_refused_at_the_door(
    world: World, more: dict[str, Any], place: str
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        world.campaigns.create(request(**more))
    assert refused.value.parts[0].place.startswith(place)
    assert world.campaigns.page(limit=10, token=None).campaigns == []


@pytest.mark.parametrize(
    ("local", "zone", "instant"),
    [
        ("2026-12-24T18:00:00", "Asia/Taipei", "2026-12-24T10:00:00.000Z"),
        ("2027-01-15T09:30:00", "America/New_York", "2027-01-15T14:30:00.000Z"),
    ],
)
def test_a_local_time_is_an_instant_in_its_zone(
    world: World, local: str, zone: str, instant: str
) -> None:
    created = world.campaigns.create(request(publish_at=local, time_zone=zone))
    assert created.publish_at == instant


def test_a_key_makes_one_campaign_however_often_it_comes(world: World) -> None:
    first = world.campaigns.create(request(), key="k1")
    assert world.campaigns.create(request(), key="k1").id == first.id
    assert world.campaigns.create(request(), key="k2").id != first.id
    assert len(world.campaigns.page(limit=10, token=None).campaigns) == 2


def test_a_key_with_a_time_to_the_microsecond_makes_one_campaign(world: World) -> None:
    asked = request(publish_at="2026-12-24T18:00:00.123456Z")
    first = world.campaigns.create(asked, key="k1")
    assert first.publish_at == "2026-12-24T18:00:00.123Z"
    assert world.campaigns.create(asked, key="k1").id == first.id


def test_a_key_with_another_body_is_refused(world: World) -> None:
    world.campaigns.create(request(), key="k1")
    with pytest.raises(IdempotencyMismatchError):
        world.campaigns.create(request(name="Rock night"), key="k1")


def test_pages_show_every_campaign_once_newest_first(world: World) -> None:
    names = [f"n{number}" for number in range(7)]
    for name in names:
        world.clock.pass_seconds(1)
        world.campaigns.create(request(name=name))
    seen: list[str] = []
    token = None
    while True:
        page = world.campaigns.page(limit=3, token=token)
        seen += [campaign.name for campaign in page.campaigns]
        world.clock.pass_seconds(1)
        world.campaigns.create(request(name="created meanwhile"))
        token = page.next
        if token is None:
            break
    assert seen == ["n6", "n5", "n4", "n3", "n2", "n1", "n0"]


@pytest.mark.parametrize(
    "token",
    [
        "",
        "x",
        "e30=",
        "WyJhIl0=",
        "ÿ",
        "WzEsIDJd",
        # ["c1", "2026-12-01T12:00:00.000Z"]: no id of a campaign
        "WyJjMSIsICIyMDI2LTEyLTAxVDEyOjAwOjAwLjAwMFoiXQ==",
        "W1tb" * 20_000,
    ],
    ids=range(8),
)
def test_a_token_of_ones_own_making_is_refused(world: World, token: str) -> None:
    with pytest.raises(InvalidInputError, match="next: is no token"):
        world.campaigns.page(limit=3, token=token)


def test_counts_and_rate_grow_while_building_and_stay_when_ready(world: World) -> None:
    world.building()
    world.steps.prepare("c1", "x1")
    assert world.campaigns.show("c1").counts.matched == 0
    assert world.campaigns.show("c1").rate is None
    world.build("c1", subscribed=3)
    world.clock.pass_seconds(2)
    building = world.campaigns.show("c1")
    assert (building.counts.processed, building.counts.subscribed, building.rate) == (3, None, 1.5)
    world.steps.mark_ready("c1")
    world.clock.pass_seconds(100)
    ready = world.campaigns.show("c1")
    assert (ready.counts.subscribed, ready.counts.chunks_done, ready.rate) == (3, 1, 1.5)


def test_cancelling_stops_everything_and_may_be_repeated(world: World) -> None:
    world.ready(publish_at=world.clock() + timedelta(hours=1))
    assert world.campaigns.cancel("c1").state is State.CANCELLED
    assert world.executions.stopped == ["execution-c1"]
    assert world.schedules.due == []
    assert world.campaigns.cancel("c1").state is State.CANCELLED


def test_a_campaign_being_published_is_neither_cancelled_nor_deleted(world: World) -> None:
    world.ready()
    world.campaigns.publish("c1")
    with pytest.raises(ConflictError, match="The campaign is PUBLISHING"):
        world.campaigns.cancel("c1")
    with pytest.raises(ConflictError, match="The campaign is PUBLISHING"):
        world.campaigns.delete("c1")


def test_a_deleted_campaign_is_hidden_at_once_and_gone_after_the_clean_up(world: World) -> None:
    world.ready()
    world.campaigns.delete("c1")
    with pytest.raises(NotFoundError):
        world.campaigns.show("c1")
    assert world.campaigns.page(limit=10, token=None).campaigns == []
    deletion(world).run("c1")
    assert world.store.find("c1") is None
    assert world.lists.progress(["c1"]) == {}
    assert world.lists.members("c1", ["d0", "d1", "d2"]) == []
    assert world.topics.topics == {}
    assert world.executions.stopped == ["execution-c1"]


@pytest.mark.parametrize("state", [State.CANCELLED, State.FAILED])
def test_a_campaign_that_is_over_can_be_deleted(world: World, state: State) -> None:
    world.ready()
    world.store.change_state("c1", state)
    world.campaigns.delete("c1")
    deletion(world).run("c1")
    deletion(world).run("c1")
    assert world.store.find("c1") is None


def test_a_clean_up_of_a_campaign_that_is_not_to_be_deleted_does_nothing(world: World) -> None:
    world.listed()
    deletion(world).run("c1")
    assert world.store.get("c1").state is State.BUILDING
    assert len(world.topics.topics) == 1


def test_a_topic_that_the_campaign_never_learned_of_is_deleted_with_it(world: World) -> None:
    world.building()
    world.topics.create("fanfare-campaign-c1")
    world.campaigns.cancel("c1")
    world.campaigns.delete("c1")
    deletion(world).run("c1")
    assert world.topics.topics == {}


def test_deleting_again_before_the_clean_up_asks_for_it_again(world: World) -> None:
    world.ready()
    world.campaigns.delete("c1")
    world.clock.pass_seconds(60)
    # The stream tells nothing of an update that changes nothing.
    first = world.store._table.get_item(Key={"campaign_id": "c1", "record": "campaign"})["Item"]
    world.campaigns.delete("c1")
    again = world.store._table.get_item(Key={"campaign_id": "c1", "record": "campaign"})["Item"]
    assert first != again
    deletion(world).run("c1")
    with pytest.raises(NotFoundError):
        world.campaigns.delete("c1")


def test_a_publish_that_comes_before_the_deletion_wins(world: World) -> None:
    world.ready()
    find = world.store.find

    def overtaken(campaign_id: str) -> Campaign | None:
        seen = find(campaign_id)
        patch.undo()
        world.store.request_publish(campaign_id, "p1")
        return seen

    patch = pytest.MonkeyPatch()
    patch.setattr(world.store, "find", overtaken)
    with pytest.raises(ConflictError, match="The campaign is PUBLISHING"):
        world.campaigns.delete("c1")
    assert not world.store.get("c1").deleting


def test_a_page_shows_neither_criteria_nor_message(world: World) -> None:
    world.campaigns.create(request())
    (summary,) = world.campaigns.page(limit=10, token=None).model_dump()["campaigns"]
    assert summary["name"] == "Jazz night"
    assert not {"criteria", "message", "publishes"} & summary.keys()


def test_what_does_not_exist_is_not_found(world: World) -> None:
    for operation in ("show", "publish", "cancel", "delete"):
        with pytest.raises(NotFoundError, match="There is no campaign nope"):
            getattr(world.campaigns, operation)("nope")


def test_a_key_names_one_publish_however_often_it_comes(world: World) -> None:
    world.ready()
    (first,) = world.campaigns.publish("c1", key="k1").publishes
    world.clock.pass_seconds(1)
    assert [each.id for each in world.campaigns.publish("c1", key="k1").publishes] == [first.id]
    world.store.refuse_publish("c1", first.id, "refused", while_=PublishState.REQUESTED)
    again = world.campaigns.publish("c1", key="k1")
    assert (again.state, len(again.publishes)) == (State.READY, 1)
    assert len(world.campaigns.publish("c1", key="k2").publishes) == 2


def test_a_test_send_is_in_the_history_from_before_to_after(world: World) -> None:
    world.ready()
    world.clock.pass_seconds(1)
    entry = Entry(at=world.clock(), by=SYSTEM, action=Action.TEST_SEND, outcome="begun")
    record = world.store.begin_trial("c1", entry, claim=None)
    assert record is not None
    assert world.campaigns.history("c1", limit=1, token=None).entries[0].outcome == "begun"
    world.store.end_trial("c1", record, "1 sent")
    assert world.campaigns.history("c1", limit=1, token=None).entries[0].outcome == "1 sent"
    world.store.delete("c1")
    world.store.end_trial("c1", record, "2 sent")
    with pytest.raises(NotFoundError):
        world.store.begin_trial("c1", entry, claim=None)
    assert world.store._table.scan()["Items"] == []
