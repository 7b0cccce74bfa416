"""The cells of a CSV row as the JSON that a device is read from.

Nothing is refused here: what does not fit into its column goes on as it is, for the reader of
devices to say what is wrong with it.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from functions.imports.columns import Column, Kind
from functions.imports.exact import decoded
from functions.shared import exact_json

# As JSON writes numbers, plus leading zeros and a bare point; ASCII digits only.
_NUMBER = re.compile(r"-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


def to_json(cells: Sequence[str], columns: Sequence[Column]) -> dict[str, Any]:
    """The device's JSON; an empty cell is absent, a column that comes again adds a value."""
    device: dict[str, Any] = {}
    for column, cell in zip(columns, cells, strict=True):
        if not cell or column.kind is Kind.IGNORED:
            continue
        path = column.path
        inner = device
        for step in path[:-1]:
            inner = inner.setdefault(step, {})
        if column.kind is Kind.TEXT:
            inner[path[-1]] = cell
        elif column.kind is Kind.NUMBER:
            inner[path[-1]] = Decimal(cell) if _NUMBER.fullmatch(cell) else cell
        elif values := _values(cell):
            inner[path[-1]] = inner.get(path[-1], []) + values
    return device


def _values(cell: str) -> list[Any]:
    """The cell's values: those of a JSON array, or the cell itself."""
    if not cell.startswith("["):
        return [cell]
    try:
        found = decoded(cell)
    except ValueError:
        return [cell]  # a text that happens to begin with a bracket
    return [_as_text(value) for value in found if value not in (None, "")]


def _as_text(value: object) -> object:
    return value if isinstance(value, str | dict | list) else exact_json.dumps(value)
