from typing import Any

import pytest

from tests.infrastructure.synthesized import Synthesized

SUBSCRIBE = "Audience/SubscribeQueue"
SUBSCRIBE_DEAD_LETTERS = "Audience/SubscribeDeadLetters"
SUBSCRIBE_PARKED = "Audience/SubscribeParked"
PROBE = "Campaigns/Workflow/ProbeQueue"
PROBE_DEAD_LETTERS = "Campaigns/Workflow/ProbeDeadLetters"
DUE_DEAD_LETTERS = "Campaigns/Workflow/DueDeadLetters"
LAUNCH_DEAD_LETTERS = "Campaigns/CampaignLauncher/LaunchDeadLetters"
ANNOUNCE_DEAD_LETTERS = "Campaigns/Events/AnnounceDeadLetters"
CLEAN_UP = "Campaigns/CleanUpQueue"
CLEAN_UP_DEAD_LETTERS = "Campaigns/CleanUpDeadLetters"

EVENTS = "Devices/Events/EndpointEventsQueue"
EVENTS_DEAD_LETTERS = "Devices/Events/EndpointEventsDeadLetters"
EVENTS_TOPIC = "Devices/Events/EndpointEventsTopic"

LOAD = "Imports/LoadQueue"
LOAD_DEAD_LETTERS = "Imports/LoadDeadLetters"
LOAD_PARKED = "Imports/LoadParked"

FOURTEEN_DAYS = 1_209_600


def test_every_queue_is_encrypted_and_keeps_its_messages_for_fourteen_days(
    fanfare: Synthesized,
) -> None:
    queues = fanfare.of_type("AWS::SQS::Queue")

    assert set(queues) == {
        *(SUBSCRIBE, SUBSCRIBE_DEAD_LETTERS, SUBSCRIBE_PARKED),
        *(PROBE, PROBE_DEAD_LETTERS, LAUNCH_DEAD_LETTERS, DUE_DEAD_LETTERS),
        ANNOUNCE_DEAD_LETTERS,
        *(CLEAN_UP, CLEAN_UP_DEAD_LETTERS, EVENTS, EVENTS_DEAD_LETTERS),
        *(LOAD, LOAD_DEAD_LETTERS, LOAD_PARKED),
    }
    for queue in queues.values():
        assert queue["SqsManagedSseEnabled"] is True
        assert queue["MessageRetentionPeriod"] == FOURTEEN_DAYS


@pytest.mark.parametrize(
    ("path", "dead_letters", "receives"),
    [
        (SUBSCRIBE, SUBSCRIBE_DEAD_LETTERS, 5),
        (SUBSCRIBE_DEAD_LETTERS, SUBSCRIBE_PARKED, 3),
        (PROBE, PROBE_DEAD_LETTERS, 5),
        (CLEAN_UP, CLEAN_UP_DEAD_LETTERS, 5),
        (EVENTS, EVENTS_DEAD_LETTERS, 5),
        (LOAD, LOAD_DEAD_LETTERS, 5),
        (LOAD_DEAD_LETTERS, LOAD_PARKED, 3),
    ],
)
def test_what_fails_too_often_becomes_a_dead_letter(
    fanfare: Synthesized, path: str, dead_letters: str, receives: int
) -> None:
    assert fanfare.properties(path)["RedrivePolicy"] == {
        "deadLetterTargetArn": f"<{dead_letters}.Arn>",
        "maxReceiveCount": receives,
    }


@pytest.mark.parametrize(
    ("path", "seconds"),
    [
        (SUBSCRIBE, 360),
        (SUBSCRIBE_DEAD_LETTERS, 360),
        (PROBE, 180),
        (CLEAN_UP, 5_400),
        (EVENTS, 360),
        (LOAD, 360),
        (LOAD_DEAD_LETTERS, 360),
    ],
)
def test_a_message_stays_hidden_for_six_times_its_functions_timeout(
    fanfare: Synthesized, path: str, seconds: int
) -> None:
    assert fanfare.properties(path)["VisibilityTimeout"] == seconds


