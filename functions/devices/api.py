"""Lambda: the device API."""

from functools import cache
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote, unquote

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Query
from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.parameters import SSMProvider
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import WithJsonSchema

from functions.devices.batch import Stored, register_batch
from functions.devices.endpoint_errors import EndpointRefusedError
from functions.devices.endpoints import Endpoints
from functions.devices.paging import MAX_SEGMENTS, PAGE_DEFAULT, PAGE_MAX, page_text
from functions.devices.parsing import parse_device, read_id
from functions.devices.platforms import Platforms
from functions.devices.registry import Registry
from functions.devices.schema import (
    BATCH_ANSWER,
    BATCH_BODY,
    DEVICE_ANSWER,
    DEVICE_BODY,
    DEVICES_ANSWER,
)
from functions.devices.store import DeviceStore
from functions.devices.wire import result_to_wire, to_wire
from functions.shared import clients, exact_json
from functions.shared.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from functions.shared.http import http_api
from functions.shared.observability import logger, tracer
from functions.shared.openapi import answers
from functions.shared.settings import Settings

_LATER = (ConflictError, EndpointRefusedError, UnavailableError)
_REFUSED = (InvalidInputError, *_LATER)


class DevicesApiSettings(Settings):
    """What the API works on."""

    devices_table: str
    tokens_table: str
    platform_parameter_path: str


app = http_api()


@cache
def _registry() -> Registry:
    settings = DevicesApiSettings.from_environment()
    parameters = SSMProvider(boto3_client=clients.ssm())
    return Registry(
        store=DeviceStore(
            clients.table(settings.devices_table), clients.table(settings.tokens_table)
        ),
        endpoints=Endpoints(clients.sns()),
        application_of=Platforms(parameters, settings.platform_parameter_path).application_arn,
    )


@app.put(
    "/devices/<device_id>",
    summary="Register a device, or register it again",
    responses=answers(HTTPStatus.OK, "The device as stored", DEVICE_ANSWER, *_REFUSED),
)
def put_device(
    device_id: str, _body: Annotated[Any, Body(), WithJsonSchema(DEVICE_BODY)]
) -> Response[str]:
    device = parse_device(app.current_event.json_body, path_id=unquote(device_id))
    return _json(to_wire(_registry().register(device)))


@app.get(
    "/devices",
    summary="All devices, page by page, in no order; or one segment of them",
    responses=answers(HTTPStatus.OK, "A page of devices", DEVICES_ANSWER, InvalidInputError),
)
def list_devices(
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT,
    next_token: Annotated[str | None, Query(alias="next")] = None,
    segment: Annotated[int, Query(ge=0, lt=MAX_SEGMENTS)] = 0,
    segments: Annotated[int, Query(ge=1, le=MAX_SEGMENTS)] = 1,
) -> Response[str]:
    return _answer(
        page_text(
            _registry().store, limit=limit, token=next_token, segment=segment, segments=segments
        )
    )


@app.get(
    "/devices/<device_id>",
    summary="One device, its push token included",
    responses=answers(HTTPStatus.OK, "The device", DEVICE_ANSWER, NotFoundError),
)
def get_device(device_id: str) -> Response[str]:
    return _json(to_wire(_registry().get(_id(device_id))))


@app.delete(
    "/devices/<device_id>",
    summary="Forget a device and its endpoint",
    responses=answers(HTTPStatus.NO_CONTENT, "It is gone", None, NotFoundError, *_LATER),
)
def delete_device(device_id: str) -> Response[str]:
    _registry().delete(_id(device_id))
    return Response(status_code=HTTPStatus.NO_CONTENT, body="")


@app.post(
    "/devices/batch",
    summary="Register up to a hundred devices, each with its own result",
    responses=answers(HTTPStatus.OK, "Results in the order given", BATCH_ANSWER, *_REFUSED),
)
def post_devices(_body: Annotated[Any, Body(), WithJsonSchema(BATCH_BODY)]) -> Response[str]:
    results = register_batch(_registry(), app.current_event.json_body)
    stored = sum(isinstance(result, Stored) for result in results)
    logger.info("batch registered", extra={"stored": stored, "rejected": len(results) - stored})
    return _json({"results": [result_to_wire(result) for result in results]})


@logger.inject_lambda_context(
    correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True
)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """The HTTP answer."""
    # HTTP APIs hand the path over decoded. Encoded again, any script gets through the resolver's
    # routes, and an Id, which holds no %, comes out the same whoever decoded it before.
    return app.resolve({**event, "rawPath": quote(event["rawPath"], safe="/%")}, context)


def _id(text: str) -> str:
    """The Id in the path; NotFoundError if no device can have it."""
    try:
        return read_id(unquote(text))
    except ValueError as error:
        raise NotFoundError(f"No device can have this Id: {error}.") from None


def _json(body: dict[str, Any]) -> Response[str]:
    """The answer with its numbers exact, which the resolver's own serialiser would not keep."""
    return _answer(exact_json.dumps(body))


def _answer(body: str) -> Response[str]:
    return Response(status_code=HTTPStatus.OK, content_type="application/json", body=body)
