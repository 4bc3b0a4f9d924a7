"""Writing a scenario's tree as TOML, in the layout people write by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(tree: Mapping[str, Any]) -> str:
    """``tree`` as TOML: plain keys first, then ``[table]`` and ``[[table]]`` sections whose values stay inline.

    Raises:
        TypeError: a value is of a kind TOML does not have.
    """
    lines = [f"{_key(key)} = {inline(value)}" for key, value in tree.items() if not _is_section(key, value)]
    for key, value in tree.items():
        if _is_section(key, value):
            lines += _section(key, value)
    return "\n".join(lines) + "\n"


def _is_section(key: str, value: Any) -> bool:
    if key == "stop":  # short, and reads better in one line
        return False
    if isinstance(value, Mapping):
        return key != "stack" or all(isinstance(table, Mapping) for table in value.values())
    return isinstance(value, list) and bool(value) and all(isinstance(table, Mapping) for table in value)


def _section(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for table in value:
            yield from _table(f"[[{_key(key)}]]", table)
    elif key == "stack":
        for name, table in value.items():
            yield from _table(f"[stack.{_key(name)}]", table)
    else:
        yield from _table(f"[{_key(key)}]", value)


def _table(head: str, table: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield head
    for key, value in table.items():
        yield f"{_key(key)} = {inline(value)}"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    # JSON's escapes are TOML's, once nothing is written as a surrogate pair; TOML also wants DEL escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def inline(value: Any) -> str:
    """``value`` on one line, as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)  # shortest text that reads back as the same double; inf and nan are TOML's words too
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(inline(entry) for entry in value)}]"
    if isinstance(value, Mapping):
        entries = ", ".join(f"{_key(key)} = {inline(entry)}" for key, entry in value.items())
        return f"{{ {entries} }}" if entries else "{}"
    raise TypeError(f"a scenario has no value like {value!r}; use text, numbers, true or false, lists and tables")
