"""``acklab demo``: Allman's single transfer (1998), a page of it, and a part of the paper.

A sender transfers 200 segments over a T1. The receiver acknowledges every segment or delays its ACKs. The sender
recovers with Reno or with SACK. The queue holds 22, 20 or 8 packets. The command prints the comparison, what it shows
and where the pages are. Nothing here is drawn at random, and one loss more or less decides a completion time. So each transfer
is also made :data:`NUDGES` times with slightly longer links, as ``acklab compare --spread-delays 1%`` does, and every sentence
says what these runs gave.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..text.columns import align
from ..text.counts import counted
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
BYTES = {"flow.0.sender.credit": "ubc"}
SHORT = {"flow.0.receiver.ack": {"policy": "delayed", "timer": "10ms"}}
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
    from ..experiments.compare.plan import seeded
    from ..runs import run_batch

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


HEADS = ["queue", "ACKs", "recovery", "time s", "nudged s", "drops", "retx", "RTOs", "fast", "ACKs sent", "mean queue"]


def longer(one: float, other: float) -> float:
    """How much longer ``one`` is than ``other``, in percent."""
    return 100 * (one / other - 1)


def percent_longer(one: Row, other: Row) -> str:
    """How much longer ``one`` took than ``other``."""
    return f"{longer(one.time_s, other.time_s):.0f} %"


def in_nudged(one: Row, other: Row) -> list[float]:
    """By how much ``one`` took longer than ``other`` in each of the nudged runs, in percent."""
    return [longer(*pair) for pair in zip(one.nudged_s, other.nudged_s, strict=True)]


def what_nudges_give(reno: Row, sack: Row) -> str:
    """What the nudged runs show of Reno's difference to SACK."""
    gaps, counts = in_nudged(reno, sack), (reno.with_timeout, sack.with_timeout)
    if counts == (0, 0) and max(map(abs, gaps)) < 0.5:
        return "In each nudged run they are equal, too."
    chance = "" if set(counts) <= {0, NUDGES} else "Chance decides how much. "
    return (
        f"{chance}In the nudged runs it is {span(gaps)}, {fmean(gaps):.0f} % on average; "
        f"{counts[0]} of Reno's {NUDGES} and {counts[1]} of SACK's have a timeout."
    )


def span(gaps: list[float]) -> str:
    """The least and the greatest of some shares, in percent."""
    return f"{round(min(gaps))} to {round(max(gaps))} %"


def loss_finding(reno: Row, sack: Row) -> str:
    """What the two recoveries made of the losses of one queue and policy."""
    case, nudges = f"Queue {reno.queue}, ACKs {reno.policy}:", what_nudges_give(reno, sack)
    if reno.drops == sack.drops == 0:
        return f"{case} nothing is lost, so Reno and SACK are the same ({reno.time_s:.3f} s). {nudges}"
    lost = f"{reno.drops} dropped" if reno.drops == sack.drops else f"{reno.drops} and {sack.drops} dropped"
    if reno.timeouts == sack.timeouts == 0:
        return f"{case} {lost}; both repair it without a timeout ({reno.time_s:.3f} and {sack.time_s:.3f} s). {nudges}"
    compared = f"Reno takes {percent_longer(reno, sack)} longer ({reno.time_s:.3f} and {sack.time_s:.3f} s). {nudges}"
    if reno.timeouts == sack.timeouts:
        return f"{case} {lost}; both wait for {timeouts(reno)}. {compared}"
    return f"{case} {lost}; Reno waits for {timeouts(reno)}, SACK for {timeouts(sack)}. {compared}"


def timeouts(row: Row) -> str:
    """How many timeouts, in words."""
    return "none" if row.timeouts == 0 else counted(row.timeouts, "timeout")


def findings(rows: dict[tuple[int, str, str], Row]) -> list[str]:
    """A sentence for each thing the table shows, from the numbers in it."""
    sentences = [
        loss_finding(rows[queue, policy, "reno"], rows[queue, policy, "sack"])
        for queue, policy in product(QUEUES, POLICIES)
    ]
    every, delayed = rows[QUEUES[0], "every", "reno"], rows[QUEUES[0], "delayed", "reno"]
    if every.drops == delayed.drops == 0:
        sentences.insert(0, delay_finding(every, delayed))
    return sentences


