"""The main job on deployed stacks: list, gate, one publish, receipt; and what must be refused."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cli.api import Api
from cli.errors import RefusedError
from cli.target import Target
from cli.watching import wait_for

pytestmark = pytest.mark.usefixtures("devices")

PATIENCE_SECONDS = 90.0
TAIWAN = {"field": "Location.Country", "op": "eq", "value": "TW"}
JAPAN_MUSIC = {
    "all": [
        {"field": "Location.Country", "op": "in", "values": ["JP", "KR"]},
        {"field": "Attributes.interests", "op": "eq", "value": "茶🍵"},
        {"not": {"field": "Metrics.visits", "op": "gte", "value": 500}},
    ]
}
MESSAGE = {"title": "爵士之夜 🎷", "body": "Tonight at eight.", "data": {"page": "/jazz"}}


def create(api: Api, criteria: dict[str, Any], **more: Any) -> str:
    body = {"name": "e2e", "criteria": criteria, "message": MESSAGE, **more}
    return str(api.post("campaigns", body=body)["id"])


def ready(api: Api, criteria: dict[str, Any]) -> dict[str, Any]:
    campaign_id = create(api, criteria)
    until = {"READY", "FAILED", "CANCELLED"}
    campaign = wait_for(api, campaign_id, until=until, patience_seconds=PATIENCE_SECONDS)
    assert campaign["state"] == "READY", campaign["reason"]
    return campaign


def published(api: Api, campaign_id: str) -> dict[str, Any]:
    until = {"PUBLISHED", "FAILED", "CANCELLED"}
    return wait_for(api, campaign_id, until=until, patience_seconds=PATIENCE_SECONDS)


def tokens_on_topic(target: Target, topic_arn: str) -> list[str]:
    """The push token behind each endpoint subscribed to the topic, in order."""
    sns = target.cloud.client("sns")
    tokens = []
    for page in sns.get_paginator("list_subscriptions_by_topic").paginate(TopicArn=topic_arn):
        for subscription in page["Subscriptions"]:
            if subscription["Protocol"] == "application":
                arn = subscription["Endpoint"]
                attributes = sns.get_endpoint_attributes(EndpointArn=arn)["Attributes"]
                tokens.append(attributes["Token"])
    return sorted(tokens)


def refused(call: Any) -> int:
    with pytest.raises(RefusedError) as error:
        call()
    return int(error.value.status)


def test_the_main_job_reaches_each_matching_device_once(deployed: Target, api: Api) -> None:
    campaign = ready(api, JAPAN_MUSIC)
    # Japan is 300 to 599, the odd ones like tea with a cup, under 500; none is opted out (even).
    expected = [f"token-{number:04}" for number in range(301, 500, 2)]
    assert tokens_on_topic(deployed, campaign["topic_arn"]) == expected
    assert campaign["counts"]["matched"] == 100
    assert campaign["counts"]["subscribed"] == 100
    assert (campaign["counts"]["skipped"], campaign["counts"]["failed"]) == ({}, {})

    api.post("campaigns", campaign["id"], "publish")
    done = published(api, campaign["id"])
    assert (done["state"], done["reason"]) == ("PUBLISHED", None)
    (publish,) = done["publishes"]
    assert (publish["state"], publish["receipts"]) == ("RECEIVED", 1)
    assert set(done["times"]) == {"BUILDING", "READY", "PUBLISHING", "PUBLISHED"}
    assert refused(lambda: api.post("campaigns", campaign["id"], "publish")) == 409


def test_opted_out_devices_are_counted_and_left_out(deployed: Target, api: Api) -> None:
    campaign = ready(api, TAIWAN)
    assert campaign["counts"]["matched"] == 300
    assert campaign["counts"]["subscribed"] == 285
    assert campaign["counts"]["skipped"] == {"opted_out": 15}
    assert len(tokens_on_topic(deployed, campaign["topic_arn"])) == 285


def test_every_chunk_delivered_again_and_again_changes_nothing(deployed: Target, api: Api) -> None:
    campaign = ready(api, TAIWAN)
    sqs = deployed.cloud.client("sqs")
    queue = deployed.output("SubscribeQueueUrl")
    table = _lists_table(deployed)
    chunks = [
        item["record"]["S"]
        for item in table["client"].scan(TableName=table["name"])["Items"]
        if item["record"]["S"].startswith("chunk#") and item["campaign_id"]["S"] == campaign["id"]
    ]
    assert chunks
    for record in [*chunks, *chunks]:
        _, segment, attempt, number = record.split("#")
        body = {
            "version": 1,
            "begun": False,
            "campaign_id": campaign["id"],
            "segment": int(segment),
            "attempt": attempt,
            "number": int(number),
        }
        sqs.send_message(QueueUrl=queue, MessageBody=json.dumps(body), MessageGroupId="again")
    _drained(deployed, queue)
    again = api.get("campaigns", campaign["id"])
    assert again["counts"] == campaign["counts"]
    assert len(tokens_on_topic(deployed, campaign["topic_arn"])) == 285


def test_a_poison_message_does_not_block_the_queue(deployed: Target, api: Api) -> None:
    sqs = deployed.cloud.client("sqs")
    sqs.send_message(QueueUrl=deployed.output("SubscribeQueueUrl"), MessageBody="poison")
    assert ready(api, JAPAN_MUSIC)["counts"]["subscribed"] == 100


def test_a_campaign_that_matches_nobody_is_ready_and_cannot_be_published(api: Api) -> None:
    campaign = ready(api, {"field": "Location.Country", "op": "eq", "value": "AQ"})
    assert campaign["counts"]["matched"] == 0
    with pytest.raises(RefusedError) as error:
        api.post("campaigns", campaign["id"], "publish")
    assert error.value.status == 409
    assert "Nobody is subscribed" in str(error.value.detail)


def test_of_two_publishes_at_once_one_wins(api: Api) -> None:
    campaign = ready(api, JAPAN_MUSIC)

    def publish(_: int) -> int:
        try:
            api.post("campaigns", campaign["id"], "publish")
        except RefusedError as error:
            return int(error.status)
        return 202

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(publish, range(4))) == [202, 409, 409, 409]
    (only,) = published(api, campaign["id"])["publishes"]
    assert only["receipts"] == 1


def test_a_scheduled_campaign_goes_out_by_itself(api: Api) -> None:
    at = datetime.now(UTC) + timedelta(seconds=20)
    campaign_id = create(api, JAPAN_MUSIC, publish_at=at.isoformat())
    done = published(api, campaign_id)
    assert done["state"] == "PUBLISHED"
    assert datetime.fromisoformat(done["times"]["PUBLISHING"]) >= at
    (publish,) = done["publishes"]
    assert publish["receipts"] == 1


def test_cancelled_and_deleted_a_campaign_leaves_nothing(deployed: Target, api: Api) -> None:
    campaign = ready(api, TAIWAN)
    assert api.post("campaigns", campaign["id"], "cancel")["state"] == "CANCELLED"
    assert refused(lambda: api.post("campaigns", campaign["id"], "publish")) == 409
    api.delete("campaigns", campaign["id"])
    assert refused(lambda: api.get("campaigns", campaign["id"])) == 404
    _nothing_is_left(deployed, campaign["id"])


def test_deleted_after_publishing_a_campaign_leaves_nothing(deployed: Target, api: Api) -> None:
    campaign = ready(api, JAPAN_MUSIC)
    api.post("campaigns", campaign["id"], "publish")
    assert published(api, campaign["id"])["state"] == "PUBLISHED"
    api.delete("campaigns", campaign["id"])
    _nothing_is_left(deployed, campaign["id"])


def test_deleted_while_building_a_campaign_leaves_nothing(deployed: Target, api: Api) -> None:
    campaign_id = create(api, TAIWAN)
    # Once the list has begun, so that subscribers are at work on it.
    _until(lambda: api.get("campaigns", campaign_id)["counts"]["segments_listed"] > 0)
    api.delete("campaigns", campaign_id)
    _nothing_is_left(deployed, campaign_id)


def test_publishing_while_building_is_refused(api: Api) -> None:
    campaign_id = create(api, TAIWAN)
    with pytest.raises(RefusedError) as error:
        api.post("campaigns", campaign_id, "publish")
    assert error.value.status == 409
    assert "BUILDING" in str(error.value.detail)


def test_a_key_makes_one_campaign(api: Api) -> None:
    body = {"name": "once", "criteria": JAPAN_MUSIC, "message": MESSAGE}
    first = api.post("campaigns", body=body, idempotency_key="e2e-key")
    assert api.post("campaigns", body=body, idempotency_key="e2e-key")["id"] == first["id"]
    other = body | {"name": "another"}
    assert refused(lambda: api.post("campaigns", body=other, idempotency_key="e2e-key")) == 422


def test_campaigns_are_paged_without_gap_or_repeat(api: Api) -> None:
    ids = {create(api, {"field": "Id", "op": "eq", "value": f"nobody-{n}"}) for n in range(5)}
    seen: list[str] = []
    query = {"limit": "2"}
    while True:
        page = api.get("campaigns", query=query)
        seen += [campaign["id"] for campaign in page["campaigns"]]
        if page["next"] is None:
            break
        query = {"limit": "2", "next": page["next"]}
    assert len(seen) == len(set(seen))
    assert ids <= set(seen)


def _until(condition: Any) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.2)


def _drained(target: Target, queue_url: str) -> None:
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    sqs = target.cloud.client("sqs")

    def empty() -> bool:
        answer = sqs.get_queue_attributes(QueueUrl=queue_url, AttributeNames=names)
        # The poison message of another test may be out for its next try.
        return int(answer["Attributes"][names[0]]) == 0

    _until(empty)


def _lists_table(target: Target) -> dict[str, Any]:
    client = target.cloud.client("dynamodb")
    (name,) = [name for name in client.list_tables()["TableNames"] if "ListsTable" in name]
    return {"client": client, "name": name}


def _nothing_is_left(target: Target, campaign_id: str) -> None:
    table = _lists_table(target)
    topic_name = target.output("TopicNamePrefix") + campaign_id
    sns = target.cloud.client("sns")
    executions = target.cloud.client("stepfunctions")

    def gone() -> bool:
        items = table["client"].query(
            TableName=table["name"],
            KeyConditionExpression="campaign_id = :id",
            ExpressionAttributeValues={":id": {"S": campaign_id}},
        )["Items"]
        topics = [
            topic["TopicArn"]
            for page in sns.get_paginator("list_topics").paginate()
            for topic in page["Topics"]
        ]
        running = executions.list_executions(
            stateMachineArn=target.output("StateMachineArn"), statusFilter="RUNNING"
        )["executions"]
        return (
            not items
            and not any(arn.endswith(topic_name) for arn in topics)
            and not any(each["name"].startswith(campaign_id) for each in running)
        )

    _until(gone)
    # And nothing that was under way brings it back.
    time.sleep(3)
    assert gone()
