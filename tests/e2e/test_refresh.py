"""A refresh on deployed stacks: devices come, go and change between two publishes of a campaign."""

import json
from typing import Any

import pytest

from cli import verification
from cli.api import Api
from cli.errors import RefusedError
from cli.target import Target
from cli.watching import wait_for
from tests.e2e.test_campaigns import MESSAGE, PATIENCE_SECONDS, tokens_on_topic

FIJI = {"field": "Location.Country", "op": "eq", "value": "FJ"}
UNTIL = {"READY", "PUBLISHED", "FAILED", "CANCELLED"}


@pytest.fixture
def islanders(api: Api) -> None:
    """120 devices in Fiji, the first 20 opted out; those of another test are as new."""
    register(api, [device(number) for number in range(120)])


def device(number: int, **more: Any) -> dict[str, Any]:
    return {
        "Id": f"islander-{number:03}",
        "ChannelType": "GCM",
        "Address": f"island-{number:03}",
        "OptOut": "ALL" if number < 20 else "NONE",
        "EndpointStatus": "ACTIVE",
        "Location": {"Country": "FJ"},
        **more,
    }


def register(api: Api, found: list[dict[str, Any]]) -> None:
    for start in range(0, len(found), 100):
        answer = api.post(
            "devices", "batch", body={"devices": found[start : start + 100]}, repeatable=True
        )
        assert {result["status"] for result in answer["results"]} == {"stored"}


def settled(api: Api, campaign_id: str, state: str) -> dict[str, Any]:
    campaign = wait_for(api, campaign_id, until=UNTIL, patience_seconds=PATIENCE_SECONDS)
    assert campaign["state"] == state, campaign["reason"]
    return campaign


def ready(api: Api, **more: Any) -> dict[str, Any]:
    body = {"name": "e2e refresh", "criteria": FIJI, "message": MESSAGE, **more}
    return settled(api, str(api.post("campaigns", body=body)["id"]), "READY")


def refreshed(api: Api, campaign_id: str) -> dict[str, Any]:
    assert api.post("campaigns", campaign_id, "refresh")["state"] == "REFRESHING"
    return settled(api, campaign_id, "READY")


@pytest.mark.usefixtures("islanders")
def test_after_a_refresh_the_topic_is_the_audience_and_it_can_be_published_again(
    deployed: Target, api: Api
) -> None:
    campaign = ready(api)
    assert len(tokens_on_topic(deployed, campaign["topic_arn"])) == 100
    api.post("campaigns", campaign["id"], "publish")
    settled(api, campaign["id"], "PUBLISHED")

    moved_away = [device(number, Location={"Country": "NZ"}) for number in range(20, 30)]
    opted_out = [device(number, OptOut="ALL") for number in range(30, 40)]
    back_again = [device(number, OptOut="NONE") for number in range(5)]
    new_tokens = [device(number, Address=f"renewed-{number:03}") for number in range(50, 55)]
    newcomers = [device(number) for number in range(200, 210)]
    register(api, [*moved_away, *opted_out, *back_again, *new_tokens, *newcomers])
    api.delete("devices", "islander-040")

    again = refreshed(api, campaign["id"])
    expected = [
        *(f"island-{number:03}" for number in range(5)),
        *(f"island-{number:03}" for number in (*range(41, 50), *range(55, 120))),
        *(f"island-{number:03}" for number in range(200, 210)),
        *(f"renewed-{number:03}" for number in range(50, 55)),
    ]
    assert tokens_on_topic(deployed, again["topic_arn"]) == sorted(expected)
    assert again["generation"] == 2
    assert again["counts"]["subscribed"] == 94
    assert again["counts"]["skipped"] == {"opted_out": 25}

    api.post("campaigns", campaign["id"], "publish")
    done = settled(api, campaign["id"], "PUBLISHED")
    assert [(each["state"], each["receipts"]) for each in done["publishes"]] == [
        ("RECEIVED", 1),
        ("RECEIVED", 1),
    ]
    with pytest.raises(RefusedError, match="409"):
        api.post("campaigns", campaign["id"], "publish")


@pytest.mark.usefixtures("islanders")
def test_an_unchanged_audience_changes_nothing(deployed: Target, api: Api) -> None:
    campaign = ready(api)
    before = subscriptions(deployed, campaign["topic_arn"])
    again = refreshed(api, campaign["id"])
    assert again["changes"] == {"found": 0, "done": 0}
    assert again["counts"]["subscribed"] == campaign["counts"]["subscribed"]
    assert subscriptions(deployed, campaign["topic_arn"]) == before


@pytest.mark.usefixtures("islanders")
def test_a_campaign_that_refreshes_before_it_is_published_reaches_who_came_since(
    deployed: Target, api: Api
) -> None:
    campaign = ready(api, refresh="before_publish")
    register(api, [device(number) for number in range(300, 303)])
    asked = api.post("campaigns", campaign["id"], "publish")
    assert asked["state"] == "REFRESHING"
    done = wait_for(
        api, campaign["id"], until={"PUBLISHED", "FAILED"}, patience_seconds=PATIENCE_SECONDS
    )
    assert (done["state"], done["reason"]) == ("PUBLISHED", None)
    (publish,) = done["publishes"]
    assert (publish["state"], publish["receipts"]) == ("RECEIVED", 1)
    assert done["counts"]["subscribed"] == campaign["counts"]["subscribed"] + 3
    assert "island-302" in tokens_on_topic(deployed, done["topic_arn"])


@pytest.mark.usefixtures("islanders")
def test_what_was_changed_behind_our_back_is_found_and_mended(deployed: Target, api: Api) -> None:
    campaign = ready(api)
    sns = deployed.cloud.client("sns")
    members = {each.device_id: each for each in verification.members(api, campaign["id"])}
    taken = [members[f"islander-{number:03}"] for number in (60, 61)]
    for member in taken:
        sns.unsubscribe(SubscriptionArn=member.subscription_arn)
    out = members["islander-000"]
    stray = sns.subscribe(
        TopicArn=campaign["topic_arn"],
        Protocol="application",
        Endpoint=out.endpoint_arn,
        ReturnSubscriptionArn=True,
    )["SubscriptionArn"]
    (probe,) = [
        each["SubscriptionArn"]
        for each in sns.list_subscriptions_by_topic(TopicArn=campaign["topic_arn"])["Subscriptions"]
        if each["Protocol"] == "sqs"
    ]
    sns.unsubscribe(SubscriptionArn=probe)

    drift = verification.verify(deployed, api, campaign["id"])
    assert [each.device_id for each in drift.missing] == ["islander-060", "islander-061"]
    assert [each.subscription_arn for each in drift.extra] == [stray]
    assert (drift.other_endpoint, drift.probe) == ((), False)

    verification.repair(api, campaign["id"], drift)
    api.post("campaigns", campaign["id"], "refresh")
    settled(api, campaign["id"], "READY")
    assert verification.verify(deployed, api, campaign["id"]).clean
    api.post("campaigns", campaign["id"], "publish")
    settled(api, campaign["id"], "PUBLISHED")


def subscriptions(target: Target, topic_arn: str) -> str:
    pages = target.cloud.client("sns").get_paginator("list_subscriptions_by_topic")
    found = [
        [each["SubscriptionArn"], each["Endpoint"]]
        for page in pages.paginate(TopicArn=topic_arn)
        for each in page["Subscriptions"]
    ]
    return json.dumps(sorted(found))
