"""A sweep as the command line writes it: ``KEY=VALUES``, several zipped by semicolons, and cases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...text.toml import loads
from ..compare.errors import CompareError
from ..compare.plan import case, pieces
from .errors import SweepError
from .paths import flatten

#: What makes a file a plan: no scenario has these.
OF_PLANS = ("vary", "together", "alternatives", "scenario")


def is_plan(tree: Mapping[str, Any]) -> bool:
    """Whether a tree is a plan's, not a scenario's."""
    return any(key in tree for key in OF_PLANS)


def assignment(text: str) -> tuple[str, str]:
    """Key and value of ``KEY=VALUE``; an equals sign in double quotes is part of a name.

    Raises:
        SweepError: the text is not of that form.
    """
    match = re.fullmatch(r'((?:"[^"]*"|[^="])+)=(.*)', text.strip(), re.DOTALL)
    if match is None or not match[1].strip() or not match[2].strip():
        raise SweepError(f"`{text.strip()}` varies nothing; write KEY=VALUES, such as flow.0.sender.window=4,8,16")
    return match[1].strip(), match[2].strip()


def value(text: str) -> Any:
    """A value as ``--set`` takes it: TOML, or else the text.

    >>> value("4"), value("1Mbps"), value("{ segments = 3 }")
    (4, '1Mbps', {'segments': 3})
    """
    try:
        tree = loads(f"value = {text}")
    except ValueError:
        return text
    return tree["value"] if len(tree) == 1 else text


def values(text: str) -> Any:
    """Values as ``--vary`` takes them: a range, or values with commas between.

    >>> values("1Mbps..10Mbps/5"), values("4,8"), values("reno,sack")
    ('1Mbps..10Mbps/5', [4, 8], ['reno', 'sack'])
    """
    if ".." in text and "," not in text:
        return text
    parts = [piece.strip() for piece in pieces(text, ",") if piece.strip()]
    if span := next((part for part in parts if re.match(r"\d[\w.]*\.\.\d", part)), None):
        raise SweepError(f"`{text}`: a range stands alone; write {span}, or each value, such as 4,8,16")
    return [value(part) for part in parts]


def vary(texts: Sequence[str]) -> dict[str, Any]:
    """``--vary`` options as a plan has them. Each is an axis. Keys with a semicolon between them vary together.

    Raises:
        SweepError: an option is not KEY=VALUES, or a key is there twice.
    """
    found: dict[str, Any] = {}
    seen: set[str] = set()
    for text in texts:
        table: dict[str, Any] = {}
        for piece in pieces(text):
            if piece.strip():
                key, given = assignment(piece)
                if key in seen:
                    raise SweepError(f"--vary {key}: is there twice; give all of its values at once")
                seen.add(key)
                table[key] = values(given)
        if len(table) == 1:
            found.setdefault("vary", {}).update(table)
        else:
            found.setdefault("together", []).append(table)
    return found


def cases(texts: Sequence[str]) -> dict[str, Any]:
    """``--case`` options as named alternatives.

    Raises:
        SweepError: an option is not a case, or two cases have the same name.
    """
    found: dict[str, Any] = {}
    for text in texts:
        try:
            one = case(text)
        except CompareError as error:
            raise SweepError(str(error)) from None
        if one.name in found:
            raise SweepError(f"two cases are called {one.name!r}")
        pairs = [assignment(piece) for piece in one.sets]
        found[one.name] = {key: value(given) for key, given in pairs}
    return {"alternatives": {"case": found}} if found else {}


def joined(tree: Mapping[str, Any], varied: Mapping[str, Any]) -> dict[str, Any]:
    """A plan with what options vary: a key that it varies itself gets the options' values."""
    found = dict(tree)
    for part, given in varied.items():
        before = found.get(part)
        if part == "vary" and isinstance(before, Mapping):
            found[part] = {**dict(flatten(before)), **given}
        elif part == "together" and isinstance(before, list):
            found[part] = [*before, *given]
        elif isinstance(before, Mapping):
            found[part] = {**before, **given}
        else:
            found[part] = given
    return found


def seeds(count: str | None, half_width: float | None) -> Any:
    """``--seeds N`` or ``--seeds LEAST..MOST`` with ``--half-width``, as a plan has them.

    Raises:
        SweepError: they do not go together.
    """
    least, dots, most = (count or "").partition("..")
    for part in (least, most):
        if part and not re.fullmatch(r"\d{1,9}", part):
            raise SweepError(f"--seeds {count}: a whole number, or LEAST..MOST with --half-width")
    if half_width is None:
        if dots:
            raise SweepError(f"--seeds {count}: how many seeds depends on --half-width SHARE; give it, or one number")
        return int(least) if least else None
    rule: dict[str, Any] = {"half_width": half_width}
    if dots and not (least and most):
        raise SweepError(f"--seeds {count}: give both, such as 5..100")
    if least and not dots:
        raise SweepError(f"--seeds {count}: with --half-width give LEAST..MOST, such as 5..100")
    return rule | ({"at_least": int(least), "at_most": int(most)} if least else {})
