"""What the functions' deployment packages hold: our own code, nothing that changes by itself."""

from pathlib import Path

from aws_cdk import IgnoreMode
from aws_cdk import aws_lambda as lambda_

REPOSITORY = Path(__file__).resolve().parent.parent
REQUIREMENTS = REPOSITORY / "functions" / "requirements.txt"

# Compiled files carry the time of their source, and would change the package's hash.
_NEVER = ["__pycache__", "*.pyc"]


def functions_code() -> lambda_.Code:
    """The package `functions` under its own name, so that handlers are named as in Python."""
    return _package("/functions/requirements.*", "/functions/benchmark")


def hello_code() -> lambda_.Code:
    """Only what the hello endpoint needs, so that its cold start measures no more."""
    return _package("/functions/*", "!/functions/__init__.py", "!/functions/benchmark")


def _package(*patterns: str) -> lambda_.Code:
    return lambda_.Code.from_asset(
        str(REPOSITORY),
        exclude=["/*", "!/functions", *patterns, *_NEVER],
        ignore_mode=IgnoreMode.GIT,
    )
