"""Lambda: the import API."""

from functools import cache
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.imports.bucket import Bucket
from functions.imports.executions import Executions
from functions.imports.operations import Imports
from functions.imports.paging import IMPORT_ID, PAGE_DEFAULT, PAGE_MAX
from functions.imports.schema import ImportPage, ImportRequest, ImportView, NewImportView
from functions.imports.store import ImportStore
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.errors import ConflictError, InvalidInputError, NotFoundError
from functions.shared.http import http_api
from functions.shared.observability import logger, tracer
from functions.shared.openapi import answers
from functions.shared.settings import Settings


class ImportsApiSettings(Settings):
    """What the API works on."""

    imports_table: str
    import_bucket: str
    state_machine_arn: str


app = http_api()


@cache
def _imports() -> Imports:
    settings = ImportsApiSettings.from_environment()
    return Imports(
        store=ImportStore(clients.table(settings.imports_table), clock=utc_now),
        bucket=Bucket(clients.s3(), settings.import_bucket),
        executions=Executions(clients.stepfunctions(), settings.state_machine_arn),
        clock=utc_now,
    )


@app.post(
    "/imports",
    summary="Announce an import; its files go to the URLs in the answer",
    responses=answers(
        HTTPStatus.CREATED, "The import, UPLOADING", NewImportView, InvalidInputError
    ),
)
def create_import(request: ImportRequest) -> Response[NewImportView]:
    view = _imports().create(request)
    return Response(
        status_code=HTTPStatus.CREATED,
        content_type="application/json",
        headers={"Location": f"/imports/{view.id}"},
        body=view,
    )


@app.post(
    "/imports/<import_id>/start",
    summary="Start an import whose files are uploaded",
    responses=answers(
        HTTPStatus.ACCEPTED, "The import, started", ImportView, NotFoundError, ConflictError
    ),
)
def start_import(import_id: str) -> Response[ImportView]:
    view = _imports().start(_id(import_id))
    return Response(status_code=HTTPStatus.ACCEPTED, content_type="application/json", body=view)


@app.get(
    "/imports",
    summary="Imports of the last 30 days, newest first",
    responses=answers(HTTPStatus.OK, "A page of imports", ImportPage, InvalidInputError),
)
def list_imports(
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT,
    next_token: Annotated[str | None, Query(alias="next")] = None,
) -> ImportPage:
    return _imports().page(limit=limit, token=next_token)


@app.get(
    "/imports/<import_id>",
    summary="One import with its counts and its first rejected rows",
    responses=answers(HTTPStatus.OK, "The import", ImportView, NotFoundError),
)
def show_import(import_id: str) -> ImportView:
    return _imports().show(_id(import_id))


@logger.inject_lambda_context(
    correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True
)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """The HTTP answer."""
    import_id = (event.get("pathParameters") or {}).get("id")
    if import_id is not None:
        logger.append_keys(import_id=import_id)
    return app.resolve(event, context)


def _id(text: str) -> str:
    """The text, if it can be an import's id; NotFoundError without asking DynamoDB if not."""
    if not IMPORT_ID.fullmatch(text):
        raise NotFoundError("There is no import with such an id.")
    return text
