"""Verdicts of whole runs, as data and as the tables of ``docs/validation.md`` and of the five papers' pages.

    acklab reproduce --out whole                   every paper, whole; with names, some papers

    tools/verdicts.py whole/claims.json            take its verdicts into docs/papers/verdicts.json, and write the tables
    tools/verdicts.py --judge veno/fig5.n ...      judge some claims again, with all their seeds
    tools/verdicts.py                              write the tables again
    tools/verdicts.py --check                      compare them

A quick run is refused. Papers that the file does not have keep their verdicts.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from acklab._core import __version__
from acklab.papers import FIVE, installed, paper
from acklab.papers.open import plan
from acklab.reproduce import posterior
from acklab.reproduce.explanation import NOT_SEARCHED, WORDS, Unsearched
from acklab.reproduce.ledger import VERDICTS, load
from acklab.reproduce.output import summary
from acklab.reproduce.runner import reproduce
from acklab.study.posterior import MIN_EFFECTIVE
from acklab.study.seeds import Nudge

DOCS = Path(__file__).resolve().parents[1] / "docs"
DATA, PAGE = DOCS / "papers" / "verdicts.json", DOCS / "validation.md"
TITLES = {
    "allman1998": "Allman 1998",
    "ackfilter": "ACK filtering (Barakat and Altman 2000)",
    "veno": "TCP Veno with SACK",
    "divack": "*TCP ACK Division Revisited*",
    "smartacking": "smartacking",
    "cake": "CAKE's ACK filter, 2018",
    "cubic": "CUBIC and the ACK ratio, 2023",
    "neqo": "neqo, 2025",
    "picoquic": "picoquic, 2021",
    "tack": "TACK, 2020",
    "asymmetry": "RFC 3449 and a talk, 1997",
    "l4s": "L4S tests, 2020",
    "quicly": "quicly, 2026",
    "rfc2416": "RFC 2416, 1998",
}
Verdicts = Mapping[str, Mapping[str, Any]]
"""What is kept of each claim, by its short name."""


def kept(claim: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a claim of ``claims.json``."""
    return {
        "verdict": claim["verdict"],
        "standing": claim["standing"],
        "seeds": claim["seeds"],
        "alone": claim["alone"],
        "cause": claim["cause"]["kind"] if claim["cause"] else "",
        "form": claim["form"],
    }


