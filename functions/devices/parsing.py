"""The one place where a device is read from JSON, in Pinpoint's endpoint shape.

https://docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-endpoints-endpoint-id.html
"""

import re
from enum import StrEnum
from functools import partial
from typing import TypeVar

from functions.devices import multi_values
from functions.devices.items import ITEM_MAX_BYTES, encode, size_of
from functions.devices.object_reader import ObjectReader, Read, reading
from functions.devices.records import (
    ADDRESS_MAX_CHARS,
    DEMOGRAPHIC_NAMES,
    ID_MAX_CHARS,
    LOCATION_NUMBERS,
    LOCATION_TEXTS,
    VALUE_MAX_CHARS,
    ChannelType,
    Device,
    EndpointStatus,
    OptOut,
)
from functions.shared.errors import InvalidInputError
from functions.shared.instants import read_instant
from functions.shared.numbers import exact_number
from functions.shared.text import json_type, why_not_text
from functions.shared.wrong_places import WrongPlaces

DEVICE_NAMES = (
    "Id",
    "ChannelType",
    "Address",
    "OptOut",
    "EndpointStatus",
    "EffectiveDate",
    "Attributes",
    "Metrics",
    "Demographic",
    "Location",
    "User",
)
# An Id travels in the path of a URL. API Gateway decodes the path before a function sees it, so
# that an Id with one of these would arrive as another one, or not at all.
_NOT_IN_A_PATH = re.compile(r"[/?#%]|\A\.\.?\Z")
# Room for the endpoint's ARN, which is not known yet.
_ARN_BYTES = 1_024

E = TypeVar("E", bound=StrEnum)


def parse_device(raw: object, *, path_id: str | None = None, small: bool = False) -> Device:
    """The device; InvalidInputError with every wrong place. The path's Id need not be in it.

    One that is known to be `small`, far below what DynamoDB takes, is not measured again.
    """
    if not isinstance(raw, dict):
        raise InvalidInputError.at("device", f"must be an object, not {json_type(raw)}")
    wrong = WrongPlaces()
    reader = ObjectReader(raw, "", wrong, known=DEVICE_NAMES)
    device_id = _device_id(reader, path_id, wrong)
    channel_type = reader.must("ChannelType", _CHANNEL)
    address = reader.must("Address", _ADDRESS)
    opt_out = reader.may("OptOut", _OPT_OUT)
    endpoint_status = reader.may("EndpointStatus", _STATUS)
    effective_date = reader.may("EffectiveDate", _INSTANT)
    attributes = reader.inner("Attributes").all(_values)
    metrics = reader.inner("Metrics").all(_NUMBER)
    demographic = reader.inner("Demographic", DEMOGRAPHIC_NAMES).all(_VALUE, DEMOGRAPHIC_NAMES)
    place = reader.inner("Location", (*LOCATION_TEXTS, *LOCATION_NUMBERS))
    location = place.all(_VALUE, LOCATION_TEXTS) | place.all(_NUMBER, LOCATION_NUMBERS)
    user = reader.inner("User", ("UserId", "UserAttributes"))
    user_id = user.may("UserId", _VALUE)
    user_attributes = user.inner("UserAttributes").all(_values)
    device = Device(
        device_id=wrong.certain(device_id),
        channel_type=wrong.certain(channel_type),
        address=wrong.certain(address),
        opt_out=opt_out,
        endpoint_status=endpoint_status or EndpointStatus.ACTIVE,
        effective_date=effective_date,
        attributes=_filled(attributes),
        metrics=metrics,
        demographic=demographic,
        location=location,
        user_id=user_id,
        user_attributes=_filled(user_attributes),
    )
    if not small:
        refuse_if_too_large(device)
    return device


def refuse_if_too_large(device: Device) -> None:
    """InvalidInputError if DynamoDB does not take the device."""
    size = size_of(encode(device)) + _ARN_BYTES
    if size > ITEM_MAX_BYTES:
        reason = f"takes {size:,} bytes in DynamoDB; the limit is {ITEM_MAX_BYTES:,}"
        raise InvalidInputError.at("device", reason)


def read_id(raw: object) -> str:
    """The Id; ValueError with the reason if it is none."""
    text = _checked(raw, ID_MAX_CHARS)
    if _NOT_IN_A_PATH.search(text):
        raise ValueError(
            "must not hold / ? # or %, nor be . or .., which a URL's path cannot carry"
        )
    return text


def _device_id(reader: ObjectReader, path_id: str | None, wrong: WrongPlaces) -> str | None:
    if path_id is None:
        return reader.must("Id", _ID)
    body_id = reader.may("Id", _ID)
    if body_id not in (None, path_id):
        wrong.add("Id", "differs from the Id in the path")
    return wrong.attempt(partial(_ID, path_id, "Id"))


def _values(raw: object, place: str) -> tuple[str, ...]:
    """The distinct texts of a list, or the one text."""
    if not isinstance(raw, list | tuple):
        return (_VALUE(raw, place),)
    if len(raw) == 1:
        return (_VALUE(raw[0], f"{place}[0]"),)
    wrong = WrongPlaces()
    found = [wrong.attempt(partial(_VALUE, each, f"{place}[{i}]")) for i, each in enumerate(raw)]
    wrong.refuse_if_any()
    return multi_values.normal(each for each in found if each is not None)


def _filled(named: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {name: values for name, values in named.items() if values}


def _choice(choices: type[E]) -> Read[E]:
    by_text = {choice.value: choice for choice in choices}

    def read(raw: object) -> E:
        if not isinstance(raw, str) or raw not in by_text:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return by_text[raw]

    return reading(read)


def _checked(raw: object, max_chars: int) -> str:
    if reason := why_not_text(raw, max_chars=max_chars):
        raise ValueError(reason)
    return str(raw)


def _text(max_chars: int) -> Read[str]:
    return reading(partial(_checked, max_chars=max_chars))


_ID = reading(read_id)
_CHANNEL = _choice(ChannelType)
_OPT_OUT = _choice(OptOut)
_STATUS = _choice(EndpointStatus)
_ADDRESS = _text(ADDRESS_MAX_CHARS)
_VALUE = _text(VALUE_MAX_CHARS)
_NUMBER = reading(exact_number)
_INSTANT = reading(lambda raw: read_instant(_checked(raw, VALUE_MAX_CHARS)))
