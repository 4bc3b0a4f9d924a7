"""Prints the table of docs/captures.md: `python tests/capture/table.py`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from test_round_trips import samples_ms

from captured import REPEATED, RETRANSMISSION, RoundTrips, capture, tcptrace
from scenarios import SCENARIOS


def main() -> None:
    """One row a flow."""
    for name, text in SCENARIOS.items():
        with tempfile.TemporaryDirectory() as directory:
            run = capture(text, Path(directory))
            for flow in run.flows:
                sent = run.sent(flow)
                plain, all_of_them = (
                    sum(any(p[kind] for kind in kinds) for p in sent) for kinds in (RETRANSMISSION, REPEATED)
                )
                told = tcptrace(run.file(run.end_of(flow), "pcap"))[run.port(flow["name"])]
                mine, (clock, _) = RoundTrips.of(run, flow), samples_ms(run, flow)
                cells = (
                    name,
                    flow["name"],
                    flow["retransmits"],
                    plain,
                    all_of_them,
                    told["rexmt_data_pkts_a2b"],
                    f"{len(mine.samples)}, {told['RTT_samples_a2b']}",
                    f"{mine.mean:.1f}, {told['RTT_avg_a2b']}",
                    f"{1e3 * flow['mean_rtt_s']:.2f}, {sum(clock) / len(clock):.2f}",
                )
                print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
