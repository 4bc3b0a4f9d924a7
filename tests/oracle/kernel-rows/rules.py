#!/usr/bin/env python3
"""Rows and patterns that agree when one named rule of the stack `linux` has the standard's value instead.

rules.py    print the table of docs/oracle/kernel-rows.md (about a minute)
"""

import sys
from types import SimpleNamespace

import patterns
import rows

#: A rule, and the standard's value: keys of the sender.
RULES = {
    "all of them": {},
    "`timeout_ssthresh`": {"timeout_ssthresh": "first-of-segment"},
    "`recovery.marks`": {"recovery": {"marks": "at-once"}},
    "`recovery.reordering`": {"recovery": {"reordering": "rfc8985"}},
    "`recovery.search`": {"recovery": {"search": "each-ack"}},
    "`recovery.undo_evidence`": {"recovery": {"undo_evidence": "reduction"}},
    "`recovery.rtt_samples`": {"recovery": {"rtt_samples": "segments"}},
    "`recovery.loss_counts`": {"recovery": {"loss_counts": "unsent"}},
    "`recovery.timeout_cwnd`": {"recovery": {"timeout_cwnd": "one-segment"}},
    "`recovery.probe`": {"recovery": {"probe": "rfc8985"}},
    "`recovery.timer_margin`": {"recovery": {"timer_margin": "0s"}},
    "`recovery.timestamp_unit`": {"recovery": {"timestamp_unit": "0s"}},
    "`recovery.tick`": {"recovery": {"tick": "0s"}},
}


def without(grid, change):
    """The grid with this change in each sender."""

    def scenario(asked):
        found = grid.scenario(asked)
        for flow in found["flow"]:
            sender = flow["sender"]
            for key, value in change.items():
                sender[key] = {**sender.get(key, {}), **value} if isinstance(value, dict) else value
        return found

    return SimpleNamespace(ROWS=grid.ROWS, ASKED=grid.ASKED, scenario=scenario)


def table():
    """The table, line by line."""
    lines = ["| without | rows | patterns |", "|---|---|---|"]
    for name, change in RULES.items():
        agree = [sum(not differ for *_, differ in rows.judged(grid=without(grid, change))) for grid in (rows, patterns)]
        lines.append(f"| {name.replace('all', 'none') if not change else name} | {agree[0]} | {agree[1]} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
    sys.exit()
