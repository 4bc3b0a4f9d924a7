"""Verdicts in words and in counts, the same on the pages, on the terminal and in ``claims.json``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .criteria import STANDINGS, Part
from .explanation import WORDS
from .measure import Comparison, Finding, Number, Share, Value, value_of
from .verdict import VERDICTS, Verdict

if TYPE_CHECKING:
    from .ledger import Change, Claim
    from .stopping import Look

Groups = Sequence[tuple[Part, list[list[Comparison]]]]
#: Cells whose values are listed one by one; of more, the range is given.
MOST_CELLS = 4
EVIDENCE = STANDINGS[0]
#: Verdicts, in the order of the columns.
OUTCOMES = VERDICTS
MANY = {"differs": "differ", "holds": "hold", "does not hold": "do not hold"}
#: What these are called of changed runs, which reproduce nothing.
IN_CHANGED = {"reproduced": "holds", "differs": "does not hold"}


def outcome(verdict: Verdict) -> str:
    """A verdict's word; changed runs reproduce nothing."""
    return IN_CHANGED.get(verdict.verdict, verdict.verdict) if verdict.changed else verdict.verdict


def counting(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts that count: those on claims that test the paper."""
    return [verdict for verdict in verdicts if verdict.standing == EVIDENCE]


def tally(verdicts: Sequence[Verdict]) -> dict[str, dict[str, int]]:
    """How many claims that test the paper have each verdict."""
    return {EVIDENCE: {word: sum(v.verdict == word for v in counting(verdicts)) for word in OUTCOMES}}


def number_of(n: int, word: str, changed: bool = False) -> str:
    """How many claims have an outcome.

    >>> number_of(1, "differs"), number_of(8, "differs"), number_of(2, "undecided")
    ('1 differs', '8 differ', '2 undecided')
    """
    word = IN_CHANGED.get(word, word) if changed else word
    return f"{n} {MANY.get(word, word) if n != 1 else word}"


def rules(verdict: Verdict) -> str:
    """What a reader of a claim has to know at once: that a share of the cells decides, or that it was changed after a result.

    Of a part that has to hold in some cells only, how many of how many hold; of a share that is measured, how large it is.
    """
    told = []
    criterion = verdict.claim.criterion
    for part in criterion.parts if criterion is not None and verdict.findings else ():
        mine = [f for f in verdict.findings if f.comparison.part == part.name]
        if part.about.startswith("share") and part.type == "range" and mine:
            told.append(f"{part.about}: {_shares(mine)}, {part.wanted()} needed")
        size = max(1, len(part.relations))
        cells = [mine[at : at + size] for at in range(0, len(mine), size)]
        if part.cells not in (None, "all") and part.needed(len(cells)) < len(cells):
            told.append(f"{holding(cells)} of {len(cells)} cells hold, {part.needed(len(cells))} needed")
    if verdict.claim.history:
        told.append("criterion or parameter changed after a result")
    return "; ".join(told)


def _shares(findings: Sequence[Finding]) -> str:
    low, high = min(f.value for f in findings), max(f.value for f in findings)
    return digits(low) if low == high else f"{digits(low)} to {digits(high)}"


def explained_how(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """How many claims that are evidence and differ have each word of :mod:`.explanation`."""
    causes = [v.cause.word for v in counting(verdicts) if v.cause]
    return {word: causes.count(word) for word in WORDS}


def changed(change: Change) -> str:
    """A line of an entry's history."""
    turned = (
        f" The verdict turned: {change.turned}."
        if change.turns
        else f" Whether the verdict turned was {change.turned}."
        if change.turned
        else ""
    )
    return f"Changed after a result was seen. It was: {change.was}. It is: {change.now}. Why: {change.why}.{turned}"


IN_A_SENTENCE = 5
"""Claims that one sentence lists."""


def turned(claims: Sequence[Claim], name: str = "{}") -> str:
    """Which of these verdicts a change turned; ``name`` has a place for a claim's short id."""
    told = [f"{name.format(c.short)} ({', '.join(one.turned for one in c.turned)})" for c in claims if c.turned]
    groups = [", ".join(told[at : at + IN_A_SENTENCE]) for at in range(0, len(told), IN_A_SENTENCE)]
    return f"Changes turned these verdicts: {'. And these: '.join(groups)}." if told else "No change turned a verdict."


_NUMBERS = re.compile(r"(about )?[<>]?[-+]?\d[\d.,]*( ?(-|to|and) ?\d[\d.,]*)?")


def printed(claim: Claim) -> str:
    """A claim's sentence with the number that its source prints, and what is allowed, where it is a number."""
    if not _NUMBERS.fullmatch(claim.paper_value):
        return sentence(claim.claim)
    units = "" if claim.units in ("", "-") else f" {claim.units}"
    parts = claim.criterion.parts if claim.criterion else ()
    allowed = f", allowed: {parts[0].wanted()}" if len(parts) == 1 and parts[0].type in ("within", "range") else ""
    return f"{sentence(claim.claim)} Printed: {claim.paper_value}{units}{allowed}."


def sentence(text: str) -> str:
    """A text with a capital first, unless it begins with a letter that stands for a quantity.

    >>> sentence("near one"), sentence("m=32 and m=64 perform alike")
    ('Near one', 'm=32 and m=64 perform alike')
    """
    return text if re.match(r"[a-z]\w*=|[a-zA-Z]\(", text) else text[:1].upper() + text[1:]


def show(number: Number, units: str = "") -> str:
    """A measured number for people: three or four digits."""
    value = value_of(number)
    return f"{'nothing' if math.isnan(value) else digits(value)} {units}".rstrip()


def digits(value: float) -> str:
    """Four digits, and no exponent for what people meet."""
    if abs(value) >= 10_000 and math.isfinite(value):
        return f"{value:,.0f}"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.4g}"


