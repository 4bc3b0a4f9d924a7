"""Options of runs between kernels, in real time or virtual."""

from __future__ import annotations

import argparse
import re

#: How late a packet may leave, unless the command line says otherwise; and bytes kept of each captured packet.
LATE, KEPT_BYTES = "1ms", 128
#: The option's name in the parsed command line is a keyword of Python.
FOR = "for_"


def choices(parser: argparse._ActionsContainer) -> None:
    """Adds what may be chosen for kernels, in real time or virtual."""
    parser.add_argument("--for", dest=FOR, metavar="TIME", help="end after this time, such as 6s, whatever `stop` says")
    parser.add_argument(
        "--acks",
        choices=("scenario", "kernel"),
        default="scenario",
        help="who decides when to acknowledge: the scenario's policy (the default), or the kernel's receiver",
    )
    parser.add_argument(
        "--sender",
        choices=("scenario", "kernel"),
        help="whose rules grow the window at an ACK: the scenario's (by an eBPF congestion control where Linux differs), or the "
        "kernel's; default: the scenario's if this kernel accepts them, else the kernel's, with a note",
    )
    parser.add_argument(
        "--control",
        metavar="NAME",
        help="congestion control by the kernel's name, such as bbr, instead of the scenario's",
    )
    parser.add_argument(
        "--beside", action="store_true", help="also simulate the scenario, and print both results side by side"
    )


def of_clock(parser: argparse._ActionsContainer) -> None:
    """Adds what may be chosen where time is real, and the plan of such a run."""
    parser.add_argument(
        "--late",
        type=_time,
        metavar="TIME",
        default=LATE,
        help="with --live: the run is invalid if 1 %% of the packets leave more than this after their due time (1ms)",
    )
    parser.add_argument("--realtime", action="store_true", help="with --live: carry packets under real-time priority")
    parser.add_argument(
        "--dry-run", action="store_true", help="print the plan of the run, and stop; needs no privilege"
    )


def seconds(text: str) -> float:
    """A time such as 1ms."""
    number, unit = re.fullmatch(r"([0-9.]+) *([a-z]+)", text).groups()  # type: ignore[union-attr]
    return float(number) * {"min": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def _time(text: str) -> str:
    if not re.fullmatch(r"[0-9]*\.?[0-9]+ *(s|ms|us|ns|min)", text):
        raise argparse.ArgumentTypeError(f"{text} is no time such as 1ms")
    return text
