"""A queue whose messages a function works off, and what becomes of those that it cannot."""

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_lambda_event_sources import SqsEventSource
from constructs import Construct

from stacks.acknowledged import acknowledge
from stacks.alarms import AlarmAbove
from stacks.config import SQS_RETENTION_MAX_DAYS, Config
from stacks.function import PythonFunction
from stacks.retention import removal_policy

# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
VISIBILITY_PER_TIMEOUT = 6


class Queue(sqs.Queue):
    """A standard queue, encrypted by SQS, that keeps its messages as long as SQS can."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        visibility_timeout: Duration | None = None,
        delivery_delay: Duration | None = None,
        dead_letter_queue: sqs.DeadLetterQueue | None = None,
    ) -> None:
        super().__init__(
            scope,
            id,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=config.enforce_ssl,
            retention_period=Duration.days(SQS_RETENTION_MAX_DAYS),
            visibility_timeout=visibility_timeout,
            delivery_delay=delivery_delay,
            dead_letter_queue=dead_letter_queue,
            removal_policy=removal_policy(config),
        )
        self._config = config
        if not config.enforce_ssl:
            acknowledge(self, "SQS4", "The context's enforce_ssl switches this off, by choice.")

    def alarm_on_messages(self, description: str, *, worked_off: bool = False) -> None:
        """For a queue that should stay empty: one message is enough to set the alarm off.

        One that is worked off is empty again before CloudWatch looks; there the receives count.
        """
        minute = Duration.minutes(1)
        if worked_off:
            metric = self.metric_number_of_messages_received(period=minute, statistic="Sum")
        else:
            metric = self.metric_approximate_number_of_messages_visible(
                period=minute, statistic="Maximum"
            )
        AlarmAbove(
            self, "Alarm", config=self._config, metric=metric, limit=0, description=description
        )


class WorkQueue(Queue):
    """A queue whose messages become dead letters, with an alarm, after so many vain receives."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        consumer_timeout: Duration,
        dead_letters: Queue,
        max_receives: int = 5,
        batching_window: Duration | None = None,
        delivery_delay: Duration | None = None,
    ) -> None:
        self.batching_window = batching_window or Duration.seconds(0)
        super().__init__(
            scope,
            id,
            config=config,
            visibility_timeout=Duration.seconds(
                VISIBILITY_PER_TIMEOUT * consumer_timeout.to_seconds()
                + self.batching_window.to_seconds()
            ),
            delivery_delay=delivery_delay,
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=dead_letters, max_receive_count=max_receives
            ),
        )
        dead_letters.alarm_on_messages(
            f"{id}: messages that failed {max_receives} times. Their function's log tells why; "
            "send them back with a redrive once the cause is gone.",
            worked_off=isinstance(dead_letters, WorkQueue),
        )

    def work_off(
        self,
        function: PythonFunction,
        *,
        batch_size: int,
        max_concurrency: int | None = None,
    ) -> None:
        """Gives the messages to the function, which reports those of a batch that failed."""
        function.add_event_source(
            SqsEventSource(
                self,
                batch_size=batch_size,
                max_batching_window=self.batching_window,
                max_concurrency=max_concurrency,
                report_batch_item_failures=True,
            )
        )
