"""Reading the devices that match, one segment of the table at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from functions.audience.criteria import Criteria
from functions.audience.dynamodb_filter import Filter, Path, compile_filter
from functions.audience.evaluate import matcher
from functions.audience.records import SKIPPED_DISABLED, SKIPPED_OPTED_OUT, Candidate
from functions.devices.records import ChannelType
from functions.shared.aws_errors import is_throttle
from functions.shared.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.service_resource import Table

_READ: tuple[Path, ...] = (
    ("Id",),
    ("ChannelType",),
    ("EndpointArn",),
    ("OptOut",),
    ("EndpointStatus",),
)


@dataclass(frozen=True, kw_only=True)
class Found:
    """A device that matches."""

    candidate: Candidate
    channel_type: ChannelType


@dataclass(frozen=True, kw_only=True)
class Page:
    """What one request came to: the devices that match among so many that were read."""

    found: tuple[Found, ...]
    scanned: int


def scan_segment(
    devices: "Table", criteria: Criteria, *, segment: int, segments_total: int
) -> Iterator[Candidate]:
    """Every device of the segment that matches now, read consistently, page by page."""
    for page in scan_pages(
        devices, criteria, segment=segment, segments_total=segments_total, consistent=True
    ):
        for found in page.found:
            yield found.candidate


def scan_pages(
    devices: "Table", criteria: Criteria, *, segment: int, segments_total: int, consistent: bool
) -> Iterator[Page]:
    """The segment's pages, of up to 1 MB each before the filter; safe to use from several threads.
    UnavailableError if DynamoDB keeps throttling.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html#Scan.ParallelScan
    """
    filter_ = compile_filter(criteria)
    decide = matcher(criteria)
    request: dict[str, Any] = {
        "TableName": devices.name,
        "Segment": segment,
        "TotalSegments": segments_total,
        "ConsistentRead": consistent,
        **_expressions(filter_),
    }
    while True:
        # The table is not made for threads; the client behind it is, and it converts as well.
        page = _scan(devices.meta.client, request)
        items = page["Items"]
        yield Page(
            found=tuple(_found_of(item) for item in items if filter_.exact or decide(item)),
            scanned=page["ScannedCount"],
        )
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _scan(client: "DynamoDBClient", request: dict[str, Any]) -> Any:
    try:
        return client.scan(**request)
    except ClientError as error:
        if is_throttle(error):
            raise UnavailableError("DynamoDB kept throttling the scan of the devices") from error
        raise


def _expressions(filter_: Filter) -> dict[str, Any]:
    """The filter, and what to read of a device: no path twice, which DynamoDB refuses as it does a
    path inside another (criteria ask about leaves only)."""
    aliases: dict[str, str] = {}

    def alias(name: str) -> str:
        return aliases.setdefault(name, f"#p{len(aliases)}")

    paths = dict.fromkeys((*_READ, *filter_.needs))
    request: dict[str, Any] = {
        "ProjectionExpression": ", ".join(".".join(map(alias, path)) for path in paths),
        "ExpressionAttributeNames": filter_.names
        | {short: name for name, short in aliases.items()},
    }
    if filter_.expression is not None:
        request["FilterExpression"] = filter_.expression
    if filter_.values:
        request["ExpressionAttributeValues"] = filter_.values
    return request


def _found_of(item: dict[str, Any]) -> Found:
    return Found(candidate=candidate_of(item), channel_type=ChannelType(item["ChannelType"]))


def candidate_of(item: dict[str, Any]) -> Candidate:
    """The device as a list sees it, with the reason why it must not be sent to."""
    arn = item.get("EndpointArn")
    reason = None
    if item.get("OptOut") == "ALL":
        reason = SKIPPED_OPTED_OUT
    elif arn is None or item.get("EndpointStatus") == "INACTIVE":
        reason = SKIPPED_DISABLED
    return Candidate(device_id=item["Id"], endpoint_arn=arn, skip_reason=reason)
