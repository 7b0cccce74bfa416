"""AWS clients and tables, made once per execution environment and passed in from the handlers."""

from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.service_resource import Table
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_scheduler import EventBridgeSchedulerClient
    from mypy_boto3_sns import SNSClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient
    from mypy_boto3_stepfunctions import SFNClient

CONNECT_TIMEOUT_SECONDS = 3
READ_TIMEOUT_SECONDS = 10
MAX_POOL_CONNECTIONS = 50

_RETRYING = Config(
    retries={"mode": "standard", "total_max_attempts": 5},
    connect_timeout=CONNECT_TIMEOUT_SECONDS,
    read_timeout=READ_TIMEOUT_SECONDS,
    max_pool_connections=MAX_POOL_CONNECTIONS,
)
# Presigned URLs must name the bucket's own Region, which the global address of S3 does not; an
# endpoint given as an address takes buckets in the path all the same.
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
_REGIONAL = _RETRYING.merge(Config(signature_version="s3v4", s3={"addressing_style": "virtual"}))
# Where a second attempt by the SDK would be wrong (Publish) or hides a throttle (Subscribe).
_SINGLE_ATTEMPT = _RETRYING.merge(Config(retries={"mode": "standard", "total_max_attempts": 1}))


def table(name: str) -> "Table":
    """The DynamoDB table of that name."""
    return boto3.resource("dynamodb", config=_RETRYING).Table(name)


def dynamodb() -> "DynamoDBClient":
    """A DynamoDB client that speaks in typed values, for libraries that expect that."""
    return boto3.client("dynamodb", config=_RETRYING)


def sns() -> "SNSClient":
    """An SNS client that retries as the SDK does."""
    return boto3.client("sns", config=_RETRYING)


def sns_single_attempt() -> "SNSClient":
    """An SNS client that never repeats a call by itself."""
    return boto3.client("sns", config=_SINGLE_ATTEMPT)


def sqs() -> "SQSClient":
    """An SQS client."""
    return boto3.client("sqs", config=_RETRYING)


def ssm() -> "SSMClient":
    """A Systems Manager client."""
    return boto3.client("ssm", config=_RETRYING)


def stepfunctions() -> "SFNClient":
    """A Step Functions client."""
    return boto3.client("stepfunctions", config=_RETRYING)


def scheduler() -> "EventBridgeSchedulerClient":
    """An EventBridge Scheduler client."""
    return boto3.client("scheduler", config=_RETRYING)


def events() -> "EventBridgeClient":
    """An EventBridge client."""
    return boto3.client("events", config=_RETRYING)


def s3() -> "S3Client":
    """An S3 client whose presigned URLs are valid in its own Region."""
    return boto3.client("s3", config=_REGIONAL)