def taken(data: dict[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """The data with the papers of another run.

    Raises:
        ValueError: the run is a quick one, or has not judged every claim of a paper.
    """
    if told["quick"]:
        raise ValueError("a quick run; run acklab reproduce without --quick")
    papers = dict(data.get("papers", {}))
    for name in told["counts"]:
        claims = {c["id"].partition(".")[2]: kept(c) for c in told["claims"] if c["paper"] == name}
        missing = {claim.short for claim in load(name).claims.values()} - claims.keys()
        if missing:
            raise ValueError(f"{name}: no verdict on {', '.join(sorted(missing)[:5])}; run the whole paper")
        papers[name] = {"version": __version__, "runs": told["runs"][name], "claims": claims}
    return {"papers": dict(sorted(papers.items()))}


def rejudged(data: dict[str, Any], claims: Iterable[str], threads: int = 1) -> dict[str, Any]:
    """The data with some claims judged again.

    Raises:
        ValueError: there is no such paper or claim.
    """
    papers: dict[str, Any] = dict(data["papers"])
    asked: dict[str, list[str]] = {}
    for claim in claims:
        name, _, short = claim.partition("/")
        if name not in papers or f"{name}.{short}" not in load(name).claims:
            raise ValueError(f"{claim}: no such PAPER/CLAIM")
        asked.setdefault(name, []).append(f"{name}.{short}")
    for name, ids in asked.items():
        run = summary([reproduce(paper(name), only=lambda _: False, claims=ids, threads=threads)])
        new = {one["id"].partition(".")[2]: kept(one) for one in run["claims"]}
        for one in run["claims"]:
            print(json.dumps(one), file=sys.stderr)
        papers[name] = {**papers[name], "claims": {**papers[name]["claims"], **new}}
    return {"papers": papers}


def present(data: dict[str, Any]) -> None:
    """Leaves out verdicts of entries that are struck."""
    for name, judged in data.get("papers", {}).items():
        shorts = [claim.short for claim in load(name).claims.values()]
        judged["claims"] = {short: judged["claims"][short] for short in shorts if short in judged["claims"]}


def having(claims: Verdicts, **wanted: str) -> int:
    """How many claims have these values."""
    return sum(all(claim[key] == value for key, value in wanted.items()) for claim in claims.values())


def row(name: str, claims: Verdicts) -> str:
    """A paper's line."""
    counts = [having(claims, standing="evidence", verdict="differs", cause=word) for word in WORDS]
    cells = [
        f"[{TITLES[name]}](papers/{name}.md)",
        str(having(claims, standing="evidence")),
        f"**{having(claims, standing='evidence', verdict='reproduced')}**",
        *(str(n or "") for n in [*counts, having(claims, standing="evidence", verdict="undecided")]),
    ]
    return line(cells)


def line(cells: Iterable[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def table(first: str, names: Iterable[str], papers: Mapping[str, Any]) -> str:
    """The papers' counts, and which of them have none."""
    asked = list(names)
    names = [name for name in asked if name in papers]
    missing = [f"`{name}`" for name in asked if name not in papers]
    heads = [first, "claims", "reproduced", *(f"differ: {word}" for word in WORDS), "undecided"]
    said = "\n".join([line(heads), line(["---"] * len(heads)), *(row(name, papers[name]["claims"]) for name in names)])
    return f"{said}\n\nWithout a whole run: {', '.join(missing)}." if missing else said


def five(papers: Mapping[str, Any]) -> str:
    """The table of the five papers, and its sum."""
    order = [name for name in TITLES if name in FIVE]
    everything = [papers[name]["claims"] for name in order if name in papers]
    evidence = sum(having(claims, standing="evidence") for claims in everything)
    good = sum(having(claims, standing="evidence", verdict="reproduced") for claims in everything)
    return f"{table('paper', order, papers)}\n\nOf {evidence} claims, {good} are reproduced."


def later(papers: Mapping[str, Any]) -> str:
    """The table of later work."""
    return table("later work", [name for name in TITLES if name in installed("later")], papers)


def classics(papers: Mapping[str, Any]) -> str:
    """The table of the classics."""
    return table("classic", [name for name in TITLES if name in installed("classics")], papers)


def count(papers: Mapping[str, Any]) -> str:
    """How many claims of the five papers are reproduced: with the entries' first form, with today's, by repetitions."""
    steps: list[dict[str, str]] = [{}, {}, {}]
    for name in (one for one in FIVE if one in papers):
        for short, claim in papers[name]["claims"].items():
            if claim["standing"] != "evidence":
                continue
            history = load(name).claims[f"{name}.{short}"].turned
            single = claim["alone"] or claim["verdict"]
            first = history[0].turned.partition(" to ")[0] if history else single
            for step, verdict in zip(steps, (first, single, claim["verdict"]), strict=True):
                step[f"{name} {short}"] = verdict
    said = (
        "the entries' first form, one run each",
        "entries and parameters of today, one run each",
        "today: repetitions in place of one run",
    )
    rows = [line(["judged by", "reproduced", "gained", "lost"]), line(["---"] * 4)]
    for place, (how, step) in enumerate(zip(said, steps, strict=True)):
        before = steps[max(place - 1, 0)]
        gained, lost = (
            named(id for id in step if (step[id] == "reproduced", before[id] == "reproduced") == way)
            for way in ((True, False), (False, True))
        )
        rows.append(line([how, f"{sum(v == 'reproduced' for v in step.values())} of {len(step)}", gained, lost]))
    return "\n".join(rows)


def named(ids: Iterable[str]) -> str:
    """Claims by paper."""
    papers: dict[str, list[str]] = {}
    for id in ids:
        paper, _, short = id.partition(" ")
        papers.setdefault(paper, []).append(f"`{short}`")
    return "; ".join(f"{paper} {', '.join(shorts)}" for paper, shorts in papers.items())


def holds(papers: Mapping[str, Any], name: str) -> str:
    """A paper's counts in a sentence."""
    claims = papers[name]["claims"]
    counts = {word: having(claims, standing="evidence", verdict="differs", cause=word) for word in WORDS}
    causes = f" ({', '.join(f'{word} {n}' for word, n in counts.items() if n)})" if any(counts.values()) else ""
    good, undecided = (having(claims, standing="evidence", verdict=word) for word in ("reproduced", "undecided"))
    return (
        f"{having(claims, standing='evidence')} claims: **{good} reproduced**, {sum(counts.values())} differ{causes}, {undecided} undecided "
        "([what that means](../howto/reproduce.md#what-a-verdict-means))."
    )


def unreproduced(papers: Mapping[str, Any], name: str) -> str:
    """The claims of a paper that differ, with the cause of each and what shows it, and those that are undecided."""
    rows = [line(["claim", "says", "cause"]), line(["---"] * 3)]
    for claim in load(name).claims.values():
        judged = papers[name]["claims"].get(claim.short, {"standing": ""})
        if judged["standing"] == "evidence" and judged["verdict"] == "differs":
            told = claim.cause.told() if claim.cause else NOT_SEARCHED
            rows.append(line([f"`{claim.short}`", *map(escaped, (claim.claim, told))]))
    undecided = evidence(papers, name, "undecided")
    differ = ["\n".join(rows)] if rows[2:] else []
    return "\n\n".join([*differ, *([f"Undecided: {undecided}."] if undecided else [])])


def evidence(papers: Mapping[str, Any], name: str, verdict: str) -> str:
    """The claims that test a paper and have a verdict."""
    claims = papers[name]["claims"].items()
    return ", ".join(
        f"`{short}`" for short, one in claims if (one["standing"], one["verdict"]) == ("evidence", verdict)
    )


def calibration(papers: Mapping[str, Any], name: str) -> str:
    """The claims that chose a setting: how many are reproduced, and which are not."""
    claims = {short: one for short, one in papers[name]["claims"].items() if one["standing"] == "calibration"}
    by = {word: [f"`{short}`" for short, one in claims.items() if one["verdict"] == word] for word in VERDICTS}
    good = by.pop("reproduced")
    listed = "; ".join(f"{word}: {', '.join(shorts)}" for word, shorts in by.items() if shorts)
    told = "; ".join([f"{len(good)} reproduced", *([listed] if listed else [])])
    return f"*Calibration*, {len(claims)} claims that chose a setting, in no count: {told}."


def held(papers: Mapping[str, Any], name: str) -> str:
    """The claims that are reproduced."""
    return f"Reproduced: {evidence(papers, name, 'reproduced')}."


def rules(papers: Mapping[str, Any], name: str) -> str:
    """What an inference said of the rules that a paper leaves open: their values, and the claims that these move."""
    found = posterior.load(name)
    if found is None:
        return "No inference was made."
    of = f" of {found.of:,}" if found.of else ""
    drawn = f"{found.readings:,} readings{of} are drawn, worth {found.effective:g} of equal weight ({MIN_EFFECTIVE} can decide)"
    told = drawn if found.effective else f"All {found.readings:,} readings"
    rows = [line(["rule", found.head, "claims it moves"]), line(["---"] * 3)]
    for rule in found.rules:
        rows.append(line([escaped(rule.name), escaped(found.shown(rule)), str(len(rule.moves))]))
    said = [
        f"`acklab infer {name}` ([how](../howto/infer.md)) asks {len(found.values)} printed values for {len(found.rules) + len(found.still)} rules, "
        f"{times(name)} each.",
        f"{told}, {found.runs:,} runs. A fit to the other groups of values misses {len(found.missed)} of {found.groups} groups.",
    ]
    said += (
        ["No rule counts as decided, whatever its probability: the setting stays."]
        if all(one.verdict != "decided" for one in found.rules)
        else []
    )
    still = [f"Move nothing: {', '.join(found.still)}."] if found.still else []
    return "\n\n".join([" ".join(said), "\n".join(rows), *still])


def times(name: str) -> str:
    """How often a paper's plan measures a value, and what varies."""
    tree = plan(name)
    runs, longer = tree["nudges"], 100 * tree.get("nudge", {}).get("longer", Nudge().longer)
    return "one run" if runs == 1 else f"the mean of {runs} runs with links up to {longer:g} % longer"


def values(papers: Mapping[str, Any], name: str) -> str:
    """The printed values that the setting used misses, beside the verdicts on their claims."""
    found = posterior.load(name)
    if found is None:
        return "No inference was made."
    rows = [
        line(["value", "printed", "used", "nearest reading", "readings within", "its claim"]),
        line(["---"] * 6),
    ]
    missed = [one for one in found.values if one.is_missed]
    for one in missed:
        claim = f"`{one.claim}`: {papers[name]['claims'][one.claim]['verdict']}"
        rows.append(line([escaped(one.name), one.printed, one.used, one.nearest, f"{one.within:,}", claim]))
    total = len(found.values)
    said = f"The setting used has {total - len(missed)} of {total} values, the most probable reading {found.best}."
    apart = f"A value is {times(name)}; its claim is judged by other runs and its own tolerance."
    return "\n\n".join([f"{said} {apart} The setting used misses:", "\n".join(rows)] if missed else [said])


def asked(papers: Mapping[str, Any], name: str) -> str:
    """The open rules whose values would decide most of the claims that are not reproduced."""
    open_ = [
        short
        for short, one in papers[name]["claims"].items()
        if one["standing"] == "evidence" and one["verdict"] != "reproduced" and one["cause"] not in posterior.SETTLED
    ]
    rows = [line(["question: which value of", "would decide"]), line(["---"] * 2)]
    for rule, claims in posterior.questions(name, open_):
        rows.append(line([escaped(rule.name), ", ".join(f"`{short}`" for short in claims)]))
    return "\n".join(rows) if rows[2:] else "No open rule would decide a claim that is not reproduced."


def escaped(text: str) -> str:
    """A text in a table of Markdown."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


TABLES: Mapping[str, Callable[..., str]] = {
    "five": five,
    "later": later,
    "classics": classics,
    "count": count,
    "unreproduced": unreproduced,
    "holds": holds,
    "held": held,
    "calibration": calibration,
    "rules": rules,
    "values": values,
    "asked": asked,
}
_PLACE = re.compile(r"(<!-- verdicts: (\w+)( \w+)? -->\n).*?(<!-- verdicts end -->)", re.DOTALL)
PAGES = (PAGE, *(DATA.with_name(f"{name}.md") for name in FIVE))


def explained(data: Mapping[str, Any]) -> None:
    """Takes the kinds of causes from the ledgers: a search after the run changes no verdict."""
    for name in FIVE:
        for short, claim in data["papers"].get(name, {"claims": {}})["claims"].items():
            cause = load(name).claims[f"{name}.{short}"].cause or Unsearched()
            claim["cause"] = cause.word if claim["verdict"] == "differs" else ""


def written(page: str, data: Mapping[str, Any]) -> str:
    """The page with its tables made from the data."""

    def table(found: re.Match[str]) -> str:
        names = [found[3].strip()] if found[3] else []
        return f"{found[1]}\n{TABLES[found[2]](data['papers'], *names)}\n\n{found[4]}"

    return _PLACE.sub(table, page)


def outdated(data: Mapping[str, Any]) -> list[str]:
    """Claims whose entry has changed since the run that judged them, is new or is gone."""
    said = []
    for name in data["papers"]:
        forms = {claim.short: claim.form for claim in load(name).claims.values()}
        judged = {short: one["form"] for short, one in data["papers"][name]["claims"].items()}
        said += [f"{name}.{short}" for short in forms.keys() | judged.keys() if forms.get(short) != judged.get(short)]
    return sorted(said)


def as_text(data: Mapping[str, Any]) -> str:
    """The data with a claim a line."""
    papers = []
    for name, judged in data["papers"].items():
        claims = ",\n".join(f"   {json.dumps(short)}: {json.dumps(claim)}" for short, claim in judged["claims"].items())
        rest = {key: value for key, value in judged.items() if key != "claims"}
        papers.append(f'  {json.dumps(name)}: {json.dumps(rest)[:-1]}, "claims": {{\n{claims}\n  }}}}')
    return '{\n "papers": {\n' + ",\n".join(papers) + "\n }\n}\n"


def main() -> int:
    """Writes or compares."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("claims", nargs="*", type=Path, metavar="CLAIMS.json")
    options.add_argument(
        "--judge", nargs="+", default=[], metavar="PAPER/CLAIM", help="judge these claims again, with all their seeds"
    )
    options.add_argument("--check", action="store_true", help="write nothing; exit status 1 if something would change")
    given = options.parse_args()
    data: dict[str, Any] = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
    for path in given.claims:
        try:
            data = taken(data, json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, KeyError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 2
    try:
        data = rejudged(data, given.judge) if given.judge else data
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    present(data)
    explained(data)
    pages = {path: path.read_text("utf-8") for path in PAGES}
    stale = outdated(data)
    if stale:
        print(f"judged before their entry changed: {', '.join(stale)}", file=sys.stderr)
    if given.check:
        kept_text = DATA.read_text("utf-8")
        return int(bool(stale) or as_text(data) != kept_text or any(written(p, data) != p for p in pages.values()))
    DATA.write_text(as_text(data), "utf-8")
    for path, page in pages.items():
        path.write_text(written(page, data), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
