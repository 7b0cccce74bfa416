"""The gateway to Step Functions: starts an import's workflow."""

import json
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.shared.aws_errors import code_of

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient


class Executions:
    """Executions of the import workflow, named by import."""

    def __init__(self, stepfunctions: "SFNClient", state_machine_arn: str) -> None:
        self._stepfunctions = stepfunctions
        self._state_machine_arn = state_machine_arn

    def start(self, import_id: str) -> None:
        """Starts the import's workflow, once ever: the name is taken after that.

        https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
        """
        try:
            self._stepfunctions.start_execution(
                stateMachineArn=self._state_machine_arn,
                name=import_id,
                input=json.dumps({"import_id": import_id}),
            )
        except ClientError as error:
            if code_of(error) != "ExecutionAlreadyExists":
                raise
