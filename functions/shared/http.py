"""The HTTP API as every part serves it: validated bodies in, problem+json (RFC 9457) out."""

import json
from collections.abc import Sequence
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError as RouteNotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from pydantic import BaseModel

from functions.shared.errors import FanfareError, InvalidInputError, InvalidPart
from functions.shared.observability import logger

PROBLEM_CONTENT_TYPE = "application/problem+json"
PROBLEM_TYPE_PREFIX = "urn:fanfare:problem:"


class InvalidPlace(BaseModel):
    """One wrong place in a refused input."""

    place: str
    reason: str


class Problem(BaseModel):
    """Problem details as RFC 9457 has them; `errors` lists the wrong places of a refused input."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[InvalidPlace] | None = None


def http_api() -> APIGatewayHttpResolver:
    """A resolver that answers every failure as problem+json and never shows an internal one."""
    app = APIGatewayHttpResolver(enable_validation=True, json_body_deserializer=_parse_json)

    @app.exception_handler(FanfareError)
    def _expected(error: FanfareError) -> Response[str]:
        parts = error.parts if isinstance(error, InvalidInputError) else None
        return problem(error.status, error.slug, error.title, str(error), parts)

    @app.exception_handler(RequestValidationError)
    def _refused(error: RequestValidationError) -> Response[str]:
        parts = [_part(found) for found in error.errors()]
        refused = InvalidInputError(parts)
        return problem(refused.status, refused.slug, refused.title, str(refused), parts)

    @app.exception_handler(RouteNotFoundError)
    def _no_route(_: RouteNotFoundError) -> Response[str]:
        detail = "There is nothing at this path for this method."
        return problem(HTTPStatus.NOT_FOUND, "not-found", "Not found", detail)

    @app.exception_handler(Exception)
    def _unexpected(error: Exception) -> Response[str]:
        # The boundary: what nobody expected is logged by its type and place, and answered blankly.
        logger.exception("unexpected failure", exc_info=error)
        detail = "The request failed inside; the log holds the cause under this request's id."
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        return problem(status, "internal-error", "Internal error", detail)

    return app


def problem(
    status: HTTPStatus,
    slug: str,
    title: str,
    detail: str,
    parts: Sequence[InvalidPart] | None = None,
) -> Response[str]:
    """The answer for one problem, https://www.rfc-editor.org/rfc/rfc9457."""
    body = Problem(
        type=PROBLEM_TYPE_PREFIX + slug,
        title=title,
        status=status,
        detail=detail,
        errors=None
        if parts is None
        else [InvalidPlace(place=part.place, reason=part.reason) for part in parts],
    )
    return Response(
        status_code=status,
        content_type=PROBLEM_CONTENT_TYPE,
        body=body.model_dump_json(exclude_none=True),
    )


def dotted(location: Sequence[str | int]) -> str:
    """The place as a reader of the body would write it: `message.title`, `devices[3].Id`."""
    place = ""
    for step in location:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else step
    return place


def _part(found: dict[str, Any]) -> InvalidPart:
    if found["type"] == "json_invalid":
        position = found["loc"][-1]
        return InvalidPart(place="body", reason=f"not JSON, at character {position}")
    location = tuple(found["loc"])
    # pydantic counts the body as the first step of the place; a reader of the body does not.
    if location[:1] == ("body",) and len(location) > 1:
        location = location[1:]
    return InvalidPart(place=dotted(location), reason=str(found["msg"]))


def _parse_json(text: str) -> Any:
    """JSON with exact numbers; NaN and Infinity, which are not JSON, are refused."""
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant)
    except RecursionError:
        raise InvalidInputError.at("body", "nested too deeply") from None


def _refuse_constant(name: str) -> Any:
    raise InvalidInputError.at("body", f"{name} is not JSON")
