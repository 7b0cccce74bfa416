"""Waking a workflow that waits for a task token."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from functions.shared.aws_errors import code_of

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

# Wakes whoever waits on a token; the answer is `wake`'s.
Wake = Callable[[str], bool]

# https://docs.aws.amazon.com/step-functions/latest/apireference/API_SendTaskSuccess.html
_NOBODY_WAITS = frozenset({"TaskDoesNotExist", "TaskTimedOut", "InvalidToken"})


def wake(stepfunctions: "SFNClient", token: str, output: dict[str, Any] | None = None) -> bool:
    """True if a workflow waited on this token; False if it was woken, stopped or gone before."""
    try:
        stepfunctions.send_task_success(taskToken=token, output=json.dumps(output or {}))
    except ClientError as error:
        if code_of(error) in _NOBODY_WAITS:
            return False
        raise
    return True
