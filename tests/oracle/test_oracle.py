"""acklab against ns-2: the committed results, the event logs, fresh experiments, and the judge itself."""

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import boot_order  # noqa: E402
import check  # noqa: E402
import formats  # noqa: E402
import mrg32k3a  # noqa: E402
import ns2  # noqa: E402
import random_ns2  # noqa: E402
import telnet_pauses  # noqa: E402
import traces  # noqa: E402
import values  # noqa: E402
from engine import run_batch  # noqa: E402
from experiments import AckFilter  # noqa: E402

DATA = HERE / "data"
# file: (format, rows in it, rows that can be judged at least: TCP/Linux cannot)
FILES = {
    "a_single_flow.csv": ("single", 193, 193),
    "b_smartacking.csv": ("dumbbell", 46, 46),
    "c_veno200_runs.csv": ("veno", 120, 60),
    "c_veno_runs.csv": ("veno", 180, 80),
    "d_ackfilter.csv": ("ackfilter", 62, 62),
    "e_divack_runs.csv": ("divack", 32, 32),
    "f_many.csv": ("dumbbell", 7, 7),
    "g_compete_runs.csv": ("compete", 224, 224),
    "h_mechanisms.csv": ("mechanisms", 2307, 2307),
    "i_asym.csv": ("asymmetry", 240, 240),
    "s_allman_sweep.csv": ("sweep", 5526, 5526),
    "u_onoff_udp.csv": ("on-off UDP", 38, 38),
}
# lines whose result hangs on the six digits in which the hook reads cwnd from ns-2 (scripts/hook.tcl)
KNOWN = {
    "h_mechanisms.csv": {431, 432},
}
VALIDATION = (HERE.parents[1] / "docs" / "validation.md").read_text("utf-8")
needs_ns = pytest.mark.skipif(not ns2.installed(), reason="ns-2 is not installed")


# ---- acklab ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", FILES)
def test_acklab_agrees_with_ns2(name):
    said = []
    rows, agree, differ = check.check(DATA / name, say=said.append)
    known = KNOWN.get(name, set())
    lines = {int(line) for line in re.findall(rf"{name}:(\d+)\b.*: expected", "\n".join(said))}
    assert lines == known and differ == len(known), "\n".join(said[:20] + said[-1:])
    assert agree + differ == rows >= FILES[name][2], "\n".join(said)
    counts = f"{rows} | {agree} | {differ} | {FILES[name][1] - rows}"
    assert re.search(rf"^\| `{name}` \|[^|]+\| {re.escape(counts)} \|$", VALIDATION, re.MULTILINE), counts


def test_acklab_agrees_with_ns3():
    command = [sys.executable, HERE / "ns3" / "compare.py", Path(sys.executable).with_name("acklab")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout  # differences that exceptions.toml does not explain
    cases, agree, _ = re.findall(r"\d+", done.stdout.strip().split("\n")[-1])
    assert f"**{agree} of {cases} agree.**" in VALIDATION


def test_event_logs_agree_to_the_last_bit():
    said = []
    logs, agree, _ = traces.check(DATA / "a_single_flow.csv", DATA / "traces", say=said.append)
    assert logs == agree == 12, "\n".join(said)


@pytest.mark.parametrize("kind, log", [("none", "d_acks_nofilter.txt"), ("all", "d_acks_filter_delta1.txt")])
def test_acks_on_the_slow_way_back(kind, log):
    scenario = AckFilter.scenarios({"filter": kind})[0]
    outcome = next(run_batch([{**scenario, "record": {"packets": True}}]))
    got = [
        "%.12f %d" % (p["time_s"], p["ack"] - 1)
        for p in outcome["packets"]
        if (p["link"], p["event"], p["kind"]) == ("D->S", "deliver", "ack")
    ]
    assert got == (DATA / log).read_text().splitlines()


@pytest.mark.parametrize("name", [name for name in FILES if name[0] in "abdfs"])
def test_results_do_not_depend_on_the_result_columns(name, tmp_path):
    def filled(path):
        out = io.StringIO()
        check.fill(path, out)
        return out.getvalue()

    blank = tmp_path / name
    blank_results(DATA / name, blank)
    assert filled(DATA / name) == filled(blank)


@needs_ns
def test_fresh_experiments(capsys, tmp_path):
    seed = os.environ.get("ORACLE_SEED", "1998")
    status = random_ns2.main(["--count", os.environ.get("ORACLE_COUNT", "40"), "--seed", seed, "--out", str(tmp_path)])
    assert status == 0, capsys.readouterr().out


# ---- the judge -------------------------------------------------------------------------------------------------------------
def blank_results(path, to):
    fmt, header, rows = formats.read(path)
    with open(to, "w", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows({c: "" if fmt.is_result(c) else row[c] for c in header} for row in rows)


def echo(rows):
    """A stand-in for acklab that answers what a sweep file's rows say."""

    def answer(row):
        unread = (
            "segments_acked",
            "segments_sent",
            "window_cuts",
            "acks_received",
            "cwnd_segments",
            "ssthresh_segments",
        )
        f = dict.fromkeys(unread, 0)
        f |= {
            "completed": row["status"] == "done",
            "first_data_s": 0.0,
            "last_data_s": float(row["last_data_time_s"] or 0),
        }
        f |= {"retransmits": int(row["rexmits"]), "timeouts": int(row["rtos"])}
        queue = {"from": "G", "to": "R", "drops": int(row["drops"]), "mean_queue_packets": 0.0}
        return {"end_s": float(row["completion_time_s"]), "flows": [f], "links": [queue]}

    def run(scenarios):
        assert len(list(scenarios)) == len(rows)
        return map(answer, rows)

    return run


@pytest.fixture
def sweep(tmp_path):
    """Ten rows of the sweep, and the file they are in."""
    path = tmp_path / "sweep.csv"
    lines = (DATA / "s_allman_sweep.csv").read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:11]))
    return path, formats.read(path)[2]


