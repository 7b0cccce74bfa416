"""The context of cdk.json and of `-c key=value`, typed, and checked before it is used."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

# https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html
LOG_RETENTION_DAYS = (
    *(1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731),
    *(1096, 1827, 2192, 2557, 2922, 3288, 3653),
)
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
SQS_BATCH_MAX_WITHOUT_WINDOW = 10
SQS_BATCH_MAX = 10_000
SQS_WINDOW_MAX_SECONDS = 300
SQS_CONCURRENCY_MIN = 2
SQS_CONCURRENCY_MAX = 1_000
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html
LAMBDA_TIMEOUT_MAX_SECONDS = 900
# https://docs.aws.amazon.com/step-functions/latest/dg/state-map-inline.html
INLINE_MAP_MAX_CONCURRENCY = 40
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
SQS_RETENTION_MAX_DAYS = 14
# https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html: an execution's year,
# less what building the list may take.
GATE_MAX_DAYS = 350
# https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
API_RATE_MAX = 10_000
API_BURST_MAX = 5_000
# How much of the subscriber's timeout a full batch may take at the worker's share of the quota,
# and what the worker keeps for itself at the end: functions/audience/subscriber.py.
TIMEOUT_SHARE = 0.8
WORKER_MARGIN_SECONDS = 15
# What a worker of an import has for one step at the least: functions/imports/loading.py. A device
# takes one call as a rule; this many if its endpoint was changed behind our back.
IMPORT_TIMEOUT_SECONDS = 60
IMPORT_STEP_MIN_DEVICES = 10
ENDPOINT_CALLS_A_DEVICE = 5
# The lowest that a Region has: functions/devices/quotas.py.
ENDPOINT_QUOTA_LOWEST = 30.0

TOPIC_ARN_OR_NOTHING = r"^(arn:[^:]+:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]+)?$"

# The keys that are ours; CDK's own carry colons, slashes or hyphens.
_OWN_KEY = re.compile(r"[a-z0-9_]+")


class ConfigError(Exception):
    """The context does not describe a system that works; the text names key, value and limit."""


def _a_retention(days: int) -> int:
    if days not in LOG_RETENTION_DAYS:
        raise ValueError(f"CloudWatch Logs keeps for one of {LOG_RETENTION_DAYS} days")
    return days


class Config(BaseModel):
    """What a deployment may choose. Values from the command line arrive as text and are read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]*$", max_length=64)]
    removal: Literal["destroy", "retain"]
    log_retention_days: Annotated[int, AfterValidator(_a_retention)]
    enforce_ssl: bool
    subscribe_quota_per_second: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
    subscribe_headroom: Annotated[float, Field(gt=0, le=1)]
    subscribe_batch_size: Annotated[int, Field(ge=1, le=SQS_BATCH_MAX)]
    subscribe_batch_window_seconds: Annotated[int, Field(ge=0, le=SQS_WINDOW_MAX_SECONDS)]
    chunk_size: Annotated[int, Field(ge=1, le=1_000)]
    subscriber_concurrency: Annotated[int, Field(ge=SQS_CONCURRENCY_MIN, le=SQS_CONCURRENCY_MAX)]
    subscribe_threads: Annotated[int, Field(ge=1, le=64)]
    subscriber_timeout_seconds: Annotated[int, Field(ge=30, le=LAMBDA_TIMEOUT_MAX_SECONDS)]
    endpoint_quota_per_second: Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]
    endpoint_headroom: Annotated[float, Field(gt=0, le=1)]
    import_concurrency: Annotated[int, Field(ge=SQS_CONCURRENCY_MIN, le=SQS_CONCURRENCY_MAX)]
    import_threads: Annotated[int, Field(ge=1, le=64)]
    scan_segments: Annotated[int, Field(ge=1, le=INLINE_MAP_MAX_CONCURRENCY)]
    list_timeout_hours: Annotated[int, Field(ge=1, le=SQS_RETENTION_MAX_DAYS * 24)]
    gate_days: Annotated[int, Field(ge=1, le=GATE_MAX_DAYS)]
    receipt_wait_seconds: Annotated[int, Field(ge=1, le=3_600)]
    api_throttle_rate: Annotated[int, Field(ge=1, le=API_RATE_MAX)]
    api_throttle_burst: Annotated[int, Field(ge=1, le=API_BURST_MAX)]
    hello_throttle_rate: Annotated[int, Field(ge=1, le=API_RATE_MAX)]
    hello_throttle_burst: Annotated[int, Field(ge=1, le=API_BURST_MAX)]
    alarm_topic_arn: Annotated[str, Field(pattern=TOPIC_ARN_OR_NOTHING)]

    @classmethod
    def from_context(cls, context: Mapping[str, Any]) -> Self:
        """The config that an app's whole context holds; ConfigError lists all that is wrong."""
        own = {key: value for key, value in context.items() if _OWN_KEY.fullmatch(key)}
        try:
            config = cls.model_validate(own)
        except ValidationError as error:
            raise ConfigError("; ".join(_told(found) for found in error.errors())) from None
        config._check_window()
        config._check_batch_fits_timeout()
        config._check_step_fits_timeout()
        return config

    @property
    def retain(self) -> bool:
        """Whether what holds data outlives its stack."""
        return self.removal == "retain"

    @property
    def subscribes_per_second(self) -> float:
        """One subscriber's share of the account's Subscribe quota."""
        return (
            self.subscribe_quota_per_second * self.subscribe_headroom / self.subscriber_concurrency
        )

    def _check_window(self) -> None:
        batch, window = self.subscribe_batch_size, self.subscribe_batch_window_seconds
        if batch > SQS_BATCH_MAX_WITHOUT_WINDOW and window == 0:
            raise ConfigError(
                f"context subscribe_batch_window_seconds = 0 with subscribe_batch_size = {batch}: "
                f"a batch of more than {SQS_BATCH_MAX_WITHOUT_WINDOW} messages needs a window of "
                f"1 to {SQS_WINDOW_MAX_SECONDS} seconds"
            )

    def _check_batch_fits_timeout(self) -> None:
        devices = self.chunk_size * self.subscribe_batch_size
        seconds = devices / self.subscribes_per_second
        timeout = self.subscriber_timeout_seconds
        allowed = min(TIMEOUT_SHARE * timeout, timeout - WORKER_MARGIN_SECONDS)
        if seconds > allowed:
            raise ConfigError(
                f"a batch does not fit into the subscriber's timeout: chunk_size "
                f"{self.chunk_size} x subscribe_batch_size {self.subscribe_batch_size} = {devices} "
                f"devices, at {self.subscribes_per_second:g} subscribes a second and worker "
                f"(subscribe_quota_per_second {self.subscribe_quota_per_second:g} x "
                f"subscribe_headroom {self.subscribe_headroom:g} / subscriber_concurrency "
                f"{self.subscriber_concurrency}), take {seconds:.1f} s; allowed are {allowed:g} s "
                f"(subscriber_timeout_seconds {timeout} x {TIMEOUT_SHARE:g}, or less "
                f"{WORKER_MARGIN_SECONDS} s)"
            )

    def _check_step_fits_timeout(self) -> None:
        quota = self.endpoint_quota_per_second or ENDPOINT_QUOTA_LOWEST
        pace = quota * self.endpoint_headroom / self.import_concurrency
        calls = IMPORT_STEP_MIN_DEVICES * ENDPOINT_CALLS_A_DEVICE
        timeout = IMPORT_TIMEOUT_SECONDS
        allowed = min(TIMEOUT_SHARE * timeout, timeout - WORKER_MARGIN_SECONDS)
        if calls / pace > allowed:
            whose = "" if self.endpoint_quota_per_second else ", the lowest of any Region,"
            raise ConfigError(
                f"a step of an import does not fit into its worker's time: "
                f"{IMPORT_STEP_MIN_DEVICES} devices x {ENDPOINT_CALLS_A_DEVICE} calls, at {pace:g} "
                f"calls a second and worker (endpoint_quota_per_second {quota:g}{whose} x "
                f"endpoint_headroom {self.endpoint_headroom:g} / import_concurrency "
                f"{self.import_concurrency}), take {calls / pace:.1f} s; allowed are {allowed:g} s "
                f"({timeout} s x {TIMEOUT_SHARE:g}, or less {WORKER_MARGIN_SECONDS} s)"
            )


def _told(found: Any) -> str:
    key = ".".join(str(step) for step in found["loc"])
    if found["type"] == "missing":
        return f"context {key} is missing"
    if found["type"] == "extra_forbidden":
        return f"context {key} is not known"
    return f"context {key} = {found['input']!r}: {found['msg'].removeprefix('Value error, ')}"
