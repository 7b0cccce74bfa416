"""A campaign in words: can it be sent, to how many, and did it go out once."""

from typing import Any

_ANSWERS = {
    "PUBLISHING": "it is going out now",
    "PUBLISHED": "it went out",
    "CANCELLED": "no: it was cancelled",
    "FAILED": "no: it failed",
}


def lines(campaign: dict[str, Any]) -> list[tuple[str, str]]:
    """What a person wants to know first, as (question, answer)."""
    shown = [
        ("id", campaign["id"]),
        ("name", campaign["name"]),
        ("state", campaign["state"]),
        ("can it be sent", can_it_be_sent(campaign)),
        ("who gets it", who_gets_it(campaign)),
        ("did it go out", did_it_go_out(campaign)),
        ("message", _message(campaign["message"])),
        ("topic", campaign.get("topic_arn") or "none yet"),
    ]
    if campaign.get("reason"):
        shown.insert(3, ("reason", campaign["reason"]))
    times = campaign.get("times") or {"created": campaign["created_at"]}
    return shown + [(f"since {state}", time) for state, time in times.items()]


def can_it_be_sent(campaign: dict[str, Any]) -> str:
    """When the message can go out."""
    state = str(campaign["state"])
    publish_at = campaign.get("publish_at")
    if state == "READY":
        if not campaign["counts"]["subscribed"]:
            return "no: the criteria match nobody who can be reached"
        if publish_at:
            return f"yes, now; it goes out by itself at {publish_at}"
        return f"yes, now: fanfare campaign publish {campaign['id']}"
    if state in {"BUILDING", "REFRESHING"}:
        by_itself = f"; it goes out by itself at {publish_at}" if publish_at else ""
        return f"when the list is ready{_time_left(campaign)}{by_itself}"
    return _ANSWERS.get(state, state)


def who_gets_it(campaign: dict[str, Any]) -> str:
    """How many devices, and how many of the matching ones do not, with the reasons."""
    counts = campaign["counts"]
    if campaign["state"] == "CANCELLED":
        return "nobody"
    if counts["subscribed"] is None:
        return f"{counts['processed']:,} of {counts['matched']:,} matching devices so far"
    left_out = {**(counts.get("skipped") or {}), **(counts.get("failed") or {})}
    reasons = ", ".join(
        f"{number:,} {reason.replace('_', ' ')}" for reason, number in left_out.items() if number
    )
    without = f"; without {reasons}" if reasons else ""
    return f"{counts['subscribed']:,} of {counts['matched']:,} matching devices{without}"


def did_it_go_out(campaign: dict[str, Any]) -> str:
    """What is known of each publish, from the topic's own receipt."""
    publishes = campaign.get("publishes") or []
    if not publishes:
        return "no" if campaign["state"] in {"CANCELLED", "FAILED"} else "not yet"
    return "; ".join(_publish(publish) for publish in publishes)


def when_in_short(campaign: dict[str, Any]) -> str:
    """When it can be sent, will be or was, for a list: the state says which."""
    state, publish_at = str(campaign["state"]), campaign.get("publish_at")
    if state == "PUBLISHED":
        went_out = _short(campaign["times"][state])
        return f"{went_out}, no receipt" if campaign.get("reason") else went_out
    if state == "READY" and not campaign["counts"]["subscribed"]:
        return "never: nobody"
    if state in {"READY", "BUILDING", "REFRESHING"} and publish_at:
        return _short(publish_at)
    if state in {"BUILDING", "REFRESHING"}:
        seconds = _seconds_left(campaign)
        return "" if seconds is None else f"in {seconds:,.0f} s"
    return {"READY": "now", "PUBLISHING": "now", "CANCELLED": "never", "FAILED": "never"}[state]


def reach_in_short(campaign: dict[str, Any]) -> str:
    """How many devices get it, for a list; about, as many as matched, while it is built."""
    counts = campaign["counts"]
    if counts["subscribed"] is not None:
        return f"{counts['subscribed']:,}"
    return f"~{counts['matched']:,}" if counts["matched"] else ""


def _short(instant: str) -> str:
    """12-24 17:00Z of 2026-12-24T17:00:00.000Z."""
    return f"{instant[5:10]} {instant[11:16]}Z"


def _publish(publish: dict[str, Any]) -> str:
    receipts = int(publish.get("receipts") or 0)
    heard = publish.get("received_at")
    if receipts > 1:
        return f"{receipts} TIMES: the probe heard {receipts} messages; the last at {heard}"
    if receipts == 1:
        return f"once, and the probe heard it at {heard}"
    answers = {
        "REQUESTED": f"asked for at {publish['requested_at']}, not sent yet",
        "SENDING": "maybe: SNS was called and the answer is not known; the probe heard nothing yet",
        "SENT": f"sent at {publish.get('sent_at')}; the probe has not heard it yet",
        "REFUSED": "no: SNS did not accept it",
    }
    return answers.get(publish["state"], str(publish["state"]))


def _time_left(campaign: dict[str, Any]) -> str:
    seconds = _seconds_left(campaign)
    return (
        ""
        if seconds is None
        else f", in about {seconds:,.0f} s at {campaign['rate']:,.0f} devices/s"
    )


def _seconds_left(campaign: dict[str, Any]) -> float | None:
    """Until the list is complete; None while it cannot be told."""
    counts = campaign["counts"]
    rate = float(campaign.get("rate") or 0)
    rest = counts["matched"] - counts["processed"]
    if not rate or rest <= 0 or counts["segments_listed"] != counts["segments_total"]:
        return None
    return float(rest / rate)


def _message(message: dict[str, Any]) -> str:
    overrides = message.get("overrides") or {}
    other = f" (another one for {', '.join(overrides)})" if overrides else ""
    times = message.get("time_to_live") or {}
    kept = "".join(f", {name} keeps it {seconds:,} s" for name, seconds in times.items())
    if message.get("silent"):
        return f"silent, with {', '.join(message['data'])} for the app{other}{kept}"
    return f"{message['title']} | {message['body']}{other}{kept}"
