"""``acklab demo``: Allman's single transfer (1998), a page of it, and a part of the paper.

A sender transfers 200 segments over a T1. The receiver acknowledges every segment or delays its ACKs. The sender
recovers with Reno or with SACK. The queue holds 22, 20 or 8 packets. The command prints the comparison and where the pages
are. Nothing here is drawn at random, and one loss more or less decides a completion time. So each transfer is also made
:data:`NUDGES` times with slightly longer links, as ``acklab compare --spread-delays 1%`` does.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..text.columns import align
from ..text.escapes import file_name
from ..text.terminal import say
from ..text.toml import loads
from . import reproduce
from .examples import example
from .options import add_open, add_verb, directory, open_page

if TYPE_CHECKING:
    from ..runs import Run

EXAMPLE = """\
example:
  acklab demo          twelve transfers, a page of four of them, and a paper; pages in acklab-out/demo and acklab-out/papers
  acklab demo --open   the same, and shows the page of the four transfers

exit status: as of acklab reproduce
"""

SCENARIO = "allman1998.toml"
QUEUES = (22, 20, 8)
POLICIES = {"every": {"policy": "every"}, "delayed": {"policy": "delayed", "timer": "100ms"}}
RECOVERIES = ("reno", "sack")
REPORTED_QUEUE = 8
NUDGES = 100  # runs of each transfer with every link longer by a draw of at most LONGER
LONGER = 0.01
BOTTLENECK = 2  # row of G->R among the link directions
#: The paper's figures that take few runs: without its thousands of single transfers.
FIGURES = ("figure-1", "figure-8", "figure-9", "figure-10", "figure-11")
HEADS_MEAN = """
ACKs: an ACK for every segment, or delayed for every second; reno, sack: how the sender repairs losses
nudged: the least and the greatest time of {} runs with each link up to {:g} % longer
retx: segments sent again; RTOs: retransmission timeouts; fast: fast retransmits, after three duplicate ACKs"""
PAPER = """
A part of the paper with fewer seeds: figures 1 and 8 to 11. Some seconds; then its page is {page}.
(acklab reproduce allman1998 runs all of it.) DAASS: delayed ACKs after slow start. UBC: the sender counts the bytes that an ACK covers. LBC: the
same, at most two segments an ACK. The page explains the rest.
"""


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


def transfer(queue: int, policy: str, recovery: str, *, record: bool = False, **more: Any) -> Run:
    """One run of the scenario with its queue, ACK policy and recovery replaced, and what ``more`` names."""
    changes: dict[str, Any] = {
        "link.1.queue.packets": queue,
        "flow.0.receiver.ack": POLICIES[policy],
        "flow.0.sender.recovery": recovery,
        "record": {"series": record, "queue": record, "packets": record},
        **more,
    }
    from ..runs import run as simulate

    run = simulate(example(SCENARIO), **changes)
    run.label = f"{policy}, {recovery}"
    return run


def nudged(run: Run) -> list[dict[str, Any]]:
    """The flow of each of the :data:`NUDGES` runs with longer links; equal numbers have equal links in every case."""
    from ..runs import run_batch
    from ..study.seeds import seeded

    tree = loads(run.scenario_toml())
    made = run_batch([seeded(tree, number, 0.0, LONGER) for number in range(1, NUDGES + 1)])
    return [summary["flows"][0] for summary in made]


class Row:
    """What one run showed."""

    def __init__(self, queue: int, policy: str, recovery: str) -> None:
        run = transfer(queue, policy, recovery)
        summary, others = run.summary(), nudged(run)
        flow, link = summary["flows"][0], summary["links"][BOTTLENECK]
        self.queue, self.policy, self.recovery = queue, policy, recovery
        self.time_s: float = flow["completion_s"]
        self.drops: int = link["drops"]
        self.timeouts: int = flow["timeouts"]
        self.nudged_s: list[float] = [other["completion_s"] for other in others]
        self.with_timeout = sum(other["timeouts"] > 0 for other in others)
        self.cells = [
            str(queue),
            policy,
            recovery,
            f"{self.time_s:.3f}",
            f"{min(self.nudged_s):.3f} to {max(self.nudged_s):.3f}",
            str(self.drops),
            str(flow["retransmits"]),
            str(self.timeouts),
            str(flow["fast_retransmits"]),
            str(flow["acks_sent"]),
            f"{link['mean_queue_packets']:.2f}",
        ]


PAIR_HEADS = ["queue", "ACKs", "Reno longer by", "nudged", "Reno: runs with a timeout", "SACK: runs with a timeout"]
HEADS = ["queue", "ACKs", "recovery", "time s", "nudged s", "drops", "retx", "RTOs", "fast", "ACKs sent", "mean queue"]


def difference(reno: Row, sack: Row) -> list[str]:
    """How much longer Reno took than SACK, alone and in each nudged run, and how many of those have a timeout."""
    gaps = [100 * (one / other - 1) for one, other in zip(reno.nudged_s, sack.nudged_s, strict=True)]
    alone = 100 * (reno.time_s / sack.time_s - 1)
    shares = [f"{row.with_timeout} of {NUDGES}" for row in (reno, sack)]
    return [str(reno.queue), reno.policy, f"{alone:.0f} %", f"{round(min(gaps))} to {round(max(gaps))} %", *shares]


def act(options: argparse.Namespace) -> int:
    """Runs, prints, and writes the pages."""
    from .. import report
    from . import parser

    cases = list(product(QUEUES, POLICIES, RECOVERIES))
    rows = {case: Row(*case) for case in cases}
    say(f"Allman 1998: one transfer of 200 segments over a T1 (examples/{SCENARIO})\n")
    say("\n".join(align(HEADS, [rows[case].cells for case in cases], names=0)))
    say(HEADS_MEAN.format(NUDGES, 100 * LONGER))
    pairs = [(rows[queue, policy, "reno"], rows[queue, policy, "sack"]) for queue, policy in product(QUEUES, POLICIES)]
    say("\n" + "\n".join(align(PAIR_HEADS, [difference(*pair) for pair in pairs], names=2)))
    recorded = [transfer(REPORTED_QUEUE, *case, record=True) for case in product(POLICIES, RECOVERIES)]
    title = f"Allman 1998: one transfer of 200 segments over a T1, queue of {REPORTED_QUEUE} packets"
    page = report.write(recorded, Path(options.out) / "demo", title=title)
    say(f"\nThe four runs at queue {REPORTED_QUEUE}, packet by packet: {file_name(page)}")
    open_page(options, page)
    papers = Path(options.out) / "papers"
    say(PAPER.format(page=file_name(papers / "index.html")))
    sys.stdout.flush()
    figures = [f"allman1998/{figure}" for figure in FIGURES]
    return reproduce.act(parser(["reproduce"]).parse_args(["reproduce", *figures, "--quick", "--out", str(papers)]))
