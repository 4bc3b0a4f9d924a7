"""Metrics and objectives as they are written: ``[NAME:] QUANTITY[@WHERE]``, and weighted sums of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from .. import _core
from ..results.columns import FLOWS, LINKS, NEITHER
from .errors import StudyError, shown
from .grammar import TEXTS
from .intervals import Interval
from .quantities import AGGREGATES, EACH, QUANTITIES, Quantity, Summary, in_ms, is_aggregate, of_column, of_transfers

_AGGREGATE = re.compile(r"([A-Za-z]\w*(?:\.\d+)?)\s*\(\s*([^()]*?)\s*\)")


#: How the name of a metric ends whose seconds are told in milliseconds.
IN_MS = " (ms)"


@dataclass(frozen=True)
class Metric:
    """A quantity of some flows or of some link directions, under a name."""

    name: str
    quantity: Quantity
    where: str

    @property
    def label(self) -> str:
        """Name and unit, if it has one."""
        return f"{self.name} ({self.quantity.unit})" if self.quantity.unit else self.name

    @property
    def ranks(self) -> bool:
        """Whether one value is better than another."""
        return self.quantity.better != NEITHER

    def read(self, summary: Summary) -> float:
        """Its value in a run; NaN where there was nothing to measure."""
        return self.quantity.read(summary, self.where)

    def check(self, summary: Summary) -> None:
        """Says what there is, where it names no flow or link of the scenario.

        Raises:
            StudyError: it names nothing.
        """
        if self.quantity.of_link:
            names = [f"{link['from']}->{link['to']}" for link in summary["links"]]
            what = "link direction"
        else:
            names = list(dict.fromkeys(flow["name"] for flow in summary["flows"]))
            what = "flow"
        if not any(fnmatchcase(name, self.where) for name in names):
            raise StudyError(f"metric {self.name}: no {what} `{self.where}`; there are {', '.join(names[:12])}")


def metric(text: Any) -> Metric:
    """A metric as it is written: ``download: goodput@down*``, ``p99(completion)``, ``drops@G->R``, ``wait (ms): completion``.

    Raises:
        StudyError: the text is not a metric.
    """
    if not isinstance(text, str):
        raise StudyError(f"metrics: {text!r} is no text such as completion or timeouts@f")
    name, colon, rest = text.partition(":")
    kind, at, where = ((rest if colon else text).strip()).partition("@")
    kind, where = kind.strip(), where.strip()
    if at and not where:
        raise StudyError(f"metric {text!r}: after @ comes a flow's name or a link FROM->TO, or a pattern such as down*")
    quantity = _quantity(text, kind, where)
    shown = (name.strip() if colon else "") or (f"{kind} of {where}" if where else kind)
    if colon and shown.endswith(IN_MS):
        if quantity.unit != "s":
            raise StudyError(f"metric {text!r}: `{kind}` is not in seconds, so no{IN_MS}")
        shown, quantity = shown.removesuffix(IN_MS), in_ms(quantity)
    return Metric(shown, quantity, where or "*")


def measures(given: Any) -> list[Metric]:
    """One metric or several as they are written.

    Raises:
        StudyError: a text is not a metric.
    """
    return [metric(text) for text in TEXTS(given)]


def _quantity(text: str, kind: str, where: str) -> Quantity:
    found = _AGGREGATE.fullmatch(kind)
    how, kind = (found[1], found[2]) if found else ("", kind)
    if how and not is_aggregate(how):
        raise StudyError(f"metric {text!r}: no aggregate `{how}`; there are {', '.join(AGGREGATES)}")
    # A column of both tables is the flows' unless WHERE is a link.
    of_link = kind not in FLOWS or ("->" in where and kind in LINKS)
    if how and kind in EACH:
        return of_transfers(kind, how)
    if kind in (LINKS if of_link else FLOWS) and (how or kind not in QUANTITIES):
        if of_link and not how and not where and LINKS[kind].aggregate != "sum":
            raise StudyError(
                f"metric {text!r}: `{kind}` of different links does not add up; write {kind}@FROM->TO, or max({kind})"
            )
        return of_column(kind, of_link, how)
    every = [*QUANTITIES, *FLOWS, *LINKS]
    if kind not in every:
        column, _, how = kind.rpartition(".")
        if column in (*EACH, *FLOWS, *LINKS) and is_aggregate(how):
            raise StudyError(f"metric {text!r}: no quantity `{kind}`; did you mean `{how}({column})`?")
        near = [f"did you mean `{it}`?" for it in get_close_matches(kind, every, n=1, cutoff=0.7)]
        allowed = (
            f"there are {', '.join(QUANTITIES)}; or a column of the flows or links table. A flow's name stands behind @, "
            "such as goodput@up"
        )
        raise StudyError(f"metric {text!r}: no quantity `{kind}`; {near[0] if near else allowed}")
    if how:
        raise StudyError(f"metric {text!r}: a run has one `{kind}`; {how}() takes a column, or {', '.join(EACH)}")
    if QUANTITIES[kind].of_link and not where:
        raise StudyError(f"metric {text!r}: `{kind}` is of a link direction; write {kind}@FROM->TO")
    return QUANTITIES[kind]


@cache
def schema(table: str) -> Mapping[str, Any]:
    """Every column of a run's table and its polars type."""
    import polars as pl

    least = '{"link":[{"between":["S","R"],"rate":"1Mbps","delay":"1ms"}],"flow":[{"from":"S","to":"R","size":{"segments":1}}]}'
    frame = pl.DataFrame(getattr(_core.Simulation(least).outcome(), table))
    return {name: pl.String() if kind in (pl.Categorical, pl.Enum) else kind for name, kind in frame.schema.items()}


