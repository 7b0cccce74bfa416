"""The box of latitudes and longitudes around a circle on the globe."""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

# The mean radius, https://en.wikipedia.org/wiki/Earth_radius#Arithmetic_mean_radius
EARTH_KILOMETERS = 6371.0088
# A tenth of a metre.
_STEP = Decimal("0.000001")

Range = tuple[Decimal, Decimal]


@dataclass(frozen=True, kw_only=True)
class Box:
    """From south to north, and from west to east: in two parts across the 180th meridian."""

    latitudes: Range
    longitudes: tuple[Range, ...]


def box(latitude: float, longitude: float, kilometers: float) -> Box:
    """The smallest box that holds the circle, rounded outwards; ValueError if there is none.

    http://janmatuschek.de/LatitudeLongitudeBoundingCoordinates
    """
    if abs(latitude) > 90 or abs(longitude) > 180:  # noqa: PLR2004 (degrees)
        raise ValueError("has no place on the globe: latitude to 90, longitude to 180")
    if kilometers < 0:
        raise ValueError("has a range below 0")
    angle = math.degrees(kilometers / EARTH_KILOMETERS)
    south, north = latitude - angle, latitude + angle
    if south <= -90 or north >= 90:  # noqa: PLR2004 (a pole lies within: so does every longitude)
        latitudes = _outwards(max(south, -90), min(north, 90))
        return Box(latitudes=latitudes, longitudes=(_outwards(-180, 180),))
    sine = math.sin(math.radians(angle)) / math.cos(math.radians(latitude))
    half = math.degrees(math.asin(min(sine, 1)))
    return Box(
        latitudes=_outwards(south, north), longitudes=_around(longitude - half, longitude + half)
    )


def _around(west: float, east: float) -> tuple[Range, ...]:
    if west < -180:  # noqa: PLR2004 (degrees)
        return (_outwards(west + 360, 180), _outwards(-180, east))
    if east > 180:  # noqa: PLR2004 (degrees)
        return (_outwards(west, 180), _outwards(-180, east - 360))
    return (_outwards(west, east),)


def _outwards(low: float, high: float) -> Range:
    return (
        Decimal(low).quantize(_STEP, rounding=ROUND_FLOOR),
        Decimal(high).quantize(_STEP, rounding=ROUND_CEILING),
    )