def shown(groups: Groups, values: Mapping[str, Value], findings: Sequence[Finding]) -> str:
    """What was measured of each part, with intervals where seeds give them."""
    rest = iter(findings)
    told = []
    for part, cells in groups:
        mine = [[next(rest) for _ in group] for group in cells]
        told.append(f"{part.about}: {_part(part, values[part.name], mine)}")
    return "; ".join(told)


def _part(part: Part, value: Value, cells: list[list[Finding]]) -> str:
    units = f" {part.units}" if part.units else ""
    if not isinstance(value, Mapping):
        only = cells[0][0]
        return (
            _often(part, cells)
            or f"{by_interval(value_of(value), only) if interval_of(only) else show(value)}{units}{interval_of(only)}"
        )
    if part.cells is None:  # the names of one order
        named = ", ".join(f"{name} = {show(one)}" for name, one in value.items())  # type: ignore[arg-type]
        gap = _gap(part, cells[0][0]) if len(cells[0]) == 1 else ""
        return f"{named}{units}{gap}"
    if part.type == "order":
        return f"in the order of the claim in {holding(cells)} of {len(cells)} cells"
    if often := _often(part, cells):
        return often
    alone = [group[0] for group in cells]
    if len(alone) <= MOST_CELLS:
        each = (
            f"{name} = {by_interval(one.value, one)}{interval_of(one)}" for name, one in zip(value, alone, strict=True)
        )
        return ", ".join(each) + units
    low, high = min(one.value for one in alone), max(one.value for one in alone)
    if low == high:
        return f"{digits(low)}{units} in each of {len(alone)} cells"
    return f"from {digits(low)} to {digits(high)}{units} over {len(alone)} cells"


def _often(part: Part, cells: list[list[Finding]]) -> str:
    """In how many repetitions something is equal to what it has to be; empty where repetitions do not vote."""
    shares = [group[0].comparison.number for group in cells]
    votes = [round(sum(share.values)) for share in shares if isinstance(share, Share)]
    if not votes:
        return ""
    least, most = min(votes), max(votes)
    times = f"{least}" if least == most else f"{least} to {most}"
    each = (
        "" if len(cells) == 1 else f" in each of {len(cells)} cells" if least == most else f", by cell ({len(cells)})"
    )
    return f"{part.wanted()} in {times} of {shares[0].count} repetitions{each}"  # type: ignore[union-attr]


