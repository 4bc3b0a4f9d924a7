"""Mahimahi's traces: a round trip through the file, and files that are none."""

from __future__ import annotations

import pytest

from acklab import mahimahi


def test_a_trace_survives_the_file(tmp_path):
    file = tmp_path / "trace"
    mahimahi.write(file, [0, 3, 3, 7])
    assert file.read_text() == "0\n3\n3\n7\n"
    trace = mahimahi.read(file)
    mahimahi.write(tmp_path / "copy", trace)
    assert (tmp_path / "copy").read_bytes() == file.read_bytes()


def test_a_constant_rate_has_its_opportunities(tmp_path):
    # 12,000 bits at 5 Mb/s take 2.4 ms.
    mahimahi.write(tmp_path / "trace", rate="5Mbps", seconds=3)
    milliseconds = mahimahi.read(tmp_path / "trace").milliseconds
    assert list(milliseconds[:5]) == [3, 5, 8, 10, 12] and len(milliseconds) == 1250 and milliseconds[-1] == 3000


@pytest.mark.parametrize("text", ["", "0\n", "5\n3\n", "1\nx\n", "-1\n", "1.5\n", "1\n\n2\n", "\0\xff", "9" * 5000])
def test_what_is_no_trace_is_refused(tmp_path, text):
    file = tmp_path / "trace"
    file.write_text(text)
    with pytest.raises(ValueError, match="trace"):
        mahimahi.read(file)
