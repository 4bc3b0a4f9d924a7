"""Readings of a paper's open rules: which rules move a claim's metric, and which readings have the claim.

    tools/readings.py smartacking fig11.opt fig11.grow

The rules are [free] and [elsewhere] of the paper's plan (``open.toml``). A scenario whose part does not have a rule keeps it as it is. One run a
cell tells which values of a rule move what the claim measures. Readings are the one that is used, each value that moves it, alone, and
joint draws of these values. Each is judged by ten repetitions, and those that have the claim again by ten others. With --screen only values
alone that have it in that one run are judged so: a quick look for a rule that turns the claim, no search. Prints a line of JSON a claim.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from acklab import _core
from acklab.papers import paper
from acklab.papers.open import rules as open_rules
from acklab.reproduce.execute import trace
from acklab.reproduce.experiments import Branches, Effort, Experiment, Failed, Replications, Traces, Warm
from acklab.reproduce.judge import judge
from acklab.reproduce.measure import Measurement, value_of
from acklab.reproduce.nudge import again, single, together
from acklab.reproduce.paper import Paper
from acklab.reproduce.runner import UNREADABLE, Bench
from acklab.reproduce.verdict import REPRODUCED
from acklab.scenario._toml import inline
from acklab.scenario.draws import Draws
from acklab.study.keys import each, look

Rules = Mapping[str, Any]
"""Values by rule, or ``{ of, values }`` where only scenarios that have what ``of`` says have the rule."""
Reading = Mapping[str, Any]
"""Values of rules; a table sets several keys. The others stay as they are."""
REPETITIONS, SHARE = 10, 0.25
"""Of a reading; the probability that a rule of a joint draw takes another value."""


def values(rule: Any) -> Sequence[Any]:
    """Its values."""
    found: Sequence[Any] = rule["values"] if isinstance(rule, Mapping) else rule
    return found


def alone(rules: Rules) -> list[Reading]:
    """Each value alone."""
    return [{rule: value} for rule, its in rules.items() for value in values(its)]


def joint(moving: Sequence[Reading], draws: int, seed: int = 1) -> Iterator[Reading]:
    """Draws of several values."""
    rules: dict[str, list[Any]] = {}
    for reading in moving:
        for rule, value in reading.items():
            rules.setdefault(rule, []).append(value)
    for number in range(draws):
        drawn = Draws(seed, f"reading {number}")
        chance = [(rule, some, drawn.uniform(), drawn.uniform()) for rule, some in rules.items()]
        yield {rule: some[int(which * len(some))] for rule, some, differs, which in chance if differs < SHARE}


def applied(reading: Reading, line: str, rules: Rules) -> str:
    """A scenario under a reading; keys that it cannot have are left out, entry by entry."""
    tree = json.loads(line)
    for rule, value in reading.items():
        of = rules[rule].get("of", {}) if isinstance(rules[rule], Mapping) else {}
        if any(look(tree, key) != wanted for key, wanted in of.items()):
            continue
        for key, new in [(rule, value)] if "." in rule else value.items():
            texts = [f"{one}={inline(new)}" for one in each(tree, key)]
            for some in [texts] if (whole := _set(line, texts)) else [[text] for text in texts]:
                line = whole or _set(line, some) or line
    return line


def different(some: Iterable[Reading]) -> list[Reading]:
    """Each reading once."""
    return list({json.dumps(one): one for one in some}.values())


def _set(line: str, texts: Sequence[str]) -> str:
    """A scenario with keys set; empty where it cannot have one of them."""
    try:
        template = _core.Template(line, file="the paper's scenario")
        template.check(texts)
        return template.lines(texts, [json.loads(line).get("seed", 1)])[0]
    except _core.ScenarioError:
        return ""


def changed(of: Paper, one: Experiment, reading: Reading, rules: Rules, repetition: int, later: int) -> Experiment:
    """An experiment under a reading: as one of its repetitions, or with seeds that are ``later``."""
    if isinstance(one, Traces):
        cells = one.cells
        made: Experiment = replace(
            one, cells=lambda effort: {k: applied(reading, v, rules) for k, v in cells(effort).items()}
        )
    else:
        scenario = one.scenario

        def seeded(cell: Mapping[str, Any]) -> dict[str, Any]:
            return {**cell, "seed": cell["seed"] + later} if "seed" in cell else dict(cell)

        made = replace(one, scenario=lambda **cell: applied(reading, scenario(**seeded(cell)), rules))
        if isinstance(one, Branches):
            warm = one.warm

            def warmed(**cell: Any) -> Warm:
                first = warm(**seeded(cell))
                return Warm((first.key, json.dumps(reading)), first.until_s)

            made = replace(one, scenario=made.scenario, warm=warmed)
    delays = of.unprinted is None or one.name in of.unprinted
    return again(made, repetition + later, delays) if repetition and not isinstance(made, Replications) else made


class Claims:
    """Claims of a paper under readings; a run is made once."""

    def __init__(self, of: Paper, rules: Rules, seeds: int, threads: int) -> None:
        self.of, self.rules, self.threads = of, rules, threads
        self.efforts = {1: Effort(seeds=(1,)), seeds: Effort(seeds=(seeds,))}
        self.benches = {count: Bench(effort, threads) for count, effort in self.efforts.items()}

    def measured(
        self, ids: Iterable[str], reading: Reading, seeds: int, repetition: int = 0, later: int = 0
    ) -> dict[str, Measurement | None]:
        """What claims measure; None where there is nothing to measure."""
        bench, effort = self.benches[seeds], self.efforts[seeds]
        needs = {id: self.of.claims[id].uses for id in ids}
        made = {
            one: changed(self.of, one, reading, self.rules, repetition, later)
            for one in dict.fromkeys(one for several in needs.values() for one in several)
        }
        bench.run([one for one in made.values() if not isinstance(one, Traces)], "readings")
        results = {
            one: trace(dict(new.cells(effort)), new.read, threads=self.threads)
            if isinstance(new, Traces)
            else bench.results([new])[0]
            for one, new in made.items()
        }
        bench.forget(made.values())
        return {id: self._measure(id, [results[one] for one in several]) for id, several in needs.items()}

    def _measure(self, id: str, results: Sequence[Any]) -> Measurement | None:
        if any(isinstance(each, Failed) for each in results):
            return None
        try:
            found = self.of.claims[id].measure(*results)
        except UNREADABLE:
            return None
        return found if isinstance(found, Measurement) else None

    def having(self, ids: Iterable[str], reading: Reading, repetitions: int, later: int = 0) -> set[str]:
        """The claims that a reading has."""
        plain = {id: one for id, one in self.measured(ids, reading, repetitions, 0, later).items() if one}
        nudged = [id for id, one in plain.items() if single(one)]
        again = (
            [self.measured(nudged, reading, repetitions, n, later) for n in range(1, repetitions + 1)] if nudged else []
        )
        found = set()
        for id, one in plain.items():
            several = [each[id] for each in again] if id in nudged else []
            whole = together(one, [each for each in several if each]) if several else one
            if None not in several and judge(self.of.ledger.claims[id], whole).verdict == REPRODUCED:
                found.add(id)
        return found

    def holds(self, id: str, one: Measurement) -> bool:
        """Whether one run has a claim."""
        return judge(self.of.ledger.claims[id], Measurement(means(one.parts))).verdict == REPRODUCED


def means(parts: Any) -> Any:
    """Numbers in place of seeds."""
    return {key: means(one) for key, one in parts.items()} if isinstance(parts, Mapping) else value_of(parts)


def main() -> None:
    """Tries the readings of the claims that are named."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("paper")
    options.add_argument("claims", nargs="+", metavar="CLAIM")
    options.add_argument("--draws", type=int, default=8, metavar="N", help="joint draws (8)")
    options.add_argument("--screen", action="store_true", help="only values alone that have the claim in one run")
    options.add_argument("--threads", type=int, default=1, metavar="N", help="runs at once (1)")
    given = options.parse_args()
    of, rules = paper(given.paper), open_rules(given.paper)
    claims, ids = Claims(of, rules, REPETITIONS, given.threads), [f"{of.id}.{short}" for short in given.claims]
    used = claims.measured(ids, {}, 1)
    moving: dict[str, list[Reading]] = {id: [] for id in ids}
    for reading in alone(rules):
        for id, one in claims.measured(ids, reading, 1).items():
            before = used[id]
            if (one and one.parts) != (before and before.parts):
                moving[id] += [reading] if not given.screen or (one and claims.holds(id, one)) else []
    draws = 0 if given.screen else given.draws
    tried = {id: different([{}, *some, *joint(some, draws)]) for id, some in moving.items()}
    print(json.dumps({id: [len(some), len(tried[id])] for id, some in moving.items()}), flush=True)
    having: dict[str, list[Reading]] = {id: [] for id in ids}
    for reading in different(one for some in tried.values() for one in some):
        wanted = [id for id in ids if reading in tried[id]]
        for id in claims.having(wanted, reading, REPETITIONS):
            sure = id in claims.having([id], reading, REPETITIONS, later=REPETITIONS)
            having[id] += [reading] if sure else []
            print(json.dumps({"claim": id, "has": reading, "confirmed": sure}), flush=True)
    for id in ids:
        moved = sorted({rule for reading in moving[id] for rule in reading})
        told = {"claim": id, "moving": moved, "readings": len(tried[id]), "having": having[id]}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
