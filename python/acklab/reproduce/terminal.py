"""What ``acklab reproduce`` prints of papers: how many claims have each verdict, and those not reproduced in their own words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ..text.counts import counted
from . import words
from .criteria import STANDINGS, Part
from .measure import Finding
from .runner import Outcome
from .verdict import DIFFERS, REPRODUCED, Verdict

WIDTH = 110
MOST = 2
"""Comparisons that are told of a part that does not hold."""
MANY = 4
"""So many claims that a quick run leaves undecided, or more, are one sentence."""
FEW = 12
"""With so many claims that test a paper, or fewer, those reproduced are listed, too."""


def told(outcomes: Sequence[Outcome]) -> str:
    """What is printed; what the verdicts mean stands once, with the first paper."""
    return "\n\n".join("\n".join(_paper(outcome, first=place == 0)) for place, outcome in enumerate(outcomes))


def _paper(outcome: Outcome, *, first: bool) -> Iterator[str]:
    paper, effort = outcome.paper, outcome.effort
    yield f"{paper.id}: {paper.title}{' (quick: fewer seeds and cells)' * effort.quick}"
    if effort.sets:
        yield f"Changed: not the paper. Every run has {', '.join(effort.sets)}."
    test = [v for v in outcome.verdicts if v.standing == STANDINGS[0]]
    if effort.sets or not test:
        if outcome.verdicts:
            yield words.counted(outcome.verdicts)
    else:
        yield from _wrapped(words.tested(outcome.verdicts, paper.evidence), "")
        for text in words.besides(outcome.verdicts, paper.source)[0 if first else 1 :]:
            yield from _wrapped(text, "")
    yield f"{counted(len(outcome.figures), 'figure')}, {counted(outcome.runs, 'run')} in {outcome.seconds:.1f} s"
    for label, key in outcome.left_out.items():
        yield f"{label} is not drawn: it compares values of {key}, and its labels would be false"
    for label, runs in outcome.still.items():
        yield f"no result of {label} changed, in {counted(runs, 'run')} compared with and without"
    few = [v for v in test if effort.quick and v.undecided]
    together = few if len(few) >= MANY else []
    listed = [v for v in test if v not in together and (v.verdict != REPRODUCED or len(test) <= FEW)]
    if listed:
        yield f"The claims that test the {paper.source}{'' if len(listed) == len(test) else ' and are not reproduced'}:"
    for verdict in sorted(listed, key=lambda v: v.verdict == REPRODUCED):
        yield from _claim(verdict, paper.source)
    if together:
        counts = sorted({counted(v.seeds, "repetition" if v.nudged else "seed") for v in together})
        ids = ", ".join(v.claim.short for v in together)
        yield from _wrapped(
            f"{len(together)} claims are undecided, because a quick run has {' or '.join(counts)}: {ids}. The page has what was measured of each; a run without --quick has more.",
            "",
        )
    fitted = (
        [v for v in outcome.verdicts if v.standing == STANDINGS[1] and v.verdict == DIFFERS]
        if test and not effort.sets
        else []
    )
    if fitted:
        yield "Claims by which a parameter was chosen, and that differ all the same:"
    for verdict in fitted:
        yield from _claim(verdict, paper.source)


def _claim(verdict: Verdict, source: str) -> Iterator[str]:
    """A claim: what the source says, what does not hold of it with numbers, and why."""
    claim, word = verdict.claim, words.outcome(verdict)
    test = f"; no test: {verdict.standing}" if verdict.standing in words.NO_TEST else ""
    yield from _wrapped(f"{word:<12} {claim.figure}: {words.printed(claim)} ({claim.short}{test})", "  ")
    if verdict.verdict == REPRODUCED:
        return
    for part in claim.criterion.parts if claim.criterion else ():
        if said := _part(part, [f for f in verdict.findings if f.comparison.part == part.name]):
            yield from _wrapped(said, _INDENT)
    counted_by = f"{counted(verdict.seeds, 'repetition' if verdict.nudged else 'seed')}" if verdict.seeds else "one run"
    if verdict.undecided:
        yield from _wrapped(f"Undecided with {counted_by}: {words.more_seeds(verdict.needed, verdict.seeds)}.", _INDENT)
    elif verdict.verdict == DIFFERS:
        yield from _wrapped(f"Measured with {counted_by}. {words.because(verdict.explanation, source)}", _INDENT)
    else:
        yield from _wrapped(f"{words.sentence(verdict.why)}.", _INDENT)


_INDENT = " " * 15


def _part(part: Part, findings: Sequence[Finding]) -> str:
    """In how many cases a part holds, and what misses in the first of the others; empty where it holds."""
    missed = [f for f in findings if f.holds is not True]
    size = max(1, len(part.relations))
    cells = [list(findings[at : at + size]) for at in range(0, len(findings), size)]
    if not missed or words.holding(cells) >= part.needed(len(cells)):
        return ""
    units = "" if part.type == "order" and part.relative else part.units
    listed = "; ".join(words.miss(f, units).removeprefix(f"{part.about} ").removeprefix("is ") for f in missed[:MOST])
    more = f"; and {len(missed) - MOST} more" if len(missed) > MOST else ""
    held = (
        f" holds in {words.holding(cells)} of {len(cells)} cases, {part.needed(len(cells))} needed;"
        if len(cells) > 1
        else ""
    )
    return f"{words.sentence(part.about)}:{held} {listed}{more}."


def _wrapped(text: str, indent: str) -> Iterable[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if indent != "  " else _INDENT,
        break_on_hyphens=False,
    )
