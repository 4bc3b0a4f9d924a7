"""Common parts of plans: keys with a fixed value, free keys, counts, the scenario."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..scenario._file import is_text
from ..scenario._part import plain
from ..text.input import PlanText, loads, located, read_file
from ..text.keys import twice
from ..text.terminal import replaced
from .grammar import TABLE, StudyError, column, read_key, shown
from .keys import check, flatten, names, settings
from .space import Alternatives, Free, Space, alternatives, free

T = TypeVar("T")
#: Makes a plan of its keys, the place of each in its file, and the directory of that file.
Build = Callable[[Mapping[str, Any], PlanText, "Path | None"], T]


class Reader(Generic[T]):
    """Reads plans of one kind; ``build`` makes them."""

    def __init__(self, build: Build[T]) -> None:
        self._build = build

    def of(self, plan: Any, keys: Mapping[str, Any]) -> T:
        """A plan file, a plan's tree, or a scenario as :func:`acklab.run` takes it, with keys that replace the plan's own.

        Raises:
            StudyError: it is no plan.
            OSError: it cannot be read.
        """
        if isinstance(plan, (str, os.PathLike)) and not is_text(plan):
            path = located(os.fspath(plan))
            text, tree = PlanText.read(read_file(path), path, StudyError)
            if is_plan(tree) or not OF_SCENARIOS & tree.keys():
                return self.from_tree({**tree, **keys}, text, Path(path).parent)
            plan = {"scenario": os.path.abspath(path)}
        elif plan is not None and (not isinstance(plan, Mapping) or OF_SCENARIOS & plan.keys()):
            plan = {"scenario": plan}
        return self.from_tree({**(plan or {}), **keys})

    def read(self, path: str | os.PathLike[str], given: Mapping[str, Any] | None = None) -> T:
        """A plan file, with keys that replace its own.

        Raises:
            StudyError: of the reader's kind; it is no plan.
            OSError: it cannot be read.
        """
        text, tree = PlanText.read(read_file(path), os.fspath(path), StudyError)
        return self.from_tree({**tree, **(given or {})}, text, Path(path).parent)

    def from_tree(self, tree: Mapping[str, Any], name: str | PlanText = "plan", folder: Path | None = None) -> T:
        """A plan from its keys, as a plan file or Python has them.

        Raises:
            StudyError: of the reader's kind; it is no plan. Of several mistakes the first in the file is named.
        """
        where = name if isinstance(name, PlanText) else PlanText(name, StudyError)
        tree = {key: value if key == "scenario" else plain(value) for key, value in tree.items()}
        for key in (key for key in tree if key != "scenario"):
            where.check(key, lambda key=key: known_kinds(key, tree[key]))
        where.settle()
        return self._build(tree, where, folder)


def fixed(table: Any) -> dict[str, Any]:
    """The keys of a table with one value each.

    Raises:
        StudyError: it is no table, or a key of it is none.
    """
    found = settings(TABLE(table))
    for key in found:
        check(key)
    return found


def parts_of(where: PlanText, tree: Mapping[str, Any]) -> list[Free | Alternatives]:
    """What a plan leaves free, in its order, which is the tables'."""
    found: list[Free | Alternatives] = []
    for part in tree:
        if part == "free" and isinstance(tree[part], Mapping):
            rows = settings(tree[part]).items()
            found += [read_key(where, f"free.{key}", partial(free, key), value) for key, value in rows]
        elif part == "alternatives" and isinstance(tree[part], Mapping):
            rows = tree[part].items()
            found += [
                read_key(where, f"alternatives.{key}", partial(alternatives, key), value, verb=True)
                for key, value in rows
            ]
    return found


def space_of(parts: Sequence[Free | Alternatives], taken: Sequence[str]) -> Space:
    """The space, its columns named, none as one of ``taken``; a key stands in one place of it, or in several choices of one alternative."""
    keys: dict[str, str] = {}
    seen: dict[str, str] = {}
    labels = [part.name for part in parts if isinstance(part, Alternatives)]
    for part in parts:
        frees = [part] if isinstance(part, Free) else [one for _, several in part.choices.values() for one in several]
        fixed = [] if isinstance(part, Free) else [key for sets, _ in part.choices.values() for key in sets]
        for key in {one.key for one in frees} | set(fixed):
            if key in seen:
                raise StudyError(
                    f"{key} is chosen twice, by {seen[key]} and by {part.name}; a key stands in one place of the plan"
                )
            seen[key] = part.name
        for one in frees:
            keys[one.key] = column(list(one.choices))[0] if one.choices else ""
    named = names(list(keys.items()), {}, [*taken, *labels])
    return Space(parts, {**{label: label for label in labels}, **named})


