"""The devices part: devices, whose token is whose, the API, and what SNS tells of endpoints."""

from aws_cdk import Stack
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from stacks.api import INTEGRATION_TIMEOUT
from stacks.config import Config
from stacks.endpoint_events import EndpointEvents
from stacks.function import Package, PythonFunction, part_environment
from stacks.table import Table, text

BY_ENDPOINT = "by_endpoint"


class Devices(Construct):
    """One item per device, one per token that has an owner, and the function behind /devices."""

    def __init__(self, scope: Construct, id: str, *, config: Config, package: Package) -> None:
        super().__init__(scope, id)
        self.platform_parameter_path = f"/{Stack.of(self).stack_name}/platforms/"
        self.table = Table(
            self,
            "DevicesTable",
            config=config,
            partition_key="Id",
            indexes=[
                dynamodb.GlobalSecondaryIndexPropsV2(
                    index_name=BY_ENDPOINT,
                    partition_key=text("EndpointArn"),
                    projection_type=dynamodb.ProjectionType.KEYS_ONLY,
                )
            ],
        )
        self.tokens = Table(
            self,
            "TokensTable",
            config=config,
            partition_key="token",
            time_to_live_attribute="expires_at",
        )
        self.api_function = PythonFunction(
            self,
            "DevicesApi",
            handler="functions.devices.api.handler",
            package=package,
            timeout=INTEGRATION_TIMEOUT,
            environment=part_environment(
                "devices",
                devices_table=self.table.table_name,
                tokens_table=self.tokens.table_name,
                platform_parameter_path=self.platform_parameter_path,
            ),
        )
        self.allow_registering(self.api_function)
        self.table.allow_scan(self.api_function)
        self.events = EndpointEvents(
            self, "Events", config=config, package=package, devices=self.table, tokens=self.tokens
        )
        self._allow_items(self.events.function)
        self.table.allow_index(self.events.function, BY_ENDPOINT)
        self.allow_endpoints(self.events.function, "GetEndpointAttributes")

    def allow_registering(self, function: PythonFunction) -> None:
        """All that functions/devices/registry.py does."""
        self._allow_items(function)
        self.table.allow_index(function, BY_ENDPOINT)
        self.allow_platforms(function)
        self._allow_sns(function, "app", "CreatePlatformEndpoint")
        self.allow_endpoints(
            function, "GetEndpointAttributes", "SetEndpointAttributes", "DeleteEndpoint"
        )

    def allow_endpoints(self, function: PythonFunction, *actions: str) -> None:
        """Lets the function do this to endpoints of this stack's platform applications, and to no
        others."""
        self._allow_sns(function, "endpoint", *actions)

    def _allow_items(self, function: PythonFunction) -> None:
        for table in (self.table, self.tokens):
            table.allow_items(function)

    def allow_platforms(self, function: PythonFunction) -> None:
        """Reading which platform applications the operator has made: one parameter for each."""
        # Systems Manager compares with the path as the caller wrote it, last slash or not.
        for path in (self.platform_parameter_path, self.platform_parameter_path.rstrip("/")):
            arn = Stack.of(self).format_arn(
                service="ssm", resource="parameter", resource_name=path.removeprefix("/")
            )
            function.allow("ssm:GetParametersByPath", on=arn)

    def _allow_sns(self, function: PythonFunction, kind: str, *actions: str) -> None:
        arn = Stack.of(self).format_arn(
            service="sns", resource=kind, resource_name=f"*/{Stack.of(self).stack_name}-platform-*"
        )
        function.allow(
            *[f"sns:{action}" for action in actions],
            on=arn,
            because="Platform applications and their endpoints are made at run time, for any "
            "platform; the prefix is this stack's alone.",
        )
