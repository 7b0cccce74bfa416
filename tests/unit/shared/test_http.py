"""What every API answers when something is wrong, and that it says nothing it must not."""

import base64
import json
from http import HTTPStatus
from typing import Annotated, Any

import pytest
from aws_lambda_powertools.event_handler.openapi.params import Body
from pydantic import BaseModel

from functions.shared.errors import ConflictError, InvalidInputError, InvalidPart
from functions.shared.http import dotted, http_api, problem

app = http_api()


class Inner(BaseModel):
    numbers: dict[str, int]


class Given(BaseModel):
    name: str
    inner: list[Inner] = []


@app.post("/echo")
def echo(body: Annotated[Any, Body()]) -> dict[str, str]:
    return {"read": repr(body)}


@app.post("/typed")
def typed(body: Given) -> dict[str, str]:
    return {"name": body.name}


@app.post("/conflict")
def conflict() -> None:
    raise ConflictError("The campaign is READY.")


@app.post("/many")
def many() -> None:
    raise InvalidInputError([InvalidPart(place=f"p{n}", reason="is wrong") for n in range(5000)])


@app.post("/crash")
def crash() -> None:
    raise RuntimeError("secret")


def post(
    path: str, body: str = "{}", *, encoded: bool = False, content_type: str = "application/json"
) -> tuple[int, dict[str, Any]]:
    event = {
        "version": "2.0",
        "rawPath": path,
        "headers": {"content-type": content_type},
        "requestContext": {"http": {"method": "POST", "path": path}, "stage": "$default"},
        "body": body,
        "isBase64Encoded": encoded,
    }
    answer = app.resolve(event, {})
    return answer["statusCode"], json.loads(answer["body"])


def test_numbers_of_a_body_stay_exact() -> None:
    _, answer = post("/echo", '{"x": 0.1000000000000000055511151231257827}')
    assert answer == {"read": "{'x': Decimal('0.1000000000000000055511151231257827')}"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('{"x": NaN}', "NaN is not JSON"),
        ('{"x": -Infinity}', "-Infinity is not JSON"),
        ('{"x": ' + "9" * 5000 + "}", "holds a number that is too long"),
        ('{"x": 1e99999999999999999999}', "holds a number that is too long"),
        ("[" * 100_000, "nested too deeply"),
        ('{"x": ', "not JSON, at character 6"),
    ],
)
def test_a_body_that_is_no_json_is_refused_with_the_reason(body: str, reason: str) -> None:
    status, answer = post("/echo", body)
    assert (status, answer["errors"]) == (400, [{"place": "body", "reason": reason}])


def test_a_body_that_is_no_utf8_is_refused() -> None:
    status, answer = post("/echo", base64.b64encode(b'{"x": "\xff"}').decode(), encoded=True)
    assert (status, answer["detail"]) == (400, "body: not UTF-8")


def test_a_body_in_base64_is_read() -> None:
    status, answer = post("/echo", base64.b64encode('{"x": "台"}'.encode()).decode(), encoded=True)
    assert (status, answer) == (200, {"read": "{'x': '台'}"})


def test_another_content_type_is_415() -> None:
    status, answer = post("/echo", content_type="text/csv")
    assert (status, answer["type"]) == (415, "urn:fanfare:problem:unsupported-media-type")


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", ""])
def test_a_body_that_curl_calls_a_form_is_read_as_json(content_type: str) -> None:
    assert post("/typed", '{"name": "爵士"}', content_type=content_type) == (200, {"name": "爵士"})
    status, answer = post("/typed", "name=x", content_type=content_type)
    assert status == 400
    assert answer["errors"][0]["reason"].startswith("not JSON")


def test_every_wrong_place_of_a_model_is_named() -> None:
    status, answer = post("/typed", '{"inner": [{"numbers": {"a": "x"}}]}')
    assert status == 400
    assert [error["place"] for error in answer["errors"]] == ["name", "inner[0].numbers.a"]


def test_an_expected_failure_tells_its_title_and_text() -> None:
    assert post("/conflict") == (
        409,
        {
            "type": "urn:fanfare:problem:conflict",
            "title": "Not possible in the present state",
            "status": 409,
            "detail": "The campaign is READY.",
        },
    )


def test_an_answer_names_a_hundred_wrong_places_at_most() -> None:
    _, answer = post("/many")
    assert len(answer["errors"]) == 100
    assert len(answer["detail"]) == 2000


def test_an_unexpected_failure_shows_nothing_of_itself() -> None:
    status, answer = post("/crash")
    assert (status, answer["title"]) == (500, "Internal error")
    assert "secret" not in json.dumps(answer)


def test_a_path_that_is_not_there_is_404() -> None:
    status, answer = post("/nowhere")
    assert (status, answer["title"]) == (404, "Not found")


def test_places_read_as_in_the_body() -> None:
    assert dotted(("devices", 3, "Id")) == "devices[3].Id"
    assert dotted(("message", "overrides", "NOPE", "[key]")) == "message.overrides.NOPE"


def test_a_place_that_no_utf8_can_hold_is_answered_all_the_same() -> None:
    parts = [InvalidPart(place="Metrics.\ud800", reason="is wrong")]
    answer = problem(HTTPStatus.BAD_REQUEST, "invalid-input", "Invalid", "Metrics.\ud800", parts)
    assert json.loads(answer.body or "")["errors"] == [{"place": "Metrics.?", "reason": "is wrong"}]
