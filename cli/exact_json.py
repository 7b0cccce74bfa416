"""JSON whose numbers stay as they were written: Decimal in, Decimal out, never binary float."""

import json
from decimal import Decimal
from typing import Any

_INDENT = "  "


def loads(text: str | bytes) -> Any:
    """The value, with every fraction as Decimal; ValueError if it is not JSON."""
    return json.loads(text, parse_float=Decimal, parse_constant=_refuse)


def dumps(value: Any, *, pretty: bool = False) -> str:
    """The value as JSON text, Decimal as a plain number."""
    return _write(value, "\n" if pretty else None)


def _write(value: Any, line: str | None) -> str:
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError("JSON has no infinite numbers")
        return str(value)
    if isinstance(value, dict):
        inner = _deeper(line)
        items = [f"{_text(str(name))}: {_write(each, inner)}" for name, each in value.items()]
        return _wrap("{", items, "}", line)
    if isinstance(value, list | tuple):
        return _wrap("[", [_write(item, _deeper(line)) for item in value], "]", line)
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _deeper(line: str | None) -> str | None:
    return None if line is None else line + _INDENT


def _wrap(start: str, items: list[str], end: str, line: str | None) -> str:
    if not items:
        return start + end
    if line is None:
        return start + ", ".join(items) + end
    return start + line + _INDENT + ("," + line + _INDENT).join(items) + line + end


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
