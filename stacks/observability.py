"""What an operator sees: alarms on what should not happen, and one dashboard."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from stacks.alarms import AlarmAbove
from stacks.api import HttpApi
from stacks.config import Config
from stacks.function import METRICS_NAMESPACE
from stacks.queues import WorkQueue

PERIOD = Duration.minutes(5)
HALF_A_ROW = 12
# A list that takes as long as this has used up half of its time.
OLDEST_MESSAGE_SHARE = 0.5


class Observability(Construct):
    """The alarms that the queues do not bring themselves, and the dashboard."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        api: HttpApi,
        state_machine: sfn.StateMachine,
        subscribe_queue: WorkQueue,
    ) -> None:
        super().__init__(scope, id)
        self._add_alarms(config, api, state_machine, subscribe_queue)
        self._add_dashboard(api, state_machine, subscribe_queue)

    def _add_alarms(
        self,
        config: Config,
        api: HttpApi,
        state_machine: sfn.StateMachine,
        subscribe_queue: WorkQueue,
    ) -> None:
        list_timeout = Duration.hours(config.list_timeout_hours).to_seconds()
        AlarmAbove(
            self,
            "OldestMessageAlarm",
            config=config,
            metric=subscribe_queue.metric_approximate_age_of_oldest_message(period=PERIOD),
            limit=OLDEST_MESSAGE_SHARE * list_timeout,
            description="Lists are not worked off: see whether the subscribers run, and whether "
            "the lists fit the account's Subscribe quota at all.",
        )
        AlarmAbove(
            self,
            "FailedExecutionsAlarm",
            config=config,
            metric=state_machine.metric_failed(period=PERIOD),
            limit=0,
            description="A campaign FAILED: its reason tells why.",
        )
        AlarmAbove(
            self,
            "ServerErrorsAlarm",
            config=config,
            metric=api.metric_server_error(period=PERIOD, statistic="Sum"),
            limit=0,
            description="The API answered 5xx: the functions' logs hold the cause.",
        )

    def _add_dashboard(
        self, api: HttpApi, state_machine: sfn.StateMachine, subscribe_queue: WorkQueue
    ) -> None:
        subscribed = [
            _fanfare("audience", name, "Sum")
            for name in (
                *("DevicesSubscribed", "DevicesUnsubscribed", "DevicesSkipped"),
                *("SubscribeThrottled", "SubscribeFailed"),
            )
        ]
        imported = [
            _fanfare("imports", name, "Sum")
            for name in ("RowsChecked", "RowsStored", "RowsRejected", "EndpointsThrottled")
        ]
        list_build = [
            _fanfare("campaigns", "ListBuildSeconds", statistic)
            for statistic in ("Average", "Maximum")
        ]
        to_receipt = [
            _fanfare("campaigns", "PublishToReceiptMs", statistic) for statistic in ("p50", "p99")
        ]
        dashboard = cloudwatch.Dashboard(self, "Dashboard")
        for row in (
            [_graph("Devices", subscribed), _graph("Building a list (s)", list_build)],
            [
                _graph("From publish to receipt (ms)", to_receipt),
                _graph(
                    "Executions",
                    [
                        state_machine.metric_started(),
                        state_machine.metric_succeeded(),
                        state_machine.metric_failed(),
                    ],
                ),
            ],
            [
                _graph(
                    "Chunks waiting",
                    [subscribe_queue.metric_approximate_number_of_messages_visible()],
                    [subscribe_queue.metric_approximate_age_of_oldest_message()],
                ),
                _graph(
                    "API",
                    [api.metric_count(), api.metric_client_error(), api.metric_server_error()],
                    [api.metric_latency(statistic="p99")],
                ),
            ],
            [_graph("Imports (rows)", imported)],
        ):
            dashboard.add_widgets(*row)


def _fanfare(service: str, name: str, statistic: str) -> cloudwatch.Metric:
    """A metric that the functions write into their logs, in CloudWatch's embedded metric format."""
    return cloudwatch.Metric(
        namespace=METRICS_NAMESPACE,
        metric_name=name,
        dimensions_map={"service": service},
        statistic=statistic,
        label=f"{name} {statistic}",
        period=PERIOD,
    )


def _graph(
    title: str, left: Sequence[cloudwatch.IMetric], right: Sequence[cloudwatch.IMetric] = ()
) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(left), right=list(right), width=HALF_A_ROW)
