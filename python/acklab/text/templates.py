"""Every sentence that a verb prints: a template a kind of fact, of at most 20 words.

A field has a format of :class:`Words`: ``{time:seconds}``, ``{seeds:count seed}``, ``{cases:list}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from .counts import counted
from .numbers import amount, digits, listing, percent, quoted, seconds

#: Kind of fact -> its template.
TEMPLATES: Mapping[str, str] = {
    # A run.
    "invalid": "Invalid: {why}",
    "invalid-chart": "Invalid run: these numbers do not show what the scenario does",
    "runs-completion": "Completion: {values:list}",
    "runs-carried": "Carried: {values:list}",
    "moved": "While {visitors} sent ({from_s:seconds} to {to_s:seconds}), {flows} had {beside:amount b/s} instead of {alone:amount b/s}",
    "finished": "{flow} finished in {took:seconds}, at {rate:amount b/s}",
    "still-sending": "{flow} was still sending at {end:seconds}, at {rate:amount b/s}",
    "completions": "{flows} of {of:count flow} finished, in {least:seconds} to {most:seconds}",
    "busy": "{link} was busy {share:percent} of the run",
    "latency": "{flows}: median round trip {median:seconds} ({low:seconds} to {high:seconds}, {samples:count sample}){when:where}",
    "carried": "{flows}: {rate:amount b/s}{when:where}",
    "carried-of": "{flows}: {rate:amount b/s}, {share:percent} of the rate of {link}{when:where}",
    "fairness": "{flows}: Jain's index {index:digits}",
    "apart": "{flows} begin up to {apart:seconds} apart: no fairness index",
    "waited": "{what} waited {wait:seconds} for {link} on average; shortest round trip {shortest:seconds}",
    "losses": "{lost:count packet} lost ({where:list}); {retransmits:count retransmission}, {timeouts:count timeout}, {fast_retransmits:count fast retransmit}",
    "needless": "At least {needless} of {retransmits:count retransmission} had no loss to repair",
    "no-loss": "No packet was lost or sent again",
    "acks": "An ACK for each {ratio:digits} segments that arrived",
    "acks-missing": "An ACK for each {ratio:digits} segments that arrived; {gone} of {sent:count ACK} did not reach the sender",
    "no-upload": "No upload in this run: --set upload=1s starts one",
    "late": "{count:count flow} begin after the end of the run: {flows:list}",
    "path": "{nodes}: {trip:seconds} there and back; slowest links {there} {rate:amount b/s}, {back} {rate_back:amount b/s}",
    "thinned": "The charts show {shown} of {all:digits} {what}; closer up, rows are missing",
    "program-failed": "The program of {node} failed, exit status {status}: {run}",
    "program-took": "The program of {node} took {took:seconds}",
    "stream": "{name} carried {payload:amount B} of payload at {rate:amount b/s}",
    # A study.
    "study": "{cases:count case}, {situations:count situation}, {seeds:count seed}",
    "loses-nothing": "Loses nothing: {cases:list}",
    "each-loses": "Each case is worse or undecided in a metric",
    "best": "Best {metric}{situation:where}: {case:name}, {value:digits} {unit} ({base:name}: {base_value:digits})",
    "no-gain": "No case is shown to be better than {base:name}",
    "too-few-seeds": "{seeds:count seed}; intervals and verdicts need {least}",
    "one-run": "One deterministic run each: no intervals, no verdicts",
    "sweep": "{points:count point}, {runs:count run}, {seeds:count seed} a point",
    "sweep-adaptive": "{points:count point}, {runs:count run}: {low} to {high} seeds, until half an interval is {share:percent} of the mean",
    "range": "{metric}: {least:digits} {unit} at {least_at}, {most:digits} {unit} at {most_at}",
    "unfinished": "{metric}: no value at {points} of {all} points",
    "same-seeds": "{seeds:count seed} gave the same result at each point",
    "panels": "{shown} of {all} combinations are drawn; the tables have all",
    "drawn": "{shown} of {all} points of a line are drawn; the tables have all",
    "rows": "{shown} of {all} rows are drawn; the tables have all",
    "kept": "{runs} of them done before",
    # A search.
    "search": "{trials:count trial}, {runs:count run}, {paths:count path}, {seeds:count seed} each",
    "baseline-stays": "None of {trials:count trial} has a better mean {objectives:list} than the baseline",
    "best-trial": "Best of {trials:count trial}: {choice}",
    "middle-trial": "Middle of the front ({front} of {trials:count trial}): {choice}",
    "judged": "{objective}: {value:digits} {unit}, baseline {base:digits}; difference {low:digits} to {high:digits} on {paths:count fresh path}: {verdict}",
    "judged-ratio": "{objective}: {value:digits} times the baseline's ({low:digits} to {high:digits}) on {paths:count fresh path}: {verdict}",
    "in-search": "{objective}: {value:digits} {unit}, baseline {base:digits}, on the paths that chose it",
    "no-value-on": "{objective} has no value on {paths} of {of:count fresh path}",
    "loses": "Loses on {lost} of {paths}, most on {path}: {objective} {value:digits} {unit}, baseline {base:digits}",
    "loses-none": "Loses on none of {paths:count path}",
    "alike": "{trials} of {of:count trial} are not distinguished from it on {paths:count path}",
    "at-bound": "{key} {value} is at the bound {bound} of its range",
    "own-interval": "intervals: 95 %, each by itself; ? not distinguished",
    "beside-middle": "in parentheses: beside the middle, path by path, 95 % interval",
    # An inference.
    "inference": "{readings:count reading}, {nudges:count nudge} each, {runs:count run}",
    "most-probable": "Most probable: {choice} (probability {probability:weight})",
    "best-reading": "Best reading: {choice}",
    "explains": "Explains {within} of {values:count fitted value} within the tolerance (baseline: {baseline})",
    "predicts": "Predicts {within} of {values:count held-out value} within the tolerance (baseline: {baseline})",
    "check-holds": "Check holds ({check}): {missed} of {groups} predicted groups missed",
    "check-fails": "Check fails ({check}): {missed} of {groups} predicted groups missed",
    "not-reached": "No reading reaches {value}: printed {printed:digits} ± {tolerance:digits} {unit}, nearest {nearest:digits}",
    "dependent": "{values} of {of} fitted values are of one run ({run}), but count as independent",
    "decided": "decided: probability {share} or more; excluded: below {excluded} of its prior; favoured, unlikely: a check fails",
    "deviation": "in parentheses: the standard deviation over the nudges",
    # A paper.
    "changed": "Changed: not the paper. Every run has {keys}",
    "claims-evidence": "Of {of} claims that test the paper, {total} judged: {reproduced} reproduced, {differs} differ, {undecided} undecided, {not_testable} not testable",
    "claims-calibration": "Of {total:count claim} by which a parameter was chosen: {reproduced} reproduced, {differs} differ, {undecided} undecided",
    "claims-arithmetic": "Of {total:count claim} from the paper's own numbers: {reproduced} reproduced, {differs} differ",
    "claims-note": "{total:count note} on the text",
    "claims-changed": "Of {total:count claim}: {reproduced} hold, {differs} do not, {undecided} undecided, {not_testable} not testable",
    "not-drawn": "{figure} is not drawn: it compares values of {key}",
    "no-change": "No result of {figure} changed, in {runs:count run}",
    "paper": "{figures:count figure}, {runs:count run}, {seconds:seconds}",
    "paper-quick": "{figures:count figure}, {runs:count run}, {seconds:seconds}; quick: fewer seeds and cells",
    # Feet of tables.
    "more-points": "the first {shown} of {all:digits} points",
    "of-finished": "finished: runs that gave a value before their end{end:where}",
    "still-wide": "{points:count point} with {seeds:count seed}: the interval of {metric} is still wider",
    "glyphs": "+ better · - worse · = within {margin:percent} · ? undecided · ~ differs, neither is better",
    "changes": "Changes are beside {base:name}; intervals hold together with 95 % ({family:count comparison}, Bonferroni)",
    "means": "± is half the 95 % interval of a mean",
    "mark": "* no metric is worse or undecided, in any situation",
    "best-mean": "Bold: the best mean of a column",
    "no-direction": "neither: no value of the metric alone is better than another",
    "device": "DEV is the device that sends onto the link; if it is faster than the link, shape it first",
    "origin-simulated": "Simulated, not measured on a network",
    "origin-virtual": "Measured between kernels in virtual time",
}


@dataclass(frozen=True)
class Fact:
    """A kind of fact and its values; :func:`sentence` is its only wording."""

    kind: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {"kind": self.kind, **self.values}


def fact(kind: str, **values: Any) -> Fact:
    """A fact of a kind in :data:`TEMPLATES`.

    >>> sentence(fact("loses-nothing", cases=["codel", "no filter"]))
    'Loses nothing: codel and “no filter”'
    """
    return Fact(kind, values)


def sentence(told: Fact) -> str:
    """The fact by its template.

    Raises:
        KeyError: there is no template of its kind, or it lacks a value.
    """
    text = _WORDS.vformat(TEMPLATES[told.kind], (), told.values)
    return re.sub(r" +(?=[ ,;:)]|$)", "", text)  # a metric without a unit leaves a space


class Words(Formatter):
    """Formats of the templates' fields."""

    def format_field(self, value: Any, spec: str) -> str:
        """A value in one of the formats: a number, a time, a rate, a share, a count with its noun, names, or ``where``."""
        kind, _, noun = spec.partition(" ")
        formats = {
            "digits": lambda: "none" if value is None else digits(value),
            "weight": lambda: "<0.001" if value < 0.001 else ">0.999" if value > 0.999 else f"{value:.2g}",
            "seconds": lambda: seconds(value),
            "percent": lambda: percent(value),
            "amount": lambda: amount(value, noun),
            "count": lambda: counted(value, *noun.split("/")),
            "name": lambda: quoted(value),
            "list": lambda: listing([quoted(name) for name in value]),
            "where": lambda: f", {value}" if value else "",
        }
        return formats[kind]() if kind in formats else str(super().format_field(value, spec))


_WORDS = Words()