def known_kinds(key: str, value: Any) -> None:
    """Refuses what neither a plan nor a scenario can hold: dates, which TOML has, and whatever Python has."""
    for text in (key, value):
        if isinstance(text, str) and replaced(text) != text:
            raise StudyError(f"{ascii(text)} holds half a surrogate pair, which is no text")
    if isinstance(value, Mapping):
        for below, entry in value.items():
            if below != "scenario":  # which has a check of its own
                known_kinds(f"{key}.{below}", entry)
    elif isinstance(value, list):
        for entry in value:
            known_kinds(key, entry)
    elif not isinstance(value, (str, int, float)) or value != value:
        raise StudyError(f"{key} has {value!r}; a value is text, a number, true or false, a list or a table")


def scenario_text(given: Any, name: str, folder: Path | None) -> tuple[str | bytes, str]:
    """The scenario that a plan gives, and its file: a name beside the plan, a table, or whatever :func:`acklab.run` takes.

    Raises:
        StudyError: there is none, or it cannot be read.
    """
    from ..scenario.given import source
    from ..text import presets

    if given is None:
        raise StudyError('no scenario; give scenario = "FILE", or a [scenario] table')
    if isinstance(given, str) and "\n" not in given and "=" not in given:
        beside: Any = (folder or Path()) / given
    else:
        beside = given
    try:
        text, file = source(beside)
    except OSError as error:
        preset = (
            f"; it is a preset of --path: acklab new {given} --template {given} writes {given}.toml"
            if given in presets.PATHS
            else ""
        )
        raise StudyError(f"scenario = {shown(os.fspath(given))}: {error.strerror}{preset}") from None
    except TypeError:
        raise StudyError(f"scenario = {shown(given)}: a file's name or a [scenario] table") from None
    return text, f"{name}: scenario" if isinstance(given, Mapping) else file


def scenario_of(
    where: PlanText, at: str, table: Mapping[str, Any], tree: Mapping[str, Any], folder: Path | None
) -> tuple[str | bytes, str]:
    """The scenario of one of a plan's tables, its own or the plan's; a mistake is noted."""
    key = f"{at}scenario" if "scenario" in table else "scenario"
    given = table.get("scenario", tree.get("scenario"))
    found: Any = where.check(
        key, lambda: scenario_text(given, where.name, folder), lambda said: f"{at and at[:-1] + ': '}{said}"
    )
    return found or ("", "")


def distinct(where: PlanText, key: str, names: Sequence[str], why: str = "") -> None:
    """Notes two tables of one name."""
    for place, name in enumerate(names):
        first = names.index(name)
        if first < place:

            def twice(first: int = first, place: int = place) -> None:
                raise StudyError(
                    f'{key}[{first}] and {key}[{place}] are both called {shown(names[place])}{why}: give each a name = "..."'
                )

            where.check(key, twice)


#: What makes a file a plan: no scenario has these.
OF_PLANS = ("vary", "together", "alternatives", "scenario")
#: What makes it a scenario: no plan has these.
OF_SCENARIOS = {"flow", "flows", "link", "topology", "wlan"}


def is_plan(tree: Mapping[str, Any]) -> bool:
    """Whether a tree is a plan's, not a scenario's."""
    return any(key in tree for key in OF_PLANS)


def assignment(text: str) -> tuple[str, str]:
    """Key and value of ``KEY=VALUE``; an equals sign in double quotes is part of a name.

    Raises:
        StudyError: the text is not of that form.
    """
    match = re.fullmatch(r'((?:"[^"]*"|[^="])+)=(.*)', text.strip(), re.DOTALL)
    if match is None or not match[1].strip() or not match[2].strip():
        raise StudyError(f"`{text.strip()}` varies nothing; write KEY=VALUES, such as flow.0.sender.window=4,8,16")
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
        raise StudyError(f"`{text}`: a range stands alone; write {span}, or each value, such as 4,8,16")
    return [value(part) for part in parts]


