"""An audience in words: how many match, how many can be reached, and why the others cannot."""

from typing import Any


def sentence(preview: dict[str, Any]) -> str:
    """What a person wants to know first."""
    matched, reachable = int(preview["matched"]), int(preview["reachable"])
    scanned = int(preview["devices_scanned"])
    if not matched:
        said = f"nobody matches, of {scanned:,} devices"
    elif matched == reachable:
        said = f"{matched:,} match, and all can be reached"
    else:
        said = (
            f"{matched:,} match, {reachable:,} can be reached: "
            f"{matched - reachable:,} are left out ({_reasons(preview['kept_out'])})"
        )
    if preview["complete"]:
        return said
    return f"so far {said}; time ran out after {scanned:,} devices, so there may be more"


def rows(preview: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Platform, matched and reachable, for a table."""
    return [
        (platform, f"{reach['matched']:,}", f"{reach['reachable']:,}")
        for platform, reach in preview["by_platform"].items()
    ]


def _reasons(kept_out: dict[str, int]) -> str:
    return ", ".join(
        f"{number:,} {reason.replace('_', ' ')}" for reason, number in kept_out.items() if number
    )
