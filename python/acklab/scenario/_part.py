"""What the builder's classes share: named fields, strict names, and the way into the file's shape."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any, ClassVar

from .own import Own, is_own


class Part:
    """A table of a scenario file.

    A field left at None is left out of the file, so the simulator's default holds. Subclasses are keyword-only
    dataclasses whose field names are the file's keys; ``_keys`` lists the few that Python spells differently.
    """

    _keys: ClassVar[dict[str, str]] = {}

    def __new__(cls, *args: Any, **given: Any) -> Any:  # typed by each dataclass's __init__
        if args:
            raise TypeError(f"{cls.__name__} takes its values by name, such as {_example(cls)}")
        known = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        for name in given:
            if name not in known:
                raise TypeError(f"{cls.__name__} has no `{name}`; {_suggest(name, known)}")
        return super().__new__(cls)

    def __repr__(self) -> str:
        values = (f"{name}={value!r}" for name, value in self._given())
        return f"{type(self).__name__}({', '.join(values)})"

    def _given(self) -> list[tuple[str, Any]]:
        pairs = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))  # type: ignore[arg-type]
        return [(name, value) for name, value in pairs if value is not None]

    @classmethod
    def _of(cls, tree: Mapping[str, Any], parts: Mapping[str, Any]) -> Any:
        """The part of a file's table; ``parts`` are the classes of its lists of tables, by the file's keys."""
        names = {key: name for name, key in cls._keys.items()}
        made = {
            key: [parts[key]._of(table, {}) for table in value] if key in parts else value
            for key, value in tree.items()
        }
        return cls(**{names.get(key, key): value for key, value in made.items()})

    def to_dict(self, own: Own | None = None) -> dict[str, Any]:
        """This table with the file's keys and plain values, as ``json`` and ``tomllib`` would read it.

        Raises:
            TypeError: an algorithm in Python stands in it, which no text holds, and ``own`` does not take it.
        """
        return {self._keys.get(name, name): plain(value, own) for name, value in self._given()}


def plain(value: Any, own: Own | None = None) -> Any:
    """``value`` with every part turned into a dict and every tuple and array into a list; ``own`` takes algorithms in Python."""
    if isinstance(value, Part):
        return value.to_dict(own)
    if isinstance(value, Mapping):
        return {str(key): plain(entry, own) for key, entry in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(entry, own) for entry in value]
    if hasattr(value, "dtype"):  # a scalar or an array of numpy, or a series of numbers
        return value.tolist()
    return Own.named(own, value) if is_own(value) else value


def _suggest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else f"it has {', '.join(known)}"


def _example(cls: Any) -> str:
    names = [field.name for field in dataclasses.fields(cls)]
    return f"{cls.__name__}({names[0]}=...)" if names else f"{cls.__name__}()"