def test_the_batching_window_is_added_to_the_visibility(
    kept: Synthesized, large_batches: Synthesized
) -> None:
    assert kept.properties(SUBSCRIBE)["VisibilityTimeout"] == 6 * 60 + 5
    assert large_batches.properties(SUBSCRIBE)["VisibilityTimeout"] == 6 * 900 + 20


def source(stack: Synthesized, handler: str) -> dict[str, Any]:
    path, _ = stack.function(handler)
    [found] = [
        properties
        for properties in stack.of_type("AWS::Lambda::EventSourceMapping").values()
        if properties["FunctionName"] == f"<{path}>"
    ]
    return found


def test_a_subscriber_takes_ten_messages_without_waiting(fanfare: Synthesized) -> None:
    assert source(fanfare, "audience.subscriber") == {
        "BatchSize": 10,
        "EventSourceArn": "<Audience/SubscribeQueue.Arn>",
        "FunctionName": "<Audience/Subscriber>",
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "MaximumBatchingWindowInSeconds": 0,
        "ScalingConfig": {"MaximumConcurrency": 2},
    }


def test_a_subscriber_takes_128_messages_within_the_window(kept: Synthesized) -> None:
    mapping = source(kept, "audience.subscriber")

    assert mapping["BatchSize"] == 128
    assert mapping["MaximumBatchingWindowInSeconds"] == 5
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 2}


def test_a_subscriber_takes_256_messages_within_the_window(large_batches: Synthesized) -> None:
    mapping = source(large_batches, "audience.subscriber")

    assert mapping["BatchSize"] == 256
    assert mapping["MaximumBatchingWindowInSeconds"] == 20
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 20}


@pytest.mark.parametrize(
    ("handler", "queue", "batch_size"),
    [
        ("audience.dead_letter", SUBSCRIBE_DEAD_LETTERS, 1),
        ("campaigns.receipt", PROBE, 10),
        ("campaigns.clean_up", CLEAN_UP, 1),
        ("devices.endpoint_events", EVENTS, 10),
        ("imports.dead_letter", LOAD_DEAD_LETTERS, 1),
    ],
)
def test_the_other_queues_have_their_functions_which_report_single_failures(
    fanfare: Synthesized, handler: str, queue: str, batch_size: int
) -> None:
    mapping = source(fanfare, handler)

    assert mapping["EventSourceArn"] == f"<{queue}.Arn>"
    assert mapping["BatchSize"] == batch_size
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_the_launcher_is_called_for_campaigns_that_are_new_refreshed_or_to_be_deleted(
    fanfare: Synthesized,
) -> None:
    mapping = source(fanfare, "campaigns.launcher")

    assert mapping["EventSourceArn"] == "<Campaigns/CampaignsTable.StreamArn>"
    assert mapping["FilterCriteria"]["Filters"] == [
        {
            "Pattern": '{"eventName":["INSERT"],'
            '"dynamodb":{"NewImage":{"record":{"S":["campaign"]}}}}'
        },
        {
            "Pattern": '{"eventName":["MODIFY"],"dynamodb":{"NewImage":'
            '{"record":{"S":["campaign"]},"deleting":{"BOOL":[true]}}}}'
        },
        {
            "Pattern": '{"eventName":["MODIFY"],"dynamodb":{"NewImage":'
            '{"record":{"S":["campaign"]},"state":{"S":["REFRESHING"]}}}}'
        },
    ]
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert mapping["DestinationConfig"] == {
        "OnFailure": {"Destination": f"<{LAUNCH_DEAD_LETTERS}.Arn>"}
    }


def test_the_announcer_is_called_for_every_change_of_a_campaign(fanfare: Synthesized) -> None:
    mapping = source(fanfare, "campaigns.announcer")

    assert mapping["EventSourceArn"] == "<Campaigns/CampaignsTable.StreamArn>"
    assert mapping["FilterCriteria"]["Filters"] == [
        {"Pattern": '{"dynamodb":{"NewImage":{"record":{"S":["campaign"]}}}}'}
    ]
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["MaximumRecordAgeInSeconds"] == 43_200
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert mapping["DestinationConfig"] == {
        "OnFailure": {"Destination": f"<{ANNOUNCE_DEAD_LETTERS}.Arn>"}
    }


