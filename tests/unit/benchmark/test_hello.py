import subprocess
import sys

from functions.benchmark.hello import handler


def test_hello_answers_ok_as_plain_text() -> None:
    assert handler({}, None) == {
        "statusCode": 200,
        "headers": {"content-type": "text/plain"},
        "body": "ok",
    }


def test_hello_loads_no_module_but_its_own() -> None:
    program = (
        "import sys; before = set(sys.modules); import functions.benchmark.hello; "
        "print(sorted(set(sys.modules) - before))"
    )

    loaded = subprocess.run(
        [sys.executable, "-S", "-c", program], check=True, capture_output=True, text=True
    ).stdout

    assert loaded.strip() == "['functions', 'functions.benchmark', 'functions.benchmark.hello']"
