"""The verdicts of whole runs as data, and the tables that are made from them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acklab import _core
from acklab.papers import FIVE, names, paper
from acklab.reproduce.experiments import Experiment, Replications, Sweep, Traces
from acklab.reproduce.ledger import load
from acklab.reproduce.runner import FULL, QUICK
from front import SLOW_PAPERS

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tools"))
import verdicts  # noqa: E402

DATA: dict[str, Any] = json.loads(verdicts.DATA.read_text("utf-8"))


JUDGED = tuple(DATA["papers"])


def test_verdicts_are_of_the_entries_of_today() -> None:
    assert verdicts.outdated(DATA) == []


def test_a_paper_without_a_whole_run_is_named() -> None:
    page = verdicts.PAGE.read_text("utf-8")
    said = [name for told in re.findall(r"Without a whole run: (.*)\.", page) for name in re.findall("`(.*?)`", told)]
    assert sorted(said) == sorted(set(names()) - set(JUDGED))


def test_the_pages_have_the_tables_of_the_data() -> None:
    pages = [path.read_text("utf-8") for path in verdicts.PAGES]
    assert [verdicts.written(page, DATA) for page in pages] == pages
    places = dict.fromkeys(("holds", "held", "unreproduced", "calibration", "rules", "values", "asked"), len(FIVE))
    told = "".join(pages)
    assert {name: told.count(f"<!-- verdicts: {name}") for name in verdicts.TABLES} == {
        name: places.get(name, 1) for name in verdicts.TABLES
    }


def test_the_columns_of_a_line_add_up() -> None:
    for name in JUDGED:
        claims = DATA["papers"][name]["claims"]
        cells = [cell.strip(" *") for cell in verdicts.row(name, claims).strip("|").split("|")]
        assert int(cells[1]) == sum(int(cell or 0) for cell in cells[2:]), name


def small() -> dict[str, Any]:
    """What a whole run of a paper with every claim reproduced says."""
    claims = [
        {
            "id": c.id, "paper": "cake", "verdict": "reproduced", "standing": "evidence", "seeds": 10, "alone": "",
            "cause": None, "form": c.form,
        } for c in load("cake").claims.values()
    ]  # fmt: skip
    return {"quick": False, "counts": {"cake": {}}, "runs": {"cake": 7}, "claims": claims}


def test_a_run_is_taken_whole_or_not_at_all() -> None:
    made = verdicts.taken(DATA, small())
    assert made["papers"]["cake"]["runs"] == 7
    assert {name: made["papers"][name] for name in JUDGED if name != "cake"} == {
        name: DATA["papers"][name] for name in JUDGED if name != "cake"
    }
    assert json.loads(verdicts.as_text(made)) == made
    with pytest.raises(ValueError, match="quick"):
        verdicts.taken(DATA, {**small(), "quick": True})
    with pytest.raises(ValueError, match="no verdict on"):
        verdicts.taken(DATA, {**small(), "claims": small()["claims"][1:]})


def test_some_claims_are_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {
        "papers": {"cake": {"claims": {"gone": {"verdict": "differs"}}}, "veno": DATA["papers"]["veno"]}
    }
    monkeypatch.setattr(verdicts, "reproduce", lambda *_, claims, **__: claims)
    monkeypatch.setattr(
        verdicts, "summary", lambda runs: {"claims": [c for c in small()["claims"] if c["id"] in runs[0]]}
    )
    short = next(claim.short for claim in load("cake").claims.values())
    again = verdicts.rejudged(made, [f"cake/{short}"])
    verdicts.present(again)
    assert {name: list(one["claims"]) for name, one in again["papers"].items()} == {
        "cake": [short], "veno": list(DATA["papers"]["veno"]["claims"])
    }  # fmt: skip
    with pytest.raises(ValueError, match="no such"):
        verdicts.rejudged(made, ["cake/fig0"])


def test_an_entry_that_changed_makes_its_verdict_old() -> None:
    run = small()
    run["claims"][0]["form"] = "0"
    assert verdicts.outdated(verdicts.taken(DATA, run)) == [run["claims"][0]["id"]]


def test_a_page_counts_lists_and_asks_of_what_is_open() -> None:
    one = {"verdict": "reproduced", "standing": "evidence", "seeds": 0, "alone": "", "cause": "", "form": ""}
    wrong = {**one, "verdict": "differs", "cause": "not found"}
    fitted = {**one, "standing": "calibration"}
    papers: dict[str, Any] = {"divack": {"claims": {
        "fig3a": one, "fig7.limit": wrong, "fig6.low": fitted, "fig8.steal": {**fitted, "verdict": "undecided"},
    }}}  # fmt: skip
    assert verdicts.holds(papers, "divack").startswith(
        "2 claims: **1 reproduced**, 1 differ (not found 1), 0 undecided"
    )
    assert verdicts.held(papers, "divack") == "Reproduced: `fig3a`."
    assert verdicts.calibration(papers, "divack").endswith("in no count: 1 reproduced; undecided: `fig8.steal`.")
    assert "would" in verdicts.asked(papers, "divack") and "fig7.limit" not in verdicts.asked(papers, "divack")
    wrong["cause"] = "not searched"
    assert "`fig7.limit`" in verdicts.asked(papers, "divack")


def test_values_that_are_missed_stand_beside_the_verdicts_on_their_claims() -> None:
    rows = verdicts.values(DATA["papers"], "smartacking")
    assert "the mean of 5 runs with links up to 1 % longer" in rows and "| 236 | `fig5a.pct`: reproduced |" in rows


def test_calibration_is_in_no_count() -> None:
    one = {"verdict": "reproduced", "standing": "evidence", "seeds": 0, "alone": "", "cause": "", "form": ""}
    papers: dict[str, Any] = {name: {"claims": {}} for name in FIVE}
    papers["veno"]["claims"] = {"fig6.many": one, "fig3.72": {**one, "standing": "calibration"}}
    assert verdicts.row("veno", papers["veno"]["claims"]).endswith("| 1 | **1** |  |  |  |  |  |")
    assert verdicts.count(papers).splitlines()[-1].endswith("| 1 of 1 |  |  |")


def test_a_file_that_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "claims.json").write_text('{"quick": true}', "utf-8")
    before = verdicts.DATA.read_bytes(), verdicts.PAGE.read_bytes()
    made = subprocess.run(
        [sys.executable, verdicts.__file__, str(tmp_path / "claims.json")], capture_output=True, text=True
    )
    assert made.returncode == 2 and "quick" in made.stderr
    assert before == (verdicts.DATA.read_bytes(), verdicts.PAGE.read_bytes())


def scenarios(one: Experiment, quick: bool) -> list[str]:
    effort = QUICK if quick else FULL
    if isinstance(one, Traces):
        return sorted(one.cells(effort).values())
    assert isinstance(one, Sweep)
    return sorted(one.scenarios(one.chosen(effort)))


@pytest.mark.parametrize("name", SLOW_PAPERS)
def test_a_paper_that_is_not_run_has_scenarios_that_would(name: str) -> None:
    for need in {need.name: need for claim in paper(name).claims.values() for need in claim.uses}.values():
        if isinstance(need, Traces):
            text = next(iter(need.cells(QUICK).values()))
        else:
            assert isinstance(need, Sweep)
            seed = {"seed": (1,)} if isinstance(need, Replications) else {}
            text = next(iter(need.scenarios({**need.chosen(QUICK), **seed})))
        _core.Simulation(text)


@pytest.mark.parametrize("name", JUDGED)
def test_the_quick_run_agrees_where_it_is_the_same_run(name: str, quickly: Any) -> None:
    """Claims without seeds and repetitions whose experiments have as many cells in a quick run."""
    one, whole = paper(name), DATA["papers"][name]["claims"]
    for claim in quickly(name).said["claims"]:
        measured, short = one.claims[claim["id"]], claim["id"].partition(".")[2]
        if one.needs_repetitions(claim["id"]) or any(isinstance(need, Replications) for need in measured.uses):
            continue
        if all(scenarios(need, True) == scenarios(need, False) for need in measured.uses):
            assert verdicts.kept(claim)["verdict"] == whole[short]["verdict"], claim["id"]
