"""One offline page a paper.

The look is the run report's: its tokens, tables and print rules. Charts are inline SVG whose colours are the page's
variables. Nothing is fetched; the page's own policy forbids it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .._core import __version__
from ..report.pieces import aside, document, esc, fold, header, table
from ..text.numbers import counted
from ..text.templates import sentence
from . import words
from .evidence import Place, keys, place, scale
from .paper import Compared, Drawn, Figure
from .posterior import SETTLED, questions
from .posterior import load as posterior
from .report import facts, measured
from .runner import Outcome
from .verdict import DIFFERS, REPRODUCED, UNDECIDED, Verdict

Pictures = Mapping[str, str]
"""Charts as HTML, by name."""


def paper_page(outcome: Outcome, pictures: Pictures) -> str:
    """The page of a paper: overview, figures, claims, parameters, and what a reviewer asks."""
    paper = outcome.paper
    chosen = sorted(_of(outcome, ""), key=lambda pair: _place(pair[0]))
    parts = [(f"section-{key}", _titled(key, title), [pair for pair in chosen if pair[0].section == key])
             for key, title in paper.sections.items()]  # fmt: skip
    robust = ("robustness", "Robustness", _of(outcome, "evidence"))
    body = [_claims(outcome), _questions(outcome)]
    figures = [figure for *_, found in (*parts, robust) for figure, _ in found]
    open_ = next(
        (one for one in figures if any(v.verdict != REPRODUCED for v in _mine(one, outcome))),
        figures[0] if figures else None,
    )
    body += [_section(*part, pictures, outcome, open_) for part in (*parts, robust) if part[2]]
    body += [_about_claims(outcome), _terms(outcome), _parameters(outcome)]
    links = (
        [("#claims", "Claims")] * bool(outcome.verdicts)
        + [("#questions", "Questions")] * bool(body[1])
        + [(f"#{id}", title) for id, title, found in parts if found]
    )
    links += [("#robustness", "Robustness")] * bool(robust[2]) + [("#parameters", "Parameters")]
    links += [("index.html", "All papers")]
    contents = "".join(f'<a href="{to}">{esc(text)}</a>' for to, text in links)
    top = [
        header(
            paper.title,
            paper.citation,
            "",
            quick=outcome.effort.quick,
            changed=outcome.effort.sets,
            command=f"acklab reproduce {paper.id}",
        ),
        f"<p>{esc(paper.about)}</p>",
        f"<ul class=facts>{''.join(f'<li>{esc(sentence(one))}</li>' for one in facts(outcome))}</ul>",
        _failures(outcome),
        _unlike(outcome),
        f'<nav class="contents" aria-label="Contents">{contents}</nav></header><main>',
    ]
    foot = f'</main><footer class="foot">{_foot(outcome)}</footer>'
    return document(f"{paper.id}: {paper.title}", "".join([*top, *body, foot]))


def _titled(key: str, title: str) -> str:
    """A section's title, with its number if the paper numbers it.

    >>> _titled("6.3", "WLANs alone"), _titled("tests", "The repository's tests")
    ('Section 6.3: WLANs alone', "The repository's tests")
    """
    return f"Section {key}: {title}" if re.fullmatch(r"[\d.]+|[IVX]+", key) else title


def _section(
    id: str, title: str, found: list[tuple[Figure, Drawn]], pictures: Pictures, outcome: Outcome, open_: Figure | None
) -> str:
    cards = "".join(_card(figure, drawn, pictures, outcome, figure is open_) for figure, drawn in found)
    return f'<section id="{id}"><h2>{esc(title)}</h2>{cards}</section>'


def _of(outcome: Outcome, kind: str) -> list[tuple[Figure, Drawn]]:
    return [(f, d) for f, d in outcome.figures if f.evidence == kind]


def _place(figure: Figure) -> tuple[str, str, int]:
    """Where a figure stands: by section, figures before tables, by number."""
    kind, _, number = figure.label.partition(" ")
    return figure.section, kind, int(number) if number.isdigit() else 0


def _terms(outcome: Outcome) -> str:
    """The abbreviations and names in the paper's claims."""
    items = "".join(
        f"<div><dt>{esc(word)}</dt><dd>{esc(meaning)}</dd></div>" for word, meaning in outcome.paper.terms.items()
    )
    return fold(f"Words of the {outcome.paper.source}", f'<dl class="terms">{items}</dl>') if items else ""


