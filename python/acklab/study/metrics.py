"""Quantities of a run, one number of its summary each; metrics and objectives as they are written: ``[NAME:] QUANTITY[@WHERE]``, and weighted sums."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from .. import _core
from ..results.columns import FLOWS, LESS, LINKS, MORE, NEITHER
from .grammar import TEXTS, StudyError, shown
from .intervals import Interval

#: Every aggregate by name, with its meaning.
AGGREGATES = {
    "sum": "the values of all rows, added up",
    "mean": "the sum over the number of rows; every row counts the same",
    "min": "the least value",
    "max": "the largest value",
    "pN": "the N-th percentile: the least value that N % of the rows do not exceed (p50, p99, p99.9)",
}
_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")


def is_aggregate(name: str) -> bool:
    """Whether there is such an aggregate."""
    return name in AGGREGATES.keys() - {"pN"} or (_PERCENTILE.fullmatch(name) is not None and float(name[1:]) > 0)


def aggregate(name: str, values: Sequence[float]) -> float:
    """The aggregate of some rows' values; NaN of none, and NaN where it depends on a value that is missing (NaN) or not
    known to be finite (infinity).

    >>> aggregate("p50", [3.0, 1.0, 2.0, math.inf]), aggregate("mean", [1.0, 2.0, math.inf])
    (2.0, nan)
    """
    if not values or any(math.isnan(value) for value in values):
        return math.nan
    found = _aggregate(name, values)
    return found if math.isfinite(found) else math.nan


def _aggregate(name: str, values: Sequence[float]) -> float:
    if name == "min":
        return min(values)
    if name == "max":
        return max(values)
    if name.startswith("p"):
        rank = math.ceil(round(float(name[1:]) * len(values) / 100, 9))
        return sorted(values)[max(rank, 1) - 1]
    total = math.fsum(values)
    return total / len(values) if name == "mean" else total


Summary = Mapping[str, Any]
"""A run's summary."""

_COMPLETION = FLOWS["completion_s"]


@dataclass(frozen=True)
class Quantity:
    """A kind of metric."""

    name: str
    about: str
    unit: str
    better: int
    """Which values are better: ``MORE``, ``LESS`` or ``NEITHER``."""
    of_link: bool
    read: Callable[[Summary, str], float]
    why: str = ""
    """Why these values are better."""

    @property
    def more_is_better(self) -> bool:
        """Whether a ranking begins with the largest value."""
        return self.better == MORE


def _flows(summary: Summary, where: str) -> list[Mapping[str, Any]]:
    """The transfers that were due to start before the end. What follows a transfer that has not ended has no start."""
    named = (flow for flow in summary["flows"] if fnmatchcase(flow["name"], where))
    return [flow for flow in named if flow["start_s"] is not None and flow["start_s"] < summary["end_s"]]


def _mean(values: Sequence[float | None]) -> float:
    found = [value for value in values if value is not None]
    return sum(found) / len(found) if found else math.nan


def _completion(summary: Summary, where: str) -> float:
    # A mean over those that were quick enough would flatter.
    return aggregate("mean", [_COMPLETION.cell(flow) for flow in _flows(summary, where)])


def _goodput(summary: Summary, where: str) -> float:
    flows = _flows(summary, where)
    if not flows:
        return math.nan
    ends = [flow["finished_s"] if flow["completed"] else summary["end_s"] for flow in flows]
    span = max(ends) - min(flow["start_s"] for flow in flows)
    return 8e-6 * sum(flow["bytes"] for flow in flows) / span if span > 0 else math.nan


def _transfer_rate(summary: Summary, where: str) -> float:
    return _mean([rate for flow in _flows(summary, where) if (rate := _rate(flow)) is not None])


def _rate(flow: Mapping[str, Any]) -> float | None:
    """A completed transfer's size over its duration."""
    if not flow["completed"] or flow["finished_s"] <= flow["start_s"]:
        return None
    return float(8e-6 * flow["bytes"] / (flow["finished_s"] - flow["start_s"]))


