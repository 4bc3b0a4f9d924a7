"""Files on their way in: where they are, what they hold, TOML, and plans, with the place of a mistake."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import IO, Any, NoReturn

from .terminal import EXAMPLES


def example(name: str) -> str:
    """The path of a file of the package's examples, such as ``access/cable.toml``; there need be no such file."""
    return os.path.join(EXAMPLES, *name.split("/"))


def located(path: str) -> str:
    """A path, or the package's file where it begins with ``examples/`` and the working directory has no such file.

    >>> located("examples/none.toml")
    'examples/none.toml'
    """
    if not path.startswith("examples/") or os.path.exists(path):
        return path
    inside = example(path.removeprefix("examples/"))
    return inside if os.path.exists(inside) else path


#: Most bytes of a text (the scenario reader's ``MOST_BYTES``).
MOST_BYTES = 32 << 20

#: First bytes of pcap in both byte orders, with micro- and nanoseconds, of pcapng, and of snoop.
CAPTURES = (
    b"snoop\0",
    b"\xd4\xc3\xb2\xa1",
    b"\xa1\xb2\xc3\xd4",
    b"\x4d\x3c\xb2\xa1",
    b"\xa1\xb2\x3c\x4d",
    b"\n\r\r\n",
)


def read_file(path: str | os.PathLike[str]) -> bytes:
    """A file's bytes. Of a longer one only ``MOST_BYTES + 1`` are read, which every reader refuses.

    A device such as ``/dev/zero`` has no end, and would fill the memory.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        return read_open(file)


def read_open(file: IO[bytes]) -> bytes:
    """The rest of an open file, as :func:`read_file`."""
    return file.read(MOST_BYTES + 1)


def too_long(data: bytes | str, name: str) -> str | None:
    """What is wrong with a text that is too long, or None."""
    return (
        f"{name}: more than {MOST_BYTES >> 20} MiB long; at most {MOST_BYTES >> 20} MiB"
        if len(data) > MOST_BYTES
        else None
    )


def loads(text: str) -> dict[str, Any]:
    """The tree a TOML text describes.

    Raises:
        ValueError: it is no TOML, or nested too deep.
    """
    if sys.version_info >= (3, 11):  # imported when it is used: most commands leave the scenario to the simulator
        import tomllib as reader
    else:
        import tomli as reader

    from .. import _core

    if told := _core.too_deep(text):
        raise ValueError(told)
    return reader.loads(text)


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
        from .. import _core

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
        return self._kind(f"{self.name}{''.join(f':{number}' for number in self._place(key) or ())}: {message}")

    def _place(self, key: str) -> tuple[int, int] | None:
        from .. import _core

        return _core.place(self._text, key)

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
        self._mistakes.append((self._place(key) or (1 << 60, 0), self.error(key, message)))

    def _raise(self) -> NoReturn:
        raise min(self._mistakes, key=lambda mistake: mistake[0])[1] from None
