"""The gateway to Step Functions: starts and stops a campaign's workflow."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from functions.shared.aws_errors import code_of

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient


# https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
_NEVER = frozenset(
    {
        "AccessDeniedException",
        "InvalidArn",
        "StateMachineDeleting",
        "StateMachineDoesNotExist",
        "ValidationException",
    }
)


# https://docs.aws.amazon.com/step-functions/latest/apireference/API_StopExecution.html: the latter
# for one that has ended; what it says of a malformed ARN cannot be, since Step Functions gave it.
_NOT_RUNNING = frozenset({"ExecutionDoesNotExist", "ValidationException"})


def generation_of(event: Mapping[str, Any]) -> int:
    """The generation that a workflow, which hands its own input to each step, was started for.
    One that was started before there were refreshes names none."""
    return int(event.get("started_with", {}).get("generation", 1))


class NeverStartedError(Exception):
    """Step Functions refuses to start the workflow, and would refuse again."""


class Executions:
    """Executions of the campaign workflow, named by campaign."""

    def __init__(self, stepfunctions: "SFNClient", state_machine_arn: str = "") -> None:
        self._stepfunctions = stepfunctions
        self._state_machine_arn = state_machine_arn

    def start(self, campaign_id: str, name: str, generation: int = 1) -> None:
        """Starts the workflow for a generation of the list, once ever: the name is taken after
        that.

        NeverStartedError if a repeat is of no use; any other failure is worth one.

        https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
        """
        try:
            self._stepfunctions.start_execution(
                stateMachineArn=self._state_machine_arn,
                name=name,
                input=json.dumps({"campaign_id": campaign_id, "generation": generation}),
            )
        except ClientError as error:
            code = code_of(error)
            if code in _NEVER:
                raise NeverStartedError(f"The workflow could not be started: {code}") from error
            if code != "ExecutionAlreadyExists":
                raise

    def stop(self, execution_arn: str, reason: str) -> None:
        """Stops a running workflow; one that has ended or is gone is no error."""
        try:
            self._stepfunctions.stop_execution(executionArn=execution_arn, cause=reason)
        except ClientError as error:
            if code_of(error) not in _NOT_RUNNING:
                raise
