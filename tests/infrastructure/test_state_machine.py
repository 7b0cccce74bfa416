"""The workflow's definition, walked state by state."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.infrastructure.synthesized import Synthesized

MACHINE = "Campaigns/Workflow/Machine/StateMachine"
STEPS = "<Campaigns/Workflow/Workflow.Arn>"
WAIT = "arn:<AWS::Partition>:states:::lambda:invoke.waitForTaskToken"

States = dict[str, dict[str, Any]]


@pytest.fixture
def definition(fanfare: Synthesized) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(fanfare.properties(MACHINE)["DefinitionString"])
    return read


@pytest.fixture
def states(definition: dict[str, Any]) -> States:
    found: States = definition["States"]
    return found


def tasks(states: States) -> Iterator[tuple[str, dict[str, Any]]]:
    """All tasks, those inside the map too."""
    for name, state in states.items():
        if state["Type"] == "Task":
            yield name, state
        if state["Type"] == "Map":
            yield from tasks(state["ItemProcessor"]["States"])


def ways(state: dict[str, Any]) -> dict[str, str]:
    """Where a state leads to, by what leads there."""
    found = {"next": state["Next"]} if "Next" in state else {}
    for choice in state.get("Choices", []):
        found[str(choice.get("StringEquals", choice.get("BooleanEquals")))] = choice["Next"]
    if "Default" in state:
        found["otherwise"] = state["Default"]
    for catch in state.get("Catch", []):
        found |= dict.fromkeys(catch["ErrorEquals"], catch["Next"])
    return found


def test_the_workflow_goes_these_ways(definition: dict[str, Any], states: States) -> None:
    assert definition["StartAt"] == "Prepare"
    assert {name: ways(state) for name, state in states.items()} == {
        "Prepare": {"next": "IsActive", "States.ALL": "MarkFailed"},
        "IsActive": {"False": "Superseded", "True": "Sweep", "otherwise": "ListSegments"},
        "Sweep": {"next": "AwaitSweep", "States.ALL": "MarkFailed"},
        "AwaitSweep": {"next": "BeginListing", "States.ALL": "MarkFailed"},
        "BeginListing": {"next": "ListSegments", "States.ALL": "MarkFailed"},
        "ListSegments": {"next": "AwaitList", "States.ALL": "MarkFailed"},
        "AwaitList": {"next": "MarkReady", "States.ALL": "MarkFailed"},
        "MarkReady": {"next": "Gate", "States.ALL": "MarkFailed"},
        "Gate": {"next": "Publish", "States.Timeout": "Expire", "States.ALL": "MarkFailed"},
        "Expire": {"next": "Publish", "States.ALL": "MarkFailed"},
        "Publish": {"next": "PublishOutcome", "States.ALL": "AwaitReceipt"},
        "PublishOutcome": {
            "REFUSED": "Gate",
            "SUPERSEDED": "Superseded",
            "otherwise": "AwaitReceipt",
        },
        "AwaitReceipt": {"next": "Settle", "States.ALL": "Settle"},
        "Settle": {"next": "SettleOutcome", "States.ALL": "MarkFailed"},
        "SettleOutcome": {"REFUSED": "Gate", "otherwise": "Settled"},
        "MarkFailed": {"next": "Failed", "States.ALL": "Failed"},
        "Superseded": {},
        "Settled": {},
        "Failed": {},
    }


def test_a_workflow_ends_well_but_for_a_failure(states: States) -> None:
    ends = {name: state["Type"] for name, state in states.items() if not ways(state)}

    assert ends == {
        "Superseded": "Succeed",
        "Settled": "Succeed",
        "Failed": "Fail",
    }


@pytest.mark.parametrize(
    ("name", "step", "more"),
    [
        ("Prepare", "prepare", {"execution_arn.$": "$$.Execution.Id"}),
        ("MarkReady", "mark_ready", {}),
        ("BeginListing", "begin_listing", {"segments_total.$": "$.prepared.segments_total"}),
        ("Expire", "expire", {}),
        ("Settle", "settle", {}),
        ("MarkFailed", "fail", {"error.$": "$.error"}),
    ],
)
def test_a_step_calls_the_workflow_function_by_name(
    states: States, name: str, step: str, more: dict[str, str]
) -> None:
    assert states[name]["Resource"] == STEPS
    assert states[name]["Parameters"] == {
        "step": step,
        "campaign_id.$": "$.campaign_id",
        "started_with.$": "$$.Execution.Input",
        **more,
    }


@pytest.mark.parametrize(
    ("name", "step", "seconds"),
    [
        ("AwaitSweep", "await_list", 24 * 60 * 60),
        ("AwaitList", "await_list", 24 * 60 * 60),
        ("Gate", "await_gate", 90 * 24 * 60 * 60),
        ("AwaitReceipt", "await_receipt", 60),
    ],
)
def test_a_wait_hands_its_token_over_and_ends_in_time(
    states: States, name: str, step: str, seconds: int
) -> None:
    assert states[name]["Resource"] == WAIT
    assert states[name]["TimeoutSeconds"] == seconds
    assert states[name]["Parameters"] == {
        "FunctionName": STEPS,
        "Payload": {
            "step": step,
            "campaign_id.$": "$.campaign_id",
            "started_with.$": "$$.Execution.Input",
            "task_token.$": "$$.Task.Token",
        },
    }


def test_all_segments_are_listed_side_by_side(states: States) -> None:
    segments = states["ListSegments"]

    assert segments["ItemsPath"] == "$.prepared.segments"
    assert segments["ItemProcessor"]["ProcessorConfig"] == {"Mode": "INLINE"}
    assert "MaxConcurrency" not in segments
    [(name, task)] = tasks(segments["ItemProcessor"]["States"])
    assert name == "ListSegment"
    assert task["Resource"] == "<Audience/ListSegment.Arn>"
    assert "Parameters" not in task


def test_the_sweep_goes_before_the_listing_of_the_same_generation(states: States) -> None:
    sweep = states["Sweep"]

    assert sweep["Resource"] == "<Audience/Sweep.Arn>"
    assert sweep["Parameters"] == {
        "campaign_id.$": "$.campaign_id",
        "started_with.$": "$$.Execution.Input",
        "generation.$": "$.prepared.generation",
    }
    assert states["IsActive"]["Choices"][1]["Variable"] == "$.prepared.refresh"


def test_publish_is_tried_again_only_where_lambda_did_not_run_the_publisher(states: States) -> None:
    publish = states["Publish"]

    assert publish["Resource"] == "<Campaigns/Workflow/Publisher.Arn>"
    assert publish["Parameters"] == {
        "campaign_id.$": "$.campaign_id",
        "started_with.$": "$$.Execution.Input",
    }
    assert publish["ResultPath"] == "$.published"
    (retry,) = publish["Retry"]
    assert (retry["ErrorEquals"], retry["MaxAttempts"]) == (
        ["Lambda.TooManyRequestsException"],
        5,
    )


def test_every_task_but_publish_is_tried_again_five_times(states: States) -> None:
    retried = {
        name: [
            retry["MaxAttempts"]
            for retry in task.get("Retry", [])
            if retry["ErrorEquals"] == ["States.TaskFailed"]
        ]
        for name, task in tasks(states)
    }

    assert retried.pop("Publish") == []
    assert len(retried) == 12
    assert set(map(tuple, retried.values())) == {(5,)}


def test_a_waits_own_timeout_is_never_tried_again(states: States) -> None:
    for name, task in tasks(states):
        for retry in task.get("Retry", []):
            assert not {"States.ALL", "States.Timeout"} & set(retry["ErrorEquals"]), name


def test_every_error_is_caught(states: States) -> None:
    # An error inside the map ends the map, which catches it.
    for name, state in states.items():
        if state["Type"] in {"Task", "Map"}:
            assert "States.ALL" in ways(state), name


def test_the_campaigns_id_goes_with_the_workflow_all_the_way(states: States) -> None:
    for name, state in states.items():
        if state["Type"] in {"Task", "Map"}:
            assert state["ResultPath"] in {None, "$.prepared", "$.published", "$.settled"}, name
            for catch in state["Catch"]:
                assert catch.get("ResultPath", "$") in {None, "$.error"}, name


def test_errors_are_logged_without_what_the_execution_holds(fanfare: Synthesized) -> None:
    machine = fanfare.properties(MACHINE)

    assert machine["LoggingConfiguration"]["Level"] == "ERROR"
    assert machine["LoggingConfiguration"]["IncludeExecutionData"] is False
    assert machine["TracingConfiguration"] == {"Enabled": True}
    assert machine.get("StateMachineType", "STANDARD") == "STANDARD"
