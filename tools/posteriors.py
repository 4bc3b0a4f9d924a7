"""Keeps what an inference said of a paper's open rules, for its pages: ``posterior.json`` of the paper.

acklab infer veno --out inferred
tools/posteriors.py veno inferred/infer.json
tools/verdicts.py                                 write the tables of the pages
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from acklab.papers.open import claims, inferred
from acklab.reproduce.explanation import Searched
from acklab.reproduce.ledger import load
from acklab.study.infer import PLANS
from acklab.study.keys import worded
from acklab.study.space import Free
from acklab.text.numbers import digits

PAPERS = Path(__file__).resolve().parents[1] / "python" / "acklab" / "papers"


def kept(name: str, told: dict[str, Any]) -> dict[str, Any]:
    """What is kept of an inference."""
    of, plan = claims(name), PLANS.from_tree(inferred(name), name)
    printed, space = {one.name: one for one in plan.values}, plan.space
    decides = {one["name"]: one["decides"] for one in told["open"]}
    parts = {space.column(part): part for part in (*space.frees, *space.parts)}
    rules = []
    for rule in told["rules"]:
        column = rule["name"]
        turned = [] if rule["verdict"] == "decided" else causes(name, parts[column])
        rules.append(
            {
                "name": worded(column),
                "verdict": rule["verdict"],
                "values": [[each["value"], round(each["weight"], 4)] for each in rule["values"]],
                "moves": unique([of[value] for value in rule["moves"]]),
                "decides": unique([*(of[value] for value in decides.get(column, [])), *turned]),
            }
        )
    return {
        "readings": told["readings"],
        "of": told["of"] or 0,
        "effective": round(told["effective"] or 0, 1),
        "runs": told["runs"],
        "best": sum(printed[one["name"]].within(_number(one["winner"])) for one in told["values"]),
        "missed": [group for check in told["checks"] for group in check["missed"]],
        "groups": sum(check["groups"] for check in told["checks"]),
        "rules": rules,
        "values": [
            [
                one["name"],
                of[one["name"]],
                f"{'at ' + one['bound'] + ' ' if one['bound'] else ''}{one['printed']:g} ± {one['tolerance']:g}",
                *(_digits(one[key]) for key in ("baseline", "posterior", "nearest")),
                one["within"],
                not printed[one["name"]].within(_number(one["baseline"])),
            ]
            for one in told["values"]
        ],
        "still": list(map(worded, told["still"])),
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _digits(value: float | None) -> str:
    return "" if value is None else digits(value, 3)


def causes(name: str, part: Any) -> list[str]:
    """The claims that a value of a rule turns, by a search that names the rule: by its name, or by the end of a key."""
    names = {part.name, *(key.rpartition(".")[2] for key in part.keys)}
    values = {str(part.value(one)) for one in part.ends()} if isinstance(part, Free) else set(part.choices)
    if not isinstance(part, Free):
        values |= {str(one) for sets, _ in part.choices.values() for one in sets.values()}
    found = []
    for claim in load(name).claims.values():
        turned = claim.cause.by if isinstance(claim.cause, Searched) else ""
        pairs = [text.partition(" = ") for text in turned.split(", ")]
        if any(rule in names and value in values for rule, _, value in pairs):
            found.append(claim.short)
    return found


def unique(names: list[str]) -> list[str]:
    """Each once."""
    return list(dict.fromkeys(names))


def main() -> None:
    """Keeps one."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("paper")
    options.add_argument("file", type=Path, help="infer.json")
    given = options.parse_args()
    tree = kept(given.paper, json.loads(given.file.read_text("utf-8")))
    lists = [
        f'"{key}": [\n' + ",\n".join(f"  {json.dumps(one, ensure_ascii=False)}" for one in tree.pop(key)) + "\n]"
        for key in ("rules", "values")
    ]
    text = f"{json.dumps(tree, ensure_ascii=False)[:-1]}, {', '.join(lists)}}}\n"
    (PAPERS / given.paper / "posterior.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
