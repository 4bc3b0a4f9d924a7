"""``acklab demo``: Allman's single transfer (1998), what causes its time, a page of it, and a figure of a paper on ACK filtering.

A sender transfers 200 segments over a T1, with a queue of 8 packets. The receiver acknowledges every segment or delays its
ACKs. The sender recovers with Reno or with SACK.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..text.templates import fact, sentence
from ..text.terminal import align, file_name, say
from .examples import example
from .options import add_open, add_verb, directory, open_page

if TYPE_CHECKING:
    from ..runs import Run

EXAMPLE = """\
example:
  acklab demo          four transfers, what causes the time of one, a page of two, and a paper's figure; in acklab-out
  acklab demo --open   the same, and shows the page of the two
"""

SCENARIO = "allman1998.toml"
QUEUE: dict[str, Any] = {"link.1.queue.packets": 8}
POLICIES = {"every": {"policy": "every"}, "delayed": {"policy": "delayed", "timer": "100ms"}}
RECOVERIES = ("reno", "sack")
#: The run whose causes are shown, the slowest: the scenario as it is, but for its queue.
ASKED = ("delayed", "reno")
FIGURE = "ackfilter/figure-5"
HEADS = ["ACKs", "recovery", "time s", "drops", "retx", "RTOs", "fast", "ACKs sent", "mean queue"]


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Run four transfers over a T1 and a figure of a paper with few seeds, and write their pages."
    demo = add_verb(verbs, "demo", act, about, EXAMPLE)
    demo.add_argument(
        "--out",
        type=directory,
        metavar="DIR",
        default="acklab-out",
        help="where to write demo/ and papers/ (acklab-out)",
    )
    add_open(demo)


def transfer(policy: str, recovery: str) -> Run:
    """One run of the scenario with QUEUE, an ACK policy and a recovery."""
    from ..runs import run as simulate

    changes: dict[str, Any] = {"flow.0.receiver.ack": POLICIES[policy], "flow.0.sender.recovery": recovery}
    run = simulate(example(SCENARIO), record=True, **QUEUE, **changes)
    run.label = recovery
    return run


def row(case: tuple[str, str], run: Run) -> list[str]:
    """What a run showed, below :data:`HEADS`."""
    flow, link = run["f"], run["G->R"]
    counts = [flow["retransmits"], flow["timeouts"], flow["fast_retransmits"], flow["acks_sent"]]
    return [
        *case,
        f"{flow['completion_s']:.3f}",
        *map(str, [link["drops"], *counts]),
        f"{link['mean_queue_packets']:.2f}",
    ]


def act(options: argparse.Namespace) -> int:
    """Runs, prints, and writes the pages."""
    from .. import report
    from ..reproduce.regenerate import reproduce
    from ..reproduce.report import facts
    from ..study.why import table, why

    runs = {case: transfer(*case) for case in product(POLICIES, RECOVERIES)}
    title = f"Allman 1998: 200 segments over a T1, queue of {QUEUE['link.1.queue.packets']} packets"
    say(f"{title} (examples/{SCENARIO})\n")
    say("\n".join(align(HEADS, [row(*one) for one in runs.items()], names=0)))
    causes = why(example(SCENARIO), set=QUEUE)
    say("\n{}: {}".format(", ".join(ASKED), "\n".join(map(sentence, causes.report().facts))))
    shown = table(causes, runs[ASKED].label).html()
    both = [run for (policy, _), run in runs.items() if policy == ASKED[0]]
    page = report.write(both, Path(options.out) / "demo", title=f"{title}, delayed ACKs", causes=shown)
    open_page(options, page)
    papers = Path(options.out) / "papers"
    (outcome,) = reproduce(FIGURE, quick=True, out=papers).outcomes
    say("\n{}\n{}".format(outcome.paper.title, "\n".join(map(sentence, facts(outcome)))))
    say("\n" + sentence(fact("demo", run=file_name(page), paper=file_name(papers / "index.html"))))
    return 1 if outcome.failed else 0
