from typing import Any

from tests.infrastructure.synthesized import Synthesized
from tests.infrastructure.test_functions import FUNCTIONS

TOPICS = "arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:Fanfare-campaign-*"
APPLICATIONS, ENDPOINTS = (
    f"arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:{kind}/*/Fanfare-platform-*"
    for kind in ("app", "endpoint")
)
MACHINE = "<Campaigns/Workflow/Machine/StateMachine>"
EXECUTIONS = (
    "arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:"
    "<Campaigns/Workflow/Machine/StateMachine.Name>:*"
)
IMPORT_MACHINE = "<Imports/Machine/StateMachine>"
XRAY = {("xray:PutTelemetryRecords", "*"), ("xray:PutTraceSegments", "*")}


def allowed_to(fanfare: Synthesized, service: str) -> dict[str, set[tuple[str, str]]]:
    """What each function may do with a service."""
    found = {
        handler: {
            (action.split(":")[1], resource)
            for action, resource in fanfare.allowed(handler)
            if action.startswith(f"{service}:")
        }
        for handler in FUNCTIONS
    }
    return {handler: actions for handler, actions in found.items() if actions}


def test_the_publisher_publishes_to_campaigns_and_test_sends_to_devices(
    fanfare: Synthesized,
) -> None:
    publishing = {
        (path, statement["Resource"])
        for path, policy in fanfare.of_type("AWS::IAM::Policy").items()
        for statement in policy["PolicyDocument"]["Statement"]
        if {"sns:Publish", "sns:PublishBatch", "sns:*", "*"} & set(_as_list(statement["Action"]))
    }

    assert publishing == {
        ("Campaigns/Workflow/PublisherRole/DefaultPolicy", TOPICS),
        ("Campaigns/MessagesApiRole/DefaultPolicy", ENDPOINTS),
    }


def test_each_function_does_with_sns_what_it_is_for(fanfare: Synthesized) -> None:
    assert allowed_to(fanfare, "sns") == {
        "devices.api": {
            ("CreatePlatformEndpoint", APPLICATIONS),
            ("GetEndpointAttributes", ENDPOINTS),
            ("SetEndpointAttributes", ENDPOINTS),
            ("DeleteEndpoint", ENDPOINTS),
        },
        "devices.endpoint_events": {("GetEndpointAttributes", ENDPOINTS)},
        "audience.subscriber": {("Subscribe", TOPICS), ("Unsubscribe", TOPICS)},
        "imports.load": {
            ("CreatePlatformEndpoint", APPLICATIONS),
            ("GetEndpointAttributes", ENDPOINTS),
            ("SetEndpointAttributes", ENDPOINTS),
            ("DeleteEndpoint", ENDPOINTS),
        },
        "campaigns.workflow": {
            ("CreateTopic", TOPICS),
            ("Subscribe", TOPICS),
            ("DeleteTopic", TOPICS),
        },
        "campaigns.publisher": {("Publish", TOPICS)},
        "campaigns.messages_api": {("Publish", ENDPOINTS)},
        "campaigns.clean_up": {("DeleteTopic", TOPICS)},
    }


def test_each_function_does_with_the_workflow_what_it_is_for(fanfare: Synthesized) -> None:
    wake = ("SendTaskSuccess", MACHINE)

    assert allowed_to(fanfare, "states") == {
        "campaigns.api": {wake, ("StopExecution", EXECUTIONS)},
        "campaigns.clean_up": {("StopExecution", EXECUTIONS)},
        "campaigns.launcher": {("StartExecution", MACHINE)},
        "campaigns.workflow": {wake},
        "campaigns.receipt": {wake},
        "campaigns.due": {wake},
        "audience.subscriber": {wake},
        "audience.dead_letter": {wake},
        "imports.api": {("StartExecution", IMPORT_MACHINE)},
        "imports.workflow": {("SendTaskSuccess", IMPORT_MACHINE)},
        "imports.load": {("SendTaskSuccess", IMPORT_MACHINE)},
        "imports.dead_letter": {("SendTaskSuccess", IMPORT_MACHINE)},
    }


def test_each_function_reads_and_writes_its_own_part_of_imports(fanfare: Synthesized) -> None:
    bucket = "<Imports/Bucket.Arn>"
    lists = ("ListBucket", bucket)

    def reads(*parts: str) -> set[tuple[str, str]]:
        return {("GetObject", f"{bucket}/imports/*/{part}") for part in parts}

    def writes(*parts: str) -> set[tuple[str, str]]:
        return {
            (action, f"{bucket}/imports/*/{part}")
            for part in parts
            for action in ("PutObject", "AbortMultipartUpload")
        }

    assert allowed_to(fanfare, "s3") == {
        "imports.api": {lists, *reads("rejected/*"), *writes("files/*")},
        "imports.check": {*reads("files/*"), *writes("checks/*", "slices/*", "rejects/*")},
        "imports.workflow": {
            lists,
            *reads("files/*", "checks/*", "plan", "rejects/*"),
            *writes("plan", "rejected/*"),
        },
        "imports.load": {lists, *reads("plan", "slices/*"), *writes("rejects/*")},
        "imports.dead_letter": {lists, *reads("plan", "slices/*"), *writes("rejects/*")},
    }


def test_only_the_announcer_puts_events_and_only_on_the_stacks_bus(fanfare: Synthesized) -> None:
    assert allowed_to(fanfare, "events") == {
        "campaigns.announcer": {("PutEvents", "<Campaigns/Events/Bus.Arn>")}
    }


