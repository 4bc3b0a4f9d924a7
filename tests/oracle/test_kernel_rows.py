"""The stack `linux` beside a kernel in virtual time, transfer by transfer (`kernel-rows`); no kernel is needed."""

import importlib.util
import sys
from pathlib import Path

import pytest

import acklab

HERE = Path(__file__).parent / "kernel-rows"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "oracle" / "kernel-rows.md"
#: Rows that agree in every count and within 1 % in time: not fewer.
AGREE = 697
#: Patterns, and event logs that are equal to the last packet.
PATTERNS, LOGS = 266, 15


@pytest.fixture(scope="module")
def page():
    sys.path.insert(0, str(HERE))
    try:
        spec = importlib.util.spec_from_file_location("kernel_rows_page", HERE / "page.py")
        page = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(page)
        yield page
    finally:
        sys.path.remove(str(HERE))


@pytest.mark.parametrize(("name", "least"), [("rows", AGREE), ("patterns", PATTERNS), ("logs", LOGS)])
def test_no_fewer_agree_and_the_page_says_so(page, name, least):
    table = page.parts(getattr(page, name)) if name != "logs" else page.packets()
    assert int(table.split()[0]) >= least
    text = PAGE.read_text()
    assert page.filled(text, {name: table}) == text, "tests/oracle/kernel-rows/page.py --write"


def test_the_page_has_the_twelve_paths_in_virtual_time(page):
    import paths  # beside the fixture's

    text = (PAGE.parent / "kernel.md").read_text()
    for line in paths.lines():
        assert line in text, "tests/oracle/kernel-rows/paths.py"


@pytest.mark.parametrize(("stack", "packets"), [("linux", [60, 52, 1500]), ("rfc", [40, 1500, 1500])])
def test_linux_acknowledges_the_syns_answer_before_data(stack, packets):
    """`tcp_rcv_synsent_state_process` in net/ipv4/tcp_input.c; twenty bytes of options on the SYN (`tcp_syn_options`)."""
    run = acklab.run({
        "stop": {"when": "flows-complete"},
        "record": {"packets": True},
        "link": [{"between": ["S", "R"], "rate": "10Mbps", "delay": "1ms"}],
        "flow": [{"from": "S", "to": "R", "size": {"segments": 5}, "sender": {"stack": stack}}],
    })  # fmt: skip
    import polars

    sent = polars.DataFrame(run.packets).filter((polars.col("event") == "enqueue") & (polars.col("link") == "S->R"))
    assert sent["size_bytes"].to_list()[:3] == packets
