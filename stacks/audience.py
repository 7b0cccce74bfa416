"""The audience part: the lists, the queue of chunks, the functions that make lists of it and keep
them up to date, and the function that counts an audience before there is a campaign."""

from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.api import INTEGRATION_TIMEOUT
from stacks.config import LAMBDA_TIMEOUT_MAX_SECONDS, Config
from stacks.devices import Devices
from stacks.function import Package, PythonFunction, part_environment
from stacks.queues import Queue, WorkQueue
from stacks.table import Table

DEAD_LETTER_TIMEOUT = Duration.seconds(60)
# One whole processor: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
ONE_PROCESSOR_MB = 1769


class Audience(Construct):
    """Lists segments of the devices table, and subscribes what it finds chunk by chunk."""

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
        self.lists = Table(
            self, "ListsTable", config=config, partition_key="campaign_id", sort_key="record"
        )
        self._add_queues(config)
        listing = part_environment(
            "audience",
            devices_table=devices.table.table_name,
            lists_table=self.lists.table_name,
            subscribe_queue_url=self.subscribe_queue.queue_url,
            chunk_size=str(config.chunk_size),
        )
        self.list_segment = PythonFunction(
            self,
            "ListSegment",
            handler="functions.audience.list_segment.handler",
            package=package,
            timeout=Duration.seconds(LAMBDA_TIMEOUT_MAX_SECONDS),
            memory_mb=1024,
            environment=listing,
        )
        # It waits for many reads at once, and decides on each device in between.
        self.sweep = PythonFunction(
            self,
            "Sweep",
            handler="functions.audience.sweep.handler",
            package=package,
            timeout=Duration.seconds(LAMBDA_TIMEOUT_MAX_SECONDS),
            memory_mb=ONE_PROCESSOR_MB,
            environment=listing,
        )
        self.subscriber = PythonFunction(
            self,
            "Subscriber",
            handler="functions.audience.subscriber.handler",
            package=package,
            timeout=Duration.seconds(config.subscriber_timeout_seconds),
            memory_mb=1024,
            environment=part_environment(
                "audience",
                lists_table=self.lists.table_name,
                subscribe_queue_url=self.subscribe_queue.queue_url,
                subscribes_per_second=str(config.subscribes_per_second),
                subscribe_threads=str(config.subscribe_threads),
            ),
            # A worker that runs out of time queues the rest anew, which Lambda would take for a
            # loop after 16 rounds: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
            recursive_loop=lambda_.RecursiveLoop.ALLOW,
        )
        self.dead_letter = PythonFunction(
            self,
            "DeadLetter",
            handler="functions.audience.dead_letter.handler",
            package=package,
            timeout=DEAD_LETTER_TIMEOUT,
            environment=part_environment("audience", lists_table=self.lists.table_name),
        )
        self.api_function = PythonFunction(
            self,
            "AudiencesApi",
            handler="functions.audience.api.handler",
            package=package,
            timeout=INTEGRATION_TIMEOUT,
            memory_mb=ONE_PROCESSOR_MB,
            environment=part_environment("audience", devices_table=devices.table.table_name),
        )
        self._grant_and_connect(config)

    def _add_queues(self, config: Config) -> None:
        """A chunk that fails 5 times goes to DeadLetter; one that fails there is parked."""
        self.subscribe_parked = Queue(self, "SubscribeParked", config=config)
        self.subscribe_dead_letters = WorkQueue(
            self,
            "SubscribeDeadLetters",
            config=config,
            consumer_timeout=DEAD_LETTER_TIMEOUT,
            dead_letters=self.subscribe_parked,
            max_receives=3,
        )
        self.subscribe_queue = WorkQueue(
            self,
            "SubscribeQueue",
            config=config,
            consumer_timeout=Duration.seconds(config.subscriber_timeout_seconds),
            dead_letters=self.subscribe_dead_letters,
            batching_window=Duration.seconds(config.subscribe_batch_window_seconds),
        )

    def _grant_and_connect(self, config: Config) -> None:
        for function in (self.list_segment, self.sweep, self.subscriber, self.dead_letter):
            self.lists.allow_items(function)
        for function in (self.list_segment, self.sweep, self.subscriber):
            self.subscribe_queue.grant_send_messages(function)
        # The concurrency is what the account's Subscribe quota is shared out among.
        self.subscribe_queue.work_off(
            self.subscriber,
            batch_size=config.subscribe_batch_size,
            max_concurrency=config.subscriber_concurrency,
        )
        self.subscribe_dead_letters.work_off(self.dead_letter, batch_size=1)
