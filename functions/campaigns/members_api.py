"""Lambda: the API of a list's members, for whoever checks it against its topic.

Apart from the campaigns' own API: it is large where that is quick, and it publishes nothing.
"""

from functools import cache
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.audience.refresh_lists import RefreshLists
from functions.campaigns.ids import campaign_id_of
from functions.campaigns.member_schema import (
    MEMBERS_DEFAULT,
    MEMBERS_MAX,
    MemberPage,
    RepairRequest,
    RepairView,
)
from functions.campaigns.members import Members
from functions.campaigns.refresh_store import RefreshStore
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.errors import ConflictError, InvalidInputError, NotFoundError
from functions.shared.http import http_api
from functions.shared.observability import logger, tracer
from functions.shared.openapi import answers
from functions.shared.settings import Settings


class MembersApiSettings(Settings):
    """Where the campaigns and their lists are."""

    campaigns_table: str
    lists_table: str


app = http_api()


@cache
def _members() -> Members:
    settings = MembersApiSettings.from_environment()
    return Members(
        store=RefreshStore(clients.table(settings.campaigns_table), clock=utc_now),
        refreshes=RefreshLists(clients.table(settings.lists_table)),
    )


@app.get(
    "/campaigns/<campaign_id>/members",
    summary="The members of a campaign's list, by Id",
    responses=answers(
        HTTPStatus.OK, "A page of members", MemberPage, InvalidInputError, NotFoundError
    ),
)
def list_members(
    campaign_id: str,
    limit: Annotated[int, Query(ge=1, le=MEMBERS_MAX)] = MEMBERS_DEFAULT,
    next_token: Annotated[str | None, Query(alias="next")] = None,
) -> MemberPage:
    return _members().page(campaign_id_of(campaign_id), limit=limit, token=next_token)


@app.post(
    "/campaigns/<campaign_id>/repair",
    summary="Note how the topic differs from the members; the next refresh mends it",
    responses=answers(
        HTTPStatus.OK,
        "What was noted",
        RepairView,
        InvalidInputError,
        NotFoundError,
        ConflictError,
    ),
)
def repair(campaign_id: str, request: RepairRequest) -> RepairView:
    return _members().repair(campaign_id_of(campaign_id), request)


@logger.inject_lambda_context(
    correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True
)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """The HTTP answer."""
    return app.resolve(event, context)
