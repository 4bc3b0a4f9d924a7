"""A plan's file: its tree, and its mistakes by line and column."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NoReturn

from .. import _core
from .escapes import not_known
from .input import too_long
from .toml import loads


class PlanText:
    """Where a plan's keys stand, and what is wrong with them.

    Args:
        name: what messages call the plan.
        text: its TOML; empty for a plan that Python made.
        kind: the error to raise.
    """

    def __init__(self, name: str, kind: type[ValueError], text: str = "") -> None:
        self.name, self._kind, self._text = name, kind, text
        self._mistakes: list[tuple[tuple[int, int], ValueError]] = []

    @classmethod
    def read(cls, data: bytes, name: str, kind: type[ValueError]) -> tuple[PlanText, dict[str, Any]]:
        """A file's text and its tree.

        Raises:
            ValueError: of this kind: it is too long, no UTF-8, or no TOML; at which line and column.
        """
        if wrong := too_long(data, name):
            raise kind(wrong)
        try:
            text = _core.decoded(data, name).removeprefix("\ufeff")
            try:
                return cls(name, kind, text), loads(text)
            except ValueError as error:
                _core.Template(text, file=name)  # says what is wrong as it does of a scenario
                raise kind(f"{name}: {error}") from None
        except _core.ScenarioError as error:
            raise kind(str(error)) from None

    def error(self, key: str, message: str) -> ValueError:
        """The error at a key, such as ``vary.link.0.rate``."""
        place = _core.place(self._text, key)
        return self._kind(f"{self.name}{''.join(f':{number}' for number in place or ())}: {message}")

    def unknown(self, found: Collection[str], known: Collection[str]) -> None:
        """Notes the keys of the plan that are not among those known."""
        for key in found:
            if key not in known:
                self._note(key, not_known("key", key, known))

    def check(self, key: str, make: Callable[..., Any], told: Callable[[str], str] = str) -> Any:
        """What ``make`` makes of a key; None and a note where it raises an error of this kind."""
        try:
            return make()
        except self._kind as error:
            self._note(key or str(error).split()[0].rstrip(":"), told(str(error)))

    def settle(self) -> None:
        """Raises the mistake that is first in the file, or, without a file, the first noted."""
        if self._mistakes:
            self._raise()

    def _note(self, key: str, message: str) -> None:
        place = _core.place(self._text, key) or (1 << 60, 0)
        self._mistakes.append((place, self.error(key, message)))

    def _raise(self) -> NoReturn:
        raise min(self._mistakes, key=lambda mistake: mistake[0])[1] from None
