"""How many readings of a paper's open rules have a claim: each value of a rule alone, and joint draws.

    tools/readings.py smartacking fig11.opt fig11.grow

The rules are the [free] keys of the paper's plan (``acklab infer``). A scenario whose part does not have a rule keeps it as it is. A reading
is run once a cell, or with --repetitions; the first of those that have a claim are confirmed by ten repetitions. Prints a line of JSON a claim.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from acklab import _core
from acklab.papers import inferred, paper
from acklab.reproduce.execute import trace
from acklab.reproduce.experiments import Effort, Experiment, Failed, Replications, Traces
from acklab.reproduce.judge import judge
from acklab.reproduce.measure import Measurement, value_of
from acklab.reproduce.nudge import again, together
from acklab.reproduce.paper import Paper
from acklab.reproduce.runner import Bench
from acklab.reproduce.verdict import REPRODUCED
from acklab.scenario.draws import Draws

Reading = Mapping[str, Any]
"""Values of rules by key; the others stay as they are."""
REPETITIONS, CONFIRMED, SHARE = 10, 3, 0.25
"""Of a reading; how many of those that have a claim; the probability that a rule of a joint draw takes another value."""
ONCE = Effort(seeds=(1,))


def readings(rules: Mapping[str, Sequence[Any]], draws: int, seed: int = 1) -> Iterator[Reading]:
    """The reading that is used, each value alone, and joint draws."""
    yield {}
    yield from ({rule: value} for rule, values in rules.items() for value in values)
    for number in range(draws):
        drawn = Draws(seed, f"reading {number}")
        chance = [(rule, values, drawn.uniform(), drawn.uniform()) for rule, values in rules.items()]
        yield {rule: values[int(which * len(values))] for rule, values, differs, which in chance if differs < SHARE}


def applied(reading: Reading, line: str) -> str:
    """A scenario under a reading; keys that it cannot have are left out, flow by flow."""
    tree = json.loads(line)
    for key, value in reading.items():
        for place in range(len(tree["flow"])) if "*" in key else (0,):
            text = f"{key.replace('*', str(place), 1)}={json.dumps(value)}"
            try:
                template = _core.Template(line, file="the paper's scenario")
                template.check([text])
                line = template.lines([text], [tree.get("seed", 1)])[0]
            except _core.ScenarioError:
                continue
    return line


def changed(one: Experiment, reading: Reading, repetition: int, delays: bool) -> Experiment:
    """An experiment under a reading, and as one of its repetitions."""
    made: Experiment
    if isinstance(one, Traces):
        cells = one.cells
        made = replace(one, cells=lambda effort: {k: applied(reading, text) for k, text in cells(effort).items()})
    else:
        scenario = one.scenario
        made = replace(one, scenario=lambda **cell: applied(reading, scenario(**cell)))
    return again(made, repetition, delays) if repetition and not isinstance(made, Replications) else made


def measured(of: Paper, id: str, reading: Reading, repetition: int = 0) -> Measurement | None:
    """What a claim measures under a reading; None where there is nothing to measure."""
    results = []
    for need in of.claims[id].uses:
        one = changed(need, reading, repetition, of.unprinted is None or need.name in of.unprinted)
        if isinstance(one, Traces):
            results.append(trace(dict(one.cells(ONCE)), one.read))
        else:
            bench = Bench(ONCE)
            bench.run([one], "readings")
            results += bench.results([one])
    if any(isinstance(each, Failed) for each in results):
        return None
    try:
        found = of.claims[id].measure(*results)
    except (ArithmeticError, IndexError, ValueError):
        return None
    return found if isinstance(found, Measurement) else None


def means(value: Any) -> Any:
    """Numbers in place of seeds."""
    return {key: means(each) for key, each in value.items()} if isinstance(value, Mapping) else value_of(value)


def has(of: Paper, id: str, reading: Reading, repetitions: int = 0) -> bool:
    """Whether a reading has a claim: by one run a cell, or by repetitions."""
    plain, *nudged = (measured(of, id, reading, number) for number in range(repetitions + 1))
    if plain is None or None in nudged:
        return False
    single = Measurement({part: means(value) for part, value in plain.parts.items()})
    found = together(plain, [one for one in nudged if one]) if repetitions else single
    return judge(of.ledger.claims[id], found).verdict == REPRODUCED


def main() -> None:
    """Tries all readings of the claims that are named."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("paper")
    options.add_argument("claims", nargs="+", metavar="CLAIM")
    options.add_argument("--draws", type=int, default=8, metavar="N", help="joint draws (8)")
    options.add_argument(
        "--repetitions", type=int, default=0, metavar="N", help="judge each reading by so many repetitions"
    )
    given = options.parse_args()
    of, plan = paper(given.paper), inferred(given.paper) or {"free": {}}
    tried = list(readings(plan["free"], given.draws))
    having: dict[str, list[int]] = {short: [] for short in given.claims}
    for (number, reading), short in product(enumerate(tried), given.claims):
        if has(of, f"{of.id}.{short}", reading, given.repetitions):
            having[short].append(number)
    for short, numbers in having.items():
        sure = [n for n in numbers[:CONFIRMED] if has(of, f"{of.id}.{short}", tried[n], REPETITIONS)]
        told = {"claim": short, "readings": len(tried), "having": numbers, "confirmed": {n: tried[n] for n in sure}}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
