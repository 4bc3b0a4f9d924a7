"""One claim of a paper, judged with more seeds than its experiments have: does it decide?

    tools/more_seeds.py veno fig7a 1200            looks at 10 seeds and at 1200, and prints the verdict and its reason

The seeds are 1 to N, so those of the usual run are among them. Where a claim was undecided before, both runs together err with
at most 10 %, not 5 %. The verdicts of ``docs/papers/verdicts.json`` stay those of the usual run.
"""

from __future__ import annotations

import argparse
import sys

from acklab.papers import names, paper
from acklab.reproduce import stopping
from acklab.reproduce.experiments import Effort, Replications
from acklab.reproduce.runner import reproduce


def main() -> int:
    """Judges and prints."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("paper", choices=names())
    options.add_argument("claim", help="its id without the paper's name")
    options.add_argument("seeds", type=int)
    options.add_argument("--threads", type=int, default=None, help="how many runs at once (one a processor)")
    given = options.parse_args()
    of = paper(given.paper)
    id = f"{given.paper}.{given.claim}"
    if id not in of.claims or given.seeds <= stopping.FIRST:
        options.error(f"no claim {id}, or not more than {stopping.FIRST} seeds")
    rounds = (stopping.FIRST, given.seeds)
    Replications.seeds = lambda self, effort: rounds  # type: ignore[method-assign]
    found = reproduce(of, Effort(seeds=rounds), only=lambda figure: False, claims=[id], threads=given.threads)
    (verdict,) = found.verdicts
    print(
        f"{id}: {'undecided' if verdict.undecided else verdict.verdict}, {found.runs:,} runs in {found.seconds:.0f} s"
    )
    print(verdict.why)
    return 0


if __name__ == "__main__":
    sys.exit(main())
