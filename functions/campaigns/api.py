"""Lambda: the campaign API."""

from functools import cache, partial
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.audience.lists import ListStore
from functions.campaigns.callers import caller_of
from functions.campaigns.executions import Executions
from functions.campaigns.history_schema import HistoryPage
from functions.campaigns.ids import campaign_id_of
from functions.campaigns.operations import Campaigns, check
from functions.campaigns.refresh_store import RefreshStore
from functions.campaigns.schedule import Schedules
from functions.campaigns.schema import (
    PAGE_DEFAULT,
    PAGE_MAX,
    CampaignPage,
    CampaignRequest,
    CampaignView,
    ScheduleRequest,
)
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.errors import (
    ConflictError,
    IdempotencyMismatchError,
    InvalidInputError,
    NotFoundError,
)
from functions.shared.http import http_api
from functions.shared.idempotency import IdempotencyKey, Once
from functions.shared.observability import logger, tracer
from functions.shared.openapi import answers
from functions.shared.settings import Settings
from functions.shared.task_tokens import wake

_NOT_NOW = (NotFoundError, ConflictError)


class CampaignsApiSettings(Settings):
    """What the API works on."""

    campaigns_table: str
    lists_table: str
    idempotency_table: str
    schedule_group: str
    schedule_role_arn: str
    due_function_arn: str
    gate_days: int


app = http_api()


@cache
def _campaigns() -> Campaigns:
    settings = CampaignsApiSettings.from_environment()
    stepfunctions = clients.stepfunctions()
    return Campaigns(
        store=RefreshStore(clients.table(settings.campaigns_table), clock=utc_now),
        lists=ListStore(clients.table(settings.lists_table)),
        executions=Executions(stepfunctions),
        schedules=Schedules(
            clients.scheduler(),
            group=settings.schedule_group,
            role_arn=settings.schedule_role_arn,
            function_arn=settings.due_function_arn,
        ),
        wake=partial(wake, stepfunctions),
        clock=utc_now,
        gate_days=settings.gate_days,
    )


@cache
def _once() -> Once:
    return Once(CampaignsApiSettings.from_environment().idempotency_table)


@app.post(
    "/campaigns",
    summary="Create a campaign; its list is built in the background",
    responses=answers(
        HTTPStatus.CREATED,
        "The campaign, BUILDING",
        CampaignView,
        InvalidInputError,
        NotFoundError,
        ConflictError,
        IdempotencyMismatchError,
    ),
)
def create_campaign(
    request: CampaignRequest, idempotency_key: IdempotencyKey = None
) -> Response[CampaignView]:
    if idempotency_key is None:
        view = _campaigns().create(request, by=caller_of(app.current_event))
    else:
        view = _create_once(idempotency_key, request)
    return Response(
        status_code=HTTPStatus.CREATED,
        content_type="application/json",
        headers={"Location": f"/campaigns/{view.id}"},
        body=view,
    )


@app.get(
    "/campaigns",
    summary="Campaigns, newest first",
    responses=answers(HTTPStatus.OK, "A page of campaigns", CampaignPage, InvalidInputError),
)
def list_campaigns(
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT,
    next_token: Annotated[str | None, Query(alias="next")] = None,
) -> CampaignPage:
    return _campaigns().page(limit=limit, token=next_token)


@app.get(
    "/campaigns/<campaign_id>",
    summary="One campaign with its counts and publishes",
    responses=answers(HTTPStatus.OK, "The campaign", CampaignView, NotFoundError),
)
def show_campaign(campaign_id: str) -> CampaignView:
    return _campaigns().show(campaign_id_of(campaign_id))


@app.get(
    "/campaigns/<campaign_id>/history",
    summary="Who did what to a campaign, newest first; what Fanfare did by itself is there, too",
    responses=answers(
        HTTPStatus.OK, "A page of the history", HistoryPage, InvalidInputError, NotFoundError
    ),
)
def show_history(
    campaign_id: str,
    limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT,
    next_token: Annotated[str | None, Query(alias="next")] = None,
) -> HistoryPage:
    return _campaigns().history(campaign_id_of(campaign_id), limit=limit, token=next_token)