def test_each_function_does_with_schedules_what_it_is_for(fanfare: Synthesized) -> None:
    actions = {
        handler: {action for action, _ in pairs}
        for handler, pairs in allowed_to(fanfare, "scheduler").items()
    }

    assert actions == {
        "campaigns.api": {"CreateSchedule", "DeleteSchedule"},
        "campaigns.clean_up": {"DeleteSchedule"},
        "campaigns.workflow": {"CreateSchedule"},
    }
    assert allowed_to(fanfare, "iam") == {
        "campaigns.api": {("PassRole", "<Campaigns/Workflow/Schedules/Role.Arn>")},
        "campaigns.workflow": {("PassRole", "<Campaigns/Workflow/Schedules/Role.Arn>")},
    }


def test_schedules_invoke_the_due_function_and_nothing_else(fanfare: Synthesized) -> None:
    role = fanfare.properties("Campaigns/Workflow/Schedules/Role")
    policy = fanfare.properties("Campaigns/Workflow/Schedules/Role/DefaultPolicy")

    [trusted] = role["AssumeRolePolicyDocument"]["Statement"]
    assert trusted["Condition"] == {
        "StringEquals": {
            "aws:SourceAccount": "<AWS::AccountId>",
            "aws:SourceArn": "<Campaigns/Workflow/Schedules/Group.Arn>",
        }
    }
    assert policy["PolicyDocument"]["Statement"] == [
        {
            "Action": "lambda:InvokeFunction",
            "Effect": "Allow",
            "Resource": "<Campaigns/Workflow/Due.Arn>",
        }
    ]


def test_test_sends_read_by_key_and_write_their_history_and_keys(fanfare: Synthesized) -> None:
    reading = ("BatchGetItem", "ConditionCheckItem", "GetItem", "Query")
    writing = ("BatchWriteItem", "DeleteItem", "PutItem", "UpdateItem")
    campaigns, keys = "<Campaigns/CampaignsTable.Arn>", "<Campaigns/IdempotencyTable.Arn>"
    tables = (campaigns, "<Devices/DevicesTable.Arn>")

    assert allowed_to(fanfare, "dynamodb")["campaigns.messages_api"] == {
        *((action, table) for action in reading for table in tables),
        *((action, campaigns) for action in ("PutItem", "UpdateItem")),
        *((action, keys) for action in (*reading, *writing)),
    }


def test_the_sweep_reads_devices_by_key_and_writes_the_lists(fanfare: Synthesized) -> None:
    reading = ("BatchGetItem", "ConditionCheckItem", "GetItem", "Query")
    writing = ("BatchWriteItem", "DeleteItem", "PutItem", "UpdateItem")

    assert allowed_to(fanfare, "dynamodb")["audience.sweep"] == {
        *((action, "<Devices/DevicesTable.Arn>") for action in reading),
        *((action, "<Audience/ListsTable.Arn>") for action in (*reading, *writing)),
    }


def test_endpoint_events_touch_devices_and_tokens_and_read_one_index(fanfare: Synthesized) -> None:
    reading = ("BatchGetItem", "ConditionCheckItem", "GetItem", "Query")
    writing = ("BatchWriteItem", "DeleteItem", "PutItem", "UpdateItem")
    tables = ("<Devices/DevicesTable.Arn>", "<Devices/TokensTable.Arn>")

    assert allowed_to(fanfare, "dynamodb")["devices.endpoint_events"] == {
        *((action, table) for action in (*reading, *writing) for table in tables),
        ("Query", "<Devices/DevicesTable.Arn>/index/by_endpoint"),
    }


def test_only_the_import_api_lists_imports(fanfare: Synthesized) -> None:
    index = ("Query", "<Imports/ImportsTable.Arn>/index/by_created")

    assert [
        handler for handler, pairs in allowed_to(fanfare, "dynamodb").items() if index in pairs
    ] == ["imports.api"]


def test_only_what_reads_all_devices_scans_and_nothing_else(fanfare: Synthesized) -> None:
    scanning = {
        (handler, resource)
        for handler, pairs in allowed_to(fanfare, "dynamodb").items()
        for action, resource in pairs
        if action == "Scan"
    }

    assert scanning == {
        ("devices.api", "<Devices/DevicesTable.Arn>"),
        ("audience.list_segment", "<Devices/DevicesTable.Arn>"),
        ("audience.api", "<Devices/DevicesTable.Arn>"),
    }


def test_a_preview_may_scan_the_devices_and_nothing_else(fanfare: Synthesized) -> None:
    beyond_logs_and_traces = {
        pair
        for pair in fanfare.allowed("audience.api")
        if not pair[0].startswith(("logs:", "xray:"))
    }

    assert beyond_logs_and_traces == {("dynamodb:Scan", "<Devices/DevicesTable.Arn>")}


def test_no_function_reaches_every_resource_but_for_traces(fanfare: Synthesized) -> None:
    for handler in FUNCTIONS:
        everything = {pair for pair in fanfare.allowed(handler) if pair[1] == "*"}
        assert everything == XRAY, handler


def test_no_policy_allows_every_action_of_a_service(fanfare: Synthesized) -> None:
    for path, policy in fanfare.of_type("AWS::IAM::Policy").items():
        for statement in policy["PolicyDocument"]["Statement"]:
            assert not [each for each in _as_list(statement["Action"]) if "*" in each], path


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
