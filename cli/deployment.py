"""Puts the stacks into the local cloud, with the real `cdk bootstrap` and `cdk deploy`."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import botocore.exceptions

from cli import paths
from cli.clouds import LOCAL_REGION, Cloud
from cli.errors import FailedError, UsageError
from cli.steps import Steps

BOOTSTRAP_STACK = "CDKToolkit"
TAIL_LINES = 40

# Keeps banners, telemetry and look-ups of newer versions out of the log.
_QUIET = {
    "JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION": "1",
    "JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION": "1",
    "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "1",
    "NODE_NO_WARNINGS": "1",
    "CDK_DISABLE_VERSION_CHECK": "1",
    "CDK_DISABLE_CLI_TELEMETRY": "true",
    "PYTHONWARNINGS": "ignore",
}


@dataclass(frozen=True, kw_only=True)
class Cdk:
    """The pinned CDK command, aimed at a local cloud and at nothing else."""

    url: str
    folder: Path  # for its output and its log

    def deploy_all(self, cloud: Cloud, stack: str, steps: Steps) -> None:
        """Bootstraps the cloud if need be and deploys every stack; FailedError with the log's end.

        https://docs.aws.amazon.com/cdk/v2/guide/ref-cli-cmd-deploy.html
        """
        # Synthesised once, for both. Not into cdk.out, on which another CDK may hold a lock.
        assembly = str(self.folder / "cdk.out")
        with steps.step("cdk synth"):
            self._run(["synth", "--quiet", "--context", f"name={stack}", "--output", assembly])
        if not _has_bootstrap(cloud):
            account = cloud.client("sts").get_caller_identity()["Account"]
            with steps.step("cdk bootstrap"):
                self._run(["bootstrap", f"aws://{account}/{LOCAL_REGION}", "--app", assembly])
        with steps.step("cdk deploy"):
            self._run(
                [
                    *("deploy", "--all", "--require-approval", "never"),
                    *("--app", assembly, "--progress", "events"),
                ]
            )

    def _run(self, arguments: Sequence[str]) -> None:
        program = paths.ROOT / "node_modules" / ".bin" / "cdk"
        if not program.exists():
            raise UsageError(
                "the CDK command is not installed", detail="run `make up`, it installs it"
            )
        log = self.folder / "cdk.log"
        with log.open("wb") as out:
            # S603: the pinned CDK with arguments of our own.
            done = subprocess.run(
                [str(program), *arguments, "--no-notices", "--ci"],
                cwd=paths.ROOT,
                env=environment(self.url, os.environ),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode != 0:
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-TAIL_LINES:])
            raise FailedError(f"cdk {arguments[0]} failed", detail=f"{tail}\nall of it: {log}")


def environment(url: str, caller: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment (the synth may install packages) without any way to real AWS."""
    kept = {name: value for name, value in caller.items() if not name.startswith(("AWS_", "CDK_"))}
    # Compiled modules make the second synth three times as fast.
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    no_proxy = ",".join(filter(None, [kept.get("NO_PROXY") or kept.get("no_proxy"), "127.0.0.1"]))
    return {
        **kept,
        **_QUIET,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', os.defpath)}",
        "NO_PROXY": no_proxy,
        "no_proxy": no_proxy,
        "AWS_ENDPOINT_URL": url,
        "AWS_ENDPOINT_URL_S3": url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": LOCAL_REGION,
        "AWS_DEFAULT_REGION": LOCAL_REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _has_bootstrap(cloud: Cloud) -> bool:
    try:
        cloud.client("cloudformation").describe_stacks(StackName=BOOTSTRAP_STACK)
    except botocore.exceptions.ClientError:
        return False
    return True