def _gap(part: Part, finding: Finding) -> str:
    """The difference that an order asks for, if it has an interval; a relative one in percent of the lesser."""
    if not (gap := interval_of(finding, 100 if part.relative else 1)):
        return ""
    times = 100 if part.relative else 1
    return f", a difference of {by_interval(times * finding.value, finding, times)}{gap}{' %' * part.relative}"


def interval_of(finding: Finding, times: float = 1) -> str:
    """A finding's interval, if it has one that ends."""
    if finding.interval is None or not all(map(math.isfinite, finding.interval)):
        return ""
    return f" ({' to '.join(by_interval(times * end, finding, times) for end in finding.interval)})"


EXACT = 1e-9
"""An interval whose half is a smaller share of its value is the rounding of sums."""


def by_interval(value: float, finding: Finding, times: float = 1) -> str:
    """A number to the second digit of half the finding's interval: more of them say nothing. Without an interval, four digits."""
    ends = finding.interval
    if (
        ends is None
        or not all(map(math.isfinite, ends))
        or (half := abs(times) * (ends[1] - ends[0]) / 2) <= EXACT * abs(value)
    ):
        return digits(value)
    places = 1 - math.floor(math.log10(half))
    text = (
        f"{round(value, places):,.{max(0, places)}f}"
        if abs(value) >= 10_000
        else f"{round(value, places):.{max(0, places)}f}"
    )
    return text if text.strip("-0.,") else text.lstrip("-")


def explained(groups: Groups, findings: Sequence[Finding], answer: bool | None, counted: str, look: Look) -> str:
    """Why a verdict is what it is: cells that hold, what misses, and how the intervals were made."""
    said = []
    for part, cells in groups:
        mine = [f for f in findings if f.comparison.part == part.name]
        if len(cells) > 1:
            rest = iter(mine)
            held = holding([[next(rest) for _ in group] for group in cells])
            said.append(f"{part.about}: {held} of {len(cells)} cells hold, {part.needed(len(cells))} needed")
        if answer is not True:
            said += [miss(f) for f in mine if f.holds is not True][:2]
    levels = sorted({f.level for f in findings if f.level is not None})
    if levels:
        spent = "" if look.share == 1 else f", a look that may spend {100 * look.share:.3g} % of the error"
        said.append(f"{counted}{spent}; intervals at {' and '.join(f'{100 * level:.5g}' for level in levels)} %")
    return "; ".join(said)


def holding(cells: list[list[Finding]]) -> int:
    """Cells in which everything holds."""
    return sum(all(f.holds is True for f in group) for group in cells)


def miss(finding: Finding, units: str = "") -> str:
    """A finding that does not hold, or does not hold yet: what it is, with its interval, and what is wanted."""
    one = finding.comparison
    if isinstance(one.number, Share):
        about = one.label.removeprefix("share of repetitions with ")
        return f"{about} in {round(sum(one.number.values))} of {one.number.count} repetitions, more than half wanted"
    unit = f" {units}" if units else ""
    pair = re.fullmatch(r"(.+) (?:>=|>|=) (.+)", one.requirement)
    if pair is None or not one.label.startswith(f"{pair[1]} - {pair[2]}"):
        return f"{one.label} is {by_interval(finding.value, finding)}{unit}{interval_of(finding)}, wanted {one.requirement}"
    cell = one.label.removeprefix(f"{pair[1]} - {pair[2]}").strip()
    times, unit = (100, " %") if cell.startswith("(relative)") else (1, unit)
    cell = cell.removeprefix("(relative)").strip()
    least = f"{'>' if one.open_low else '≥'} {digits(times * one.low or 0.0)}"
    wanted = (
        least if math.isinf(one.high) else f"between {digits(times * one.low or 0.0)} and {digits(times * one.high)}"
    )
    return f"{pair[1]} less {pair[2]}{f', {cell},' if cell else ''} is {by_interval(times * finding.value, finding, times)}{unit}{interval_of(finding, times)}, wanted {wanted}{unit}"
