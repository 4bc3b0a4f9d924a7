"""802.11 beside ns-2's (ledger divack.m.dcf): means over eight seeds."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "wifi"))

import compare  # noqa: E402


def test_transfer_times_are_ns2s_within_their_confidence_intervals():
    rows = list(compare.table())
    assert len(rows) == 12
    for (wbw, *case), ns2, standard, like in rows:
        for mean, half in (standard, like):
            if float(wbw) > 2e6:
                # The air is the bottleneck: backoffs decide, and eight seeds tell means apart by about 1 %.
                assert abs(mean - ns2[0]) < ns2[1] + half, (wbw, case, ns2, mean, half)
            else:
                # The wire is: all that is left is the way of single frames (ns-2 asks for the address first, by ARP).
                assert 0 < ns2[0] - mean < 0.008, (wbw, case, ns2, mean)
