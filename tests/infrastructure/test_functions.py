import json

import pytest

from tests.infrastructure.synthesized import Synthesized

CAMPAIGNS = "<Campaigns/CampaignsTable>"
LISTS = "<Audience/ListsTable>"
DEVICES = "<Devices/DevicesTable>"
TOKENS = "<Devices/TokensTable>"
IMPORTS = {"IMPORTS_TABLE": "<Imports/ImportsTable>", "IMPORT_BUCKET": "<Imports/Bucket>"}
GROUP = "<Campaigns/Workflow/Schedules/Group>"

# Handler: seconds, megabytes, settings.
FUNCTIONS: dict[str, tuple[int, int, dict[str, str]]] = {
    "devices.api": (
        29,
        512,
        {
            "DEVICES_TABLE": DEVICES,
            "TOKENS_TABLE": TOKENS,
            "PLATFORM_PARAMETER_PATH": "/Fanfare/platforms/",
        },
    ),
    "devices.endpoint_events": (60, 512, {"DEVICES_TABLE": DEVICES, "TOKENS_TABLE": TOKENS}),
    "audience.list_segment": (
        900,
        1024,
        {
            "DEVICES_TABLE": DEVICES,
            "LISTS_TABLE": LISTS,
            "SUBSCRIBE_QUEUE_URL": "<Audience/SubscribeQueue>",
            "CHUNK_SIZE": "100",
        },
    ),
    "audience.sweep": (
        900,
        1769,
        {
            "DEVICES_TABLE": DEVICES,
            "LISTS_TABLE": LISTS,
            "SUBSCRIBE_QUEUE_URL": "<Audience/SubscribeQueue>",
            "CHUNK_SIZE": "100",
        },
    ),
    "audience.subscriber": (
        60,
        1024,
        {
            "LISTS_TABLE": LISTS,
            "SUBSCRIBE_QUEUE_URL": "<Audience/SubscribeQueue>",
            "SUBSCRIBES_PER_SECOND": "47.5",
            "SUBSCRIBE_THREADS": "16",
        },
    ),
    "audience.dead_letter": (60, 512, {"LISTS_TABLE": LISTS}),
    "audience.api": (29, 1769, {"DEVICES_TABLE": DEVICES}),
    "imports.api": (
        29,
        512,
        {**IMPORTS, "STATE_MACHINE_ARN": "<Imports/Machine/StateMachine>"},
    ),
    "imports.check": (900, 2048, {**IMPORTS, "PLATFORM_PARAMETER_PATH": "/Fanfare/platforms/"}),
    "imports.workflow": (900, 1024, {**IMPORTS, "LOAD_QUEUE_URL": "<Imports/LoadQueue>"}),
    "imports.load": (
        60,
        1769,
        {
            **IMPORTS,
            "LOAD_QUEUE_URL": "<Imports/LoadQueue>",
            "DEVICES_TABLE": DEVICES,
            "TOKENS_TABLE": TOKENS,
            "PLATFORM_PARAMETER_PATH": "/Fanfare/platforms/",
            "ENDPOINT_QUOTA_PER_SECOND": "0",
            "ENDPOINT_HEADROOM": "0.8",
            "IMPORT_CONCURRENCY": "2",
            "IMPORT_THREADS": "16",
        },
    ),
    "imports.dead_letter": (60, 512, IMPORTS),
    "campaigns.api": (
        29,
        512,
        {
            "CAMPAIGNS_TABLE": CAMPAIGNS,
            "LISTS_TABLE": LISTS,
            "IDEMPOTENCY_TABLE": "<Campaigns/IdempotencyTable>",
            "SCHEDULE_GROUP": GROUP,
            "SCHEDULE_ROLE_ARN": "<Campaigns/Workflow/Schedules/Role.Arn>",
            "DUE_FUNCTION_ARN": "<Campaigns/Workflow/Due.Arn>",
            "GATE_DAYS": "90",
        },
    ),
    "campaigns.messages_api": (
        29,
        512,
        {
            "CAMPAIGNS_TABLE": CAMPAIGNS,
            "DEVICES_TABLE": DEVICES,
            "IDEMPOTENCY_TABLE": "<Campaigns/IdempotencyTable>",
        },
    ),
    "campaigns.members_api": (29, 512, {"CAMPAIGNS_TABLE": CAMPAIGNS, "LISTS_TABLE": LISTS}),
    "campaigns.launcher": (
        30,
        512,
        {
            "CAMPAIGNS_TABLE": CAMPAIGNS,
            "STATE_MACHINE_ARN": "<Campaigns/Workflow/Machine/StateMachine>",
            "CLEAN_UP_QUEUE_URL": "<Campaigns/CleanUpQueue>",
        },
    ),
    "campaigns.announcer": (30, 512, {"EVENT_BUS_NAME": "<Campaigns/Events/Bus>"}),
    "campaigns.workflow": (
        900,
        1024,
        {
            "CAMPAIGNS_TABLE": CAMPAIGNS,
            "LISTS_TABLE": LISTS,
            "TOPIC_NAME_PREFIX": "Fanfare-campaign-",
            "PROBE_QUEUE_ARN": "<Campaigns/Workflow/ProbeQueue.Arn>",
            "SCAN_SEGMENTS": "4",
            "SCHEDULE_GROUP": GROUP,
            "SCHEDULE_ROLE_ARN": "<Campaigns/Workflow/Schedules/Role.Arn>",
            "DUE_FUNCTION_ARN": "<Campaigns/Workflow/Due.Arn>",
        },
    ),
    "campaigns.publisher": (60, 512, {"CAMPAIGNS_TABLE": CAMPAIGNS}),
    "campaigns.receipt": (30, 512, {"CAMPAIGNS_TABLE": CAMPAIGNS}),
    "campaigns.due": (30, 512, {"CAMPAIGNS_TABLE": CAMPAIGNS}),
    "campaigns.clean_up": (
        900,
        512,
        {
            "CAMPAIGNS_TABLE": CAMPAIGNS,
            "LISTS_TABLE": LISTS,
            "SCHEDULE_GROUP": GROUP,
            "TOPIC_ARN_PREFIX": "arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:"
            "Fanfare-campaign-",
        },
    ),
}


