"""One synthesized app for all tests that only look at it: a synth takes seconds."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stacks  # noqa: F401 (before CDK starts: it quiets jsii)

# isort: split
from aws_cdk import App

from app import build
from stacks.code import REPOSITORY
from tests.infrastructure.synthesized import PATHS_IN_TEMPLATE, Synthesized

Synthesize = Callable[..., Path]


@pytest.fixture(scope="session")
def context() -> dict[str, Any]:
    """The context of cdk.json."""
    read: dict[str, Any] = json.loads((REPOSITORY / "cdk.json").read_text())["context"]
    return read


@pytest.fixture(scope="session")
def synthesize(context: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Synthesize:
    """Synthesizes the app with other values in its context; answers the directory."""

    def _synthesize(**others: Any) -> Path:
        directory = tmp_path_factory.mktemp("cdk.out")
        app = App(
            context={**context, **PATHS_IN_TEMPLATE, **others},
            outdir=str(directory),
            analytics_reporting=False,
        )
        build(app)
        app.synth()
        return directory

    return _synthesize


@pytest.fixture(scope="session")
def as_shipped(synthesize: Synthesize) -> Path:
    """What cdk.json as it is makes."""
    return synthesize()


@pytest.fixture(scope="session")
def fanfare(as_shipped: Path) -> Synthesized:
    """The main stack."""
    return Synthesized.read(as_shipped, "Fanfare")


@pytest.fixture(scope="session")
def hello(as_shipped: Path) -> Synthesized:
    """The benchmark's stack."""
    return Synthesized.read(as_shipped, "Fanfare-Hello")


@pytest.fixture(scope="session")
def kept(synthesize: Synthesize) -> Synthesized:
    """A stack whose data stays, without TLS enforced, that takes batches of 128, given as text."""
    directory = synthesize(
        name="Kept",
        removal="retain",
        enforce_ssl="false",
        subscribe_batch_size="128",
        subscribe_batch_window_seconds="5",
        chunk_size="10",
    )
    return Synthesized.read(directory, "Kept")


@pytest.fixture(scope="session")
def large_batches(synthesize: Synthesize) -> Synthesized:
    """A stack that takes batches of 256."""
    directory = synthesize(
        subscribe_batch_size=256,
        subscribe_batch_window_seconds=20,
        chunk_size=10,
        subscriber_concurrency=20,
        subscriber_timeout_seconds=900,
        log_retention_days=7,
    )
    return Synthesized.read(directory, "Fanfare")
