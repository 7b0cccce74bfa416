"""docs/openapi.json is what the code says."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def checked_in() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DOCS / "openapi.json").read_text(encoding="utf-8"))
    return document


def test_the_document_is_current() -> None:
    make = runpy.run_path(str(DOCS / "make_openapi.py"))
    assert make["text"]() == (DOCS / "openapi.json").read_text(encoding="utf-8"), (
        "run: .venv/bin/python docs/make_openapi.py"
    )


def test_the_document_has_every_route_with_its_answers(checked_in: dict[str, Any]) -> None:
    answers = {
        f"{method.upper()} {path}": sorted(operation["responses"])
        for path, operations in checked_in["paths"].items()
        for method, operation in operations.items()
    }
    assert answers == {
        "GET /devices": ["200", "400"],
        "PUT /devices/{device_id}": ["200", "400", "409", "502", "503"],
        "GET /devices/{device_id}": ["200", "404"],
        "DELETE /devices/{device_id}": ["204", "404", "409", "502", "503"],
        "POST /devices/batch": ["200", "400", "409", "502", "503"],
        "POST /audiences/preview": ["200", "400", "503"],
        "POST /campaigns/{campaign_id}/refresh": ["202", "400", "404", "409", "422"],
        "GET /campaigns/{campaign_id}/members": ["200", "400", "404"],
        "POST /campaigns/{campaign_id}/repair": ["200", "400", "404", "409"],
        "POST /imports": ["201", "400"],
        "GET /imports": ["200", "400"],
        "POST /imports/{import_id}/start": ["202", "404", "409"],
        "GET /imports/{import_id}": ["200", "404"],
        "POST /campaigns": ["201", "400", "404", "409", "422"],
        "GET /campaigns": ["200", "400"],
        "GET /campaigns/{campaign_id}": ["200", "404"],
        "PATCH /campaigns/{campaign_id}": ["200", "400", "404", "409"],
        "GET /campaigns/{campaign_id}/history": ["200", "400", "404"],
        "DELETE /campaigns/{campaign_id}": ["202", "404", "409"],
        "POST /campaigns/{campaign_id}/publish": ["202", "400", "404", "409", "422"],
        "POST /campaigns/{campaign_id}/cancel": ["200", "404", "409"],
        "POST /campaigns/preview": ["200", "400"],
        "POST /campaigns/{campaign_id}/test-send": ["200", "400", "404", "409", "422", "503"],
    }


def test_every_reference_leads_somewhere(checked_in: dict[str, Any]) -> None:
    text = json.dumps(checked_in)
    names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert names
    assert names <= set(checked_in["components"]["schemas"])
