"""The stack of the benchmark's endpoint, open to anyone and throttled; production leaves it out."""

from aws_cdk import CfnOutput, Duration, Stack
from aws_cdk import aws_apigatewayv2 as apigatewayv2
from constructs import Construct

from stacks.acknowledged import acknowledge
from stacks.api import HttpApi
from stacks.code import hello_code
from stacks.config import Config
from stacks.function import Package, PythonFunction


class Hello(Stack):
    """`GET /hello` answers `ok`."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id, description="Fanfare's open endpoint for benchmarks")
        api = HttpApi(
            self,
            "HelloApi",
            config=config,
            rate=config.hello_throttle_rate,
            burst=config.hello_throttle_burst,
            authorizer=apigatewayv2.HttpNoneAuthorizer(),
            description="The open endpoint of the benchmark",
        )
        function = PythonFunction(
            self,
            "Hello",
            handler="functions.benchmark.hello.handler",
            package=Package(code=hello_code(), config=config),
            timeout=Duration.seconds(5),
        )
        api.route_to(function, "GET /hello")
        acknowledge(api, "APIG4", "Open to anyone by design: it answers `ok` and holds no data.")
        CfnOutput(self, "HelloApiId", value=api.http_api_id)
        CfnOutput(self, "HelloUrl", value=f"{api.api_endpoint}/hello")
