"""The text of a comparison on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from ...figures.stats import ALIKE, LEAST_SEEDS, bounded
from ...plot.words import listing
from ...text.columns import align
from ...text.counts import counted
from ...text.escapes import one_line
from .advice import quoted
from .changes import NEITHER, changes, table, worse
from .decision import Decision
from .difference import EQUIVALENT, POWER, SAME, TOO_FEW, UNDECIDED, rounded
from .numbers import estimate, number, percent
from .rank import Ranked, Ranking
from .result import Compared
from .setup import cases, experiment
from .tc import above

#: So many rows that are the same become one.
MOST_ALIKE = 3
MARKS = {UNDECIDED: "?", EQUIVALENT: "=", SAME: "="}


def mark(row: Ranked) -> str:
    """A case's place, and a sign where it may be as good as the first."""
    return f"{row.place}{MARKS.get(row.verdict, '')}"


def cell(told: Compared, ranking: Ranking, row: Ranked, metric: str) -> str:
    """A mean and its interval, where seeds give one."""
    one = row.samples[metric]
    if one is None:
        return "-"
    ends = bounded(one, told.comparison.rule.looks) if ranking.random else None
    return number(one.value, 0.0) if ends is None else estimate(one.value, ends.low, ends.high)


def behind(ranking: Ranking, row: Ranked) -> str:
    """How much worse than the first, as an interval where seeds give one."""
    if row.beside is None or row.verdict in (SAME, TOO_FEW):
        return ""
    return worse(ranking.by, row.beside)


def columns(told: Compared, ranking: Ranking) -> tuple[list[str], list[list[str]]]:
    """A ranked table: its heads and its rows."""
    metrics, kept = told.comparison.metrics, distinct(told, ranking)
    heads = ["", "case", *(metric.label for metric in metrics), "behind by"]
    rows = [
        [mark(row), row.case, *(cell(told, ranking, row, m.name) for m in metrics), behind(ranking, row)]
        for row in kept
    ]
    needed = [row.beside.needed if row.beside is not None else None for row in kept]
    if any(needed):
        heads.append("seeds needed")
        for count, cells in zip(needed, rows, strict=True):
            cells.append(f"about {rounded(count):,}" if count else "")
    return heads, rows


def _groups(told: Compared, ranking: Ranking) -> list[list[Ranked]]:
    """The rows, those together that have the same values of all metrics in every seed."""
    found: list[list[Ranked]] = []
    for row in ranking.rows:
        same = next((group for group in found if told.random and _values(group[0]) == _values(row)), None)
        if same is None:
            found.append([row])
        else:
            same.append(row)
    return found


def _values(row: Ranked) -> list[Sequence[float] | None]:
    return [None if one is None else one.values for one in row.samples.values()]


def distinct(told: Compared, ranking: Ranking) -> list[Ranked]:
    """The rows of the table: of :data:`MOST_ALIKE` or more that are the same, the first."""
    gone = {row.case for group in _groups(told, ranking) if len(group) >= MOST_ALIKE for row in group[1:]}
    return [row for row in ranking.rows if row.case not in gone]


def repeated(told: Compared, ranking: Ranking) -> list[str]:
    """A sentence for each row that stands for several."""
    return [
        f"{listing([quoted(row.case) for row in group[1:]])}: every value as with {quoted(group[0].case)}, in every seed"
        + ("; what the cases change has no effect on these metrics here" if len(group) == len(ranking.rows) else "")
        for group in _groups(told, ranking)
        if len(group) >= MOST_ALIKE
    ]


