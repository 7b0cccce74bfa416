import pytest

from cli.api import Api
from cli.errors import FailedError, NoCloudError, RefusedError, Wrong
from tests.unit.cli.conftest import FakeCloud


def test_a_request_is_signed_for_the_api_in_the_region(api: Api, fake_cloud: FakeCloud) -> None:
    fake_cloud.on("GET /campaigns/c1", (200, {"id": "c1"}))

    assert api.get("campaigns", "c1") == {"id": "c1"}

    [heard] = fake_cloud.heard
    authorization = heard.headers["Authorization"]
    assert authorization.startswith("AWS4-HMAC-SHA256 Credential=test/")
    assert "/us-east-1/execute-api/aws4_request" in authorization


def test_an_id_with_signs_of_its_own_stays_one_step_of_the_path(
    api: Api, fake_cloud: FakeCloud
) -> None:
    fake_cloud.on("GET /devices/a%2Fb%20%E8%87%BA", (200, {}))

    assert api.get("devices", "a/b 臺") == {}


def test_an_empty_answer_is_none(api: Api, fake_cloud: FakeCloud) -> None:
    fake_cloud.on("DELETE /devices/d1", (204, ""))

    assert api.delete("devices", "d1") is None


def test_a_problem_becomes_an_error_with_each_place(api: Api, fake_cloud: FakeCloud) -> None:
    problem = {
        "title": "The input is not valid",
        "detail": "two places are wrong",
        "errors": [
            {"place": "criteria.all[0].op", "reason": "no such operator"},
            {"place": "name", "reason": "missing"},
        ],
    }
    fake_cloud.on("POST /campaigns", (400, problem))

    with pytest.raises(RefusedError) as caught:
        api.post("campaigns", body={})

    assert caught.value.title == "The input is not valid (400)"
    assert caught.value.detail == "two places are wrong"
    assert caught.value.wrong == (
        Wrong(place="criteria.all[0].op", reason="no such operator"),
        Wrong(place="name", reason="missing"),
    )
    assert caught.value.exit_code == 1


@pytest.mark.parametrize(
    ("answer", "title", "detail"),
    [
        ((403, {"message": "No key"}), "Forbidden (403)", "No key"),
        ((502, "<html>"), "Bad Gateway (502)", ""),
        ((400, [1]), "Bad Request (400)", ""),
    ],
)
def test_a_refusal_that_is_no_problem_is_still_readable(
    api: Api, fake_cloud: FakeCloud, answer: tuple[int, object], title: str, detail: str
) -> None:
    fake_cloud.on("GET /campaigns", answer)

    with pytest.raises(RefusedError) as caught:
        api.get("campaigns")

    assert (caught.value.title, caught.value.detail) == (title, detail)


def test_an_answer_that_is_not_json_is_a_failure(api: Api, fake_cloud: FakeCloud) -> None:
    fake_cloud.on("GET /campaigns", (200, "<html>"))

    with pytest.raises(FailedError, match="not JSON"):
        api.get("campaigns")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_is_safe_is_tried_again(api: Api, fake_cloud: FakeCloud, status: int) -> None:
    fake_cloud.on("PUT /devices/d1", (status, {}), (status, {}), (200, {"Id": "d1"}))
    fake_cloud.on("POST /campaigns", (status, {}), (201, {"id": "c1"}))
    fake_cloud.on("POST /devices/batch", (status, {}), (200, {"results": []}))

    assert api.put("devices", "d1", body={}) == {"Id": "d1"}
    assert api.post("campaigns", body={}, idempotency_key="k") == {"id": "c1"}
    assert api.post("devices", "batch", body={}, repeatable=True) == {"results": []}

    keys = [heard.headers["Idempotency-Key"] for heard in fake_cloud.requests("POST /campaigns")]
    assert keys == ["k", "k"]


def test_a_publish_is_never_sent_twice(api: Api, fake_cloud: FakeCloud) -> None:
    fake_cloud.on("POST /campaigns/c1/publish", (503, {"title": "Unavailable for now"}))

    with pytest.raises(RefusedError):
        api.post("campaigns", "c1", "publish")

    assert len(fake_cloud.requests("POST /campaigns/c1/publish")) == 1


def test_a_refusal_is_not_tried_again(api: Api, fake_cloud: FakeCloud) -> None:
    fake_cloud.on("GET /campaigns/none", (404, {"title": "Not found"}))

    with pytest.raises(RefusedError):
        api.get("campaigns", "none")

    assert len(fake_cloud.heard) == 1


def test_tries_end(api: Api, fake_cloud: FakeCloud) -> None:
    fake_cloud.on("GET /campaigns", (503, {"title": "Unavailable for now"}))

    with pytest.raises(RefusedError, match=r"Unavailable for now \(503\)"):
        api.get("campaigns")

    assert len(fake_cloud.heard) == 5


def test_where_nothing_listens_there_is_no_cloud(api: Api, fake_cloud: FakeCloud) -> None:
    local = api.target.cloud.local
    assert local is not None
    object.__setattr__(local, "port", 1)

    with pytest.raises(NoCloudError, match="does not answer"):
        api.get("campaigns")

    assert fake_cloud.heard == []


def test_a_broken_connection_says_when_the_request_may_have_been_carried_out(
    api: Api, fake_cloud: FakeCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.api.TIMEOUT_SECONDS", (1.0, 0.05))
    monkeypatch.setattr(fake_cloud, "answer", lambda *_: _late())

    with pytest.raises(FailedError) as caught:
        api.post("campaigns", "c1", "publish")

    assert "may have been carried out" in caught.value.detail


def _late() -> tuple[int, str]:
    import time  # noqa: PLC0415 (only this answer is late)

    time.sleep(0.2)
    return 200, "{}"