def _failures(outcome: Outcome) -> str:
    if not outcome.failed:
        return ""
    items = "".join(f"<li>{esc(f.experiment)}: {esc(f.why)}</li>" for f in outcome.failed)
    return f'<div class="warning"><b>Experiments this build could not run</b><ul>{items}</ul></div>'


def _unlike(outcome: Outcome) -> str:
    """Which figures a change left out, and which it left as they were."""
    told = [
        f"{label} is not drawn: it compares values of {key}, and its labels would be false with one value."
        for label, key in outcome.left_out.items()
    ]
    told += [
        f"No result of {label} changed, in {runs} runs compared with and without."
        for label, runs in outcome.still.items()
    ]
    return "".join(f'<p class="warning">{esc(text)}</p>' for text in told)


def _parameters(outcome: Outcome) -> str:
    paper = outcome.paper
    note = f"What the {paper.source if paper.ledger.claims else 'question'} states is marked so. The rest is inferred, for the reason beside it."
    rows = "".join(
        f'<tr class="basis-{p.basis}"><td class="text">{esc(p.name)}</td><td class="text wrap">{esc(p.value)}</td>'
        f'<td class="text">{p.basis}</td><td class="text wrap">{esc(p.reason)}{_fitted(p.fitted_to)}</td></tr>'
        for p in paper.parameters
    )
    heads = "".join(
        f'<th class="text{" wrap" * (head == "why")}">{head}</th>' for head in ("parameter", "value", "basis", "why")
    )
    body = f'<p class="note">{esc(note)}</p><table class="parameters"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    return f'<div id="parameters">{fold(counted(len(paper.parameters), "parameter"), body)}</div>'


def _fitted(claims: Sequence[str]) -> str:
    return f' <span class="tag">fitted to {esc(", ".join(claims))}</span>' if claims else ""


def _claims(outcome: Outcome) -> str:
    """Every claim once, with its verdict and its place on one scale: those that differ first, those reproduced last."""
    test = words.counting(outcome.verdicts)
    if not test:
        return ""
    # What changed runs measure has no place beside the paper's values.
    places = {} if outcome.effort.sets else {v.claim.short: one for v in test if (one := place(v, outcome.paper))}
    groups = [[verdict for verdict in test if verdict.verdict == kind] for kind in (DIFFERS, UNDECIDED, REPRODUCED)]
    open_, held = groups[0] + groups[1], groups[2]
    shown = _rows(outcome, open_, places, ("measured", "wanted")) if open_ else ""
    if held:
        shown += aside(words.number_of(len(held), REPRODUCED, bool(outcome.effort.sets)), _rows(outcome, held, places))
    return f'<section id="claims"><div class="card">{keys(places.values()) if places else ""}{shown}</div></section>'


def _questions(outcome: Outcome) -> str:
    """For the authors: the open rules whose values would decide most of the claims that are not reproduced."""
    open_ = [
        one.claim.short
        for one in words.counting(outcome.verdicts)
        if one.verdict != REPRODUCED and not (one.cause and one.cause.word in SETTLED)
    ]
    if (found := posterior(outcome.paper.id)) is None:
        return ""
    rows = [
        [esc(rule.name), esc(found.shown(rule)), " ".join(map(_LINK.format, claims))]
        for rule, claims in questions(outcome.paper.id, open_)
    ]
    if not rows:
        return ""
    told = table(["open rule", found.head, "claims that it would decide"], rows, ["text wrap"] * 3)
    return f'<section id="questions"><h2>Questions to the authors</h2><div class="card">{told}</div></section>'


def _about_claims(outcome: Outcome) -> str:
    """Which claims were changed after a result, what a cell is, and what no count has."""
    told = f"{_changes(outcome)}{_cells(outcome)}"
    return (fold("How the claims are judged", told) if told else "") + _uncounted(outcome)


def _uncounted(outcome: Outcome) -> str:
    """A line each: claims by which a parameter was chosen, and statements that no run can refute or test."""
    others = [v for v in outcome.verdicts if v.standing != words.EVIDENCE]
    rows = [
        [esc(v.standing), esc(v.claim.figure), f'<span id="claim-{esc(v.claim.short)}">{esc(v.claim.claim)}</span>',
         f'{words.outcome(v)} <span class="id">{esc(v.claim.short)}</span>'] for v in others
    ]  # fmt: skip
    lines = outcome.paper.ledger.uncounted if len(outcome.verdicts) == len(outcome.paper.claims) else ()
    rows += [[esc(one) for one in (line.kind, line.place, line.what, line.why)] for line in lines]
    if not rows:
        return ""
    return fold(
        f"{counted(len(rows), 'statement')} that no count has", table(["", "", "", ""], rows, ["text wrap"] * 4)
    )


