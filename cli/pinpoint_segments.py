"""A segment of Amazon Pinpoint as criteria of Fanfare; docs/pinpoint.md has the table.

https://docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-segments-segment-id.html
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cli import exact_json
from cli.errors import FailedError, UsageError
from cli.pinpoint_conditions import Criteria, all_of, any_of, condition, count, none_of
from cli.pinpoint_dimensions import DIMENSIONS, dimensions
from cli.pinpoint_notes import Notes, inside

EVERYBODY: Criteria = condition("Id", "exists", True)
# What the API takes: docs/criteria.md.
MAX_CONDITIONS = 100
MAX_BYTES = 128 * 1024

# What a segment says of itself beside whom it is for.
_ABOUT = (
    *("ApplicationId", "Arn", "CreationDate", "Id", "ImportDefinition", "LastModifiedDate"),
    *("Name", "SegmentType", "Version", "tags"),
)


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """The criteria, and what a person should know about them."""

    criteria: Criteria
    remarks: tuple[str, ...]


def convert(raw: Any) -> Conversion:
    """The criteria of what `aws pinpoint get-segment` prints, or of the SegmentGroups or Dimensions
    in it. UsageError if it is none of these; FailedError naming what cannot be converted."""
    notes = Notes()
    [criteria] = _whole(raw, notes) or [EVERYBODY]
    _check_size(criteria, notes)
    if notes.wrong:
        raise FailedError("this segment cannot be converted", wrong=notes.wrong)
    return Conversion(criteria=criteria, remarks=tuple(notes.remarks))


def _whole(raw: Any, notes: Notes) -> list[Criteria]:
    if not isinstance(raw, dict):
        raise UsageError("this is no segment: a JSON object is needed")
    if "SegmentsResponse" in raw:
        raise UsageError("this holds several segments", detail="take one: aws pinpoint get-segment")
    if "SegmentResponse" in raw:
        return _segment(raw["SegmentResponse"], "SegmentResponse", notes)
    if "Groups" in raw:
        return _groups(raw, "SegmentGroups", notes)
    if raw.keys() & set(DIMENSIONS):
        return dimensions(raw, "Dimensions", notes)
    if raw.keys() & {"Dimensions", "SegmentGroups", "SegmentType"}:
        return _segment(raw, "", notes)
    raise UsageError("this is no segment: it has neither SegmentGroups nor Dimensions")


def _segment(raw: Any, place: str, notes: Notes) -> list[Criteria]:
    segment = notes.members(raw, place, (*_ABOUT, "Dimensions", "SegmentGroups"))
    if segment.get("SegmentType") == "IMPORT" or segment.get("ImportDefinition"):
        notes.refuse(
            inside(place, "SegmentType"),
            "is an imported segment: the endpoints of a file, not a condition; import that file "
            "with an attribute of its own and search for that",
        )
    found = []
    for name, read in (("Dimensions", dimensions), ("SegmentGroups", _groups)):
        if name in segment:
            found += read(segment[name], inside(place, name), notes)
    return all_of(found)


def _groups(raw: Any, place: str, notes: Notes) -> list[Criteria]:
    members = notes.members(raw, place, ("Groups", "Include"))
    groups = notes.items(members.get("Groups"), f"{place}.Groups")
    parts: list[Criteria] = []
    for index, group in enumerate(groups):
        # A group that asks for nothing is everybody.
        parts += _group(group, f"{place}.Groups[{index}]", notes) or [EVERYBODY]
    return _put_together(members, "Include", place, parts, notes)


def _group(raw: Any, place: str, notes: Notes) -> list[Criteria]:
    group = notes.members(raw, place, ("Dimensions", "SourceSegments", "SourceType", "Type"))
    sources = notes.items(group.get("SourceSegments"), f"{place}.SourceSegments")
    how = notes.choice(group, "SourceType", place, _SOURCES, default="ALL")
    for index in range(len(sources)):
        advice = _ONE_SOURCE if len(sources) == 1 and how != _SOURCES["NONE"] else how
        notes.refuse(f"{place}.SourceSegments[{index}]", f"is another segment; {advice}")
    parts: list[Criteria] = []
    for index, each in enumerate(notes.items(group.get("Dimensions"), f"{place}.Dimensions")):
        # Dimensions that ask for nothing are everybody.
        parts += dimensions(each, f"{place}.Dimensions[{index}]", notes) or [EVERYBODY]
    return _put_together(group, "Type", place, parts, notes)


_ONE_SOURCE = "convert that one by itself and put the two together with all"
# What the dimensions filter is what the sources come to together.
_SOURCES = {
    "ALL": "convert each by itself and put all together with all",
    "ANY": "convert each by itself, put them together with any, and that and the rest with all",
    "NONE": "convert each by itself, put them together with any, negate that with not, and put it "
    "and the rest together with all",
}

_Put = Callable[[Sequence[Criteria]], list[Criteria]]
_HOW: dict[str, _Put] = {"ALL": all_of, "ANY": any_of, "NONE": none_of}


def _put_together(
    members: dict[str, Any], key: str, place: str, parts: Sequence[Criteria], notes: Notes
) -> list[Criteria]:
    """All, any or none of the parts, as the member of that name says; nothing if there are none."""
    if key not in members and len(parts) > 1:
        notes.remark(f"{place}.{key}", "is missing and taken as ALL")
    put = notes.choice(members, key, place, _HOW, default="ALL")
    return put(parts) if put else []


def _check_size(criteria: Criteria, notes: Notes) -> None:
    number = count(criteria)
    if number > MAX_CONDITIONS:
        notes.refuse("the segment", f"comes to {number:,} conditions; at most {MAX_CONDITIONS} fit")
    size = len(exact_json.dumps(criteria).encode())
    if size > MAX_BYTES:
        notes.refuse("the segment", f"comes to {size:,} bytes; at most {MAX_BYTES:,} fit")
