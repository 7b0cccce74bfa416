"""What is kept of who did what to a campaign."""

from types import SimpleNamespace

import pytest

from functions.campaigns.callers import caller_of
from functions.campaigns.history import Action, Actor
from functions.campaigns.states import PublishState, State
from functions.shared.errors import ConflictError, InvalidInputError, NotFoundError
from tests.unit.campaigns.conftest import World

ANNA = Actor(who="arn:aws:iam::123456789012:user/anna", caller_id="AIDAEXAMPLE")


def told(world: World) -> list[tuple[str, Action, str, str | None]]:
    entries, _ = world.store.history("c1", limit=100, after=None)
    return [(each.by.who, each.action, each.outcome, each.reason) for each in reversed(entries)]


def test_the_history_names_who_did_what_and_what_the_system_did_by_itself(world: World) -> None:
    world.listed()
    world.clock.pass_seconds(1)
    world.steps.mark_ready("c1")
    world.clock.pass_seconds(1)
    world.campaigns.publish("c1", by=ANNA)
    world.clock.pass_seconds(1)
    publish_id = world.store.get("c1").publish_id
    assert publish_id is not None
    reason = "SNS did not accept it: InvalidParameter"
    world.store.refuse_publish("c1", publish_id, reason, while_=PublishState.REQUESTED)
    world.clock.pass_seconds(1)
    world.campaigns.cancel("c1", by=ANNA)
    world.clock.pass_seconds(1)
    world.campaigns.delete("c1", by=ANNA)
    assert told(world) == [
        ("system", Action.CREATE, "BUILDING", None),
        ("system", Action.READY, "READY", None),
        (ANNA.who, Action.PUBLISH, "PUBLISHING", None),
        ("system", Action.REFUSED, "READY", reason),
        (ANNA.who, Action.CANCEL, "CANCELLED", "cancelled"),
        (ANNA.who, Action.DELETE, "hidden", None),
    ]


def test_what_was_refused_leaves_no_line(world: World) -> None:
    world.building()
    with pytest.raises(ConflictError):
        world.campaigns.publish("c1", by=ANNA)
    assert told(world) == [("system", Action.CREATE, "BUILDING", None)]


def test_the_history_is_read_in_pages_newest_first(world: World) -> None:
    world.ready()
    world.clock.pass_seconds(1)
    world.campaigns.cancel("c1", by=ANNA)
    first = world.campaigns.history("c1", limit=1, token=None)
    assert [(each.at, each.who, each.caller_id, each.action) for each in first.entries] == [
        ("2026-12-01T12:00:01.000Z", ANNA.who, "AIDAEXAMPLE", Action.CANCEL)
    ]
    second = world.campaigns.history("c1", limit=100, token=first.next)
    assert {each.action for each in second.entries} == {Action.READY, Action.CREATE}
    assert second.next is None


@pytest.mark.parametrize("token", ["", "x", "e30=", "ÿ", "YXVkaXQj"])
def test_a_page_of_ones_own_making_is_refused(world: World, token: str) -> None:
    world.building()
    with pytest.raises(InvalidInputError, match="next: is no token"):
        world.campaigns.history("c1", limit=1, token=token)


def test_records_of_other_kinds_are_no_publishes_and_go_with_the_campaign(world: World) -> None:
    world.ready()
    for record in ("audit#x", "later#x", "zebra#x"):
        world.store._table.put_item(Item={"campaign_id": "c1", "record": record, "state": "?"})
    assert world.store.get("c1").publishes == ()
    world.store.delete("c1")
    assert world.store._table.scan()["Items"] == []


def test_a_campaign_whose_records_fill_several_pages_is_read_whole(world: World) -> None:
    world.ready()
    for number in range(5):
        item = {"campaign_id": "c1", "record": f"publish#{number}", "state": "SENT"}
        item |= {"requested_at": "2026-12-01T12:00:00.000Z", "reason": "x" * 300_000}
        world.store._table.put_item(Item=item)
    assert len(world.store.get("c1").publishes) == 5


def test_a_deleted_campaign_shows_no_history(world: World) -> None:
    world.ready()
    world.campaigns.delete("c1")
    with pytest.raises(NotFoundError):
        world.campaigns.history("c1", limit=1, token=None)
    assert world.store.find("c1") is not None
    assert world.store.find("c1").state is State.READY  # type: ignore[union-attr]


def test_the_caller_is_an_identity_and_never_a_credential() -> None:
    iam = {"accessKey": "AKIAEXAMPLE", "callerId": "AIDAEXAMPLE", "userArn": ANNA.who}
    event = SimpleNamespace(raw_event={"requestContext": {"authorizer": {"iam": iam}}})
    assert caller_of(event) == ANNA
    assert "AKIA" not in repr(caller_of(event))
    assert caller_of(SimpleNamespace(raw_event={})) == Actor(who="unknown")
