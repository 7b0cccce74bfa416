"""The import API: announce, upload, start, look."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from functions.imports import api, keys
from functions.imports.schema import ImportRequest
from functions.shared.errors import ConflictError, NotFoundError
from tests.unit.imports.conftest import BUCKET, HEADER, Account, csv_of
from tests.unit.imports.test_handlers import Context

UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def call(account: Account, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls the handler as the HTTP API does; answers status and body."""
    monkeypatch.setattr(api, "_imports", lambda: account.api)

    def _call(method: str, path: str, body: Any = None, **query: str) -> tuple[int, Any]:
        event = {
            "version": "2.0",
            "rawPath": path,
            "rawQueryString": urlencode(query),
            "queryStringParameters": query,
            "headers": {"content-type": "application/json"},
            "requestContext": {
                "http": {"method": method, "path": path},
                "requestId": "r1",
                "stage": "$default",
            },
            "body": "" if body is None else json.dumps(body),
            "isBase64Encoded": False,
        }
        context: Any = Context()
        answer = api.handler(event, context)
        return answer["statusCode"], json.loads(answer["body"])

    return _call


def test_an_import_is_announced_uploaded_started_and_looked_at(call: Any, account: Account) -> None:
    status, made = call("POST", "/imports", {"files": [{"name": "臺.csv"}, {"name": "b"}]})

    assert status == 201
    assert made["state"] == "UPLOADING"
    assert made["dry_run"] is False
    assert made["created_at"] == "2026-12-01T12:00:00.000Z"
    assert made["expires_at"] == "2026-12-01T13:00:00.000Z"
    assert [upload["name"] for upload in made["uploads"]] == ["臺.csv", "b"]
    url = urlsplit(made["uploads"][1]["url"])
    assert url.path == f"/imports/{made['id']}/files/0002"
    assert parse_qs(url.query)["X-Amz-Expires"] == ["3600"]

    status, refused = call("POST", f"/imports/{made['id']}/start")
    assert status == 409
    assert refused["detail"] == (
        "The import is UPLOADING: these files are not uploaded yet: 臺.csv, b"
    )

    for number in (1, 2):
        account.s3.put_object(
            Bucket=BUCKET, Key=keys.file(made["id"], number), Body=csv_of(HEADER, "d1,FAX,t1,GCM")
        )
    status, started = call("POST", f"/imports/{made['id']}/start")
    assert (status, started["state"], started["started_at"]) == (
        202,
        "CHECKING",
        "2026-12-01T12:00:00.000Z",
    )
    assert account.executions.started == [made["id"]]
    account.run(made["id"])

    status, shown = call("GET", f"/imports/{made['id']}")
    assert status == 200
    assert (shown["state"], shown["started_at"]) == ("DONE", "2026-12-01T12:00:00.000Z")
    assert shown["counts"] == {
        "rows": 2,
        "stored": 0,
        "duplicates": 0,
        "moved": 0,
        "rejected": 2,
        "skipped": {},
    }
    size = len(csv_of(HEADER, "d1,FAX,t1,GCM"))
    assert shown["progress"] == {
        "bytes_checked": 2 * size,
        "bytes_total": 2 * size,
        "rows_loaded": 0,
        "rows_to_load": 0,
    }
    assert shown["rejects"][0]["file"] == "臺.csv"
    rejects = urlsplit(shown["files"][0]["rejects_url"])
    assert parse_qs(rejects.query)["response-content-disposition"] == [
        "attachment; filename*=UTF-8''%E8%87%BA.csv.rejects.csv"
    ]


def test_without_a_list_of_files_it_is_one(call: Any) -> None:
    status, made = call("POST", "/imports", {"dry_run": True})

    assert (status, made["dry_run"]) == (201, True)
    assert [upload["name"] for upload in made["uploads"]] == ["devices"]


def test_starting_again_answers_the_same_and_starts_nothing(call: Any, account: Account) -> None:
    import_id = account.upload(csv_of(HEADER, "d1,GCM,t1"))
    account.run(import_id)

    status, view = call("POST", f"/imports/{import_id}/start")

    assert (status, view["state"]) == (202, "DONE")
    assert account.executions.started == []


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"files": []}, "files"),
        ({"files": [{"name": ""}]}, "files[0].name"),
        ({"files": [{"name": "a\u0000"}]}, "files[0].name"),
        ({"files": [{"name": "x" * 256}]}, "files[0].name"),
        ({"files": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}, "files[2].name"),
        ({"files": [{"name": str(number)} for number in range(1_001)]}, "files"),
        ({"files": [{"name": "a", "size": 1}]}, "files[0].size"),
        ({"dry_run": "perhaps"}, "dry_run"),
        ({"dryrun": True}, "dryrun"),
        ([], "body"),
    ],
)
def test_a_wrong_announcement_is_refused_with_its_place(call: Any, body: Any, place: str) -> None:
    status, problem = call("POST", "/imports", body)

    assert status == 400
    assert place in [error["place"] for error in problem["errors"]]


