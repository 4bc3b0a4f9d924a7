"""The index over the papers: a card each, by group, and what became of all claims that are evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..report.pieces import document, esc, header
from ..text.numbers import counted
from . import words
from .paper import GROUPS
from .verdict import VERDICTS

_GROUP_HEADS = dict(zip(GROUPS, ("Papers", "Later work", "Classics"), strict=True))


def index_page(told: Mapping[str, Any]) -> str:
    """The index over the papers of a summary (:func:`.output.summary`): a card each, by group."""
    papers, quick = told["papers"], told["quick"]
    changed = next((one["changed"] for one in papers.values() if one.get("changed")), ())
    body = header(
        _finding(told, bool(changed)), "acklab reproduce: papers, regenerated and judged", "",
        quick=quick, changed=changed, command=f"acklab reproduce {' '.join(papers)}",
    )  # fmt: skip
    keys = "".join(f'<span class="{kind}"><b></b>{kind}</span>' for kind in VERDICTS)
    groups = [(group, [name for name, one in papers.items() if one["group"] == group]) for group in GROUPS]
    found = "".join(
        f'<section><h2>{_GROUP_HEADS[head]}</h2><div class="gallery">{"".join(_paper(told, name) for name in group)}</div></section>'
        for head, group in groups if group
    )  # fmt: skip
    return document(
        "Papers, regenerated and judged",
        f'{body}<p class="keys">A bar shows the claims that test a paper: {keys}</p></header><main>{found}</main>',
    )


def _finding(told: Mapping[str, Any], changed: bool) -> str:
    """What became of the claims of all papers that are evidence."""
    counts = [counts[words.EVIDENCE] for counts in told["counts"].values()]
    sums = {word: sum(one[word] for one in counts) for word in words.OUTCOMES}
    total = sum(sums.values())
    if not total:
        return "Papers, regenerated: no claim of evidence was judged."
    parts = ", ".join(words.number_of(n, word, changed) for word, n in sums.items() if n)
    every = sum(one.get("evidence", 0) for one in told["papers"].values())
    some = f"{total} of the {every} claims" if every > total else counted(total, "claim")
    return f"{'Changed, so not the papers. ' * changed}Of {some} that {'test' if max(total, every) != 1 else 'tests'} {'a paper' if len(counts) == 1 else 'papers'}: {parts}."


def _paper(told: Mapping[str, Any], name: str) -> str:
    """A paper's card on the index."""
    paper = told["papers"][name]
    changed = "changed" in paper
    sizes = told["counts"].get(name, {}).get(words.EVIDENCE, {})
    total = sum(sizes.values())
    share = (
        f'<p class="share"><b>{sizes["reproduced"]} of {total}</b> {words.IN_CHANGED["reproduced"] if changed else "reproduced"}</p>'
        if total
        else ""
    )
    shares = "".join(f'<i class="{kind}" style="flex:{sizes[kind]}"></i>' for kind in VERDICTS if sizes.get(kind))
    about = f"<p>{esc(paper['about'])}</p>" if paper.get("about") else ""
    left = paper.get("evidence", 0) - total
    if share and left > 0:
        share += f'<p class="note">{counted(left, "more claim")} that {"tests" if left == 1 else "test"} it {"was" if left == 1 else "were"} not judged here</p>'
    as_it_is = f'<p class="note">Changed, not the paper: {esc(", ".join(paper["changed"]))}</p>' if changed else ""
    return (
        f'<a class="card" href="{name}.html"><h3>{esc(paper["title"])}</h3><p class="note">{esc(paper["citation"])}</p>{about}{as_it_is}{share}'
        f'<div class="shares" aria-hidden="true">{shares}</div><ul><li>{counted(told["runs"][name], "run")}</li></ul></a>'
    )
