"""What is uploaded: the same bytes each time, complete, and nothing beside."""

import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from stacks.code import REPOSITORY
from stacks.layer import install, layer_directory
from tests.infrastructure.conftest import Synthesize
from tests.infrastructure.synthesized import Synthesized
from tests.infrastructure.test_functions import FUNCTIONS

# What a handler may import: Python's own library, the layer and the code. `-I` leaves out the
# working directory and the environment, `-S` the site-packages of the interpreter.
_IMPORT_ALL = """
import importlib, os, sys
sys.path[:0] = sys.argv[1:3]
for module in sys.argv[3:]:
    try:
        found = importlib.import_module(module)
        assert callable(found.handler)
    except Exception as error:
        print(f"{module}: {type(error).__name__}: {error}")
"""

# Makes every client that the functions may ask for.
_MAKE_CLIENTS = """
import inspect, sys
sys.path[:0] = sys.argv[1:3]
from functions.shared import clients
for name, make in inspect.getmembers(clients, inspect.isfunction):
    if make.__module__ == clients.__name__:
        make(*["name"] * len(inspect.signature(make).parameters))
        print(name)
"""


@pytest.fixture(scope="session")
def handlers(fanfare: Synthesized, hello: Synthesized) -> list[str]:
    """The modules that the templates name as handlers."""
    return sorted(
        function["Handler"].removesuffix(".handler")
        for stack in (fanfare, hello)
        for function in stack.of_type("AWS::Lambda::Function").values()
    )


@pytest.fixture(scope="session")
def host_layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The functions' requirements for the machine that runs this test."""
    target = tmp_path_factory.mktemp("host-layer")
    install(target, "--python", sys.executable)
    return target


def names_and_versions(directory: Path) -> set[tuple[str, str]]:
    return {(each.name, each.version) for each in distributions(path=[str(directory)])}


def test_every_handler_imports_with_nothing_but_the_layer_and_the_code(
    handlers: list[str], host_layer: Path, fanfare: Synthesized, hello: Synthesized
) -> None:
    def failures(layer: Path, stack: Synthesized, path: str, modules: list[str]) -> list[str]:
        code = stack.directory / stack.resources[path]["Metadata"]["aws:asset:path"]
        answer = subprocess.run(
            [sys.executable, "-I", "-S", "-B", "-c", _IMPORT_ALL, str(layer), str(code), *modules],
            check=True,
            capture_output=True,
            text=True,
            env={"AWS_DEFAULT_REGION": "us-east-1", "POWERTOOLS_TRACE_DISABLED": "true"},
        )
        return answer.stdout.splitlines()

    benchmark = [module for module in handlers if ".benchmark." in module]
    others = [module for module in handlers if module not in benchmark]

    assert {module.removeprefix("functions.") for module in others} == set(FUNCTIONS)
    assert failures(host_layer, fanfare, "Devices/DevicesApi", others) == []
    assert failures(Path("/nonexistent"), hello, "Hello", benchmark) == []


def test_every_client_can_be_made_from_the_layer(host_layer: Path) -> None:
    arguments = [str(host_layer), str(REPOSITORY)]
    answer = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", _MAKE_CLIENTS, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={"AWS_DEFAULT_REGION": "us-east-1"},
    )

    assert answer.stdout.split() == [
        "dynamodb",
        "events",
        "s3",
        "scheduler",
        "sns",
        "sns_single_attempt",
        "sqs",
        "ssm",
        "stepfunctions",
        "table",
    ]


def test_the_layer_has_the_same_distributions_for_lambda_as_for_this_machine(
    host_layer: Path,
) -> None:
    for_lambda = names_and_versions(layer_directory() / "python")

    assert for_lambda == names_and_versions(host_layer)
    assert {"aws_lambda_powertools", "boto3", "pydantic"} <= {name for name, _ in for_lambda}


def test_the_layers_compiled_parts_are_for_lambdas_machine(fanfare: Synthesized) -> None:
    compiled = [name for name in fanfare.asset_files("Dependencies") if ".so" in name]

    assert compiled
    assert all("cpython-313-aarch64-linux-gnu.so" in name for name in compiled)


def test_the_layer_keeps_no_trace_of_where_it_was_made(fanfare: Synthesized) -> None:
    for name in fanfare.asset_files("Dependencies"):
        assert name.startswith("python/")
        assert not name.startswith("python/bin/")
        assert name.rpartition("/")[2] not in {"RECORD", "INSTALLER", "REQUESTED", ".lock"}
        assert not name.endswith(".pyc")


def test_the_layer_made_anew_is_the_same_to_the_byte(tmp_path: Path) -> None:
    anew = layer_directory(tmp_path / "cache")

    compared = subprocess.run(
        ["diff", "-r", str(layer_directory()), str(anew)], check=False, capture_output=True
    )

    assert compared.stdout == b""
    assert [each.name for each in (tmp_path / "cache").iterdir()] == [anew.name]


def test_the_code_is_the_package_functions_and_only_its_python(fanfare: Synthesized) -> None:
    files = set(fanfare.asset_files("Devices/DevicesApi"))

    assert "functions/__init__.py" in files
    assert "functions/shared/clients.py" in files
    assert not [name for name in files if name.startswith("functions/benchmark")]
    assert {Path(name).suffix for name in files} == {".py"}
    assert {Path(name).parts[0] for name in files} == {"functions"}


def test_hello_is_deployed_with_nothing_else(hello: Synthesized) -> None:
    assert set(hello.asset_files("Hello")) == {
        "functions/__init__.py",
        "functions/benchmark/__init__.py",
        "functions/benchmark/hello.py",
    }


def test_a_second_synth_makes_the_same_templates_and_assets(
    as_shipped: Path, synthesize: Synthesize
) -> None:
    litter = REPOSITORY / "functions" / "shared" / "__pycache__" / "litter.pyc"
    litter.parent.mkdir(exist_ok=True)
    litter.write_bytes(b"compiled at another time")
    try:
        again = synthesize()
    finally:
        litter.unlink()

    for first in as_shipped.glob("*.template.json"):
        assert first.read_text() == (again / first.name).read_text()
    assert assets(as_shipped) == assets(again)
    assert len(assets(again)) == 3


def assets(directory: Path) -> set[str]:
    return {each.name for each in directory.iterdir() if each.name.startswith("asset.")}
