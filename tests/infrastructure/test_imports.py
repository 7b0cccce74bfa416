"""The imports' bucket, their workflow, and how they share out SNS's quota."""

import json
from typing import Any

import pytest

from functions.devices import quotas
from functions.imports import load, loading
from stacks import config
from stacks.config import Config, ConfigError
from tests.infrastructure.synthesized import Synthesized
from tests.infrastructure.test_queues import source
from tests.infrastructure.test_state_machine import States, tasks, ways

BUCKET = "Imports/Bucket"
MACHINE = "Imports/Machine/StateMachine"
STEPS = "<Imports/Workflow.Arn>"


@pytest.fixture
def states(fanfare: Synthesized) -> States:
    definition = json.loads(fanfare.properties(MACHINE)["DefinitionString"])
    assert definition["StartAt"] == "Begin"
    found: States = definition["States"]
    return found


def test_the_bucket_is_private_encrypted_and_forgets(fanfare: Synthesized) -> None:
    bucket = fanfare.properties(BUCKET)

    assert bucket["PublicAccessBlockConfiguration"] == {
        "BlockPublicAcls": True,
        "BlockPublicPolicy": True,
        "IgnorePublicAcls": True,
        "RestrictPublicBuckets": True,
    }
    assert bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"] == [
        {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    ]
    assert bucket["LifecycleConfiguration"]["Rules"] == [
        {
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
            "ExpirationInDays": 7,
            "Status": "Enabled",
        }
    ]
    assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    assert "VersioningConfiguration" not in bucket
    assert "BucketName" not in bucket


def test_the_bucket_refuses_plain_http_unless_the_context_says_otherwise(
    fanfare: Synthesized, kept: Synthesized
) -> None:
    [statement] = fanfare.properties(f"{BUCKET}/Policy")["PolicyDocument"]["Statement"]

    assert statement["Effect"] == "Deny"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert kept.of_type("AWS::S3::BucketPolicy") == {}


def test_the_bucket_goes_or_stays_with_the_removal_policy_and_nothing_empties_it(
    fanfare: Synthesized, kept: Synthesized
) -> None:
    assert fanfare.resources[BUCKET]["DeletionPolicy"] == "Delete"
    assert kept.resources[BUCKET]["DeletionPolicy"] == "Retain"
    assert fanfare.of_type("Custom::S3AutoDeleteObjects") == {}


def test_records_of_imports_expire(fanfare: Synthesized) -> None:
    assert fanfare.properties("Imports/ImportsTable")["TimeToLiveSpecification"] == {
        "AttributeName": "expires_at",
        "Enabled": True,
    }


def test_the_workflow_goes_these_ways(states: States) -> None:
    assert {name: ways(state) for name, state in states.items()} == {
        "Begin": {"next": "IsActive", "States.ALL": "MarkFailed"},
        "IsActive": {"False": "Over", "otherwise": "CheckAll"},
        "CheckAll": {"next": "Decide", "States.ALL": "MarkFailed"},
        "Decide": {"next": "Outcome", "States.ALL": "MarkFailed"},
        "Outcome": {"LOAD": "QueueSlices", "otherwise": "Over"},
        "QueueSlices": {"next": "AwaitLoad", "States.ALL": "MarkFailed"},
        "AwaitLoad": {"next": "Finish", "States.ALL": "MarkFailed"},
        "Finish": {"next": "Done", "States.ALL": "MarkFailed"},
        "MarkFailed": {"next": "Failed", "States.ALL": "Failed"},
        "Over": {},
        "Done": {},
        "Failed": {},
    }


@pytest.mark.parametrize(
    ("name", "step", "more"),
    [
        ("Begin", "begin", {}),
        ("Decide", "decide", {}),
        ("QueueSlices", "queue_slices", {}),
        ("Finish", "finish", {}),
        ("MarkFailed", "fail", {"error.$": "$.error"}),
    ],
)
def test_a_step_calls_the_workflow_function_by_name(
    states: States, name: str, step: str, more: dict[str, str]
) -> None:
    assert states[name]["Resource"] == STEPS
    assert states[name]["Parameters"] == {"step": step, "import_id.$": "$.import_id", **more}


