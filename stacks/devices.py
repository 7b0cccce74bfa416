"""The devices part: the table of devices, and the API function that registers them with SNS."""

from aws_cdk import Stack
from constructs import Construct

from stacks.api import INTEGRATION_TIMEOUT
from stacks.config import Config
from stacks.function import Package, PythonFunction, part_environment
from stacks.table import Table


class Devices(Construct):
    """One item per device, and the function behind /devices."""

    def __init__(self, scope: Construct, id: str, *, config: Config, package: Package) -> None:
        super().__init__(scope, id)
        self.platform_parameter_path = f"/{Stack.of(self).stack_name}/platforms/"
        self.table = Table(self, "DevicesTable", config=config, partition_key="Id")
        # Who owns a token; apart from the devices, since it is a key, and a token may be none.
        self.tokens = Table(self, "TokensTable", config=config, partition_key="token")
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
        self.table.allow_items(self.api_function)
        self.tokens.allow_items(self.api_function)
        self._allow_platforms()
        self._allow_sns(self.api_function, "app", "CreatePlatformEndpoint")
        self.allow_endpoints(
            self.api_function, "GetEndpointAttributes", "SetEndpointAttributes", "DeleteEndpoint"
        )

    def allow_endpoints(self, function: PythonFunction, *actions: str) -> None:
        """Lets the function do this to endpoints of this stack's platform applications, and to no
        others."""
        self._allow_sns(function, "endpoint", *actions)

    def _allow_platforms(self) -> None:
        """Reading which platform applications the operator has made: one parameter for each."""
        # Systems Manager compares with the path as the caller wrote it, last slash or not.
        for path in (self.platform_parameter_path, self.platform_parameter_path.rstrip("/")):
            arn = Stack.of(self).format_arn(
                service="ssm", resource="parameter", resource_name=path.removeprefix("/")
            )
            self.api_function.allow("ssm:GetParametersByPath", on=arn)

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
