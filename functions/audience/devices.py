"""Reading the devices that match, one segment of the table at a time."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from functions.audience.criteria import Criteria
from functions.audience.dynamodb_filter import compile_filter
from functions.audience.records import SKIPPED_DISABLED, SKIPPED_OPTED_OUT, Candidate

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

# Aliases of our own for the projection; the filter's begin with #n.
_PROJECTED = {
    "#p_id": "Id",
    "#p_arn": "EndpointArn",
    "#p_out": "OptOut",
    "#p_status": "EndpointStatus",
}


def scan_segment(
    devices: "Table", criteria: Criteria, *, segment: int, segments_total: int
) -> Iterator[Candidate]:
    """Every device of the segment that matches now, read consistently, page by page.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html#Scan.ParallelScan
    """
    compiled = compile_filter(criteria)
    request: dict[str, Any] = {
        "Segment": segment,
        "TotalSegments": segments_total,
        "ConsistentRead": True,
        "FilterExpression": compiled.expression,
        "ProjectionExpression": ", ".join(_PROJECTED),
        "ExpressionAttributeNames": compiled.names | _PROJECTED,
    }
    if compiled.values:
        request["ExpressionAttributeValues"] = compiled.values
    while True:
        page = devices.scan(**request)
        for item in page["Items"]:
            yield _candidate(item)
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _candidate(item: dict[str, Any]) -> Candidate:
    arn = item.get("EndpointArn")
    reason = None
    if item.get("OptOut") == "ALL":
        reason = SKIPPED_OPTED_OUT
    elif arn is None or item.get("EndpointStatus") == "INACTIVE":
        reason = SKIPPED_DISABLED
    return Candidate(device_id=item["Id"], endpoint_arn=arn, skip_reason=reason)
