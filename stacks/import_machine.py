"""The state machine that takes one import from its files to its counts."""

from aws_cdk import Duration
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from stacks.acknowledged import acknowledge, acknowledge_wildcard
from stacks.config import Config
from stacks.function import PythonFunction
from stacks.retention import RetainedLogs
from stacks.workflow_tasks import ERROR_PATH, tried_again

# Checks at once: each reads one file, or some small ones, with a vCPU of its own.
CHECKS_AT_ONCE = 8
# The bucket forgets after seven days; an import that is not over then cannot go on.
LOAD_MAX = Duration.days(6)


class ImportStateMachine(Construct):
    """Begin, check, decide, queue, await the load, finish."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        steps: PythonFunction,
        check: PythonFunction,
    ) -> None:
        super().__init__(scope, id)
        self._steps = steps
        self._failure = self._mark_failed()
        self.state_machine = sfn.StateMachine(
            self,
            "StateMachine",
            definition_body=sfn.DefinitionBody.from_chainable(self._chain(check)),
            comment="One execution for each import",
            tracing_enabled=True,
            logs=sfn.LogOptions(
                destination=RetainedLogs(self, "Logs", config=config),
                level=sfn.LogLevel.ERROR,
                include_execution_data=False,
            ),
        )
        self._acknowledge(steps, check)

    def _chain(self, check: PythonFunction) -> sfn.Chain:
        over = sfn.Succeed(self, "Over")
        load = (
            self._step("QueueSlices", "queue_slices")
            .next(self._await_load())
            .next(self._step("Finish", "finish"))
            .next(sfn.Succeed(self, "Done"))
        )
        check_and_load = (
            self._check_all(check)
            .next(self._step("Decide", "decide", result_path="$.decided"))
            .next(
                sfn.Choice(self, "Outcome")
                .when(sfn.Condition.string_equals("$.decided.outcome", "LOAD"), load)
                .otherwise(over)
            )
        )
        return self._step("Begin", "begin", result_path="$.begun").next(
            sfn.Choice(self, "IsActive")
            .when(sfn.Condition.boolean_equals("$.begun.active", False), over)
            .otherwise(check_and_load)
        )

    def _check_all(self, check: PythonFunction) -> sfn.Map:
        """Groups of files side by side; only their numbers go through the state."""
        groups = sfn.Map(
            self,
            "CheckAll",
            items_path="$.begun.groups",
            item_selector={
                "import_id": sfn.JsonPath.string_at("$.import_id"),
                "group": sfn.JsonPath.object_at("$$.Map.Item.Value"),
            },
            max_concurrency=CHECKS_AT_ONCE,
            result_path=sfn.JsonPath.DISCARD,
        )
        task = tasks.LambdaInvoke(
            self,
            "Check",
            lambda_function=check,
            payload_response_only=True,
            result_path=sfn.JsonPath.DISCARD,
        )
        groups.item_processor(tried_again(task))
        self._catch_all(groups)
        return groups

    def _await_load(self) -> tasks.LambdaInvoke:
        wait = tasks.LambdaInvoke(
            self,
            "AwaitLoad",
            lambda_function=self._steps,
            integration_pattern=sfn.IntegrationPattern.WAIT_FOR_TASK_TOKEN,
            payload=_payload(step="await_load", task_token=sfn.JsonPath.task_token),
            task_timeout=sfn.Timeout.duration(LOAD_MAX),
            result_path=sfn.JsonPath.DISCARD,
        )
        self._catch_all(wait)
        return tried_again(wait)

    def _step(
        self, id: str, step: str, result_path: str = sfn.JsonPath.DISCARD
    ) -> tasks.LambdaInvoke:
        task = self._call(id, result_path, step=step)
        self._catch_all(task)
        return task

    def _mark_failed(self) -> tasks.LambdaInvoke:
        """Where errors end: an import is never stuck without its reason on it."""
        end = sfn.Fail(self, "Failed", error="ImportFailed", cause="The import carries the reason.")
        mark = self._call(
            "MarkFailed",
            sfn.JsonPath.DISCARD,
            step="fail",
            error=sfn.JsonPath.object_at(ERROR_PATH),
        )
        mark.add_catch(end, errors=["States.ALL"], result_path=sfn.JsonPath.DISCARD)
        mark.next(end)
        return mark

    def _catch_all(self, state: sfn.TaskStateBase | sfn.Map) -> None:
        state.add_catch(self._failure, errors=["States.ALL"], result_path=ERROR_PATH)

    def _call(self, id: str, result_path: str, **payload: object) -> tasks.LambdaInvoke:
        return tried_again(
            tasks.LambdaInvoke(
                self,
                id,
                lambda_function=self._steps,
                payload=_payload(**payload),
                payload_response_only=True,
                result_path=result_path,
            )
        )

    def _acknowledge(self, *functions: PythonFunction) -> None:
        role = self.state_machine.role
        acknowledge_wildcard(
            role, "*", "X-Ray's actions and those of log delivery know no resources."
        )
        for function in functions:
            acknowledge_wildcard(
                role,
                f"{function.function_arn}:*",
                "CDK allows a task the versions and aliases of its function, too.",
            )
        acknowledge(
            self.state_machine,
            "SF1",
            "Errors are logged; all other events are in the history of each execution for 90 days.",
        )


def _payload(**fields: object) -> sfn.TaskInput:
    """The import's id, and these fields."""
    return sfn.TaskInput.from_object({"import_id": sfn.JsonPath.string_at("$.import_id"), **fields})
