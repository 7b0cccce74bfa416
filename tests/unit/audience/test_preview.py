"""A preview counts in parallel, stops in time, and says whether that was all."""

import threading
from collections.abc import Iterator

import pytest

from functions.audience.devices import Found, Page
from functions.audience.preview import Preview, Reach, preview
from functions.audience.records import Candidate
from functions.devices.records import ChannelType
from functions.shared.errors import UnavailableError

FOREVER = 1e9


def found(
    device_id: str, *, skip_reason: str | None = None, platform: ChannelType = ChannelType.GCM
) -> Found:
    candidate = Candidate(device_id=device_id, endpoint_arn="arn", skip_reason=skip_reason)
    return Found(candidate=candidate, channel_type=platform)


def test_segments_and_pages_are_added_up_by_platform_and_by_reason() -> None:
    segments = {
        0: [
            Page(found=(found("a"), found("b", skip_reason="opted_out")), scanned=5),
            Page(found=(), scanned=7),
            Page(found=(found("c", skip_reason="disabled"),), scanned=1),
        ],
        1: [
            Page(
                found=(
                    found("d", platform=ChannelType.APNS),
                    found("e", skip_reason="opted_out", platform=ChannelType.ADM),
                ),
                scanned=2,
            )
        ],
        2: [],
    }
    counted = preview(lambda segment: iter(segments[segment]), segments=3, deadline=FOREVER)
    assert counted == Preview(
        by_platform={
            ChannelType.APNS: Reach(matched=1, reachable=1),
            ChannelType.GCM: Reach(matched=3, reachable=1),
            ChannelType.ADM: Reach(matched=1, reachable=0),
        },
        opted_out=2,
        disabled=1,
        examples=("a", "d", "b", "c", "e"),
        complete=True,
        scanned=15,
    )
    assert counted.total == Reach(matched=5, reachable=2)


def test_nobody_is_an_answer_too() -> None:
    counted = preview(lambda _: iter([Page(found=(), scanned=3)]), segments=2, deadline=FOREVER)
    assert counted == Preview(
        by_platform={}, opted_out=0, disabled=0, examples=(), complete=True, scanned=6
    )
    assert counted.total == Reach(matched=0, reachable=0)


def test_ten_examples_are_shown_and_those_that_can_be_reached_come_first() -> None:
    def pages(segment: int) -> Iterator[Page]:
        for number in range(20):
            reason = "disabled" if segment == 0 and number > 3 else None
            yield Page(found=(found(f"{segment}-{number}", skip_reason=reason),), scanned=1)

    counted = preview(pages, segments=2, deadline=FOREVER)
    assert counted.examples == (
        *("0-0", "0-1", "0-2", "0-3"),
        *("1-0", "1-1", "1-2", "1-3", "1-4", "1-5"),
    )


def test_when_time_is_up_the_counts_so_far_are_answered_at_once() -> None:
    slow = threading.Event()
    begun = threading.Barrier(2)

    def pages(segment: int) -> Iterator[Page]:
        yield Page(found=(found(f"{segment}"),), scanned=4)
        if segment == 1:
            begun.wait()
            slow.wait()  # a request that DynamoDB does not answer in time
            yield Page(found=(found("late"),), scanned=100)

    def clock() -> float:
        begun.wait()
        return 0

    try:
        counted = preview(pages, segments=2, deadline=0.05, clock=clock)
        assert not counted.complete
        assert counted.scanned == 8
        assert counted.total == Reach(matched=2, reachable=2)
    finally:
        slow.set()


def test_without_any_time_nothing_is_complete() -> None:
    slow = threading.Event()

    def pages(_: int) -> Iterator[Page]:
        slow.wait()
        yield Page(found=(), scanned=1)

    try:
        counted = preview(pages, segments=3, deadline=10, clock=lambda: 11)
        assert (counted.complete, counted.scanned) == (False, 0)
    finally:
        slow.set()


def test_a_segment_that_cannot_be_read_fails_the_whole_and_stops_the_others() -> None:
    failed = threading.Event()
    read = []

    def pages(segment: int) -> Iterator[Page]:
        if segment == 0:
            failed.set()
            raise UnavailableError("throttled")
        failed.wait()
        while True:
            read.append(segment)
            yield Page(found=(), scanned=1)

    with pytest.raises(UnavailableError, match="throttled"):
        preview(pages, segments=2, deadline=FOREVER)
