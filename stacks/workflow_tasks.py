"""How the workflow calls a function: what it hands over, what it tries again, where errors go."""

from aws_cdk import Duration
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from stacks.function import PythonFunction

TRIES_AGAIN = 5
ERROR_PATH = "$.error"


class WorkflowTasks:
    """Tasks of the function that knows the steps by name; each error ends in one that marks it."""

    def __init__(self, scope: Construct, *, steps: PythonFunction) -> None:
        self._scope = scope
        self._steps = steps
        self._failure = self._mark_failed()

    def step(
        self, id: str, step: str, result_path: str = sfn.JsonPath.DISCARD, **payload: object
    ) -> tasks.LambdaInvoke:
        """A step that the function does and returns from."""
        task = self._call(id, result_path, step=step, **payload)
        self.catch_all(task)
        return task

    def wait(self, id: str, step: str, *, timeout: Duration) -> tasks.LambdaInvoke:
        """A step for which the function stores the token that ends it; nothing is caught yet."""
        return tried_again(
            tasks.LambdaInvoke(
                self._scope,
                id,
                lambda_function=self._steps,
                integration_pattern=sfn.IntegrationPattern.WAIT_FOR_TASK_TOKEN,
                payload=payload_of(step=step, task_token=sfn.JsonPath.task_token),
                task_timeout=sfn.Timeout.duration(timeout),
                result_path=sfn.JsonPath.DISCARD,
            )
        )

    def catch_all(self, state: sfn.TaskStateBase | sfn.Map) -> None:
        """Lets every error that is not caught before mark the campaign FAILED."""
        state.add_catch(self._failure, errors=["States.ALL"], result_path=ERROR_PATH)

    def _mark_failed(self) -> tasks.LambdaInvoke:
        """Where errors end: a campaign is never stuck without its reason on it."""
        end = sfn.Fail(
            self._scope, "Failed", error="CampaignFailed", cause="The campaign carries the reason."
        )
        mark = self._call(
            "MarkFailed",
            sfn.JsonPath.DISCARD,
            step="fail",
            error=sfn.JsonPath.object_at(ERROR_PATH),
        )
        mark.add_catch(end, errors=["States.ALL"], result_path=sfn.JsonPath.DISCARD)
        mark.next(end)
        return mark

    def _call(self, id: str, result_path: str, **payload: object) -> tasks.LambdaInvoke:
        return tried_again(
            tasks.LambdaInvoke(
                self._scope,
                id,
                lambda_function=self._steps,
                payload=payload_of(**payload),
                payload_response_only=True,
                result_path=result_path,
            )
        )


def payload_of(**fields: object) -> sfn.TaskInput:
    """The campaign's id, what the execution was started with, and these fields."""
    return sfn.TaskInput.from_object(
        {
            "campaign_id": sfn.JsonPath.string_at("$.campaign_id"),
            "started_with": sfn.JsonPath.object_at("$$.Execution.Input"),
            **fields,
        }
    )


def tried_again(task: tasks.LambdaInvoke) -> tasks.LambdaInvoke:
    """The task with retries of any error but its own timeout, beside CDK's for Lambda's errors.

    https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html
    """
    task.add_retry(
        errors=["States.TaskFailed"],
        max_attempts=TRIES_AGAIN,
        interval=Duration.seconds(2),
        backoff_rate=2,
        max_delay=Duration.seconds(60),
        jitter_strategy=sfn.JitterType.FULL,
    )
    return task