def vary(texts: Sequence[str]) -> dict[str, Any]:
    """``--vary`` options as a plan has them. Each is an axis. Keys with a semicolon between them vary together.

    Raises:
        StudyError: an option is not KEY=VALUES, or a key is there twice.
    """
    found: dict[str, Any] = {}
    seen: set[str] = set()
    for text in texts:
        table: dict[str, Any] = {}
        for piece in pieces(text):
            if piece.strip():
                key, given = assignment(piece)
                if key in seen:
                    raise StudyError(f"--vary {key}: is there twice; give all of its values at once")
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
        StudyError: an option is not a case, or two cases have the same name.
    """
    found: dict[str, Any] = {}
    for text in texts:
        one = case(text)
        if one.name in found:
            raise StudyError(f"two cases are called {one.name!r}")
        pairs = [assignment(piece) for piece in one.sets]
        found[one.name] = {key: value(given) for key, given in pairs}
    return {"alternatives": {"case": found}} if found else {}


def with_options(tree: Mapping[str, Any], varied: Mapping[str, Any]) -> dict[str, Any]:
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


def seeds(count: str | None, half_width: float | None, decide: bool = False) -> Any:
    """``--seeds N`` or ``--seeds LEAST..MOST`` with ``--half-width`` or ``--decide``, as a plan has them.

    Raises:
        StudyError: they do not go together.
    """
    least, dots, most = (count or "").partition("..")
    for part in (least, most):
        if part and not re.fullmatch(r"\d{1,9}", part):
            raise StudyError(f"--seeds {count}: a whole number, or LEAST..MOST with --half-width")
    if decide and half_width is not None:
        raise StudyError("--decide and --half-width are two rules; give one")
    if half_width is None and not decide:
        if dots:
            raise StudyError(f"--seeds {count}: how many seeds depends on --half-width SHARE; give it, or one number")
        return int(least) if least else None
    rule: dict[str, Any] = {"decide": True} if decide else {"half_width": half_width}
    if dots and not (least and most):
        raise StudyError(f"--seeds {count}: give both, such as 5..100")
    if least and not dots:
        name = "--decide" if decide else "--half-width"
        raise StudyError(f"--seeds {count}: with {name} give LEAST..MOST, such as 5..100")
    return rule | ({"at_least": int(least), "at_most": int(most)} if least else {})


@dataclass(frozen=True)
class Case:
    """An alternative, or a situation: a name, and the keys it sets."""

    name: str
    sets: Sequence[str] = ()
    """``KEY=VALUE`` texts, values in TOML."""
    about: str = ""
    """What it is, in words."""
    settable: bool | None = None
    """Whether a real box can be set to it; None where only the commands tell."""


def case(text: str) -> Case:
    """A case as it is written: ``NAME``, ``NAME: KEY=VALUE; KEY=VALUE``, or only ``KEY=VALUE``.

    >>> case("static: link.0.back.queue.packets=10; seed=2")
    Case(name='static', sets=('link.0.back.queue.packets=10', 'seed=2'), about='', settable=None)
    >>> case("link.0.rate=2Mbps").name
    'link.0.rate=2Mbps'

    Raises:
        StudyError: the text is not a case.
    """
    name, colon, rest = text.partition(":")
    if "=" in name:
        name, rest = text.strip(), text
    elif not colon:
        return Case(_named(text))
    sets = tuple(piece.strip() for piece in pieces(rest) if piece.strip())
    for piece in sets:
        if "=" not in piece:
            raise StudyError(f"case {name.strip()!r}: `{piece}` sets nothing; write KEY=VALUE, several separated by ;")
    if told := twice(sets):
        raise StudyError(f"case {name.strip()!r}: {told}")
    return Case(_named(name), sets)


def _named(name: str) -> str:
    if not name.strip():
        raise StudyError("a case needs a name: NAME, or NAME: KEY=VALUE")
    return name.strip()


def pieces(text: str, between: str = ";") -> Iterator[str]:
    """Cut at semicolons, or another sign, that stand in no quotes or brackets."""
    start, depth, quote = 0, 0, ""
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif sign == between and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]
