"""One deployed Fanfare: its stack, what the stack says about itself, and its addresses."""

from dataclasses import dataclass

import botocore.exceptions

from cli.clouds import Cloud
from cli.errors import NoCloudError

DEFAULT_STACK = "Fanfare"
HELLO_SUFFIX = "-Hello"
# HTTP APIs serve their one default stage under this name.
_DEFAULT_STAGE = "$default"


@dataclass(frozen=True, kw_only=True)
class Target:
    """A deployed Fanfare in a cloud; `hello` is empty where that stack was left out."""

    cloud: Cloud
    stack: str
    outputs: dict[str, str]
    hello: dict[str, str]

    @property
    def api_url(self) -> str:
        """The base URL of the API, without a slash at its end."""
        return self._url("ApiId", "ApiUrl", self.outputs)

    @property
    def hello_url(self) -> str | None:
        """The whole URL of the hello endpoint; None if it is not deployed."""
        if not self.hello:
            return None
        base = self._url("HelloApiId", "HelloUrl", self.hello)
        return base if base.endswith("/hello") else f"{base}/hello"

    def output(self, name: str) -> str:
        """One output of the main stack; NoCloudError if an older version is deployed."""
        try:
            return self.outputs[name]
        except KeyError:
            raise NoCloudError(
                f"the stack {self.stack} has no output {name}", detail="deploy this version again"
            ) from None

    def _url(self, id_name: str, url_name: str, outputs: dict[str, str]) -> str:
        if self.cloud.local is None:
            return outputs[url_name].rstrip("/") if url_name in outputs else self.output(url_name)
        # The emulator prints host names that do not resolve; this path form always works.
        api_id = outputs[id_name] if id_name in outputs else self.output(id_name)
        return f"{self.cloud.local.url}/_aws/execute-api/{api_id}/{_DEFAULT_STAGE}"


def find(cloud: Cloud, stack: str) -> Target:
    """The Fanfare of that name in the cloud; NoCloudError if it is not deployed."""
    outputs = _outputs(cloud, stack)
    if outputs is None:
        how = "fanfare up" if cloud.local is not None else "make deploy"
        raise NoCloudError(f"there is no stack {stack} in this cloud", detail=f"deploy it: {how}")
    hello = _outputs(cloud, stack + HELLO_SUFFIX)
    return Target(cloud=cloud, stack=stack, outputs=outputs, hello=hello or {})


def _outputs(cloud: Cloud, stack: str) -> dict[str, str] | None:
    try:
        answer = cloud.client("cloudformation").describe_stacks(StackName=stack)
    except botocore.exceptions.ClientError as error:
        # CloudFormation's way to say that a stack does not exist.
        if error.response["Error"]["Code"] == "ValidationError":
            return None
        raise NoCloudError("CloudFormation refused", detail=str(error)) from None
    except botocore.exceptions.BotoCoreError as error:
        raise NoCloudError("this cloud does not answer", detail=str(error)) from None
    return {
        output["OutputKey"]: output["OutputValue"]
        for output in answer["Stacks"][0].get("Outputs", [])
    }