@app.patch(
    "/campaigns/<campaign_id>",
    summary="Move or remove the time that a campaign is published at, until that is asked for",
    responses=answers(
        HTTPStatus.OK, "The campaign with its new time", CampaignView, InvalidInputError, *_NOT_NOW
    ),
)
def reschedule_campaign(campaign_id: str, request: ScheduleRequest) -> CampaignView:
    caller = caller_of(app.current_event)
    return _campaigns().reschedule(campaign_id_of(campaign_id), request, by=caller)


@app.post(
    "/campaigns/<campaign_id>/publish",
    summary="Publish a READY campaign, once",
    responses=answers(
        HTTPStatus.ACCEPTED,
        "The campaign, PUBLISHING or REFRESHING",
        CampaignView,
        InvalidInputError,
        *_NOT_NOW,
        IdempotencyMismatchError,
    ),
)
def publish_campaign(
    campaign_id: str, idempotency_key: IdempotencyKey = None
) -> Response[CampaignView]:
    campaign_id = campaign_id_of(campaign_id)
    if idempotency_key is not None:
        return _accepted(_publish_once(idempotency_key, campaign_id))
    return _accepted(_campaigns().publish(campaign_id, by=caller_of(app.current_event)))


@app.post(
    "/campaigns/<campaign_id>/refresh",
    summary="Bring the list in line with the audience of now; then it can be published again",
    responses=answers(
        HTTPStatus.ACCEPTED,
        "The campaign, REFRESHING",
        CampaignView,
        InvalidInputError,
        *_NOT_NOW,
        IdempotencyMismatchError,
    ),
)
def refresh_campaign(
    campaign_id: str, idempotency_key: IdempotencyKey = None
) -> Response[CampaignView]:
    campaign_id = campaign_id_of(campaign_id)
    if idempotency_key is not None:
        return _accepted(_refresh_once(idempotency_key, campaign_id))
    return _accepted(_campaigns().refresh(campaign_id, by=caller_of(app.current_event)))


@app.post(
    "/campaigns/<campaign_id>/cancel",
    summary="Cancel a campaign that is not published",
    responses=answers(HTTPStatus.OK, "The campaign, CANCELLED", CampaignView, *_NOT_NOW),
)
def cancel_campaign(campaign_id: str) -> CampaignView:
    return _campaigns().cancel(campaign_id_of(campaign_id), by=caller_of(app.current_event))


@app.delete(
    "/campaigns/<campaign_id>",
    summary="Delete a campaign with its topic and list",
    responses=answers(HTTPStatus.ACCEPTED, "The campaign as it was", CampaignView, *_NOT_NOW),
)
def delete_campaign(campaign_id: str) -> Response[CampaignView]:
    return _accepted(
        _campaigns().delete(campaign_id_of(campaign_id), by=caller_of(app.current_event))
    )


@logger.inject_lambda_context(
    correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True
)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """The HTTP answer."""
    campaign_id = (event.get("pathParameters") or {}).get("id")
    if campaign_id is not None:
        logger.append_keys(campaign_id=campaign_id)
    _once().register(context)
    return app.resolve(event, context)


def _create_once(key: str, request: CampaignRequest) -> CampaignView:
    """The campaign that this key made first, or a new one; NotFoundError if it was deleted since.

    Only the id is kept with the key: the rest may be too large, and is better fresh.
    """
    check(request)
    caller = caller_of(app.current_event)
    campaign_id = _once().run(
        "create",
        key,
        request.model_dump(),
        lambda: _campaigns().create(request, key=key, by=caller).id,
    )
    return _campaigns().show(campaign_id)


def _publish_once(key: str, campaign_id: str) -> CampaignView:
    """The campaign as it is now, with the publish that this key asked for.

    The key names the publish, so that no second one can come of it even after a day.
    """
    caller = caller_of(app.current_event)

    def publish() -> str:
        _campaigns().publish(campaign_id, by=caller, key=key)
        return campaign_id

    return _campaigns().show(_once().run("publish", key, None, publish, subject=campaign_id))


def _refresh_once(key: str, campaign_id: str) -> CampaignView:
    """The campaign as it is now, with the refresh that this key asked for."""
    caller = caller_of(app.current_event)

    def refresh() -> str:
        _campaigns().refresh(campaign_id, by=caller)
        return campaign_id

    return _campaigns().show(_once().run("refresh", key, None, refresh, subject=campaign_id))


def _accepted(view: CampaignView) -> Response[CampaignView]:
    return Response(status_code=HTTPStatus.ACCEPTED, content_type="application/json", body=view)