def basis(told: Compared) -> list[str]:
    """The sample behind the numbers, and the meaning of the signs beside them."""
    if not told.random:
        return [f"{counted(told.seeds, 'seed')}: {ALIKE}; one deterministic run each, without intervals"]
    if told.seeds < LEAST_SEEDS:
        return [
            f"{counted(told.seeds, 'seed')}, the same for every case: too few for an interval (at least {LEAST_SEEDS})"
        ]
    rules = told.rankings[0].rules
    said = [
        f"{counted(told.seeds, 'seed')}, the same for every case; ± is half the 95 % interval of one mean, or both ends are given"
    ]
    alike = [
        case.name for case in told.comparison.cases if all(_alike(ranking, case.name) for ranking in told.rankings)
    ]
    if alike:
        said.append(f"{listing([quoted(name) for name in alike])}: {ALIKE}")
    metrics, objectives = told.comparison.metrics, told.comparison.objectives
    if rules.family == 1:
        said.append("behind by: how much worse than the first row, as a 95 % interval of the ratio, seed by seed")
    else:
        more = "; those of the other metrics hold together with another 95 %" if len(metrics) > len(objectives) else ""
        what = "comparisons by an objective" if more else "comparisons"
        said.append("behind by: how much worse than the first row, as an interval of the ratio, seed by seed")
        said.append(f"the intervals of all {rules.family} {what} hold together with 95 % (Bonferroni){more}")
    rows = [row for ranking in told.rankings for row in distinct(told, ranking)]
    found = {row.verdict for row in rows}
    if UNDECIDED in found:
        said.append(
            f"?: not distinguished from the first row: the interval has 0 in it, or the values differ by no more than {percent(rules.margin)}"
        )
        if any(row.beside is not None and row.beside.needed for row in rows):
            said.append(
                f"seeds needed: to show the measured difference, or {percent(rules.resolution)} if that is more, with a chance of "
                f"{percent(POWER)}, if they vary as these do"
            )
    if EQUIVALENT in found:
        said.append(
            f"=: equivalent to the first row: neither is more than {percent(rules.margin)} above the other (two one-sided tests; the row has their narrower interval)"
        )
    if SAME in found:
        said.append(
            "=: the same as the first row in every seed"
            if EQUIVALENT not in found
            else "= without an interval: the same as the first row in every seed"
        )
    return said


def _alike(ranking: Ranking, case: str) -> bool:
    """Whether a case has one value of each metric in every seed."""
    return all(one is None or len(set(one.values)) == 1 for one in ranking.row(case).samples.values())


def heading(told: Compared, ranking: Ranking) -> str:
    """A situation's name, and what to know of its table: the objective that ranks, and those that do not respond."""
    said = ["one deterministic run each"] if told.random and not ranking.random else []
    if len(told.comparison.objectives) > 1:
        said.append(f"ranked by {ranking.by.name}")
    alone = len(told.comparison.objectives) == 1 and len(told.comparison.cases) == 2  # the case's own verdict says it
    if ranking.silent and not alone and (told.seeds >= LEAST_SEEDS or not told.random):
        names = listing([one.name for one in ranking.silent])
        said.append(f"by {names} no two cases are shown to differ by more than {percent(ranking.rules.margin)}")
    return ": ".join(
        [*([one_line(ranking.situation)] if ranking.situation else []), *(["; ".join(said)] if said else [])]
    )


def changed(told: Compared) -> tuple[str, list[str], list[list[str]]] | None:
    """The head and the table of what changes from the first case to another, which is the advised one or the best of the others.
    ``None`` if the ranking already says everything."""
    if told.random and told.seeds < LEAST_SEEDS or len(told.comparison.metrics) == len(told.rankings) == 1:
        return None
    made = Decision(told)
    found = changes(told, made.subject, made.base)
    head = f"From {quoted(made.base)} to {quoted(made.subject)}, every metric whose mean moves by more than {percent(told.comparison.margin)}"
    if not found:
        return f"{head}: none", [], []
    if any(one.verdict == NEITHER for one in found):
        head += " (neither: no value of it is better than another)"
    return (f"{head}:", *table(told, made.subject, made.base, found))


def as_text(told: Compared) -> str:
    """The whole text for a terminal."""
    lines = [one_line(told.title), *(f"{word}: {one_line(text)}" for word, text in experiment(told))]
    if known := cases(told):
        lines += ["cases:", *(f"  {line}" for line in align(known[0], known[1:], names=2))]
    lines += ["", *basis(told)]
    for ranking in told.rankings:
        head = heading(told, ranking)
        lines += [
            "",
            *([head] if head else []),
            *align(*columns(told, ranking), names=2),
            *map(one_line, repeated(told, ranking)),
        ]
    configure = (
        ["", above(told.configure), *(f"  {one_line(text)}" for text in told.configure)] if told.configure else []
    )
    moved = changed(told)
    names = 2 if moved and moved[1] and moved[1][0] == "situation" else 1
    moving = ["", one_line(moved[0]), *(align(moved[1], moved[2], names=names) if moved[2] else [])] if moved else []
    return "\n".join([*lines, "", one_line(told.advice), *moving, *configure])
