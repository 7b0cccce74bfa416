"""The functions' dependencies as a layer: installed at synth for Lambda's platform, no Docker."""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

import uv
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.code import REPOSITORY, REQUIREMENTS

RUNTIME = lambda_.Runtime.PYTHON_3_13
ARCHITECTURE = lambda_.Architecture.ARM_64
# Lambda's Python 3.13 runs on Amazon Linux 2023, which has glibc 2.34:
# https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html
LAMBDA_TARGET = ("--python-platform", "aarch64-manylinux_2_28", "--python-version", "3.13")

CACHE = REPOSITORY / ".local" / "layers"

# What an installer leaves behind about itself: scripts and their hashes name its interpreter.
_TRACES = ("bin", ".lock", "*.dist-info/RECORD", "*.dist-info/INSTALLER", "*.dist-info/REQUESTED")

# botocore describes every service of AWS in 29 of the layer's 45 MB; these are the ones in use,
# the last by the tracer.
AWS_SERVICES = frozenset(
    {"dynamodb", "events", "s3", "scheduler", "sns", "sqs", "ssm", "stepfunctions", "xray"}
)


class DependenciesLayer(lambda_.LayerVersion):
    """A layer version of functions/requirements.txt."""

    def __init__(self, scope: Construct, id: str) -> None:
        super().__init__(
            scope,
            id,
            code=lambda_.Code.from_asset(str(layer_directory())),
            compatible_runtimes=[RUNTIME],
            compatible_architectures=[ARCHITECTURE],
            description="Dependencies of Fanfare's functions",
        )


def layer_directory(cache: Path = CACHE) -> Path:
    """The directory to zip, with the packages under python/; installed once per requirements."""
    key = hashlib.sha256(REQUIREMENTS.read_bytes())
    key.update(" ".join((*LAMBDA_TARGET, *_TRACES, *sorted(AWS_SERVICES))).encode())
    directory = cache / key.hexdigest()[:16]
    if directory.exists():
        return directory
    cache.mkdir(parents=True, exist_ok=True)
    # Beside its place and then renamed, so that a synth never sees half of another one's layer.
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        made = Path(scratch) / "layer"
        install(made / "python", *LAMBDA_TARGET)
        try:
            made.rename(directory)
        except OSError:
            if not directory.exists():
                raise
    return directory


def install(target: Path, *options: str) -> None:
    """The functions' requirements in `target`, wheels only, every hash checked, and of botocore's
    descriptions only those of the services in use."""
    command = [
        *(uv.find_uv_bin(), "pip", "install", "--quiet", "--target", str(target), *options),
        *("--only-binary", ":all:", "--require-hashes", "--requirement", str(REQUIREMENTS)),
    ]
    subprocess.run(command, check=True)  # noqa: S603 (every part of it is ours)
    for pattern in _TRACES:
        for trace in target.glob(pattern):
            if trace.is_dir():
                shutil.rmtree(trace)
            else:
                trace.unlink()
    for service in target.glob("botocore/data/*/"):
        if service.name not in AWS_SERVICES:
            shutil.rmtree(service)
