"""``acklab demo``: Allman's single transfer (1998), a page of it, and a part of the paper.

A sender transfers 200 segments over a T1. The receiver acknowledges every segment or delays its ACKs. The sender
recovers with Reno or with SACK. The queue holds 22, 20 or 8 packets. The command prints the comparison, what it shows
and where the pages are.
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
REPORTED_QUEUE = 20
BOTTLENECK = 2  # row of G->R among the link directions
#: The paper's figures that take few runs: without its thousands of single transfers.
FIGURES = ("figure-1", "figure-8", "figure-9", "figure-10", "figure-11")
PAPER = """
A part of the paper with fewer seeds: figures 1 and 8 to 11. Some seconds; then its page is {page}.
(acklab reproduce allman1998 runs all of it.) Claims that are not reproduced are listed:"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Run twelve transfers over a T1 and a part of a paper with few seeds, and write their pages."
    demo = add_verb(verbs, "demo", act, about, EXAMPLE)
    demo.add_argument("--out", type=directory, metavar="DIR", default="acklab-out", help="where to write demo/ and papers/ (acklab-out)")
    add_open(demo)


def transfer(queue: int, policy: str, recovery: str, *, record: bool = False) -> Run:
    """One run of the scenario with its queue, ACK policy and recovery replaced."""
    changes: dict[str, Any] = {
        "link.1.queue.packets": queue,
        "flow.0.receiver.ack": POLICIES[policy],
        "flow.0.sender.recovery": recovery,
        "record": {"series": record, "queue": record, "packets": record},
    }
    from ..runs import run as simulate

    run = simulate(example(SCENARIO), **changes)
    run.label = f"{policy}, {recovery}"
    return run


class Row:
    """What one run showed."""

    def __init__(self, queue: int, policy: str, recovery: str) -> None:
        summary = transfer(queue, policy, recovery).summary()
        flow, link = summary["flows"][0], summary["links"][BOTTLENECK]
        self.queue, self.policy, self.recovery = queue, policy, recovery
        self.time_s: float = flow["completion_s"]
        self.drops: int = link["drops"]
        self.timeouts: int = flow["timeouts"]
        self.cells = [
            str(queue),
            policy,
            recovery,
            f"{self.time_s:.3f}",
            f"{flow['bytes'] / self.time_s / 1e3:.1f}",
            str(self.drops),
            str(flow["retransmits"]),
            str(self.timeouts),
            str(flow["fast_retransmits"]),
            str(flow["acks_sent"]),
            f"{link['mean_queue_packets']:.2f}",
        ]


HEADS = ["queue", "ACKs", "recovery", "time s", "kB/s", "drops", "retx", "RTOs", "fast", "ACKs sent", "mean queue"]


def percent_longer(one: Row, other: Row) -> str:
    """How much longer ``one`` took than ``other``."""
    return f"{100 * (one.time_s / other.time_s - 1):.0f} %"


def loss_finding(reno: Row, sack: Row) -> str:
    """What the two recoveries made of the losses of one queue and policy."""
    case = f"Queue {reno.queue}, ACKs {reno.policy}:"
    if reno.drops == sack.drops == 0:
        return f"{case} nothing is lost, so Reno and SACK are the same ({reno.time_s:.3f} s)."
    lost = f"{reno.drops} dropped" if reno.drops == sack.drops else f"{reno.drops} and {sack.drops} dropped"
    if reno.timeouts == sack.timeouts == 0:
        return f"{case} {lost}; both repair it without a timeout ({reno.time_s:.3f} and {sack.time_s:.3f} s)."
    compared = f"Reno takes {percent_longer(reno, sack)} longer ({reno.time_s:.3f} and {sack.time_s:.3f} s)."
    if reno.timeouts == sack.timeouts:
        return f"{case} {lost}; both wait for {timeouts(reno)}. {compared}"
    return f"{case} {lost}; Reno waits for {timeouts(reno)}, SACK for {timeouts(sack)}. {compared}"


def timeouts(row: Row) -> str:
    """How many timeouts, in words."""
    return {0: "none", 1: "one timeout"}.get(row.timeouts, f"{row.timeouts} timeouts")


def findings(rows: dict[tuple[int, str, str], Row]) -> list[str]:
    """A sentence for each thing the table shows, from the numbers in it."""
    sentences = [
        loss_finding(rows[queue, policy, "reno"], rows[queue, policy, "sack"])
        for queue, policy in product(QUEUES, POLICIES)
    ]
    every, delayed = rows[QUEUES[0], "every", "reno"], rows[QUEUES[0], "delayed", "reno"]
    if every.drops == delayed.drops == 0:
        sentences.append(
            f"Without losses, delaying ACKs makes the transfer {percent_longer(delayed, every)} longer: "
            "the sender counts ACKs, so half as many open its window half as fast."
        )
    return sentences


def act(options: argparse.Namespace) -> int:
    """Runs, prints, and writes the pages."""
    from .. import report
    from . import parser

    cases = list(product(QUEUES, POLICIES, RECOVERIES))
    rows = {case: Row(*case) for case in cases}
    say(f"Allman 1998: one transfer of 200 segments over a T1 (examples/{SCENARIO})\n")
    say("\n".join(align(HEADS, [rows[case].cells for case in cases], names=0)))
    say("\n" + "\n".join(f"- {sentence}" for sentence in findings(rows)))
    recorded = [transfer(REPORTED_QUEUE, *case, record=True) for case in product(POLICIES, RECOVERIES)]
    page = report.write(recorded, Path(options.out) / "demo", formats=())
    say(f"\nThe four runs at queue {REPORTED_QUEUE}, packet by packet: {file_name(page)}")
    open_page(options, page)
    papers = Path(options.out) / "papers"
    say(PAPER.format(page=file_name(papers / "index.html")))
    sys.stdout.flush()
    figures = [f"allman1998/{figure}" for figure in FIGURES]
    return reproduce.act(parser(["reproduce"]).parse_args(["reproduce", *figures, "--quick", "--out", str(papers)]))
