"""The schema of plans says what the reader reads, and so does the reference."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from acklab.study.axes import DERIVE_KEYS
from acklab.study.sweep import KEYS, from_tree
from acklab.study.sweep_schema import plan_schema
from acklab.text.input import loads
from front import Acklab

ROOT = Path(__file__).parents[2]


def fits(value: Any, kind: Any, whole: Any) -> bool:
    """Whether a value fits a schema, as far as this schema goes."""
    if "$ref" in kind:
        return fits(value, whole["$defs"][kind["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in kind and not any(fits(value, one, whole) for one in kind["anyOf"]):
        return False
    types = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float)}
    wanted = kind.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(isinstance(value, types[one]) for one in wanted):
        return False
    if isinstance(value, dict):
        known, others = kind.get("properties", {}), kind.get("additionalProperties", True)
        if not all(key in value for key in kind.get("required", [])) or len(value) < kind.get("minProperties", 0):
            return False
        for key, entry in value.items():
            below = known.get(key, others)
            if below is False or (isinstance(below, dict) and not fits(entry, below, whole)):
                return False
    if isinstance(value, list):
        return len(value) >= kind.get("minItems", 0) and all(
            fits(entry, kind.get("items", {}), whole) for entry in value
        )
    return value in kind.get("enum", [value])


PLANS = [
    (ROOT / "examples" / "queue.toml").read_text(encoding="utf-8"),
    *re.findall(
        r"```toml\n(# bdp\.toml\n.*?)```", (ROOT / "docs" / "howto" / "sweep.md").read_text(encoding="utf-8"), re.DOTALL
    ),
]


def test_plans_fit_the_schema_and_what_is_none_does_not() -> None:
    whole = plan_schema()
    assert len(PLANS) == 2
    for text in PLANS:
        tree = loads(text)
        assert fits(tree, whole, whole)
        for wrong in (
            {"varry": {}},
            {"seeds": {"until": 3}},
            {"seeds": "x"},
            {"derive": {"a.b": {"times": 1, "x": 2}}},
            {"vary": {"a.b": 4}},
        ):
            assert not fits({**tree, **wrong}, whole, whole), wrong
    del tree["vary"]
    assert not any(all(key in tree for key in one["required"]) for one in whole["anyOf"])


def test_the_schema_and_the_reference_have_every_key() -> None:
    assert list(plan_schema()["properties"]) == list(KEYS)
    text = (ROOT / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`([$\w]+)`", "".join(re.findall(r"^\| (`.*?) \|", text, re.MULTILINE))))
    assert set(KEYS) | set(DERIVE_KEYS) <= told


def test_the_command_prints_it(acklab_command: Acklab) -> None:
    assert json.loads(acklab_command("schema", "--plan").stdout) == plan_schema()


def test_a_plan_holds_its_scenario() -> None:
    tree = loads(
        "[scenario]\nlink = [{ between = ['S', 'R'], rate = '1Mbps', delay = '1ms' }]\n[vary]\nflow.0.start = ['1s']\n"
    )
    assert json.loads(from_tree(tree).scenario)["link"][0]["rate"] == "1Mbps"