def test_the_wait_hands_its_token_over_and_ends_before_the_bucket_forgets(states: States) -> None:
    wait = states["AwaitLoad"]

    assert wait["Resource"] == "arn:<AWS::Partition>:states:::lambda:invoke.waitForTaskToken"
    assert wait["TimeoutSeconds"] == 6 * 24 * 60 * 60
    assert wait["Parameters"]["Payload"] == {
        "step": "await_load",
        "import_id.$": "$.import_id",
        "task_token.$": "$$.Task.Token",
    }


def test_only_the_numbers_of_groups_go_through_the_map(states: States) -> None:
    groups = states["CheckAll"]

    assert groups["ItemsPath"] == "$.begun.groups"
    assert groups["ItemSelector"] == {
        "import_id.$": "$.import_id",
        "group.$": "$$.Map.Item.Value",
    }
    assert groups["MaxConcurrency"] == 8
    assert groups["ResultPath"] is None
    [(name, task)] = tasks(groups["ItemProcessor"]["States"])
    assert (name, task["Resource"]) == ("Check", "<Imports/Check.Arn>")


def test_every_task_is_tried_again_five_times_but_for_its_own_timeout(states: States) -> None:
    retries = {
        name: [(retry["ErrorEquals"], retry["MaxAttempts"]) for retry in task["Retry"]]
        for name, task in tasks(states)
    }

    assert len(retries) == 7
    for name, found in retries.items():
        assert (["States.TaskFailed"], 5) in found, name
        assert not [each for each, _ in found if {"States.ALL", "States.Timeout"} & set(each)], name


def test_a_worker_takes_one_slice_at_a_time_and_there_are_as_many_as_share_the_quota(
    fanfare: Synthesized,
) -> None:
    assert source(fanfare, "imports.load") == {
        "BatchSize": 1,
        "EventSourceArn": "<Imports/LoadQueue.Arn>",
        "FunctionName": "<Imports/Load>",
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "MaximumBatchingWindowInSeconds": 0,
        "ScalingConfig": {"MaximumConcurrency": 2},
    }


def test_a_step_that_does_not_fit_the_workers_time_is_refused_with_the_numbers(
    context: dict[str, Any],
) -> None:
    with pytest.raises(ConfigError) as refused:
        Config.from_context({**context, "import_concurrency": 40})

    assert str(refused.value) == (
        "a step of an import does not fit into its worker's time: 10 devices x 5 calls, at 0.6 "
        "calls a second and worker (endpoint_quota_per_second 30, the lowest of any Region, x "
        "endpoint_headroom 0.8 / import_concurrency 40), take 83.3 s; allowed are 45 s (60 s x "
        "0.8, or less 15 s)"
    )
    fast = {**context, "import_concurrency": 40, "endpoint_quota_per_second": 3000}
    assert Config.from_context(fast).import_concurrency == 40


@pytest.mark.parametrize(
    ("key", "value", "limit"),
    [
        ("endpoint_quota_per_second", -1, "greater than or equal to 0"),
        ("endpoint_headroom", 0, "greater than 0"),
        ("endpoint_headroom", 1.1, "less than or equal to 1"),
        ("import_concurrency", 1, "greater than or equal to 2"),
        ("import_threads", 65, "less than or equal to 64"),
    ],
)
def test_a_value_out_of_bounds_is_refused(
    context: dict[str, Any], key: str, value: Any, limit: str
) -> None:
    with pytest.raises(ConfigError, match=limit):
        Config.from_context({**context, key: value})


def test_synth_and_worker_reckon_with_the_same_figures() -> None:
    assert config.WORKER_MARGIN_SECONDS == load.MARGIN_SECONDS
    assert config.IMPORT_STEP_MIN_DEVICES == loading.STEP_MIN_DEVICES
    assert quotas.endpoint_calls_per_second("nowhere") == config.ENDPOINT_QUOTA_LOWEST