def delay_finding(every: Row, delayed: Row) -> str:
    """What delayed ACKs cost without losses, and how much is left without each of two causes, and without both."""
    left = [
        f"{longer(transfer(delayed.queue, 'delayed', 'reno', **without).summary()['flows'][0]['completion_s'], every.time_s):.0f} %"
        for without in (BYTES, SHORT, BYTES | SHORT)
    ]
    return (
        f"Without losses, delaying ACKs makes the transfer {percent_longer(delayed, every)} longer. It is {left[0]} if the sender counts bytes "
        f"instead of ACKs, {left[1]} if a lone segment waits 10 ms for its ACK instead of 100 ms, and {left[2]} with both."
    )


def page_sentence(rows: dict[tuple[int, str, str], Row]) -> str:
    """The headline of the page: the difference of the two recoveries, and what nudged runs give."""
    pairs = [
        (rows[REPORTED_QUEUE, policy, "reno"], rows[REPORTED_QUEUE, policy, "sack"]) for policy in ("delayed", "every")
    ]
    found = [percent_longer(*pair) for pair in pairs]
    spans = [span(in_nudged(*pair)) for pair in pairs]
    return (
        f"With delayed ACKs Reno takes {found[0]} longer than SACK ({spans[0]} in {NUDGES} runs with links up to {100 * LONGER:g} % longer), "
        f"with an ACK for every segment {found[1]} ({spans[1]})."
    )


def page_delay(rows: dict[tuple[int, str, str], Row]) -> str:
    """What delaying the ACKs does to each recovery on the page, and in nudged runs."""

    def told(recovery: str) -> str:
        delayed, every = (rows[REPORTED_QUEUE, policy, recovery] for policy in ("delayed", "every"))
        gaps = in_nudged(delayed, every)
        low, high = min(gaps), max(gaps)
        spread = (
            span(gaps)
            if low > 0
            else f"{-low:.0f} % less to {high:.0f} % more"
            if high > 0
            else f"{-high:.0f} to {-low:.0f} % less"
        )
        gap = longer(delayed.time_s, every.time_s)
        return f"{abs(gap):.0f} % {'more' if gap > 0 else 'less'} ({spread} in the {NUDGES} runs)"

    return f"Delaying the ACKs, one for two segments instead of one for each, changes the time to finish: Reno takes {told('reno')}, SACK {told('sack')}."


def page_note(rows: dict[tuple[int, str, str], Row]) -> str:
    """Why the page shows this queue, and what the others would have shown."""

    def slower(queue: int, policy: str) -> str:
        gaps = in_nudged(rows[queue, policy, "reno"], rows[queue, policy, "sack"])
        return f"{sum(gap > 0.05 for gap in gaps)} of {NUDGES}"

    other = QUEUES[1]
    return (
        f"Why a queue of {REPORTED_QUEUE} packets: there Reno is slower than SACK in {slower(REPORTED_QUEUE, 'delayed')} of those runs with delayed ACKs, "
        f"and in {slower(REPORTED_QUEUE, 'every')} with an ACK for every segment. With {other} packets it is slower in {slower(other, 'delayed')} "
        f"and in {slower(other, 'every')}. The terminal's table has all queues."
    )


def act(options: argparse.Namespace) -> int:
    """Runs, prints, and writes the pages."""
    from .. import report
    from . import parser

    cases = list(product(QUEUES, POLICIES, RECOVERIES))
    rows = {case: Row(*case) for case in cases}
    say(f"Allman 1998: one transfer of 200 segments over a T1 (examples/{SCENARIO})\n")
    say("\n".join(align(HEADS, [rows[case].cells for case in cases], names=0)))
    say(HEADS_MEAN.format(NUDGES, 100 * LONGER))
    say("\n" + "\n".join(f"- {sentence}" for sentence in findings(rows)))
    recorded = [transfer(REPORTED_QUEUE, *case, record=True) for case in product(POLICIES, RECOVERIES)]
    title = f"Allman 1998: one transfer of 200 segments over a T1, queue of {REPORTED_QUEUE} packets"
    told = {"title": title, "sentence": page_sentence(rows), "notes": [page_delay(rows), page_note(rows)]}
    page = report.write(recorded, Path(options.out) / "demo", formats=(), **told)
    say(f"\nThe four runs at queue {REPORTED_QUEUE}, packet by packet: {file_name(page)}")
    open_page(options, page)
    papers = Path(options.out) / "papers"
    say(PAPER.format(page=file_name(papers / "index.html")))
    sys.stdout.flush()
    figures = [f"allman1998/{figure}" for figure in FIGURES]
    return reproduce.act(parser(["reproduce"]).parse_args(["reproduce", *figures, "--quick", "--out", str(papers)]))
