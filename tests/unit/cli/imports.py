"""An import as the API tells it, for tests."""

from typing import Any

from tests.unit.cli.conftest import FakeCloud


def told(state: str = "DONE", **more: Any) -> dict[str, Any]:
    """The import i1 of one file in that state."""
    return {
        "id": "i1",
        "state": state,
        "dry_run": False,
        "reason": None,
        "created_at": "2026-12-01T08:00:00.000Z",
        "started_at": None,
        "ended_at": None,
        "files": [file("devices.csv")],
        "counts": counts(),
        "progress": {"bytes_checked": 0, "bytes_total": 0, "rows_loaded": 0, "rows_to_load": 0},
        "rejects": [],
        **more,
    }


def file(name: str, **more: Any) -> dict[str, Any]:
    """A CSV of 30 bytes."""
    return {
        "name": name,
        "format": "csv",
        "gzip": False,
        "bytes": 30,
        "refused": None,
        "rejects_url": None,
        **more,
    }


def counts(**more: Any) -> dict[str, Any]:
    """One row, stored."""
    zero = {"duplicates": 0, "moved": 0, "rejected": 0, "skipped": {}}
    return {"rows": 1, "stored": 1, **zero, **more}


def on_import(cloud: FakeCloud, *answers: dict[str, Any], names: tuple[str, ...]) -> None:
    """Takes an import of these files, and tells of it in these answers."""
    base = f"http://127.0.0.1:{cloud.port}/bucket"
    uploads = [{"name": name, "url": f"{base}/{number}"} for number, name in enumerate(names)]
    begun = {**told("UPLOADING"), "uploads": uploads, "expires_at": "2026-12-01T09:00:00.000Z"}
    cloud.on("POST /imports", (201, begun))
    for number in range(len(names)):
        cloud.on(f"PUT /bucket/{number}", (200, ""))
    cloud.on("POST /imports/i1/start", (202, told("CHECKING")))
    cloud.on("GET /imports/i1", *((200, answer) for answer in answers))