def _rows(outcome: Outcome, verdicts: Sequence[Verdict], places: Mapping[str, Place], more: Sequence[str] = ()) -> str:
    """A table of verdicts, with what was measured and wanted if the heads are among ``more``."""
    heads = ("verdict", "figure", "claim", *more, *(["scale"] if places else []))
    head = "".join(f'<th class="text at-{name}" scope=col>{name}</th>' for name in heads)
    rows = "".join(_claim(outcome, verdict, places, more) for verdict in verdicts)
    return f'<table class="claims"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _changes(outcome: Outcome) -> str:
    """How many claims were changed after a result was known, what that means, and which verdicts it turned."""
    claims = [verdict.claim for verdict in words.counting(outcome.verdicts) if verdict.claim.history]
    if not claims:
        return ""
    of = "its" if len(claims) == 1 else "their"
    told = (
        f"{counted(len(claims), 'claim')} had {of} criterion, or a parameter of {of} runs, changed after a result was known. "
        f"So the result may have led the choice: take {of} verdict{'s' * (len(claims) > 1)} as weaker evidence. "
        "What was changed, and why, stands below the claim. "
    )
    return f'<p class="note">{esc(told)}{words.turned(claims, _LINK)}</p>'


def _cells(outcome: Outcome) -> str:
    """What a cell is, where a claim is judged by a number of them."""
    if not any("cell" in words.rules(verdict) for verdict in outcome.verdicts):
        return ""
    return '<p class="note">A cell is one combination of what a figure varies, such as one length of a queue and one size of a transfer.</p>'


_LINK = '<a href="#claim-{0}">{0}</a>'


def _claim(outcome: Outcome, verdict: Verdict, places: Mapping[str, Place], more: Sequence[str]) -> str:
    """A claim: what the paper says, its cause if it differs, and behind it why the verdict is what it is."""
    claim, word = verdict.claim, words.outcome(verdict)
    printed = [
        ("printed", claim.paper_value),
        ("allowed", claim.tolerance),
        ("ns-2", outcome.paper.ns2.get(claim.id, "")),
    ]
    beside = " · ".join(f"{name}: {esc(text)}" for name, text in printed if text)
    changed = "".join(f'<p class="why">{esc(words.changed(change))}</p>' for change in claim.history)
    exact = outcome.paper.claims[claim.id].exact
    alone = f'<p class="why">One run judges it: {esc(exact)}.</p>' if exact else ""
    cause = f'<p class="why">{esc(words.sentence(verdict.cause.told()))}</p>' if verdict.cause else ""
    seen = f"<p>acklab measured {esc(verdict.shown)}.</p>" if verdict.shown else ""
    cells = "".join(
        f'<td class="text" data-head="{head}">{esc(text)}</td>'
        for head, text in zip(more, measured(verdict), strict=False)
    )
    here = places.get(claim.short)
    cells += f"<td class=at-scale>{scale(here) if here else ''}</td>" if places else ""
    return (
        f'<tr id="claim-{esc(claim.short)}"><td class="text"><span class="verdict {verdict.verdict}">{word}</span></td>'
        f'<td class="text at-figure">{esc(claim.figure)}</td><td class="text what"><details><summary>{esc(words.printed(claim))}{_rules(verdict)}</summary>{seen}'
        f'<p class="why">{esc(words.sentence(verdict.why))}</p>{alone}{changed}<p class="why">{beside}</p>'
        f'<p><span class="id">{esc(claim.short)}</span></p></details>{cause}</td>{cells}</tr>'
    )


def _rules(verdict: Verdict) -> str:
    told = words.rules(verdict)
    return f' <span class="rule">({esc(told)})</span>' if told else ""


