"""A page of all devices: the opaque token for the next one, and as many as fit into an answer."""

import base64
import json
from collections.abc import Iterator

from functions.devices.parsing import read_id
from functions.devices.store import DeviceStore, NotInSegmentError
from functions.devices.wire import to_wire
from functions.shared import exact_json
from functions.shared.errors import InvalidInputError

PAGE_DEFAULT = 500
PAGE_MAX = 1_000
# Enough for many readers side by side; each reads its own part from end to end.
MAX_SEGMENTS = 100
# Lambda answers 6 MB, in which this text is a string: its quotes and backslashes count twice.
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
ANSWER_MAX_BYTES = 5_500_000


def page_text(
    store: DeviceStore, *, limit: int, token: str | None, segment: int, segments: int
) -> str:
    """The JSON of a page; InvalidInputError for a token or a segment that there is not."""
    if segment >= segments:
        raise InvalidInputError.at("segment", f"must be below segments, which is {segments}")
    after_id = _decode(token, segment, segments)
    try:
        page = store.page(limit=limit, after_id=after_id, segment=segment, segments=segments)
    except NotInSegmentError:
        raise _unknown() from None
    texts = [exact_json.dumps(to_wire(device)) for device in page.devices]
    shown = list(_fitting(texts))
    last = page.last_id
    if len(shown) < len(texts):
        last = page.devices[len(shown) - 1].device_id
    following = exact_json.dumps(last and _encode(last, segment, segments))
    return f'{{"devices":[{",".join(shown)}],"next":{following}}}'


def _fitting(texts: list[str]) -> Iterator[str]:
    """As many texts from the first on as fit into one answer, and one at least."""
    room = ANSWER_MAX_BYTES
    for index, text in enumerate(texts):
        room -= len(text.encode()) + text.count('"') + text.count("\\") + 1
        if room < 0 and index:
            return
        yield text


def _encode(last_id: str, segment: int, segments: int) -> str:
    text = json.dumps([last_id, segment, segments])
    return base64.urlsafe_b64encode(text.encode()).decode()


def _decode(token: str | None, segment: int, segments: int) -> str | None:
    if token is None:
        return None
    try:
        values = json.loads(base64.b64decode(token.encode(), altchars=b"-_", validate=True))
        last_id, of_segment, of_segments = values
        last_id = read_id(last_id)
    except (ValueError, TypeError, RecursionError):
        raise _unknown() from None
    if (of_segment, of_segments) != (segment, segments):
        raise InvalidInputError.at("next", "is the token of another segment")
    return str(last_id)


def _unknown() -> InvalidInputError:
    return InvalidInputError.at("next", "is no token that this API gave out")
