"""The state machine that takes one campaign from its criteria to its receipt."""

from aws_cdk import Duration
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from stacks.acknowledged import acknowledge, acknowledge_wildcard
from stacks.config import Config
from stacks.function import PythonFunction
from stacks.retention import RetainedLogs
from stacks.workflow_tasks import (
    ERROR_PATH,
    TRIES_AGAIN,
    WorkflowTasks,
    payload_of,
    tried_again,
)


class CampaignStateMachine(Construct):
    """Prepare, list, await the list, wait at the gate, publish, await the receipt.

    A refresh, which has an execution of its own, first sweeps the members and awaits that.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        steps: PythonFunction,
        list_segment: PythonFunction,
        sweep: PythonFunction,
        publisher: PythonFunction,
    ) -> None:
        super().__init__(scope, id)
        self._config = config
        self._tasks = WorkflowTasks(self, steps=steps)
        self.state_machine = sfn.StateMachine(
            self,
            "StateMachine",
            definition_body=sfn.DefinitionBody.from_chainable(
                self._chain(list_segment=list_segment, sweep=sweep, publisher=publisher)
            ),
            comment="One execution for each campaign, and for each refresh of one",
            tracing_enabled=True,
            logs=sfn.LogOptions(
                destination=RetainedLogs(self, "Logs", config=config),
                level=sfn.LogLevel.ERROR,
                include_execution_data=False,
            ),
        )
        self._acknowledge(steps, list_segment, sweep, publisher)

    def _chain(
        self, *, list_segment: PythonFunction, sweep: PythonFunction, publisher: PythonFunction
    ) -> sfn.Chain:
        prepare = self._tasks.step(
            "Prepare",
            "prepare",
            result_path="$.prepared",
            execution_arn=sfn.JsonPath.string_at("$$.Execution.Id"),
        )
        expire = self._tasks.step("Expire", "expire")
        gate = self._gate(expire)
        await_receipt = self._await_receipt(gate)
        publish = self._publish(publisher, unknown=await_receipt)
        # Not its end: a publish may have been asked for whose wake-up was lost.
        expire.next(publish)
        superseded = sfn.Succeed(self, "Superseded")

        build_and_publish = (
            self._list_segments(list_segment)
            .next(self._await_list("AwaitList"))
            .next(self._tasks.step("MarkReady", "mark_ready"))
            .next(gate)
            .next(publish)
            .next(
                sfn.Choice(self, "PublishOutcome")
                .when(sfn.Condition.string_equals("$.published.outcome", "REFUSED"), gate)
                .when(sfn.Condition.string_equals("$.published.outcome", "SUPERSEDED"), superseded)
                # SENT or UNKNOWN: only the receipt tells these apart.
                .otherwise(await_receipt)
            )
        )
        return prepare.next(
            sfn.Choice(self, "IsActive")
            .when(sfn.Condition.boolean_equals("$.prepared.active", False), superseded)
            .when(
                sfn.Condition.boolean_equals("$.prepared.refresh", True),
                self._sweep(sweep).next(build_and_publish),
            )
            .otherwise(build_and_publish)
        )

    def _list_segments(self, list_segment: PythonFunction) -> sfn.Map:
        """All segments side by side; an error inside ends the map, and is caught there."""
        segments = sfn.Map(
            self,
            "ListSegments",
            items_path="$.prepared.segments",
            result_path=sfn.JsonPath.DISCARD,
        )
        task = tasks.LambdaInvoke(
            self, "ListSegment", lambda_function=list_segment, payload_response_only=True
        )
        segments.item_processor(tried_again(task))
        self._tasks.catch_all(segments)
        return segments

    def _sweep(self, function: PythonFunction) -> sfn.Chain:
        """Who has to leave has left before anybody new is listed."""
        sweep = tried_again(
            tasks.LambdaInvoke(
                self,
                "Sweep",
                lambda_function=function,
                payload=payload_of(generation=sfn.JsonPath.number_at("$.prepared.generation")),
                payload_response_only=True,
                result_path=sfn.JsonPath.DISCARD,
            )
        )
        self._tasks.catch_all(sweep)
        total = sfn.JsonPath.number_at("$.prepared.segments_total")
        begin = self._tasks.step("BeginListing", "begin_listing", segments_total=total)
        return sweep.next(self._await_list("AwaitSweep")).next(begin)

    def _await_list(self, id: str) -> tasks.LambdaInvoke:
        hours = Duration.hours(self._config.list_timeout_hours)
        wait = self._tasks.wait(id, "await_list", timeout=hours)
        self._tasks.catch_all(wait)
        return wait

    def _gate(self, expire: tasks.LambdaInvoke) -> tasks.LambdaInvoke:
        days = Duration.days(self._config.gate_days)
        gate = self._tasks.wait("Gate", "await_gate", timeout=days)
        gate.add_catch(expire, errors=["States.Timeout"], result_path=ERROR_PATH)
        self._tasks.catch_all(gate)
        return gate

    def _publish(self, publisher: PythonFunction, *, unknown: sfn.Chain) -> tasks.LambdaInvoke:
        """Tried again only where Lambda did not run it at all: SNS standard topics do not
        deduplicate, a publisher that died may have published, and only the receipt tells."""
        publish = tasks.LambdaInvoke(
            self,
            "Publish",
            lambda_function=publisher,
            payload=payload_of(),
            payload_response_only=True,
            retry_on_service_exceptions=False,
            result_path="$.published",
        )
        publish.add_retry(
            errors=["Lambda.TooManyRequestsException"],
            max_attempts=TRIES_AGAIN,
            interval=Duration.seconds(2),
            backoff_rate=2,
        )
        publish.add_catch(unknown, errors=["States.ALL"], result_path=ERROR_PATH)
        return publish

    def _await_receipt(self, gate: tasks.LambdaInvoke) -> sfn.Chain:
        """The receipt, or the end of the wait for it; then what the records of the publish say."""
        seconds = Duration.seconds(self._config.receipt_wait_seconds)
        wait = self._tasks.wait("AwaitReceipt", "await_receipt", timeout=seconds)
        settle = self._tasks.step("Settle", "settle", result_path="$.settled")
        settle.next(
            sfn.Choice(self, "SettleOutcome")
            .when(sfn.Condition.string_equals("$.settled.outcome", "REFUSED"), gate)
            .otherwise(sfn.Succeed(self, "Settled"))
        )
        wait.add_catch(settle, errors=["States.ALL"], result_path=ERROR_PATH)
        # Also after the receipt: whoever noted it may have died before the campaign's state.
        return wait.next(settle)

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