def test_the_judge_counts(sweep):
    path, rows = sweep
    said = []
    assert check.check(path, run=echo(rows), say=said.append) == (10, 10, 0)
    assert said == ["10 rows, 10 agree, 0 differ"]


def test_the_judge_names_what_differs(sweep):
    path, rows = sweep
    rows[3]["drops"] = "77"
    rows[5]["completion_time_s"] = repr(float(rows[5]["completion_time_s"]) + 2e-9)
    rows[6]["completion_time_s"] = repr(float(rows[6]["completion_time_s"]) + 5e-10)
    said = []
    assert check.check(path, run=echo(rows), say=said.append) == (10, 8, 2)
    assert said[0].startswith(f"{path}:5: drops: expected ") and said[0].endswith(", got 77")
    assert said[1].startswith(f"{path}:7: completion_time_s: expected ")
    assert said[-1] == "10 rows, 8 agree, 2 differ"


def test_a_scenario_error_is_a_difference(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("filter,segs,ack,interval,status,end\nnone,20,each,,done,1\nall,20,each,,done,1\n")

    def run(scenarios):
        list(scenarios)
        return iter([{"error": "link 0: back.queue: unknown key filter"}] * 2)

    said = []
    assert check.check(path, run=run, say=said.append) == (2, 0, 2)
    assert said[0].endswith("unknown key filter")


def test_a_row_without_results_is_not_an_agreement(tmp_path, sweep):
    path, rows = sweep
    blank = tmp_path / "blank.csv"
    blank_results(path, blank)
    said = []
    assert check.check(blank, run=echo(rows), say=said.append) == (0, 0, 0)
    assert said[0].endswith("10 rows skipped: no result to compare with")


@pytest.mark.parametrize("name", FILES)
def test_formats_are_told_by_their_parameters(name):
    fmt, header, rows = formats.read(DATA / name)
    assert (fmt.name, len(rows)) == FILES[name][:2]
    assert formats.detect([c for c in header if not fmt.is_result(c)]) is fmt
    assert formats.detect(["a", "b"]) is None


@pytest.mark.parametrize("text, value", [("5Mb", 5e6), ("1e7", 1e7), ("20e6", 2e7), ("64kb", 64e3), ("1.5M", 1.5e6)])
def test_rates_read_as_in_ns2(text, value):
    assert values.rate(text) == value


@pytest.mark.parametrize(
    "x, text", [(1e7, "10000000"), (0.00189, "0.00189"), (1e-5, "0.00001"), (0.1 * 3, "0.30000000000000004")]
)
def test_numbers_are_said_exactly(x, text):
    assert values.plain(x) == text and float(text) == x


def test_the_generator_is_ns2s():
    printed = [float(x) for x in (DATA / "default_rng_u.txt").read_text().split()]
    assert mrg32k3a.uniforms(1, len(printed)) == printed


def test_agents_are_reset_in_tcls_order():
    for line in (DATA / "dumbbell_boot_order.txt").read_text().splitlines():
        flows, order = (part.split("=")[1] for part in line.split())
        assert boot_order.uniform_index(int(flows)) == [int(i) for i in order.split(",")]


@needs_ns
@pytest.mark.parametrize("name", [n for n in FILES if n[0] not in "eg"])
def test_the_scripts_still_print_the_committed_results(name):
    fmt, _, rows = formats.read(DATA / name)
    for row in rows[:: len(rows) // 3]:
        printed = ns2.results(fmt, row)
        for column, text in printed.items():
            assert not row[column] or check.same(column, row[column], text), (row, column, text)


# ---- telnet ----------------------------------------------------------------------------------------------------------------
def test_the_quantiles_of_telnet_pauses_grow_from_the_least_to_the_longest():
    pauses, shares = zip(*telnet_pauses.known())
    assert list(pauses) == sorted(pauses) and list(shares) == sorted(shares)
    assert shares[0] == 0 and abs(shares[-1] - 1) < 1e-12


@needs_ns
def test_telnet_pauses_are_ns2s():
    """Draws of ns-2 that the table was not made from; two samples of this size differ by less, 999 times of 1000."""
    assert telnet_pauses.distance(telnet_pauses.pauses(5, 20_000)) < 0.016
