"""Lambda: the audience API. It reads the devices table from end to end, and writes nothing."""

import time
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.audience.criteria import parse
from functions.audience.devices import scan_pages
from functions.audience.preview import preview
from functions.audience.relative import resolve
from functions.audience.schema import PreviewRequest, PreviewView, preview_view
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.errors import InvalidInputError, UnavailableError
from functions.shared.http import http_api
from functions.shared.observability import logger, tracer
from functions.shared.openapi import answers
from functions.shared.settings import Settings

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

# Requests to DynamoDB at once. Each waits for its page most of the time; more would wait for the
# function's one processor.
SEGMENTS = 16
# Whoever calls the API waits for 30 s at the most, the start of a new function included:
# https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
TIME_SECONDS = 25.0
MARGIN_SECONDS = 2.0
_LOGGED = {"matched", "reachable", "devices_scanned", "complete"}


class AudiencesApiSettings(Settings):
    """Where the devices are."""

    devices_table: str


app = http_api()


@cache
def _devices() -> "Table":
    return clients.table(AudiencesApiSettings.from_environment().devices_table)


@app.post(
    "/audiences/preview",
    summary="Count whom criteria match at this moment, and how many of these can be reached",
    responses=answers(
        HTTPStatus.OK,
        "What was counted in up to 25 s, and whether that is all",
        PreviewView,
        InvalidInputError,
        UnavailableError,
    ),
)
def post_preview(request: PreviewRequest) -> PreviewView:
    deadline = time.monotonic() + _seconds()
    criteria = resolve(parse(request.criteria), now=utc_now())
    counted = preview(
        # Not consistent: at half the price, and what changed within this second may change again.
        lambda segment: scan_pages(
            _devices(), criteria, segment=segment, segments_total=SEGMENTS, consistent=False
        ),
        segments=SEGMENTS,
        deadline=deadline,
    )
    view = preview_view(counted)
    logger.info("audience previewed", extra=view.model_dump(include=_LOGGED))
    return view


@logger.inject_lambda_context(
    correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True
)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """The HTTP answer."""
    return app.resolve(event, context)


def _seconds() -> float:
    left = app.lambda_context.get_remaining_time_in_millis() / 1000
    return min(TIME_SECONDS, left - MARGIN_SECONDS)
