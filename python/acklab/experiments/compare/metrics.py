"""Metrics as they are written: ``[NAME:] QUANTITY[@WHERE]``, the quantity one by name, a column, or an aggregate of one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

from ...results.columns import FLOWS, LINKS, NEITHER
from . import aggregate
from .errors import CompareError
from .quantities import EACH, QUANTITIES, Quantity, Summary, in_ms, of_column, of_transfers

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
            CompareError: it names nothing.
        """
        if self.quantity.of_link:
            names = [f"{link['from']}->{link['to']}" for link in summary["links"]]
            what = "link direction"
        else:
            names = list(dict.fromkeys(flow["name"] for flow in summary["flows"]))
            what = "flow"
        if not any(fnmatchcase(name, self.where) for name in names):
            raise CompareError(f"metric {self.name}: no {what} `{self.where}`; there are {', '.join(names[:12])}")


def metric(text: str) -> Metric:
    """A metric as it is written: ``download: goodput@down*``, ``p99(completion)``, ``drops@G->R``, ``wait (ms): completion``.

    Raises:
        CompareError: the text is not a metric.
    """
    name, colon, rest = text.partition(":")
    kind, at, where = ((rest if colon else text).strip()).partition("@")
    kind, where = kind.strip(), where.strip()
    if at and not where:
        raise CompareError(
            f"metric {text!r}: after @ comes a flow's name or a link FROM->TO, or a pattern such as down*"
        )
    quantity = _quantity(text, kind, where)
    shown = (name.strip() if colon else "") or (f"{kind} of {where}" if where else kind)
    if colon and shown.endswith(IN_MS):
        if quantity.unit != "s":
            raise CompareError(f"metric {text!r}: `{kind}` is not in seconds, so no{IN_MS}")
        shown, quantity = shown.removesuffix(IN_MS), in_ms(quantity)
    return Metric(shown, quantity, where or "*")


def _quantity(text: str, kind: str, where: str) -> Quantity:
    found = _AGGREGATE.fullmatch(kind)
    how, kind = (found[1], found[2]) if found else ("", kind)
    if how and not aggregate.known(how):
        raise CompareError(f"metric {text!r}: no aggregate `{how}`; there are {', '.join(aggregate.NAMES)}")
    # A column of both tables is the flows' unless WHERE is a link.
    of_link = kind not in FLOWS or ("->" in where and kind in LINKS)
    if how and kind in EACH:
        return of_transfers(kind, how)
    if kind in (LINKS if of_link else FLOWS) and (how or kind not in QUANTITIES):
        if of_link and not how and not where and LINKS[kind].aggregate != "sum":
            raise CompareError(
                f"metric {text!r}: `{kind}` of different links does not add up; write {kind}@FROM->TO, or max({kind})"
            )
        return of_column(kind, of_link, how)
    every = [*QUANTITIES, *FLOWS, *LINKS]
    if kind not in every:
        column, _, how = kind.rpartition(".")
        if column in (*EACH, *FLOWS, *LINKS) and aggregate.known(how):
            raise CompareError(f"metric {text!r}: no quantity `{kind}`; did you mean `{how}({column})`?")
        near = [f"did you mean `{it}`?" for it in get_close_matches(kind, every, n=1, cutoff=0.7)]
        allowed = (
            f"there are {', '.join(QUANTITIES)}; or a column of the flows or links table. A flow's name stands behind @, "
            "such as goodput@up"
        )
        raise CompareError(f"metric {text!r}: no quantity `{kind}`; {near[0] if near else allowed}")
    if how:
        raise CompareError(f"metric {text!r}: a run has one `{kind}`; {how}() takes a column, or {', '.join(EACH)}")
    if QUANTITIES[kind].of_link and not where:
        raise CompareError(f"metric {text!r}: `{kind}` is of a link direction; write {kind}@FROM->TO")
    return QUANTITIES[kind]
