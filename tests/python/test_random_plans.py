"""Random plans and comparisons, sound and mutated: each is accepted or refused in words, never an error of the program."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acklab import ScenarioError
from acklab.cli import main
from acklab.scenario import _toml
from acklab.study.compare import Comparison, compare, from_file
from acklab.study.grammar import StudyError
from acklab.study.runs import SweepRuns
from acklab.study.sweep import Design, from_tree
from acklab.text.input import loads
from front import LONG, TWO_HOPS

PLANS, COMPARISONS, COMMANDS = (90_000, 10_000, 400) if LONG else (1500, 300, 12)

#: Values that some key or other does not expect.
JUNK: tuple[Callable[[random.Random], Any], ...] = (
    lambda draw: draw.choice([0, 1, -1, 2, 7, 10**6, 10**7, 10**9, 2**63, 2**64, -(2**63)]),
    lambda draw: draw.choice([0.0, -0.5, 1e-300, 1e300, float("inf"), float("-inf"), float("nan"), 0.1]),
    lambda draw: draw.choice(["", " ", "\0", "a\0b", "x" * 300, "é", "\n", "=", "[", "..", "1..", "..1", "nan", "-"]),
    lambda draw: draw.choice(["4..8", "8..4", "1..1e9", "1Mbps..2Mbps/3", "1..1000/7 log", "0s..1s", "1..9/0", "1s..2bps"]),
    lambda draw: draw.choice(["flow.0.size", "$x", "$", "link.9.rate", "a.b.c", "flow[0].sender", "seed", "record", "stop"]),
    lambda draw: draw.choice(["completion", "timeouts@f", "nothing", "goodput@", "@", "a: b: c", "x: rtt"]),
    lambda draw: draw.choice([[], {}, [[]], [{}], {"": 1}, {"a": {}}, [1, "a"], ["a", "a"], [None], [True]]),
    lambda draw: draw.choice([True, False, None]),
    lambda draw: draw.choice([{"from": 1, "to": 5, "points": 3}, {"times": [2]}, {"times": []}, {"at_least": 5, "half_width": 0.1}]),
)  # fmt: skip


def plan(draw: random.Random) -> dict[str, Any]:
    """A plan that is mostly sound."""
    found: dict[str, Any] = {
        "scenario": TWO_HOPS,
        "vary": {"flow.0.sender.window": draw.choice([[4, 8], "4..7", {"from": 4, "to": 16, "points": 3}])},
    }
    parts: dict[str, Any] = {
        "title": "random",
        "set": {"link.0.delay": "1ms", "$x": 3},
        "together": [{"link.0.rate": ["2Mbps", "4Mbps"], "link.1.rate": ["1Mbps", "2Mbps"]}],
        "alternatives": {"case": {"a": {"flow.0.receiver.ack.policy": "every"}, "b": {"flow.0.receiver.ack.policy": "delayed"}}},
        "derive": {"link.1.queue.packets": {"times": [0.5, "link.1.rate", "100ms"], "over": [8, 1500], "round": "up",
                                            "at_least": 1, "plus": [1], "unit": draw.choice(["s", "ms"])}},
        "draw": {"flow.0.start": draw.choice(["0s..1s", ["0s", "1s"]])},
        "seeds": draw.choice([3, {"at_least": 5, "at_most": 6, "half_width": 0.1}]),
        "spread_starts": "10ms",
        "metrics": ["completion", "w: queue-delay@G->R"],
        "columns": ["timeouts"],
    }  # fmt: skip
    for key in draw.sample(sorted(parts), draw.randrange(5)):
        found[key] = parts[key]
    return found


def comparison(draw: random.Random) -> dict[str, Any]:
    """The tree of a comparison file that is mostly sound."""
    found: dict[str, Any] = {
        "scenario": "two-hops.toml",
        "case": [{"name": "a"}, {"name": "b", "set": {"flow.0.sender.window": 4}}],
    }
    parts = {"situation": [{"name": "s", "set": {"seed": 3}}, {"name": "t"}], "metrics": ["rtt", "timeouts@f"],
             "seeds": 2, "spread_starts": "10ms", "title": "t"}  # fmt: skip
    return found | {key: parts[key] for key in draw.sample(sorted(parts), draw.randrange(4))}


def places(tree: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of a tree."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in pairs:
        yield (*above, key)
        yield from places(value, (*above, key))


def mutated(tree: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """The tree with a few places changed, removed, renamed or doubled."""
    tree = copy.deepcopy(tree)
    for _ in range(draw.choice([0, 1, 1, 1, 2, 3])):
        found = list(places(tree))
        if not found:
            break
        *above, key = draw.choice(found)
        parent: Any = tree
        for step in above:
            parent = parent[step]
        junk = draw.choice(JUNK)(draw)
        kind = draw.randrange(6)
        if kind == 0:
            del parent[key]
        elif kind == 1 and isinstance(parent, dict):
            parent[draw.choice([str(draw.choice(JUNK[2:6])(draw)), key + "x"])] = parent.pop(key)
        elif kind == 2 and isinstance(parent, list):
            parent.insert(key, copy.deepcopy(parent[key]))
        elif kind == 3:
            parent[key] = [parent[key]]
        else:
            parent[key] = junk
    return tree


def accepted(tree: dict[str, Any]) -> bool:
    """Whether a plan can be run; what a point sets may still be refused by the scenario."""
    try:
        design = Design(from_tree(tree))
        if design.plan.points <= 64:
            design.check()
            design.lines(design.plan.points - 1, [1, 2])
            design.identity()
    except (StudyError, ScenarioError) as error:
        assert str(error) and "Traceback" not in str(error)
        return False
    return True


def test_a_plan_is_accepted_or_refused_in_words() -> None:
    taken = 0
    for number in range(PLANS):
        draw = random.Random(number)
        tree = mutated(plan(draw), draw)
        try:
            taken += accepted(tree)
        except Exception as error:
            raise AssertionError(f"plan {number}: {tree}") from error
    assert PLANS / 10 < taken < PLANS * 9 / 10


def text(tree: dict[str, Any]) -> str | None:
    """A tree as TOML; None where TOML has no such value."""
    try:
        return "".join(
            f"{_toml.inline(key) if not key.isidentifier() else key} = {_toml.inline(value)}\n"
            for key, value in tree.items()
        )
    except (TypeError, ValueError, AttributeError, KeyError):
        return None


def noisy(text: str, draw: random.Random) -> bytes:
    """The text with a few bytes changed, at times."""
    data = bytearray(text.encode())
    for _ in range(draw.choice([0, 0, 1, 3]) if data else 0):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return bytes(data)


def test_a_comparison_is_accepted_or_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "two-hops.toml").write_text(TWO_HOPS)
    path, read = tmp_path / "cases.toml", 0
    for number in range(COMPARISONS):
        draw = random.Random(number)
        given = text(mutated(comparison(draw), draw))
        if given is None:
            continue
        path.write_bytes(noisy(given, draw))
        try:
            told = {"cases": [], **from_file(path)}
            told.pop("scenario", None)
            one = Comparison(scenario=TWO_HOPS, file="two-hops.toml", **told)
            one.check()
            one.trees()
            read += 1
            if one.rule.most <= 3 and number % 10 == 0:
                compare(one)
        except (StudyError, ScenarioError) as error:
            assert str(error)
        except Exception as error:
            raise AssertionError(f"comparison {number}: {given}") from error
    assert read > COMPARISONS / 10


def test_the_command_says_what_is_wrong_and_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two-hops.toml").write_text(TWO_HOPS)
    ended = {0: 0, 1: 0, 2: 0}
    for number in range(COMMANDS):
        draw = random.Random(number)
        is_plan = number % 2
        tree = mutated(plan(draw) if is_plan else comparison(draw), draw)
        if json.dumps(tree, default=str).count("10000") or any(
            isinstance(value, int) and value > 50 for value in tree.values()
        ):
            continue  # too many runs for a test
        if tree.get("scenario") == TWO_HOPS:
            tree["scenario"] = "two-hops.toml"
        given = text(tree)
        if given is None:
            continue
        path, out = tmp_path / f"{number}.toml", tmp_path / f"out-{number}"
        path.write_bytes(noisy(given, draw))
        command = ["sweep", str(path)] if is_plan else ["compare", "--cases", str(path)]
        try:
            status = main([*command, "--out", str(out)])
        except SystemExit as end:
            status = int(end.code or 0)
        _, said = capfd.readouterr()
        ended[status] += 1
        assert "internal error" not in said and "Traceback" not in said, (number, given, said)
        assert bool(said) == bool(status), (number, said)
        if status == 0:
            assert (out / "acklab.json").exists()
        assert not (out / "acklab.json").exists() or not (out / ".acklab").exists()
        assert status == 0 or not out.exists() or os.listdir(out) == [".acklab"], number
    assert ended[0] and ended[2]


@pytest.mark.parametrize("given", ["seeds = 1000001", "seeds = 10000000"])
def test_too_many_seeds_are_refused(tmp_path: Path, given: str) -> None:
    (tmp_path / "cases.toml").write_text(f'{given}\n[[case]]\nname = "a"\n[[case]]\nname = "b"\nset = {{ seed = 1 }}\n')
    with pytest.raises(StudyError, match="seeds = .*from 1 to 1,000,000"):
        Comparison(scenario=TWO_HOPS, file="", **from_file(tmp_path / "cases.toml")).check()
    with pytest.raises(StudyError, match="give a whole number"):
        from_tree({"scenario": TWO_HOPS, "vary": {"flow.0.sender.window": [4, 8]}, **loads(given)})


def test_too_many_runs_are_refused() -> None:
    with pytest.raises(StudyError, match="runs; at most"):
        SweepRuns(
            Design(
                from_tree({"scenario": TWO_HOPS, "vary": {"flow.0.sender.window": "1..100000"}, "seeds": 1_000_000})
            ),
            None,
        )