def _card(figure: Figure, drawn: Drawn, pictures: Pictures, outcome: Outcome, opened: bool) -> str:
    """A figure under its title, which opens and closes it."""
    charts = "".join(pictures[c.name] for c in drawn.charts if c.name in pictures)
    label = f'<span class="label">{esc(figure.label)}</span>' if figure.label else ""
    remark = f'<p class="remark">{esc(drawn.remark)}</p>' if drawn.remark else ""
    if drawn.scenario:
        remark += (
            "<details class=scenario><summary>one of its scenarios</summary>"
            f"<pre>acklab run - &lt;&lt;&lt;'{esc(drawn.scenario)}'</pre></details>"
        )
    return (
        f'<details class="card" id="{esc(figure.id)}"{" open" * opened}><summary><h3>{label}{esc(figure.title)}</h3>{_counts(figure, outcome)}</summary>'
        f"{remark}{charts}{_listed(drawn.listed)}{compared_table(drawn.compared, outcome.paper.source)}{_about(figure, outcome)}</details>"
    )


def _listed(rows: Sequence[Sequence[str]]) -> str:
    """A figure's own table."""
    if not rows:
        return ""
    heads, *body = [[esc(cell) for cell in row] for row in rows]
    return table(heads, body, ["text"])


def _mine(figure: Figure, outcome: Outcome) -> list[Verdict]:
    """The verdicts on claims about a figure."""
    return [v for v in words.counting(outcome.verdicts) if figure.label and about(v.claim.figure, figure.label)]


def _counts(figure: Figure, outcome: Outcome) -> str:
    """How many claims about a figure had each verdict."""
    found: dict[str, tuple[str, int]] = {}
    for one in _mine(figure, outcome):
        word = words.outcome(one)
        found[word] = (one.verdict, found.get(word, ("", 0))[1] + 1)
    return "".join(
        f' <span class="verdict {kind}">{count} {words.MANY.get(word, word) if count != 1 else word}</span>'
        for word, (kind, count) in found.items()
    )


def _about(figure: Figure, outcome: Outcome) -> str:
    """Links to the claims about a figure."""
    links = " ".join(
        f'<a class="verdict {v.verdict}" href="#claim-{esc(v.claim.short)}">{esc(v.claim.short)}</a>'
        for v in _mine(figure, outcome)
    )
    return f'<p class="remark mine">{links}</p>' if links else ""


def about(where: str, label: str) -> bool:
    """Whether a claim made at ``where`` ("Figs 2(a), 3(a)", "Tables 1-2") is about the figure of that label."""
    kind, _, number = label.partition(" ")
    if not number:
        return False
    word = "Fig" if kind == "Figure" else kind
    found = re.fullmatch(rf"{word}s? (.+)", where)
    if found is None:
        return False
    for piece in found.group(1).split(","):
        first, _, last = piece.strip().partition("-")
        ends = [re.match(r"\d+", end) for end in (first, last or first)]
        if all(ends) and int(ends[0].group()) <= int(number) <= int(ends[1].group()):  # type: ignore[union-attr]
            return True
    return False


def compared_table(compared: Sequence[Compared], stated: str = "paper") -> str:
    """The source's numbers beside acklab's."""
    if not compared:
        return ""
    columns = [
        ("", [c.what for c in compared]),
        (stated, [c.paper for c in compared]),
        ("acklab", [c.ours for c in compared]),
        ("ns-2", [c.ns2 for c in compared]),
    ]
    told = [(head, cells) for head, cells in columns if any(cells)]
    rows = [[esc(cell) for cell in row] for row in zip(*(cells for _, cells in told), strict=True)]
    return table([head for head, _ in told], rows, ["text wrap"] * len(told))


def _foot(outcome: Outcome) -> str:
    made = f"acklab {__version__}, {counted(outcome.runs, 'run')}{', quick' * outcome.effort.quick}."
    if not outcome.paper.ledger.claims:
        return made
    seeds = max((v.seeds for v in outcome.verdicts if not v.nudged), default=0)
    nudged = max((v.seeds for v in outcome.verdicts if v.nudged), default=0)
    counts, repetitions = (", ".join(map(str, those)) for those in (outcome.effort.seeds, outcome.effort.repetitions))
    rules = []
    if seeds:
        rules.append(
            f"A claim about random runs is looked at with {counts} seeds, or with all that its experiments have, until a look settles "
            f"it; here no claim used more than {seeds}."
        )
    if nudged:
        rules.append(
            f"A claim about runs without randomness is looked at with {repetitions} repetitions, in which every link is up to 1 % "
            f"longer; here none used more than {nudged}. Figures and notes show the run without a nudge."
        )
    if rules:
        rules.append(
            "All looks of a claim together err with at most 5 %, and each look spends a part of that in proportion to its seeds or "
            "repetitions. So an interval holds at the level beside it, however early the claim stopped."
        )
    return esc(" ".join([made, *rules]))