def _rtt(summary: Summary, where: str) -> float:
    return 1e3 * _mean([flow["mean_rtt_s"] for flow in _flows(summary, where)])


def jain(shares: Sequence[float]) -> float:
    """Jain's fairness index (Jain, Chiu and Hawe 1984): 1 if all shares are equal, 1/n if one of n has everything; NaN without any.

    >>> jain([2.0, 2.0]), jain([1.0, 0.0])
    (1.0, 0.5)
    """
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else math.nan


def _fairness(summary: Summary, where: str) -> float:
    shares = [flow["goodput_bps"] for flow in _flows(summary, where)]
    return jain(shares) if len(shares) > 1 else math.nan


def _retransmits(summary: Summary, where: str) -> float:
    flows = _flows(summary, where)
    sent = sum(flow["segments_sent"] for flow in flows)
    return 100 * sum(flow["retransmits"] for flow in flows) / sent if sent else math.nan


def _repair(summary: Summary, where: str) -> float:
    flows = _flows(summary, where)
    recoveries, seconds = (sum(FLOWS[name].cell(flow) for flow in flows) for name in ("recoveries", "repair_s"))
    return seconds / recoveries if recoveries else math.nan


def _links(summary: Summary, where: str) -> list[Mapping[str, Any]]:
    return [link for link in summary["links"] if fnmatchcase(f"{link['from']}->{link['to']}", where)]


