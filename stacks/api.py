"""An HTTP API with the two things that every one here has: access logs, and a throttle."""

import json

import jsii
from aws_cdk import Duration
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_apigatewayv2 as apigatewayv2
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from stacks.config import Config
from stacks.function import PythonFunction
from stacks.retention import RetainedLogs

# An HTTP API gives up on its integration after 30 s; a function that takes longer answers nobody.
# https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
INTEGRATION_TIMEOUT = Duration.seconds(29)

# The route and not the path, which holds the ids of devices.
# https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
_ACCESS_LOG_LINE = json.dumps(
    {
        "requestId": "$context.requestId",
        "requestTime": "$context.requestTime",
        "routeKey": "$context.routeKey",
        "status": "$context.status",
        "responseLength": "$context.responseLength",
        "responseLatency": "$context.responseLatency",
        "integrationLatency": "$context.integrationLatency",
        "integrationError": "$context.integrationErrorMessage",
        "caller": "$context.identity.userArn",
        "sourceIp": "$context.identity.sourceIp",
    }
)


@jsii.implements(apigatewayv2.IAccessLogSettings)
class _AccessLogs:
    def __init__(self, log_group: RetainedLogs) -> None:
        self._log_group = log_group

    @property
    def destination(self) -> apigatewayv2.IAccessLogDestination:
        return apigatewayv2.LogGroupLogDestination(self._log_group)

    @property
    def format(self) -> apigateway.AccessLogFormat:
        return apigateway.AccessLogFormat.custom(_ACCESS_LOG_LINE)


class HttpApi(apigatewayv2.HttpApi):
    """An HTTP API with one stage, `$default`, whose limits hold for each route."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        rate: int,
        burst: int,
        authorizer: apigatewayv2.IHttpRouteAuthorizer,
        description: str,
    ) -> None:
        super().__init__(
            scope,
            id,
            create_default_stage=False,
            default_authorizer=authorizer,
            description=description,
        )
        self.stage = apigatewayv2.HttpStage(
            self,
            "DefaultStage",
            http_api=self,
            auto_deploy=True,
            access_log_settings=_AccessLogs(RetainedLogs(self, "AccessLogs", config=config)),
            throttle=apigatewayv2.ThrottleSettings(rate_limit=rate, burst_limit=burst),
        )

    def route_to(self, function: PythonFunction, *routes: str) -> None:
        """Sends these routes (`GET /devices/{id}`) to the function."""
        integration = HttpLambdaIntegration(
            f"{function.node.id}Integration", function, scope_permission_to_route=False
        )
        for route in routes:
            method, path = route.split()
            self.add_routes(
                path=path, methods=[apigatewayv2.HttpMethod[method]], integration=integration
            )