def chosen(given: Any) -> Sequence[str]:
    """The columns of the flows table that a plan asks for.

    Raises:
        StudyError: there is no such column.
    """
    known = list(schema("flows"))
    if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) for name in given) or not given:
        raise StudyError(f"columns = {given!r}: a list of columns of the flows table: {', '.join(known)}")
    for name in given:
        if name not in known:
            raise StudyError(f"columns: no column `{name}`; the flows table has {', '.join(known)}")
    return [name for name in known if name in given or name == "name"]


OBJECTIVE_FORMS = (
    'a metric or a weighted sum of metrics: "completion", "cost: p50(completion) + 0.001 * acks_sent"; '
    'or { minimize = "..." } or { maximize = "..." }'
)
_NAME = re.compile(r"\s*([^:*+()@]+?)\s*:\s*(.+)", re.DOTALL)
_TERM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*\*\s*(.+)", re.DOTALL)
_BETWEEN = re.compile(r"\s([+-])\s")


@dataclass(frozen=True)
class Objective:
    """A sum of weighted metrics of one run."""

    name: str
    terms: Sequence[tuple[float, Metric]]
    sign: int
    """1 where more is better, -1 where less is."""
    relative: bool = False
    """Counts as a ratio to the baseline's value on the same path with the same seed."""

    @property
    def unit(self) -> str:
        """That of the first metric, in which weights give the price of the others."""
        return self.terms[0][1].quantity.unit

    @property
    def label(self) -> str:
        """Name and unit."""
        unit = "times the baseline's" if self.relative else self.unit
        return f"{self.name} ({unit})" if unit else self.name

    def read(self, summary: Any) -> float:
        """Its value in a run; NaN where a metric has none."""
        return math.fsum(weight * one.read(summary) for weight, one in self.terms)

    def cost(self, value: float, base: float) -> float:
        """The value on a scale where less is better and differences count; NaN where it has no place there."""
        if not self.relative:
            return -self.sign * value
        return -self.sign * math.log(value / base) if value > 0 and base > 0 else math.nan

    def back(self, cost: float) -> float:
        """A mean cost on the scale of :attr:`label`."""
        return math.exp(-self.sign * cost) if self.relative else -self.sign * cost

    def turned(self, costs: Interval) -> Interval:
        """An interval of mean costs on the same scale."""
        low, high = sorted((self.back(costs.low), self.back(costs.high)))
        return Interval(low, high, costs.level)


def objective(given: Any, relative: bool = False) -> Objective:
    """An objective as a plan gives it.

    Raises:
        StudyError: what is given is not an objective, or nothing says which values are better.
    """
    text, sign = given, 0
    if isinstance(given, Mapping):
        if len(given) != 1 or not given.keys() <= {"minimize", "maximize"}:
            raise StudyError(f"objectives: {shown(dict(given))}: give {OBJECTIVE_FORMS}")
        ((how, text),) = given.items()
        sign = 1 if how == "maximize" else -1
    if not isinstance(text, str) or not text.strip():
        raise StudyError(f"objectives: {shown(text)}: give {OBJECTIVE_FORMS}")
    named = _NAME.fullmatch(text)
    name, rest = (named[1], named[2]) if named else ("", text)
    found = terms(rest.strip())
    if not sign:
        signs = {one.quantity.better * (1 if weight > 0 else -1) for weight, one in found} - {0}
        if len(signs) != 1:
            why = "of some terms more is better, of others less" if signs else "neither more nor less is better"
            raise StudyError(f"objectives: {shown(text)}: {why}; write {{ minimize = {shown(text)} }} or maximize")
        (sign,) = signs
    plain = found[0][1].name if len(found) == 1 and found[0][0] == 1 else " ".join(rest.split())
    return Objective(name or plain, found, sign, relative)


def terms(text: str) -> list[tuple[float, Metric]]:
    """A weighted sum of metrics, as it is written.

    Raises:
        StudyError: the text is not such a sum.
    """
    parts = _BETWEEN.split(f" + {text}" if text[0] not in "+-" else f" {text[0]} {text[1:]}")[1:]
    found = []
    for sign, part in zip(parts[::2], parts[1::2], strict=True):
        weighted = _TERM.fullmatch(part.strip())
        weight = float(weighted[1]) if weighted else 1.0
        if not math.isfinite(weight) or weight == 0:
            raise StudyError(
                f"objectives: {shown(text)}: {part.strip()} has the weight {weight:g}; it is a number other than 0"
            )
        found.append((weight if sign == "+" else -weight, metric((weighted[2] if weighted else part).strip())))
    return found
