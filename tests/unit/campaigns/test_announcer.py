"""What is put on the event bus, and when: held to the samples in tests/events."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest

from functions.campaigns import announcer
from functions.campaigns.bus import Bus
from functions.campaigns.events import Event, event_of
from functions.shared.errors import UnavailableError

SAMPLES = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in (Path(__file__).parents[2] / "events").glob("*.json")
}
TALLY = {"subscribed": 3, "skipped": {"opted_out": 1}, "failed": {}}


def images(sample: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A campaign's record before and after the change that the sample tells."""
    detail = sample["detail"]
    new = {
        "record": "campaign",
        "campaign_id": detail["campaign_id"],
        "name": "Jazz night",
        "state": detail["state"],
        "criteria": {"field": "Location.Country", "op": "eq", "values": ["secret"]},
        "message": '{"title": "secret"}',
        "times": {detail["state"]: detail["time"]},
        "tally": TALLY if detail["counts"] else None,
        **{name: detail[name] for name in ("reason", "publish_id", "late_by_seconds")},
    }
    new = {name: value for name, value in new.items() if value is not None}
    if sample["detail-type"] == "CampaignDeleted":
        new |= {"deleting": True, "delete_asked_at": detail["time"]}
    previous = detail["previous_state"]
    return ({} if previous is None else {"record": "campaign", "state": previous}), new


def test_there_is_a_sample_of_every_event() -> None:
    assert set(SAMPLES) == {
        *("CampaignCreated", "CampaignReady", "CampaignPublishing", "CampaignPublished"),
        *("CampaignRefreshing", "CampaignCancelled", "CampaignFailed", "CampaignDeleted"),
    }


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_are_what_is_told(name: str) -> None:
    sample = SAMPLES[name]
    old, new = images(sample)
    told = event_of(sample["detail"]["event_id"], old, new)
    assert told == Event(detail_type=name, detail=sample["detail"])
    assert "secret" not in json.dumps(sample)


def test_a_change_that_is_none_of_the_state_is_not_told() -> None:
    _, new = images(SAMPLES["CampaignReady"])
    assert event_of("e1", new, new | {"gate_token": "t"}) is None


def test_a_deletion_is_told_once_and_the_last_thing_that_is_told() -> None:
    _, new = images(SAMPLES["CampaignDeleted"])
    assert event_of("e1", new, new | {"delete_asked_at": "2026-12-01T12:09:00.000Z"}) is None
    assert event_of("e1", new, new | {"state": "FAILED"}) is None
    assert event_of("e1", new, {}) is None


def record(event_id: str, name: str) -> dict[str, Any]:
    wire = {
        "CampaignCreated": {
            "record": {"S": "campaign"},
            "campaign_id": {"S": "c1"},
            "name": {"S": "Jazz night"},
            "state": {"S": "BUILDING"},
            "times": {"M": {"BUILDING": {"S": "2026-12-01T12:00:00.000Z"}}},
        },
        "a publish": {"record": {"S": "publish#p1"}, "state": {"S": "SENT"}},
    }[name]
    return {
        "eventID": event_id,
        "eventName": "INSERT",
        "eventSource": "aws:dynamodb",
        "dynamodb": {"SequenceNumber": event_id, "NewImage": wire},
    }


@pytest.fixture
def heard(aws: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a queue behind a rule on the bus hears."""
    events, sqs = boto3.client("events"), boto3.client("sqs")
    events.create_event_bus(Name="bus")
    url = sqs.create_queue(QueueName="heard")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]
    events.put_rule(Name="all", EventBusName="bus", EventPattern='{"source": ["fanfare"]}')
    events.put_targets(
        Rule="all", EventBusName="bus", Targets=[{"Id": "q", "Arn": arn["QueueArn"]}]
    )
    monkeypatch.setenv("EVENT_BUS_NAME", "bus")
    announcer._bus.cache_clear()

    def receive() -> list[dict[str, Any]]:
        answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)
        return [json.loads(message["Body"]) for message in answer.get("Messages", [])]

    yield receive
    announcer._bus.cache_clear()


def call(*records: dict[str, Any]) -> Any:
    context = SimpleNamespace(
        function_name="announcer",
        memory_limit_in_mb=512,
        invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:announcer",
        aws_request_id="r1",
    )
    return announcer.handler({"Records": list(records)}, context)


def test_changes_of_campaigns_arrive_behind_a_rule_and_those_of_publishes_do_not(
    heard: Any,
) -> None:
    assert call(record("1", "CampaignCreated"), record("2", "a publish")) == {
        "batchItemFailures": []
    }
    (told,) = heard()
    assert (told["source"], told["detail-type"]) == ("fanfare", "CampaignCreated")
    assert told["detail"]["event_id"] == "1"
    assert told["detail"]["state"] == "BUILDING"


def test_what_eventbridge_does_not_take_is_told_again(
    heard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: Bus, _event: Event) -> None:
        raise UnavailableError("busy")

    with monkeypatch.context() as patched:
        patched.setattr(Bus, "put", refuse)
        assert call(record("1", "CampaignCreated")) == {
            "batchItemFailures": [{"itemIdentifier": "1"}]
        }
    call(record("1", "CampaignCreated"))
    call(record("1", "CampaignCreated"))
    assert [told["detail"]["event_id"] for told in heard()] == ["1", "1"]


def test_an_answer_that_names_a_failed_entry_is_a_failure() -> None:
    answer = {"FailedEntryCount": 1, "Entries": [{"ErrorCode": "ThrottlingException"}]}
    events = SimpleNamespace(put_events=lambda **_: answer)
    event = Event(detail_type="CampaignReady", detail={"time": "2026-12-01T12:00:00.000Z"})
    with pytest.raises(UnavailableError, match="ThrottlingException"):
        Bus(events, "bus").put(event)  # type: ignore[arg-type]
