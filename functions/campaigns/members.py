"""Looking at the members of a campaign's list, and noting where the topic differs from them."""

from dataclasses import dataclass

from functions.audience.refresh_lists import RefreshLists
from functions.campaigns.conflicts import StateConflictError
from functions.campaigns.member_schema import (
    MemberPage,
    MemberView,
    RepairRequest,
    RepairView,
)
from functions.campaigns.paging import decode_member, encode_member
from functions.campaigns.records import Campaign
from functions.campaigns.refresh_store import RefreshStore, may_be_refreshed
from functions.campaigns.states import State
from functions.shared.errors import InvalidInputError


@dataclass(frozen=True, kw_only=True)
class Members:
    """The operations over their stores."""

    store: RefreshStore
    refreshes: RefreshLists

    def page(self, campaign_id: str, *, limit: int, token: str | None) -> MemberPage:
        """A page of members in the order of their Ids; NotFoundError."""
        after = decode_member(token)
        self.store.get(campaign_id)
        found = self.refreshes.page(campaign_id, limit=limit, after=after)
        return MemberPage(
            members=[
                MemberView(
                    Id=member.device_id,
                    status=member.status,
                    reason=member.reason,
                    endpoint_arn=member.endpoint_arn,
                    subscription_arn=member.subscription_arn,
                )
                for member in found
            ],
            next=encode_member(found[-1].device_id) if len(found) == limit else None,
        )

    def repair(self, campaign_id: str, request: RepairRequest) -> RepairView:
        """Notes what the next refresh is to mend; ConflictError while the list is at work,
        InvalidInputError for a subscription of another topic, NotFoundError."""
        campaign = self.store.get(campaign_id)
        if not may_be_refreshed(campaign):
            raise StateConflictError(campaign, State.REFRESHING)
        _refuse_others(request.extra, campaign)
        lost = [
            self.refreshes.lose(campaign_id, each.Id, each.subscription_arn)
            for each in request.missing
        ]
        self.refreshes.note_strays(campaign_id, request.extra)
        if request.probe:
            self.store.lose_probe(campaign_id)
        return RepairView(missing=sum(lost), extra=len(request.extra), probe=request.probe)


def _refuse_others(subscription_arns: list[str], campaign: Campaign) -> None:
    """A subscription is named after its topic:
    https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html"""
    for index, arn in enumerate(subscription_arns):
        if campaign.topic_arn is None or not arn.startswith(f"{campaign.topic_arn}:"):
            raise InvalidInputError.at(f"extra[{index}]", "is no subscription of this campaign")
