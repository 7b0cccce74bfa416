import json

from tests.infrastructure.synthesized import Synthesized

DEVICES = "<Devices/DevicesApi.Arn>"
AUDIENCES = "<Audience/AudiencesApi.Arn>"
CAMPAIGNS = "<Campaigns/CampaignsApi.Arn>"
IMPORTS = "<Imports/ImportsApi.Arn>"
MEMBERS = "<Campaigns/MembersApi.Arn>"
MESSAGES = "<Campaigns/MessagesApi.Arn>"


def integration_of(stack: Synthesized, target: str) -> str:
    path = target.removeprefix("integrations/").strip("<>")
    uri: str = stack.properties(path)["IntegrationUri"]
    return uri


def test_these_routes_lead_to_these_functions(fanfare: Synthesized) -> None:
    routes = {
        route["RouteKey"]: integration_of(fanfare, route["Target"])
        for route in fanfare.of_type("AWS::ApiGatewayV2::Route").values()
    }

    assert routes == {
        "GET /devices": DEVICES,
        "PUT /devices/{id}": DEVICES,
        "GET /devices/{id}": DEVICES,
        "DELETE /devices/{id}": DEVICES,
        "POST /devices/batch": DEVICES,
        "POST /audiences/preview": AUDIENCES,
        "POST /imports": IMPORTS,
        "GET /imports": IMPORTS,
        "POST /imports/{id}/start": IMPORTS,
        "GET /imports/{id}": IMPORTS,
        "POST /campaigns": CAMPAIGNS,
        "GET /campaigns": CAMPAIGNS,
        "GET /campaigns/{id}": CAMPAIGNS,
        "PATCH /campaigns/{id}": CAMPAIGNS,
        "GET /campaigns/{id}/history": CAMPAIGNS,
        "DELETE /campaigns/{id}": CAMPAIGNS,
        "POST /campaigns/{id}/publish": CAMPAIGNS,
        "POST /campaigns/{id}/cancel": CAMPAIGNS,
        "POST /campaigns/{id}/refresh": CAMPAIGNS,
        "GET /campaigns/{id}/members": MEMBERS,
        "POST /campaigns/{id}/repair": MEMBERS,
        "POST /campaigns/preview": MESSAGES,
        "POST /campaigns/{id}/test-send": MESSAGES,
    }


def test_every_route_asks_for_a_signature(fanfare: Synthesized) -> None:
    for route in fanfare.of_type("AWS::ApiGatewayV2::Route").values():
        assert route["AuthorizationType"] == "AWS_IAM"


def test_functions_get_the_payload_of_format_two(fanfare: Synthesized) -> None:
    for integration in fanfare.of_type("AWS::ApiGatewayV2::Integration").values():
        assert integration["PayloadFormatVersion"] == "2.0"


def test_the_api_is_throttled_as_the_context_says(fanfare: Synthesized) -> None:
    stage = fanfare.properties("Api/DefaultStage")

    assert stage["StageName"] == "$default"
    assert stage["AutoDeploy"] is True
    assert stage["DefaultRouteSettings"] == {
        "ThrottlingRateLimit": 100,
        "ThrottlingBurstLimit": 200,
    }


def test_access_is_logged_by_route_and_without_the_path(
    fanfare: Synthesized, hello: Synthesized
) -> None:
    for stack, api in ((fanfare, "Api"), (hello, "HelloApi")):
        settings = stack.properties(f"{api}/DefaultStage")["AccessLogSettings"]
        line = json.loads(settings["Format"])
        assert settings["DestinationArn"] == f"<{api}/AccessLogs.Arn>"
        assert line["routeKey"] == "$context.routeKey"
        assert not [field for field in line.values() if field.startswith("$context.path")]


def test_hello_is_open_throttled_and_in_a_stack_of_its_own(hello: Synthesized) -> None:
    [route] = hello.of_type("AWS::ApiGatewayV2::Route").values()

    assert route["RouteKey"] == "GET /hello"
    assert route["AuthorizationType"] == "NONE"
    assert hello.properties("HelloApi/DefaultStage")["DefaultRouteSettings"] == {
        "ThrottlingRateLimit": 1000,
        "ThrottlingBurstLimit": 2000,
    }


def test_hello_has_no_layer_no_settings_and_no_grants(hello: Synthesized) -> None:
    _, function = hello.function("benchmark.hello")

    assert "Layers" not in function
    assert "Environment" not in function
    assert {action for action, _ in hello.allowed("benchmark.hello")} == {
        *("logs:CreateLogStream", "logs:PutLogEvents"),
        *("xray:PutTelemetryRecords", "xray:PutTraceSegments"),
    }


def test_the_stacks_say_where_their_parts_are(fanfare: Synthesized, hello: Synthesized) -> None:
    assert {name: output["Value"] for name, output in fanfare.outputs.items()} == {
        "ApiId": "<Api>",
        "ApiUrl": "<Api.ApiEndpoint>",
        "PlatformParameterPath": "/Fanfare/platforms/",
        "StateMachineArn": "<Campaigns/Workflow/Machine/StateMachine>",
        "SubscribeQueueUrl": "<Audience/SubscribeQueue>",
        "SubscribeDeadLettersUrl": "<Audience/SubscribeDeadLetters>",
        "EndpointEventsTopicArn": "<Devices/Events/EndpointEventsTopic>",
        "EventBusName": "<Campaigns/Events/Bus>",
        "TopicNamePrefix": "Fanfare-campaign-",
        "ProbeQueueUrl": "<Campaigns/Workflow/ProbeQueue>",
    }
    assert set(hello.outputs) == {"HelloApiId", "HelloUrl"}