def _over(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _queue_delay(summary: Summary, where: str) -> float:
    links = _links(summary, where)
    return 1e3 * _over(sum(link["sent_wait_s"] for link in links), sum(link["packets"] for link in links))


def _utilisation(summary: Summary, where: str) -> float:
    return 100 * _mean([link["utilisation"] for link in _links(summary, where)])


def ack_share(link: Mapping[str, Any]) -> float:
    """Share of a link direction's time that ACKs take: that in which it is busy, by their share of its bytes.

    Any server has it so, also one whose rate varies. On a wlan, where short frames take more air than their bytes, it is exact only
    for a direction that carries ACKs alone.

    >>> ack_share({"utilisation": 0.5, "ack_bytes": 30, "bytes": 60})
    0.25
    """
    return float(link["utilisation"] * link["ack_bytes"] / link["bytes"]) if link["bytes"] else 0.0


def _ack_share(summary: Summary, where: str) -> float:
    return 100 * _mean([ack_share(link) for link in _links(summary, where)])


def _ack_overhead(summary: Summary, where: str) -> float:
    links = _links(summary, where)
    ends = {(link["to"], link["from"]) for link in links}
    data = sum(link["bytes"] - link["ack_bytes"] for link in summary["links"] if (link["from"], link["to"]) in ends)
    return 100 * _over(sum(link["ack_bytes"] for link in links), data)


def of_column(name: str, of_link: bool, how: str = "") -> Quantity:
    """A column of the flows or links table, aggregated as it is unless ``how`` says otherwise."""
    column = (LINKS if of_link else FLOWS)[name]
    how = how or column.aggregate

    def read(summary: Summary, where: str) -> float:
        rows = _links(summary, where) if of_link else _flows(summary, where)
        return aggregate(how, [column.cell(row) for row in rows])

    return Quantity(f"{how}({name})", f"column {name}", column.unit, column.better, of_link, read, column.why)


def of_transfers(name: str, how: str) -> Quantity:
    """An aggregate of a quantity that each transfer has by itself."""
    whole, each = QUANTITIES[name], EACH[name]

    def read(summary: Summary, where: str) -> float:
        return aggregate(how, [each(flow) for flow in _flows(summary, where)])

    return Quantity(f"{how}({name})", whole.about, whole.unit, whole.better, False, read, whole.why)


def in_ms(quantity: Quantity) -> Quantity:
    """A quantity of seconds in milliseconds."""
    return replace(quantity, unit="ms", read=lambda summary, where: 1e3 * quantity.read(summary, where))


#: Quantities of each transfer, for aggregates other than the usual one. Not completed is as slow as can be.
EACH: dict[str, Callable[[Mapping[str, Any]], float]] = {
    "completion": _COMPLETION.cell,
    "transfer-rate": lambda flow: _rate(flow) or 0.0,
    "rtt": lambda flow: 1e3 * FLOWS["mean_rtt_s"].cell(flow),
}


QUANTITIES: dict[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity("completion", "time of a transfer, mean over the transfers; none if one does not finish", "s", LESS, False, _completion, "a transfer ends earlier"),
        Quantity("goodput", "payload acknowledged, sum over the flows, over the time from first start (handshake included) to last end; `goodput_bps`, as run prints it, is each flow's without its handshake", "Mb/s", MORE, False, _goodput, "more data in the same time"),
        Quantity("transfer-rate", "size over duration, mean over the completed transfers", "Mb/s", MORE, False, _transfer_rate, "more data in the same time"),
        Quantity("fairness", "Jain's index of the flows' goodputs, 1 if they are equal; none for one flow. Name flows that compete, as in fairness@down*", "", MORE, False, _fairness, "more equal shares"),
        Quantity("rtt", "mean round trip of a flow, mean over the flows", "ms", LESS, False, _rtt, "what waits arrives later"),
        Quantity("retransmits", "segments sent again, sum over the flows, of all segments sent", "%", LESS, False, _retransmits, "less of what is sent is sent twice"),
        Quantity("repair", "time from the start of a loss recovery to its end, mean over the recoveries", "s", LESS, False, _repair, "data behind a loss waits shorter"),
        Quantity("queue-delay", "time for which a transmitted packet waited for the link, mean over these packets", "ms", LESS, True, _queue_delay, "what waits arrives later"),
        Quantity("utilisation", "share of time the link is busy, mean over the link directions", "%", NEITHER, True, _utilisation, "a link may be busy with data or with overhead"),
        Quantity("ack-share", "share of the link's time that ACKs take, mean over the link directions", "%", NEITHER, True, _ack_share, "grows with the data that the ACKs serve"),
        Quantity("ack-overhead", "bytes of ACKs, of the bytes of data that the opposite direction carries", "%", LESS, True, _ack_overhead, "the same data for fewer bytes of ACKs"),
    )
}  # fmt: skip
"""Every quantity by name."""


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


def objective(given: Any, relative: bool = False, key: str = "objectives") -> Objective:
    """An objective as a key of a plan gives it.

    Raises:
        StudyError: what is given is not an objective, or nothing says which values are better.
    """
    text, sign = given, 0
    if isinstance(given, Mapping):
        if len(given) != 1 or not given.keys() <= {"minimize", "maximize"}:
            raise StudyError(f"{key}: {shown(dict(given))}: give {OBJECTIVE_FORMS}")
        ((how, text),) = given.items()
        sign = 1 if how == "maximize" else -1
    if not isinstance(text, str) or not text.strip():
        raise StudyError(f"{key}: {shown(text)}: give {OBJECTIVE_FORMS}")
    named = _NAME.fullmatch(text)
    name, rest = (named[1], named[2]) if named else ("", text)
    found = terms(rest.strip())
    if not sign:
        signs = {one.quantity.better * (1 if weight > 0 else -1) for weight, one in found} - {0}
        if len(signs) != 1:
            why = "of some terms more is better, of others less" if signs else "neither more nor less is better"
            raise StudyError(f"{key}: {shown(text)}: {why}; write {{ minimize = {shown(text)} }} or maximize")
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
            raise StudyError(f"{shown(text)}: {part.strip()} has the weight {weight:g}; it is a number other than 0")
        found.append((weight if sign == "+" else -weight, metric((weighted[2] if weighted else part).strip())))
    return found
