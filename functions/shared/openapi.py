"""What routes answer, as the OpenAPI document has it."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from functions.shared.errors import FanfareError
from functions.shared.http import PROBLEM_CONTENT_TYPE, Problem

if TYPE_CHECKING:
    from aws_lambda_powertools.event_handler.openapi.types import OpenAPIResponse

JsonSchema = dict[str, Any]


def answers(
    status: HTTPStatus,
    description: str,
    body: JsonSchema | type[BaseModel] | None,
    *problems: type[FanfareError],
) -> "dict[int, OpenAPIResponse]":
    """What a route answers: its own answer, and the problems it may answer instead."""
    own: OpenAPIResponse = {"description": description}
    if isinstance(body, dict):
        own["content"] = {"application/json": {"schema": body}}
    elif body is not None:
        own["content"] = {"application/json": {"model": body}}
    found: dict[int, OpenAPIResponse] = {int(status): own}
    for problem in problems:
        # Our own title: the standard library's phrases differ from one Python to the next.
        found[int(problem.status)] = {
            "description": problem.title,
            "content": {PROBLEM_CONTENT_TYPE: {"model": Problem}},
        }
    return found
