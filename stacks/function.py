"""One Lambda function as Fanfare deploys it: its own role, its own log group, traced."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from stacks.acknowledged import acknowledge, acknowledge_wildcard
from stacks.config import Config
from stacks.layer import ARCHITECTURE, RUNTIME
from stacks.retention import RetainedLogs

METRICS_NAMESPACE = "Fanfare"


@dataclass(frozen=True, kw_only=True)
class Package:
    """What the functions of one stack have in common."""

    code: lambda_.Code
    config: Config
    layers: Sequence[lambda_.ILayerVersion] = ()


class PythonFunction(lambda_.Function):
    """A handler of functions/, allowed to write its log and its traces, and nothing else yet."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        handler: str,
        package: Package,
        timeout: Duration,
        memory_mb: int = 512,
        environment: Mapping[str, str] | None = None,
        dead_letter_queue: sqs.IQueue | None = None,
        recursive_loop: lambda_.RecursiveLoop | None = None,
    ) -> None:
        self.own_role = iam.Role(
            scope, f"{id}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")
        )
        acknowledge_wildcard(self.own_role, "*", "X-Ray's write actions know no resources.")
        log_group = RetainedLogs(scope, f"{id}Logs", config=package.config)
        log_group.grant_write(self.own_role)
        super().__init__(
            scope,
            id,
            code=package.code,
            handler=handler,
            layers=list(package.layers),
            runtime=RUNTIME,
            architecture=ARCHITECTURE,
            role=self.own_role,
            log_group=log_group,
            tracing=lambda_.Tracing.ACTIVE,
            timeout=timeout,
            memory_size=memory_mb,
            environment=environment,
            dead_letter_queue=dead_letter_queue,
            recursive_loop=recursive_loop,
        )
        acknowledge(
            self, "L1", "The layer is made for this runtime; both move on together, on purpose."
        )

    def allow(self, *actions: str, on: str, because: str | None = None) -> None:
        """Adds the actions on this ARN to the role; one with a `*` in it needs a reason."""
        self.add_to_role_policy(iam.PolicyStatement(actions=list(actions), resources=[on]))
        if because:
            acknowledge_wildcard(self.own_role, on, because)


def part_environment(part: str, **settings: str) -> dict[str, str]:
    """The variables of a function: Powertools' own, and its settings under their upper-cased names.

    https://docs.aws.amazon.com/powertools/python/latest/environment-variables/
    """
    return {
        "POWERTOOLS_SERVICE_NAME": part,
        "POWERTOOLS_METRICS_NAMESPACE": METRICS_NAMESPACE,
        "POWERTOOLS_LOG_LEVEL": "INFO",
        **{name.upper(): value for name, value in settings.items()},
    }
