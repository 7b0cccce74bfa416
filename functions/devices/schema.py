"""The device API's bodies as OpenAPI documents them. They are read in parsing.py, not by these."""

from collections.abc import Iterable
from enum import StrEnum

from functions.devices.batch import BATCH_MAX_DEVICES
from functions.devices.records import (
    ADDRESS_MAX_CHARS,
    DEMOGRAPHIC_NAMES,
    ID_MAX_CHARS,
    LOCATION_NUMBERS,
    LOCATION_TEXTS,
    NAME_MAX_CHARS,
    VALUE_MAX_CHARS,
    ChannelType,
    EndpointStatus,
    OptOut,
    StatusReason,
)
from functions.shared.http import InvalidPlace
from functions.shared.openapi import JsonSchema


def _text(max_chars: int, **more: object) -> JsonSchema:
    return {"type": "string", "minLength": 1, "maxLength": max_chars, **more}


def _choice(choices: type[StrEnum], **more: object) -> JsonSchema:
    return {"type": "string", "enum": list(choices), **more}


def _named(value: JsonSchema) -> JsonSchema:
    names = {"maxLength": NAME_MAX_CHARS}
    return {"type": "object", "propertyNames": names, "additionalProperties": value}


def _object(properties: JsonSchema, required: Iterable[str] = ()) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_VALUE = _text(VALUE_MAX_CHARS)
_NUMBER = {"type": "number", "description": "Kept exactly, up to 38 digits."}
_VALUES = _named({"anyOf": [{"type": "array", "items": _VALUE}, _VALUE]})
_DEVICE = {
    "Id": _text(ID_MAX_CHARS, description="May be left out where the path has it."),
    "ChannelType": _choice(ChannelType),
    "Address": _text(ADDRESS_MAX_CHARS, description="The push token."),
    "OptOut": _choice(OptOut, description="Left out: what is stored stays, NONE at first."),
    "EndpointStatus": _choice(EndpointStatus, default="ACTIVE"),
    "EffectiveDate": _text(VALUE_MAX_CHARS, description="ISO 8601: a date, or a time with zone."),
    "Attributes": _VALUES,
    "Metrics": _named(_NUMBER),
    "Demographic": _object(dict.fromkeys(DEMOGRAPHIC_NAMES, _VALUE)),
    "Location": _object(
        dict.fromkeys(LOCATION_TEXTS, _VALUE) | dict.fromkeys(LOCATION_NUMBERS, _NUMBER)
    ),
    "User": _object({"UserId": _VALUE, "UserAttributes": _VALUES}),
}
_ANSWER = {
    **_DEVICE,
    "StatusReason": _choice(
        StatusReason,
        description="Only with INACTIVE. app: the app said so. moved: its token is another "
        "device's now. disabled, deleted: SNS did that to its endpoint.",
    ),
    "EndpointArn": {"type": "string", "description": "Absent while there is no endpoint."},
}
_RESULT = _object(
    {
        "index": {"type": "integer"},
        "Id": {"type": "string"},
        "status": {"type": "string", "enum": ["stored", "rejected"]},
        "errors": {"type": "array", "items": InvalidPlace.model_json_schema()},
    },
    required=("index", "status"),
)

DEVICE_BODY = _object(_DEVICE, required=("ChannelType", "Address"))
BATCH_BODY = _object(
    {
        "devices": {
            "type": "array",
            "maxItems": BATCH_MAX_DEVICES,
            "items": _object(_DEVICE, required=("Id", "ChannelType", "Address")),
        }
    },
    required=("devices",),
)
DEVICE_ANSWER = _object(_ANSWER, required=("Id", "ChannelType", "Address"))
DEVICES_ANSWER = _object(
    {
        "devices": {"type": "array", "items": DEVICE_ANSWER},
        "next": {"type": ["string", "null"], "description": "Asks for the page that follows."},
    },
    required=("devices", "next"),
)
BATCH_ANSWER = _object({"results": {"type": "array", "items": _RESULT}}, required=("results",))