def test_there_are_these_functions_and_no_others(fanfare: Synthesized) -> None:
    handlers = {
        function["Handler"] for function in fanfare.of_type("AWS::Lambda::Function").values()
    }

    assert handlers == {f"functions.{handler}.handler" for handler in FUNCTIONS}


@pytest.mark.parametrize("handler", FUNCTIONS)
def test_a_function_has_its_size_and_its_settings(fanfare: Synthesized, handler: str) -> None:
    seconds, megabytes, settings = FUNCTIONS[handler]

    _, function = fanfare.function(handler)

    assert function["Timeout"] == seconds
    assert function["MemorySize"] == megabytes
    assert function["Environment"]["Variables"] == {
        "POWERTOOLS_SERVICE_NAME": handler.partition(".")[0],
        "POWERTOOLS_METRICS_NAMESPACE": "Fanfare",
        "POWERTOOLS_LOG_LEVEL": "INFO",
        **settings,
    }


@pytest.mark.parametrize("handler", FUNCTIONS)
def test_a_function_runs_traced_on_arm_with_the_layer(fanfare: Synthesized, handler: str) -> None:
    _, function = fanfare.function(handler)

    assert function["Runtime"] == "python3.13"
    assert function["Architectures"] == ["arm64"]
    assert function["TracingConfig"] == {"Mode": "Active"}
    assert function["Layers"] == ["<Dependencies>"]


@pytest.mark.parametrize("handler", FUNCTIONS)
def test_a_function_has_a_role_and_a_log_of_its_own(fanfare: Synthesized, handler: str) -> None:
    path, function = fanfare.function(handler)

    assert function["Role"] == f"<{path}Role.Arn>"
    assert function["LoggingConfig"] == {"LogGroup": f"<{path}Logs>"}
    assert "ManagedPolicyArns" not in fanfare.properties(f"{path}Role")


def test_logs_end_after_the_days_in_the_context(
    fanfare: Synthesized, large_batches: Synthesized
) -> None:
    for stack, days in ((fanfare, 30), (large_batches, 7)):
        groups = stack.of_type("AWS::Logs::LogGroup")
        assert len(groups) == len(FUNCTIONS) + 3  # the state machines, the API
        assert {group["RetentionInDays"] for group in groups.values()} == {days}


def test_logs_and_queues_stay_when_the_removal_policy_is_retain(kept: Synthesized) -> None:
    for type_ in ("AWS::Logs::LogGroup", "AWS::SQS::Queue"):
        for path in kept.of_type(type_):
            assert kept.resources[path]["DeletionPolicy"] == "Retain"


def test_only_workers_that_run_out_of_time_may_feed_their_own_queue(fanfare: Synthesized) -> None:
    allowed = {
        path
        for path, function in fanfare.of_type("AWS::Lambda::Function").items()
        if function.get("RecursiveLoop") == "Allow"
    }

    assert allowed == {"Audience/Subscriber", "Imports/Load"}


def test_no_resource_has_a_name_of_its_own(fanfare: Synthesized, hello: Synthesized) -> None:
    names = ("TableName", "QueueName", "FunctionName", "RoleName", "LogGroupName", "AlarmName")

    for stack in (fanfare, hello):
        for path, resource in stack.resources.items():
            named = [name for name in names if name in resource.get("Properties", {})]
            if resource["Type"] in {"AWS::Lambda::EventSourceMapping", "AWS::Lambda::Permission"}:
                named = []  # theirs is a reference to the function
            assert not named, path


def test_nothing_knows_of_an_endpoint_that_is_not_aws(fanfare: Synthesized) -> None:
    written = json.dumps(fanfare.resources)

    for word in ("localhost", "127.0.0.1", "AWS_ENDPOINT_URL", "ministack"):
        assert word not in written