DENY_PLAIN_HTTP = {
    "Action": "sqs:*",
    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    "Effect": "Deny",
    "Principal": {"AWS": "*"},
}


def test_every_queue_refuses_plain_http(fanfare: Synthesized) -> None:
    refusing = {
        queue.strip("<>")
        for policy in fanfare.of_type("AWS::SQS::QueuePolicy").values()
        for queue in policy["Queues"]
        if {**DENY_PLAIN_HTTP, "Resource": f"{queue[:-1]}.Arn>"}
        in policy["PolicyDocument"]["Statement"]
    }

    assert refusing == set(fanfare.of_type("AWS::SQS::Queue"))


def test_plain_http_is_accepted_when_the_context_says_so(kept: Synthesized) -> None:
    policies = kept.of_type("AWS::SQS::QueuePolicy")

    assert set(policies) == {f"{PROBE}/Policy", f"{EVENTS}/Policy"}
    for policy in policies.values():
        for statement in policy["PolicyDocument"]["Statement"]:
            assert statement["Effect"] == "Allow"


def test_only_topics_of_this_stacks_campaigns_reach_the_probe_queue(fanfare: Synthesized) -> None:
    statements = fanfare.properties(f"{PROBE}/Policy")["PolicyDocument"]["Statement"]

    assert [each for each in statements if each["Effect"] == "Allow"] == [
        {
            "Action": "sqs:SendMessage",
            "Condition": {
                "ArnLike": {
                    "aws:SourceArn": "arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:"
                    "Fanfare-campaign-*"
                }
            },
            "Effect": "Allow",
            "Principal": {"Service": "sns.amazonaws.com"},
            "Resource": f"<{PROBE}.Arn>",
        }
    ]


def test_only_the_topic_of_endpoint_events_reaches_their_queue(fanfare: Synthesized) -> None:
    statements = fanfare.properties(f"{EVENTS}/Policy")["PolicyDocument"]["Statement"]

    assert [each for each in statements if each["Effect"] == "Allow"] == [
        {
            "Action": "sqs:SendMessage",
            "Condition": {"ArnEquals": {"aws:SourceArn": f"<{EVENTS_TOPIC}>"}},
            "Effect": "Allow",
            "Principal": {"Service": "sns.amazonaws.com"},
            "Resource": f"<{EVENTS}.Arn>",
        }
    ]
    assert list(fanfare.of_type("AWS::SNS::Subscription").values()) == [
        {"Endpoint": f"<{EVENTS}.Arn>", "Protocol": "sqs", "TopicArn": f"<{EVENTS_TOPIC}>"}
    ]


def test_events_wait_until_what_caused_them_is_written(fanfare: Synthesized) -> None:
    assert fanfare.properties(EVENTS)["DelaySeconds"] == 30
    assert source(fanfare, "devices.endpoint_events")["ScalingConfig"] == {"MaximumConcurrency": 2}


def test_only_this_account_sends_endpoint_events_and_only_by_tls(fanfare: Synthesized) -> None:
    [policy] = fanfare.of_type("AWS::SNS::TopicPolicy").values()

    assert policy["Topics"] == [f"<{EVENTS_TOPIC}>"]
    assert [
        (each["Effect"], each["Action"], each["Principal"], each["Condition"])
        for each in policy["PolicyDocument"]["Statement"]
    ] == [
        ("Deny", "sns:Publish", "*", {"Bool": {"aws:SecureTransport": "false"}}),
        (
            "Allow",
            "sns:Publish",
            {"Service": "sns.amazonaws.com"},
            {"StringEquals": {"aws:SourceAccount": "<AWS::AccountId>"}},
        ),
        (
            "Allow",
            "sns:Publish",
            {"AWS": "*"},
            {"StringEquals": {"aws:SourceOwner": "<AWS::AccountId>"}},
        ),
    ]


def test_endpoint_events_come_by_plain_http_when_the_context_says_so(kept: Synthesized) -> None:
    [policy] = kept.of_type("AWS::SNS::TopicPolicy").values()

    assert {each["Effect"] for each in policy["PolicyDocument"]["Statement"]} == {"Allow"}