def test_a_thousand_files_are_taken(account: Account) -> None:
    request = ImportRequest.model_validate({"files": [{"name": str(each)} for each in range(1000)]})

    assert len(account.api.create(request).uploads) == 1000


@pytest.mark.parametrize("import_id", [UNKNOWN, "nonsense", "..", UNKNOWN.upper()])
def test_what_there_is_not_is_not_found(call: Any, import_id: str) -> None:
    assert call("GET", f"/imports/{import_id}")[0] == 404
    assert call("POST", f"/imports/{import_id}/start")[0] == 404


def test_many_missing_files_are_told_in_short(account: Account) -> None:
    names = [{"name": f"part-{number}"} for number in range(12)]
    made = account.api.create(ImportRequest.model_validate({"files": names}))

    with pytest.raises(ConflictError, match=r"part-0, .*part-9 and 2 more$"):
        account.api.start(made.id)
    with pytest.raises(NotFoundError):
        account.api.start(UNKNOWN)


def test_an_import_keeps_the_time_at_which_it_was_started(call: Any, account: Account) -> None:
    import_id = account.upload(csv_of(HEADER, "d1,GCM,t1"))
    call("POST", f"/imports/{import_id}/start")
    account.now[0] += timedelta(seconds=3)

    _, again = call("POST", f"/imports/{import_id}/start")
    assert (again["state"], again["started_at"]) == ("CHECKING", "2026-12-01T12:00:00.000Z")
    account.run(import_id)
    _, done = call("GET", f"/imports/{import_id}")
    assert (done["state"], done["started_at"]) == ("DONE", "2026-12-01T12:00:00.000Z")
    # Its workflow may have begun before the API noted anything.
    account.store.note_started(import_id)
    assert call("GET", f"/imports/{import_id}")[1] == done


def test_imports_are_listed_newest_first_page_by_page(call: Any, account: Account) -> None:
    ids = []
    for number in range(5):
        ids.append(account.upload(*["Id\n"] * (number + 1)))
        account.now[0] += timedelta(minutes=1)

    status, first = call("GET", "/imports", limit="3")
    assert status == 200
    assert [each["id"] for each in first["imports"]] == [ids[4], ids[3], ids[2]]
    assert first["imports"][0] == {
        "id": ids[4],
        "state": "UPLOADING",
        "dry_run": False,
        "reason": None,
        "created_at": "2026-12-01T12:04:00.000Z",
        "started_at": None,
        "ended_at": None,
        "files": 5,
        "first_file": "a",
        "counts": {
            "rows": 0,
            "stored": 0,
            "duplicates": 0,
            "moved": 0,
            "rejected": 0,
            "skipped": {},
        },
    }
    _, second = call("GET", "/imports", limit="3", next=first["next"])
    assert [each["id"] for each in second["imports"]] == [ids[1], ids[0]]
    assert second["next"] is None


def test_a_list_says_how_an_import_ended(call: Any, account: Account) -> None:
    account.imported(csv_of(HEADER, "d1,GCM,t1", "d2,FAX,t2", "d3,SMS,1"), dry_run=True)

    _, page = call("GET", "/imports")

    [done] = page["imports"]
    assert (done["state"], done["dry_run"]) == ("DONE", True)
    assert (done["started_at"], done["ended_at"]) == (
        "2026-12-01T12:00:00.000Z",
        "2026-12-01T12:00:00.000Z",
    )
    assert done["counts"] == {
        "rows": 3,
        "stored": 1,
        "duplicates": 0,
        "moved": 0,
        "rejected": 1,
        "skipped": {"SMS": 1},
    }


def test_without_imports_the_list_is_empty(call: Any) -> None:
    assert call("GET", "/imports") == (200, {"imports": [], "next": None})


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ({"next": "nonsense"}, "next"),
        ({"next": "WyJhIiwgImIiXQ=="}, "next"),
        ({"limit": "0"}, "limit"),
        ({"limit": "101"}, "limit"),
    ],
)
def test_a_page_that_there_cannot_be_is_refused(
    call: Any, query: dict[str, str], place: str
) -> None:
    status, problem = call("GET", "/imports", **query)

    assert status == 400
    assert place in problem["errors"][0]["place"]
