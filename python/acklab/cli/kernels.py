"""Options of runs between kernels, in real time or virtual."""

from __future__ import annotations

import argparse

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
        "--control", metavar="NAME", help="congestion control by the kernel's name, such as bbr, instead of the scenario's"
    )
    parser.add_argument("--beside", action="store_true", help="also simulate the scenario, and print both results side by side")
