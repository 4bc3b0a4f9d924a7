"""Marks counted where ACKs are thinned: the page's table is that of the recorded kernels and of today's simulator."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "thinned"))

import thinned  # noqa: E402

PAGE = HERE.parents[1] / "docs" / "howto" / "marks.md"


def test_the_page_has_the_rows_of_kernels_and_simulator() -> None:
    assert "\n".join(thinned.lines("off")) in PAGE.read_text("utf-8")


def test_with_the_option_the_heuristic_changes_nothing() -> None:
    told = {
        kernel: [
            list(row.values())[1:] for row in thinned.read() if (row["kernel"], row["option"]) == (kernel, "always")
        ]
        for kernel in thinned.KERNELS
    }
    assert len(told["since"]) == 9 and told["before"] == told["since"]


def test_the_rule_before_counts_marks_that_no_queue_made() -> None:
    counted = {
        (row["kernel"], row["acks"], row["share"]): (int(row["counted"]), int(row["came"]))
        for row in thinned.read()
        if (row["opens"], row["option"]) == ("sender", "off")
    }
    many, came = counted["before", "1 of 16, blind", "0.01"]
    few, same = counted["since", "1 of 16, blind", "0.01"]
    assert came == same and many > 50 * came and few < 3 * came
