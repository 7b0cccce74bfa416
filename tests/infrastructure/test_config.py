from typing import Any

import pytest

from functions.audience import subscriber
from stacks.config import WORKER_MARGIN_SECONDS, Config, ConfigError


def refusal(context: dict[str, Any], **others: Any) -> str:
    with pytest.raises(ConfigError) as refused:
        Config.from_context({**context, **others})
    return str(refused.value)


def test_the_shipped_context_is_valid(context: dict[str, Any]) -> None:
    config = Config.from_context(context)

    assert config.name == "Fanfare"
    assert config.subscribes_per_second == 47.5
    assert config.retain is False


def test_values_from_the_command_line_are_text_and_are_read(context: dict[str, Any]) -> None:
    config = Config.from_context(
        {**context, "chunk_size": "50", "enforce_ssl": "false", "subscribe_headroom": "0.5"}
    )

    assert config.chunk_size == 50
    assert config.enforce_ssl is False
    assert config.subscribe_headroom == 0.5


@pytest.mark.parametrize(
    ("key", "value", "limit"),
    [
        ("name", "9lives", "^[A-Za-z]"),
        ("removal", "keep", "'destroy' or 'retain'"),
        ("log_retention_days", 2, "one of (1, 3, 5, 7, 14"),
        ("enforce_ssl", "perhaps", "valid boolean"),
        ("subscribe_quota_per_second", 0, "greater than 0"),
        ("subscribe_quota_per_second", "nan", "finite number"),
        ("subscribe_headroom", 1.5, "less than or equal to 1"),
        ("subscribe_batch_size", 10_001, "less than or equal to 10000"),
        ("subscribe_batch_window_seconds", 301, "less than or equal to 300"),
        ("chunk_size", 0, "greater than or equal to 1"),
        ("chunk_size", 1_001, "less than or equal to 1000"),
        ("chunk_size", "many", "valid integer"),
        ("subscriber_concurrency", 1, "greater than or equal to 2"),
        ("subscriber_concurrency", 1_001, "less than or equal to 1000"),
        ("subscriber_timeout_seconds", 901, "less than or equal to 900"),
        ("scan_segments", 41, "less than or equal to 40"),
        ("list_timeout_hours", 337, "less than or equal to 336"),
        ("gate_days", 351, "less than or equal to 350"),
        ("receipt_wait_seconds", 0, "greater than or equal to 1"),
        ("api_throttle_rate", 10_001, "less than or equal to 10000"),
        ("hello_throttle_burst", 5_001, "less than or equal to 5000"),
    ],
)
def test_a_value_out_of_bounds_is_refused_with_key_value_and_limit(
    context: dict[str, Any], key: str, value: Any, limit: str
) -> None:
    text = refusal(context, **{key: value})

    assert f"context {key} = {value!r}" in text
    assert limit in text


def test_all_wrong_values_are_named_at_once(context: dict[str, Any]) -> None:
    text = refusal(context, chunk_size=0, gate_days=0)

    assert "context chunk_size = 0" in text
    assert "context gate_days = 0" in text


def test_a_missing_key_is_named(context: dict[str, Any]) -> None:
    rest = {key: value for key, value in context.items() if key != "scan_segments"}

    assert refusal(rest) == "context scan_segments is missing"


def test_a_mistyped_key_is_named(context: dict[str, Any]) -> None:
    assert refusal(context, chunk_sise="50") == "context chunk_sise is not known"


def test_a_batch_of_more_than_ten_needs_a_window(context: dict[str, Any]) -> None:
    assert refusal(context, subscribe_batch_size="128", chunk_size="10") == (
        "context subscribe_batch_window_seconds = 0 with subscribe_batch_size = 128: a batch of "
        "more than 10 messages needs a window of 1 to 300 seconds"
    )


def test_a_batch_that_does_not_fit_the_timeout_is_refused_with_the_numbers(
    context: dict[str, Any],
) -> None:
    text = refusal(context, subscribe_batch_size="128", subscribe_batch_window_seconds="5")

    assert text == (
        "a batch does not fit into the subscriber's timeout: chunk_size 100 x "
        "subscribe_batch_size 128 = 12800 devices, at 47.5 subscribes a second and worker "
        "(subscribe_quota_per_second 100 x subscribe_headroom 0.95 / subscriber_concurrency 2), "
        "take 269.5 s; allowed are 45 s (subscriber_timeout_seconds 60 x 0.8, or less 15 s)"
    )


@pytest.mark.parametrize(("chunk_size", "fits"), [(160, True), (161, False)])
def test_the_last_batch_that_fits_takes_exactly_the_time_allowed(
    context: dict[str, Any], chunk_size: int, fits: bool
) -> None:
    # 160 x 10 devices at 50 x 1 / 10 = 5 a second take 320 s = 0.8 x 400 s.
    others = {
        "chunk_size": chunk_size,
        "subscribe_quota_per_second": 50,
        "subscribe_headroom": 1,
        "subscriber_concurrency": 10,
        "subscriber_timeout_seconds": 400,
    }

    if fits:
        assert Config.from_context({**context, **others}).chunk_size == chunk_size
    else:
        assert "take 322.0 s; allowed are 320 s" in refusal(context, **others)


def test_synth_and_worker_keep_the_same_time_for_the_end_of_a_batch() -> None:
    assert WORKER_MARGIN_SECONDS == subscriber.MARGIN_SECONDS


def test_a_short_timeout_leaves_the_worker_its_margin(context: dict[str, Any]) -> None:
    # 15 of 30 s are left: 712 devices at 47.5 a second.
    short = {**context, "subscriber_timeout_seconds": 30, "subscribe_batch_size": 1}
    assert Config.from_context({**short, "chunk_size": 712}).chunk_size == 712
    with pytest.raises(ConfigError, match="allowed are 15 s"):
        Config.from_context({**short, "chunk_size": 713})
