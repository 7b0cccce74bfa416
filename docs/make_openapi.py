"""Writes docs/openapi.json from the code of the APIs: .venv/bin/python docs/make_openapi.py"""

import json
import sys
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).with_name("openapi.json")
sys.path.insert(0, str(DOCUMENT.parents[1]))

from functions.audience.api import app as audiences  # noqa: E402 (after the path is set)
from functions.campaigns.api import app as campaigns  # noqa: E402
from functions.campaigns.members_api import app as members  # noqa: E402
from functions.campaigns.messages_api import app as messages  # noqa: E402
from functions.devices.api import app as devices  # noqa: E402
from functions.imports.api import app as imports  # noqa: E402

TITLE = "Fanfare"
DESCRIPTION = (
    "Targeted push broadcasts: devices, audiences, and campaigns that reach a part of them at one "
    "moment. Every request is signed with AWS Signature Version 4, service execute-api."
)
SECURITY = {
    "sigv4": {
        "type": "apiKey",
        "name": "Authorization",
        "in": "header",
        "x-amazon-apigateway-authtype": "awsSigv4",
    }
}
# Powertools lists these for every route; we answer a wrong body with a 400 of our own instead.
_NOT_OURS = ("HTTPValidationError", "ValidationError", "ResponseValidationError")


def document() -> dict[str, Any]:
    """The OpenAPI document of all APIs together."""
    merged: dict[str, Any] = {}
    for app in (devices, imports, audiences, campaigns, members, messages):
        schema = app.get_openapi_schema(title=TITLE, version="1.0.0", description=DESCRIPTION)
        part = json.loads(schema.model_dump_json(by_alias=True, exclude_none=True))
        if not merged:
            merged = part
        else:
            merged["paths"] |= part["paths"]
            merged["components"]["schemas"] |= part["components"]["schemas"]
    merged.pop("servers", None)
    for path in merged["paths"].values():
        for operation in path.values():
            _leave_out_foreign_answers(operation["responses"])
    for name in _NOT_OURS:
        merged["components"]["schemas"].pop(name, None)
    merged["components"]["securitySchemes"] = SECURITY
    merged["security"] = [{"sigv4": []}]
    return merged


def text() -> str:
    """The document as it is checked in."""
    return json.dumps(document(), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def _leave_out_foreign_answers(responses: dict[str, Any]) -> None:
    for status in list(responses):
        if any(name in json.dumps(responses[status]) for name in _NOT_OURS):
            del responses[status]


if __name__ == "__main__":
    DOCUMENT.write_text(text(), encoding="utf-8")
    print(f"wrote {DOCUMENT.name}")  # noqa: T201
