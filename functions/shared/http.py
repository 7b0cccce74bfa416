"""The HTTP API as every part serves it: validated bodies in, problem+json (RFC 9457) out."""

import binascii
import json
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError as RouteNotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)
from pydantic import BaseModel

from functions.shared.errors import FanfareError, InvalidInputError, InvalidPart
from functions.shared.observability import logger

FORM = "application/x-www-form-urlencoded"
PROBLEM_CONTENT_TYPE = "application/problem+json"
PROBLEM_TYPE_PREFIX = "urn:fanfare:problem:"
# More than a reader wants; an answer may have 6 MB, and a body can be wrong in very many places.
MAX_PLACES = 100
MAX_DETAIL_CHARS = 2_000


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


class JsonResolver(APIGatewayHttpResolver):
    """A resolver to which a body without a type of its own is JSON: there are no forms here."""

    def resolve(self, event: Any, context: Any) -> dict[str, Any]:
        """The HTTP answer."""
        return super().resolve(_as_json(event), context)


def http_api() -> JsonResolver:
    """A resolver that answers every failure as problem+json and never shows an internal one."""
    app = JsonResolver(enable_validation=True, json_body_deserializer=_parse_json)

    @app.exception_handler(FanfareError)
    def _expected(error: FanfareError) -> Response[str]:
        parts = error.parts if isinstance(error, InvalidInputError) else None
        return problem(error.status, error.slug, error.title, str(error), parts)

    @app.exception_handler(RequestValidationError)
    def _refused(error: RequestValidationError) -> Response[str]:
        parts = [_part(found) for found in error.errors()]
        refused = InvalidInputError(parts)
        return problem(refused.status, refused.slug, refused.title, str(refused), parts)

    @app.exception_handler(RequestUnsupportedContentType)
    def _no_json(_: RequestUnsupportedContentType) -> Response[str]:
        status, detail = HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body must be application/json."
        return problem(status, "unsupported-media-type", status.phrase, detail)

    @app.exception_handler([UnicodeDecodeError, binascii.Error])
    def _no_text(_: ValueError) -> Response[str]:
        # The resolver decodes the body itself; nothing behind it decodes anything.
        refused = InvalidInputError.at("body", "not UTF-8")
        return problem(refused.status, refused.slug, refused.title, str(refused), refused.parts)

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


def _as_json(event: dict[str, Any]) -> dict[str, Any]:
    """The event with JSON for a form: that is what curl calls a body of which nobody said more."""
    headers = event.get("headers") or {}
    given = str(headers.get("content-type") or FORM)
    if not given.startswith(FORM):
        return event
    return {**event, "headers": {**headers, "content-type": "application/json"}}


def problem(
    status: HTTPStatus,
    slug: str,
    title: str,
    detail: str,
    parts: Sequence[InvalidPart] | None = None,
) -> Response[str]:
    """The answer for one problem, https://www.rfc-editor.org/rfc/rfc9457."""
    errors = None
    if parts is not None:
        errors = [
            InvalidPlace(place=_sound(part.place), reason=_sound(part.reason))
            for part in parts[:MAX_PLACES]
        ]
    body = Problem(
        type=PROBLEM_TYPE_PREFIX + slug,
        title=title,
        status=status,
        detail=_sound(detail[:MAX_DETAIL_CHARS]),
        errors=errors,
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
        if step == "[key]":  # pydantic's mark that the name itself is wrong
            continue
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


def _sound(text: str) -> str:
    """The text as UTF-8 can carry it: a wrong name may hold what is wrong with it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _parse_json(text: str) -> Any:
    """JSON with exact numbers; NaN and Infinity, which are not JSON, are refused."""
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant)
    except RecursionError:
        raise InvalidInputError.at("body", "nested too deeply") from None
    except json.JSONDecodeError:
        raise
    except (ValueError, InvalidOperation):
        # Integers beyond 4,300 digits and exponents beyond 64 bits, which Python does not read.
        raise InvalidInputError.at("body", "holds a number that is too long") from None


def _refuse_constant(name: str) -> Any:
    raise InvalidInputError.at("body", f"{name} is not JSON")
