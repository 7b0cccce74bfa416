"""The stack of Fanfare: its parts, and how they are wired."""

from aws_cdk import CfnOutput, Stack
from aws_cdk.aws_apigatewayv2_authorizers import HttpIamAuthorizer
from constructs import Construct

from stacks.api import HttpApi
from stacks.audience import Audience
from stacks.campaign_topics import CampaignTopics
from stacks.campaigns import Campaigns
from stacks.code import functions_code
from stacks.config import Config
from stacks.devices import Devices
from stacks.function import Package
from stacks.imports import Imports
from stacks.layer import DependenciesLayer
from stacks.observability import Observability


class Fanfare(Stack):
    """Devices, their audiences, the campaigns that reach these, and the API in front."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(
            scope,
            id,
            description="Fanfare: targeted push broadcasts",
            termination_protection=config.retain,
        )
        package = Package(
            code=functions_code(), layers=[DependenciesLayer(self, "Dependencies")], config=config
        )
        topics = CampaignTopics(self, "CampaignTopics")
        devices = Devices(self, "Devices", config=config, package=package)
        audience = Audience(self, "Audience", config=config, package=package, devices=devices)
        campaigns = Campaigns(
            self,
            "Campaigns",
            config=config,
            package=package,
            devices=devices,
            audience=audience,
            topics=topics,
        )
        imports = Imports(self, "Imports", config=config, package=package, devices=devices)
        devices.table.allow_scan(audience.list_segment)
        devices.table.allow_scan(audience.api_function)
        devices.table.allow_reading(campaigns.messages_function)
        devices.allow_endpoints(campaigns.messages_function, "Publish")
        devices.table.allow_reading(audience.sweep)
        topics.allow(audience.subscriber, "Subscribe", "Unsubscribe")

        api = HttpApi(
            self,
            "Api",
            config=config,
            rate=config.api_throttle_rate,
            burst=config.api_throttle_burst,
            authorizer=HttpIamAuthorizer(),
            description="Fanfare's devices and campaigns",
        )
        api.route_to(
            devices.api_function,
            "GET /devices",
            "PUT /devices/{id}",
            "GET /devices/{id}",
            "DELETE /devices/{id}",
            "POST /devices/batch",
        )
        api.route_to(audience.api_function, "POST /audiences/preview")
        api.route_to(
            imports.api_function,
            "POST /imports",
            "GET /imports",
            "POST /imports/{id}/start",
            "GET /imports/{id}",
        )
        api.route_to(
            campaigns.api_function,
            "POST /campaigns",
            "GET /campaigns",
            "GET /campaigns/{id}",
            "PATCH /campaigns/{id}",
            "GET /campaigns/{id}/history",
            "DELETE /campaigns/{id}",
            "POST /campaigns/{id}/publish",
            "POST /campaigns/{id}/refresh",
            "POST /campaigns/{id}/cancel",
        )
        api.route_to(
            campaigns.messages_function,
            "POST /campaigns/preview",
            "POST /campaigns/{id}/test-send",
        )
        api.route_to(
            campaigns.members_function,
            "GET /campaigns/{id}/members",
            "POST /campaigns/{id}/repair",
        )
        workflow = campaigns.workflow
        Observability(
            self,
            "Observability",
            config=config,
            api=api,
            state_machine=workflow.state_machine,
            subscribe_queue=audience.subscribe_queue,
        )
        for name, value in {
            "ApiId": api.http_api_id,
            "ApiUrl": api.api_endpoint,
            "PlatformParameterPath": devices.platform_parameter_path,
            "EndpointEventsTopicArn": devices.events.topic.topic_arn,
            "EventBusName": campaigns.events.bus.event_bus_name,
            "TopicNamePrefix": topics.name_prefix,
            "StateMachineArn": workflow.state_machine.state_machine_arn,
            "SubscribeQueueUrl": audience.subscribe_queue.queue_url,
            "SubscribeDeadLettersUrl": audience.subscribe_dead_letters.queue_url,
            "ProbeQueueUrl": workflow.probe_queue.queue_url,
        }.items():
            CfnOutput(self, name, value=value)
