"""The imports part: bucket, records, workflow, and the functions that check and load."""

from aws_cdk import Duration
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.alarms import AlarmAbove
from stacks.api import INTEGRATION_TIMEOUT
from stacks.bucket import PassingBucket
from stacks.config import IMPORT_TIMEOUT_SECONDS, LAMBDA_TIMEOUT_MAX_SECONDS, Config
from stacks.devices import Devices
from stacks.function import Package, PythonFunction, part_environment
from stacks.import_machine import ImportStateMachine
from stacks.queues import Queue, WorkQueue
from stacks.table import Table, text

DEAD_LETTER_TIMEOUT = Duration.seconds(60)
LONG = Duration.seconds(LAMBDA_TIMEOUT_MAX_SECONDS)
# A whole vCPU at the least:
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
LOAD_MEMORY_MB = 1769
CHECK_MEMORY_MB = 2048
BY_CREATED_INDEX = "by_created"
# What a list shows: an import's rejected rows alone may be hundreds of kilobytes.
LISTED = (
    *("state", "dry_run", "reason", "files_total", "first_file", "started_at", "ended_at"),
    *("rows", "stored", "duplicates", "moved", "rejected", "skipped"),
)
_PERIOD = Duration.minutes(5)


class Imports(Construct):
    """Takes files of devices in, checks each row, and registers the good ones."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        package: Package,
        devices: Devices,
    ) -> None:
        super().__init__(scope, id)
        self._package = package
        self.bucket = PassingBucket(self, "Bucket", config=config)
        self.table = Table(
            self,
            "ImportsTable",
            config=config,
            partition_key="import_id",
            sort_key="record",
            time_to_live_attribute="expires_at",
            indexes=[
                dynamodb.GlobalSecondaryIndexPropsV2(
                    index_name=BY_CREATED_INDEX,
                    partition_key=text("kind"),
                    sort_key=text("created_at"),
                    projection_type=dynamodb.ProjectionType.INCLUDE,
                    non_key_attributes=list(LISTED),
                )
            ],
        )
        self._add_queues(config)
        self._add_workflow(config, devices)
        self._add_load(config, devices)
        self.api_function = self._function(
            "ImportsApi",
            "api",
            timeout=INTEGRATION_TIMEOUT,
            state_machine_arn=self.state_machine.state_machine_arn,
        )
        self._grant_and_connect(config)

    def _add_queues(self, config: Config) -> None:
        """A slice that fails 5 times goes to DeadLetter; one that fails there is parked."""
        self.parked = Queue(self, "LoadParked", config=config)
        self.dead_letters = WorkQueue(
            self,
            "LoadDeadLetters",
            config=config,
            consumer_timeout=DEAD_LETTER_TIMEOUT,
            dead_letters=self.parked,
            max_receives=3,
        )
        self.queue = WorkQueue(
            self,
            "LoadQueue",
            config=config,
            consumer_timeout=Duration.seconds(IMPORT_TIMEOUT_SECONDS),
            dead_letters=self.dead_letters,
        )

    def _add_workflow(self, config: Config, devices: Devices) -> None:
        self.check = self._function(
            "Check",
            "check",
            timeout=LONG,
            memory_mb=CHECK_MEMORY_MB,
            platform_parameter_path=devices.platform_parameter_path,
        )
        self.steps = self._function(
            "Workflow",
            "workflow",
            timeout=LONG,
            memory_mb=1024,
            load_queue_url=self.queue.queue_url,
        )
        self.state_machine = ImportStateMachine(
            self, "Machine", config=config, steps=self.steps, check=self.check
        ).state_machine
        AlarmAbove(
            self,
            "FailedAlarm",
            config=config,
            metric=self.state_machine.metric_failed(period=_PERIOD),
            limit=0,
            description="An import FAILED: its reason tells why. Importing the same files again "
            "is harmless.",
        )

    def _add_load(self, config: Config, devices: Devices) -> None:
        self.load = self._function(
            "Load",
            "load",
            timeout=Duration.seconds(IMPORT_TIMEOUT_SECONDS),
            memory_mb=LOAD_MEMORY_MB,
            # A worker that runs out of time queues its slice anew, which Lambda would take for a
            # loop: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
            recursive_loop=lambda_.RecursiveLoop.ALLOW,
            load_queue_url=self.queue.queue_url,
            devices_table=devices.table.table_name,
            tokens_table=devices.tokens.table_name,
            platform_parameter_path=devices.platform_parameter_path,
            endpoint_quota_per_second=f"{config.endpoint_quota_per_second:g}",
            endpoint_headroom=f"{config.endpoint_headroom:g}",
            import_concurrency=str(config.import_concurrency),
            import_threads=str(config.import_threads),
        )
        self.dead_letter = self._function("DeadLetter", "dead_letter", timeout=DEAD_LETTER_TIMEOUT)
        devices.allow_registering(self.load)
        devices.allow_platforms(self.check)

    def _grant_and_connect(self, config: Config) -> None:
        for function in (self.api_function, self.steps, self.check, self.load, self.dead_letter):
            self.table.allow_items(function)
        self.table.allow_index(self.api_function, BY_CREATED_INDEX)
        self._grant_bucket()
        for function in (self.steps, self.load):
            self.queue.grant_send_messages(function)
        self.state_machine.grant_start_execution(self.api_function)
        self._allow_waking(self.steps, self.load, self.dead_letter)
        # The concurrency is what the account's quota for endpoints is shared out among.
        self.queue.work_off(self.load, batch_size=1, max_concurrency=config.import_concurrency)
        self.dead_letters.work_off(self.dead_letter, batch_size=1)

    def _grant_bucket(self) -> None:
        """What lies where: functions/imports/keys.py."""
        self.bucket.allow(self.api_function, reads=["rejected/*"], writes=["files/*"], lists=True)
        self.bucket.allow(
            self.check, reads=["files/*"], writes=["checks/*", "slices/*", "rejects/*"]
        )
        self.bucket.allow(
            self.steps,
            reads=["files/*", "checks/*", "plan", "rejects/*"],
            writes=["plan", "rejected/*"],
            lists=True,
        )
        for function in (self.load, self.dead_letter):
            self.bucket.allow(
                function, reads=["plan", "slices/*"], writes=["rejects/*"], lists=True
            )

    def _allow_waking(self, *functions: PythonFunction) -> None:
        """A policy apart from the functions' own: the state machine depends on these already."""
        iam.Policy(
            self,
            "WakeWorkflow",
            roles=[function.own_role for function in functions],
            statements=[
                iam.PolicyStatement(
                    actions=["states:SendTaskSuccess"],
                    resources=[self.state_machine.state_machine_arn],
                )
            ],
        )

    def _function(
        self,
        id: str,
        module: str,
        *,
        timeout: Duration,
        memory_mb: int = 512,
        recursive_loop: lambda_.RecursiveLoop | None = None,
        **settings: str,
    ) -> PythonFunction:
        return PythonFunction(
            self,
            id,
            handler=f"functions.imports.{module}.handler",
            package=self._package,
            timeout=timeout,
            memory_mb=memory_mb,
            recursive_loop=recursive_loop,
            environment=part_environment(
                "imports",
                imports_table=self.table.table_name,
                import_bucket=self.bucket.bucket_name,
                **settings,
            ),
        )
