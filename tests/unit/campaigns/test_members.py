"""The members of a list, page by page; and what a repair notes of a topic that differs."""

import pytest

from functions.audience.records import Member, MemberStatus, Tally
from functions.campaigns.member_schema import LostMember, RepairRequest
from functions.campaigns.members import Members
from functions.shared.errors import ConflictError, InvalidInputError, NotFoundError
from tests.unit.campaigns.conftest import World

TOPIC = "arn:aws:sns:us-east-1:123456789012:fanfare-campaign-c1"


@pytest.fixture
def members(world: World) -> Members:
    world.ready(subscribed=5)
    world.lists.write_members(
        Member(
            campaign_id="c1",
            device_id=f"d{number}",
            status=MemberStatus.SUBSCRIBED,
            endpoint_arn=f"e{number}",
            subscription_arn=f"{TOPIC}:{number}",
        )
        for number in range(5)
    )
    return Members(store=world.store, refreshes=world.refreshes)


def test_pages_hold_each_member_once(members: Members) -> None:
    seen: list[str] = []
    token = None
    while True:
        page = members.page("c1", limit=2, token=token)
        seen += [each.Id for each in page.members]
        token = page.next
        if token is None:
            break
    assert seen == ["d0", "d1", "d2", "d3", "d4"]
    (first,) = members.page("c1", limit=1, token=None).members
    assert first.model_dump() == {
        "Id": "d0",
        "status": MemberStatus.SUBSCRIBED,
        "reason": None,
        "endpoint_arn": "e0",
        "subscription_arn": f"{TOPIC}:0",
    }


@pytest.mark.parametrize("token", ["", "x", "ÿ", "/w==", "YQ" * 600], ids=range(5))
def test_a_token_of_ones_own_making_is_refused(members: Members, token: str) -> None:
    with pytest.raises(InvalidInputError, match="next: is no token"):
        members.page("c1", limit=2, token=token)


def test_what_differs_is_noted_for_the_next_refresh(members: Members, world: World) -> None:
    request = RepairRequest(
        missing=[
            LostMember(Id="d0", subscription_arn=f"{TOPIC}:0"),
            LostMember(Id="d1", subscription_arn=f"{TOPIC}:of-before"),
        ],
        extra=[f"{TOPIC}:stray"],
        probe=True,
    )
    assert members.repair("c1", request).model_dump() == {"missing": 1, "extra": 1, "probe": True}
    assert world.lists.tally("c1") == Tally(subscribed=4, failed={"lost": 1})
    assert world.refreshes.strays("c1") == [f"{TOPIC}:stray"]
    assert world.store.get("c1").probe_lost


def test_a_subscription_of_another_topic_is_refused_and_nothing_noted(
    members: Members, world: World
) -> None:
    request = RepairRequest(extra=[f"{TOPIC}:fine", f"{TOPIC}2:other"], probe=True)
    with pytest.raises(InvalidInputError, match=r"extra\[1\]: is no subscription of this campaign"):
        members.repair("c1", request)
    assert world.refreshes.strays("c1") == []
    assert not world.store.get("c1").probe_lost


def test_a_list_at_work_is_not_repaired(members: Members, world: World) -> None:
    world.campaigns.refresh("c1")
    with pytest.raises(ConflictError, match="The campaign is REFRESHING"):
        members.repair("c1", RepairRequest())


def test_what_does_not_exist_is_not_found(members: Members) -> None:
    with pytest.raises(NotFoundError):
        members.page("nope", limit=2, token=None)
    with pytest.raises(NotFoundError):
        members.repair("nope", RepairRequest())


def test_everything_noted_goes_with_the_campaign(members: Members, world: World) -> None:
    world.refreshes.note_strays("c1", [f"{TOPIC}:stray"])
    world.lists.delete_all("c1")
    assert world.refreshes.strays("c1") == []
