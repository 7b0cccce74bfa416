"""Logger, metrics and tracer, and the names of the metrics. No token, credential or attribute."""

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

# Service and namespace come from POWERTOOLS_SERVICE_NAME and POWERTOOLS_METRICS_NAMESPACE.
logger = Logger()
metrics = Metrics()
tracer = Tracer()

DEVICES_SUBSCRIBED = "DevicesSubscribed"
DEVICES_UNSUBSCRIBED = "DevicesUnsubscribed"
DEVICES_SKIPPED = "DevicesSkipped"
SUBSCRIBE_THROTTLED = "SubscribeThrottled"
SUBSCRIBE_FAILED = "SubscribeFailed"
LIST_BUILD_SECONDS = "ListBuildSeconds"
PUBLISH_TO_RECEIPT_MS = "PublishToReceiptMs"
ROWS_CHECKED = "RowsChecked"
ROWS_STORED = "RowsStored"
ROWS_REJECTED = "RowsRejected"
ENDPOINTS_THROTTLED = "EndpointsThrottled"


def count(name: str, value: float) -> None:
    """Adds to a counter of this invocation."""
    metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)
