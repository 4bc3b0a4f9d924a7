"""Lines of tc(8) for the queues of a recommended case; tc itself judges that it understands them."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from acklab import _core
from acklab.study.compare import Comparison, compare
from acklab.study.compare_page import plain
from acklab.study.metrics import metric
from acklab.study.reading import Case
from acklab.study.router import tc_line
from acklab.text.input import loads

SCENARIO = """
stop = { at = "8s" }
[[link]]
between = ["S", "R"]
rate = "4Mbps"
delay = "20ms"
queue = { kind = "drop-tail", packets = 100 }
[[flow]]
from = "S"
to = "R"
count = 2
"""

#: Queue of a scenario -> words of tc(8), worked out by hand from the manual pages.
LINES = {
    '{ kind = "drop-tail", packets = 51 }': "pfifo limit 50",
    '{ kind = "drop-tail", waiting = 50 }': "pfifo limit 50",
    '{ kind = "drop-tail", bytes = "64kB" }': "bfifo limit 64000",
    '{ kind = "codel", packets = 1001, target = "2.5ms", ecn = true }': "codel limit 1000 target 2500us interval 100ms ecn",
    '{ kind = "fq-codel", flows = 64 }': "fq_codel limit 10240 flows 64 target 5ms interval 100ms quantum 1514 memory_limit 33554432 ecn",
    '{ kind = "pie", packets = 1001 }': "pie limit 1000 target 15ms tupdate 15ms alpha 2 beta 20 noecn nobytemode",
    '{ kind = "fq-pie" }': "fq_pie limit 10240 target 15ms tupdate 15ms alpha 2 beta 20 noecn nobytemode flows 1024 quantum 1514",
    '{ kind = "dual-pi2" }': "dualpi2 limit 10000 target 15ms tupdate 16ms alpha 0.16 beta 3.2 step_thresh 1ms coupling_factor 2 classic_protection 10%",
    '{ kind = "cake", bandwidth = "19.5Mbps", overhead = 18, mpu = "64B", cells = "atm", tins = "besteffort", rtt = "50ms", ack_filter = "aggressive", memory = "1MB" }':
        "cake bandwidth 19500kbit besteffort triple-isolate rtt 50ms overhead 18 mpu 64 atm ack-filter-aggressive memlimit 1000000",
    '{ kind = "cake", tins = "diffserv4", isolation = "dual-srchost" }': "cake unlimited diffserv4 dual-srchost rtt 100ms no-ack-filter",
    '{ kind = "red", packets = 100, min = 10, max = 30, ecn = true }': "red limit 100000 min 10000 max 30000 avpkt 1000 burst 17 probability 0.1 ecn",
}  # fmt: skip


def expanded(queue: str) -> dict:
    return loads(_core.expanded(SCENARIO, sets=[f"link.0.queue={queue}"]))["link"][0]["queue"]


@pytest.mark.parametrize("queue", LINES)
def test_a_queue_has_the_words_of_the_manual(queue: str) -> None:
    assert tc_line(expanded(queue)).command == f"tc qdisc replace dev DEV root {LINES[queue]}"


@pytest.mark.parametrize("queue", LINES)
def test_tc_understands_them(queue: str) -> None:
    if not shutil.which("tc") or not shutil.which("unshare"):
        pytest.skip("needs tc and unshare")
    command = (tc_line(expanded(queue), "lo").command or "").split()
    done = subprocess.run(["unshare", "-rn", *command], capture_output=True, text=True, timeout=30)
    if "unshare" in done.stderr:
        pytest.skip(done.stderr.strip())
    if 'Unknown qdisc "dualpi2"' in done.stderr:
        pytest.skip("this tc is older than DualPI2")
    # A kernel without this discipline refuses it only after tc has understood every word.
    assert done.returncode == 0 or "qdisc kind is unknown" in done.stderr, done.stderr


def test_an_ack_filter_of_the_paper_has_no_discipline() -> None:
    found = tc_line(expanded('{ kind = "drop-tail", packets = 50, filter = { kind = "static", threshold = 1 } }'))
    assert found.command is None
    assert found.differs == "no queueing discipline of Linux has the ACK filter 'static'"
    near = tc_line(
        expanded(
            '{ kind = "drop-tail", packets = 50, filter = { kind = "cake" }, drop = "longest-front", scheduler = "round-robin" }'
        )
    )
    assert near.command is None, "cake ack-filter is another case, with other results"
    assert 'queue = { kind = "cake", ack_filter = "on" } measures that' in near.differs


def test_docsis_pie_is_a_parameter_of_the_service_flow() -> None:
    found = tc_line(expanded('{ kind = "docsis-pie", buffer = "100kB", target = "15ms" }'))
    assert (
        found.command == "DOCSIS upstream service flow: TLV 24.40.1 = 0 (AQM on), 24.40.2 = 15 (latency target in ms)"
    )
    filtered = tc_line(expanded('{ kind = "docsis-pie", buffer = "100kB", filter = { kind = "cake" } }'))
    assert filtered.command is None and "no encoding for an ACK filter" in filtered.differs
    other = tc_line(expanded('{ kind = "pie", filter = { kind = "cake" } }'))
    assert other.command is None and "together with CAKE's queues" in other.differs
    assert tc_line(expanded('{ kind = "pie", filter = { kind = "static", threshold = 1 } }')).command is None


def told(cases: list[Case], **changes: object):  # type: ignore[no-untyped-def]
    return compare(Comparison(SCENARIO, "two", cases, metrics=[metric("rtt")], seeds=6, spread_starts_s=0.5, **changes))  # type: ignore[arg-type]


def test_each_case_tells_the_queues_that_differ_from_the_first() -> None:
    found = told([Case("long"), Case("codel", ('link.0.queue={ kind = "codel", packets = 101 }',))])
    words = "tc qdisc replace dev DEV root codel limit 100 target 5ms interval 100ms noecn"
    assert found.configure == [("codel", "S->R", words, ""), ("codel", "R->S", words, "")]
    one_way = (
        'link.0.queue={ kind = "codel", packets = 101 }',
        'link.0.back.queue={ kind = "drop-tail", packets = 100 }',
    )
    assert told([Case("long"), Case("short", one_way)]).configure == [("short", "S->R", words, "")]
    assert told([Case("one"), Case("two", ('link.0.delay="40ms"',))]).configure == []


def test_json_and_text_have_the_commands() -> None:
    found = told([Case("long"), Case("codel", ('link.0.queue={ kind = "codel", packets = 101 }',))])
    rows = json.loads(json.dumps(plain(found)))["configure"]
    assert [tuple(row.values()) for row in rows] == list(found.configure)
    assert all(command in found.text for _, _, command, _ in found.configure)
