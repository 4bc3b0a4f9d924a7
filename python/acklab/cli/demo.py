"""``acklab demo``: Allman's single transfer (1998), what causes its time, a page of it, and a part of the paper.

A sender transfers 200 segments over a T1. The receiver acknowledges every segment or delays its ACKs. The sender
recovers with Reno or with SACK. The queue holds 22, 20 or 8 packets.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..text.columns import align
from ..text.escapes import file_name
from ..text.templates import fact, sentence
from ..text.terminal import say
from . import reproduce
from .examples import example
from .options import add_open, add_verb, directory, open_page

if TYPE_CHECKING:
    from ..runs import Run

EXAMPLE = """\
example:
  acklab demo          twelve transfers, what causes the time of one, a page of four, and a paper; pages in acklab-out
  acklab demo --open   the same, and shows the page of the four transfers

exit status: as of acklab reproduce
"""

SCENARIO = "allman1998.toml"
QUEUES = (22, 20, 8)
POLICIES = {"every": {"policy": "every"}, "delayed": {"policy": "delayed", "timer": "100ms"}}
RECOVERIES = ("reno", "sack")
REPORTED_QUEUE = 8
#: The reported run whose causes are shown, the slowest: the scenario as it is, but for its queue.
ASKED = ("delayed", "reno")
#: The paper's figures that take few runs: without its thousands of single transfers.
FIGURES = ("figure-1", "figure-8", "figure-9", "figure-10", "figure-11")
HEADS = ["queue", "ACKs", "recovery", "time s", "drops", "retx", "RTOs", "fast", "ACKs sent", "mean queue"]


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Run twelve transfers over a T1 and a part of a paper with few seeds, and write their pages."
    demo = add_verb(verbs, "demo", act, about, EXAMPLE)
    demo.add_argument(
        "--out",
        type=directory,
        metavar="DIR",
        default="acklab-out",
        help="where to write demo/ and papers/ (acklab-out)",
    )
    add_open(demo)


def transfer(queue: int, policy: str, recovery: str, *, record: bool = False) -> Run:
    """One run of the scenario with its queue, ACK policy and recovery replaced."""
    from ..runs import run as simulate

    changes: dict[str, Any] = {
        "link.1.queue.packets": queue,
        "flow.0.receiver.ack": POLICIES[policy],
        "flow.0.sender.recovery": recovery,
    }
    run = simulate(example(SCENARIO), record=record or None, **changes)
    run.label = f"{policy}, {recovery}"
    return run


def row(*case: Any) -> list[str]:
    """What one run showed, below :data:`HEADS`."""
    run = transfer(*case)
    flow, link = run["f"], run["G->R"]
    counts = [flow["retransmits"], flow["timeouts"], flow["fast_retransmits"], flow["acks_sent"]]
    return [
        *map(str, case),
        f"{flow['completion_s']:.3f}",
        *map(str, [link["drops"], *counts]),
        f"{link['mean_queue_packets']:.2f}",
    ]


def act(options: argparse.Namespace) -> int:
    """Runs, prints, and writes the pages."""
    from .. import report
    from ..experiments.why import table, why
    from . import parser

    say(f"Allman 1998: one transfer of 200 segments over a T1 (examples/{SCENARIO})\n")
    say("\n".join(align(HEADS, [row(*case) for case in product(QUEUES, POLICIES, RECOVERIES)], names=0)))
    recorded = {case: transfer(REPORTED_QUEUE, *case, record=True) for case in product(POLICIES, RECOVERIES)}
    causes = why(example(SCENARIO), set={"link.1.queue.packets": REPORTED_QUEUE})
    say(f"\n{causes.text}")
    title = f"Allman 1998: one transfer of 200 segments over a T1, queue of {REPORTED_QUEUE} packets"
    shown = table(causes, recorded[ASKED].label).html()
    page = report.write(list(recorded.values()), Path(options.out) / "demo", title=title, causes=shown)
    papers = Path(options.out) / "papers"
    pages = fact("demo-runs", queue=REPORTED_QUEUE, page=file_name(page)), fact("demo-paper", page=file_name(papers / "index.html"))  # fmt: skip
    say("\n{}\n{}\n".format(*map(sentence, pages)))
    open_page(options, page)
    sys.stdout.flush()
    figures = [f"allman1998/{figure}" for figure in FIGURES]
    return reproduce.act(parser(["reproduce"]).parse_args(["reproduce", *figures, "--quick", "--out", str(papers)]))
