"""Compares a topic's real subscriptions with the members of its list; has the difference mended.

Fanfare itself never reads them back: it is slow, 100 a page and 30 pages a second.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cli.api import Api
from cli.errors import FailedError
from cli.target import Target

# SNS lists 30 pages a second: https://docs.aws.amazon.com/general/latest/gr/sns.html
PAGES_PER_SECOND = 25.0
MEMBERS_A_PAGE = 1_000
REPAIRED_A_CALL = 1_000


@dataclass(frozen=True, kw_only=True)
class Member:
    """A device of the list, as far as its subscription goes."""

    device_id: str
    status: str
    reason: str | None
    endpoint_arn: str | None
    subscription_arn: str | None


@dataclass(frozen=True, kw_only=True)
class Subscription:
    """One subscription of the topic."""

    subscription_arn: str
    protocol: str
    endpoint: str


@dataclass(frozen=True, kw_only=True)
class Drift:
    """Where topic and members differ, and how many of both there are (the probe apart)."""

    members: int  # those that are SUBSCRIBED
    subscriptions: int
    missing: tuple[Member, ...]  # subscribed as the list has it, and not on the topic
    extra: tuple[Subscription, ...]  # on the topic, and no member's
    other_endpoint: tuple[Member, ...]  # their subscription leads to another endpoint
    probe: bool  # whether the probe hears what is published

    @property
    def clean(self) -> bool:
        """Whether they are the same."""
        return self.probe and not (self.missing or self.extra or self.other_endpoint)

    @property
    def to_unsubscribe(self) -> list[str]:
        """The subscriptions that must go."""
        wrong = [each.subscription_arn or "" for each in self.other_endpoint]
        return [*(each.subscription_arn for each in self.extra), *wrong]


def verify(
    target: Target,
    api: Api,
    campaign_id: str,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Drift:
    """The drift; FailedError while the list is at work, or there is no topic yet."""
    campaign = api.get("campaigns", campaign_id)
    if campaign["state"] in {"BUILDING", "REFRESHING"} or not campaign.get("topic_arn"):
        raise FailedError(
            f"the campaign is {campaign['state']}: topic and list are still being made",
            detail=f"wait for it: fanfare campaign watch {campaign_id}",
        )
    found = list(members(api, campaign_id))
    topic_arn = campaign["topic_arn"]
    probe_name = target.output("ProbeQueueUrl").rsplit("/", 1)[-1]
    return compare(found, subscriptions(target, topic_arn, sleep=sleep), probe_name=probe_name)


def members(api: Api, campaign_id: str) -> Iterator[Member]:
    """All members of the list, page by page."""
    query = {"limit": str(MEMBERS_A_PAGE)}
    while True:
        page = api.get("campaigns", campaign_id, "members", query=query)
        for each in page["members"]:
            yield Member(
                device_id=each["Id"],
                status=each["status"],
                reason=each["reason"],
                endpoint_arn=each["endpoint_arn"],
                subscription_arn=each["subscription_arn"],
            )
        if not page["next"]:
            return
        query["next"] = page["next"]


def subscriptions(
    target: Target, topic_arn: str, *, sleep: Callable[[float], None] = time.sleep
) -> list[Subscription]:
    """All subscriptions of the topic, read with the operator's own credentials, at a pace that SNS
    allows."""
    sns = target.cloud.client("sns")
    found: list[Subscription] = []
    request: dict[str, Any] = {"TopicArn": topic_arn}
    while True:
        page = sns.list_subscriptions_by_topic(**request)
        found += [
            Subscription(
                subscription_arn=each["SubscriptionArn"],
                protocol=each["Protocol"],
                endpoint=each["Endpoint"],
            )
            for each in page["Subscriptions"]
        ]
        if not page.get("NextToken"):
            return found
        request["NextToken"] = page["NextToken"]
        sleep(1 / PAGES_PER_SECOND)


def compare(found: Sequence[Member], on_topic: Sequence[Subscription], *, probe_name: str) -> Drift:
    """The drift between the two."""
    subscribed = [member for member in found if member.status == "SUBSCRIBED"]
    devices = [each for each in on_topic if each.protocol == "application"]
    by_arn = {each.subscription_arn: each.endpoint for each in devices}
    wanted = {member.endpoint_arn for member in subscribed}
    other = tuple(
        member
        for member in subscribed
        if by_arn.get(member.subscription_arn or "", member.endpoint_arn) != member.endpoint_arn
    )
    wrong = {member.subscription_arn for member in other}
    return Drift(
        members=len(subscribed),
        subscriptions=len(devices),
        missing=tuple(each for each in subscribed if each.subscription_arn not in by_arn),
        extra=tuple(
            each
            for each in devices
            if each.endpoint not in wanted and each.subscription_arn not in wrong
        ),
        other_endpoint=other,
        probe=any(
            each.protocol == "sqs" and each.endpoint.endswith(f":{probe_name}") for each in on_topic
        ),
    )


def repair(api: Api, campaign_id: str, drift: Drift) -> None:
    """Notes the drift, which the next refresh mends; RefusedError if the campaign moved on."""
    lost = [
        {"Id": each.device_id, "subscription_arn": each.subscription_arn}
        for each in (*drift.missing, *drift.other_endpoint)
        if each.subscription_arn
    ]
    extra = drift.to_unsubscribe
    for start in range(0, max(len(lost), len(extra), 1), REPAIRED_A_CALL):
        end = start + REPAIRED_A_CALL
        body = {"missing": lost[start:end], "extra": extra[start:end], "probe": not drift.probe}
        api.post("campaigns", campaign_id, "repair", body=body, repeatable=True)
