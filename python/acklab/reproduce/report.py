"""A paper as facts and a table: how many claims have each verdict, and those that are not reproduced."""

from __future__ import annotations

from collections.abc import Sequence

from ..report.report import Report, Table
from ..text.templates import Fact, fact
from ..text.terminal import short
from . import words
from .evidence import hardest
from .runner import Outcome
from .verdict import DIFFERS, REPRODUCED, UNDECIDED, Verdict

#: With so many claims that test a paper, or fewer, those reproduced are listed, too.
MAX_LISTED = 12
#: Columns that a claim and its cause take.
MAX_TEXT = 60


def told(outcomes: Sequence[Outcome]) -> str:
    """What is printed."""
    return "\n\n".join(report(outcome).text() for outcome in outcomes)


def report(outcome: Outcome) -> Report:
    """A paper's facts, and its claims: those that differ first."""
    return Report("reproduce", f"{outcome.paper.id}: {outcome.paper.title}", facts(outcome), [claims(outcome)])


def facts(outcome: Outcome) -> list[Fact]:
    """How many claims that test the paper have each verdict, and what was run."""
    paper, effort = outcome.paper, outcome.effort
    shown = [fact("changed", keys=", ".join(effort.sets))] if effort.sets else []
    counts = words.tally(outcome.verdicts)[words.EVIDENCE]
    if total := sum(counts.values()):
        kind = "claims-changed" if effort.sets else "claims"
        shown.append(fact(kind, total=total, of=max(total, paper.evidence), **counts))
    shown += [fact("not-drawn", figure=label, key=key) for label, key in outcome.left_out.items()]
    shown += [fact("no-change", figure=label, runs=runs) for label, runs in outcome.still.items()]
    kind = "paper-quick" if effort.quick else "paper"
    return [*shown, fact(kind, figures=len(outcome.figures), runs=outcome.runs, seconds=outcome.seconds)]


def claims(outcome: Outcome) -> Table:
    """The claims that test the paper and are not reproduced; of few, all."""
    test = words.counting(outcome.verdicts)
    listed = [v for v in test if v.verdict != REPRODUCED or len(test) <= MAX_LISTED]
    order = (DIFFERS, UNDECIDED, REPRODUCED)
    rows = [_row(verdict) for verdict in sorted(listed, key=lambda v: order.index(v.verdict))]
    heads = ["verdict", "figure", "claim", "says", "measured", "wanted", "repetitions", "cause"]
    return Table(heads, rows, "Not reproduced" if len(test) > MAX_LISTED else "Claims", names=len(heads))


def _row(verdict: Verdict) -> list[str]:
    claim, (seen, wanted) = verdict.claim, measured(verdict)
    cells = [
        words.outcome(verdict),
        claim.figure,
        claim.short,
        short(claim.claim, MAX_TEXT),
        seen,
        short(wanted, MAX_TEXT),
    ]
    if not verdict.findings:
        return [*cells[:-1], "", "", cells[-1]]
    return [*cells, str(verdict.seeds or 1), short(verdict.cause.told() if verdict.cause else "", MAX_TEXT)]


def measured(verdict: Verdict) -> tuple[str, str]:
    """What was measured of the part that decides, and what is wanted of it, or why nothing was."""
    finding = hardest(verdict)
    if finding is None:
        return "", verdict.why
    several, wanted = len(verdict.findings), finding.comparison.requirement
    if several > 1:
        held = sum(one.holds is True for one in verdict.findings)
        wanted = f"{held} of {several} hold; {finding.comparison.label} {wanted}"
    value = words.by_interval(finding.value, finding)
    interval = words.interval_of(finding)
    return value if interval == f" ({value} to {value})" else f"{value}{interval}", wanted
