"""`acklab sweep`: the same numbers as single runs, the same bytes however it was interrupted, and what it leaves behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import polars as pl
import pytest

import acklab
from acklab.study.grammar import StudyError
from front import COMMAND, TWO_HOPS, Acklab, contents

LOSSY = TWO_HOPS.replace("queue = { kind", "loss = { rate = 0.02 }\nqueue = { kind")
PLAN = """\
scenario = "lossy.toml"
seeds = 120
metrics = ["completion", "timeouts@f"]

[vary]
flow.0.sender.window = [4, 8, 16, 32]

[alternatives.recovery]
reno = { "flow.0.sender.recovery" = "reno" }
sack = { "flow.0.sender.recovery" = "sack" }
"""
MORE = {"vary": {"link.1.rate": "1Mbps..2Mbps/3", "flow.0.sender.window": [4, 8, 16, 32]},
        "metrics": ["completion", "timeouts@f", "drops@G->R", "wait: queue-delay@G->R"]}  # fmt: skip
ADAPTIVE = PLAN.replace("seeds = 120", "seeds = { at_least = 5, at_most = 120, half_width = 0.12 }")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """A plan file and its scenario: 8 points, 960 runs."""
    (tmp_path / "lossy.toml").write_text(LOSSY)
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


# ---- numbers ---------------------------------------------------------------------------------------------------------
def test_numbers_are_those_of_single_runs(plan: Path, tmp_path: Path) -> None:
    told = acklab.sweep(plan, **{**MORE, "seeds": 3})
    rows = told.flows.to_dicts()
    assert len(rows) == 24 * 3 and told.runs == 72
    for row in random.Random(1).sample(rows, 12):
        overrides = {"link.1.rate": f"{row['rate_bps']:.0f}bps", "flow.0.sender.window": row["sender_window"],
                     "flow.0.sender.recovery": row["recovery"], "seed": row["seed"]}  # fmt: skip
        one = acklab.run(tmp_path / "lossy.toml", **overrides).summary()["flows"][0]
        assert {key: row[key] for key in one} == one


def test_the_summary_is_of_the_runs(plan: Path) -> None:
    told = acklab.sweep(plan, **{**MORE, "seeds": 6})
    mean = told.flows.group_by("point", maintain_order=True).agg(
        pl.col("completion_s").mean(), pl.col("timeouts").mean()
    )
    summary = told.summary
    for metric, column in (("completion", "completion_s"), ("timeouts of f", "timeouts")):
        part = summary.filter(pl.col("metric") == metric)
        assert part["mean"].to_list() == pytest.approx(mean[column].to_list(), rel=1e-12)
        assert (part["low"] <= part["mean"]).all() and (part["mean"] <= part["high"]).all() and (part["n"] == 6).all()
    assert summary["unit"].unique().sort().to_list() == ["", "ms", "s"]


def test_the_thresholds_of_allmans_queue() -> None:
    """Figure 1 of the paper: nothing is lost from 22 packets up, a timeout from 20 down, and from 8 down slow start loses from
    two windows: it ends earlier, so that fewer are lost though the queue is shorter. With delayed ACKs 21, 19 and 7."""
    plan = Path(__file__).parents[2] / "examples" / "queue.toml"
    told = acklab.sweep(plan).summary
    for acks, expected in (("every", (22, 20, 8)), ("delayed", (21, 19, 7))):
        mine = {name: dict(part.select("queue_packets", "mean").iter_rows())
                for (name,), part in told.filter(pl.col("ACKs") == acks).group_by("metric")}  # fmt: skip
        drops, timeouts = mine["drops of G->R"], mine["timeouts"]
        free = min(queue for queue, lost in drops.items() if lost == 0)
        timeout = max(queue for queue, count in timeouts.items() if count)
        two = max(queue for queue, lost in drops.items() if queue + 1 in drops and lost < drops[queue + 1] and queue < free - 2
                  and drops[queue + 1] - lost > 3)  # fmt: skip
        assert (free, timeout, two) == expected


def test_draws_and_spread_starts_are_in_the_table_and_the_same_at_every_point(two_hops: Path) -> None:
    keys = {"scenario": two_hops, "vary": {"flow.0.sender.window": [4, 8]}, "seeds": 4}
    drawn = acklab.sweep(keys, draw={"flow.0.start": "0s..1s"}).flows
    assert drawn["flow_0_start_s"].to_list() == pytest.approx(drawn["start_s"].to_list(), abs=1e-12)
    assert drawn["start_s"][:4].to_list() == drawn["start_s"][4:].to_list() and drawn["start_s"].n_unique() == 4
    spread = acklab.sweep(keys, spread_starts="500ms").flows
    assert spread["start_s"][:4].to_list() == spread["start_s"][4:].to_list() and 0 < spread["start_s"].max() <= 0.5


def test_seeds_are_added_until_the_interval_is_narrow(plan: Path) -> None:
    plan.write_text(ADAPTIVE)
    told = acklab.sweep(plan).summary.filter(pl.col("metric") == "completion")
    half = (told["high"] - told["low"]) / 2 / told["mean"]
    assert ((half <= 0.12) | (told["n"] == 120)).all() and told["n"].min() < 120 and told["n"].n_unique() > 1


def test_a_run_without_a_value_has_no_mean(two_hops: Path) -> None:
    told = acklab.sweep(scenario=two_hops, vary={"flow.0.size": [{"segments": 3}, {"segments": 6000}]},
                        set={"stop": {"at": "20s"}}, metrics=["completion"], seeds=2).summary  # fmt: skip
    assert told["mean"].is_null().to_list() == [False, True] and told["missing"].to_list() == [0, 2]


def test_columns_are_those_asked_for(two_hops: Path) -> None:
    told = acklab.sweep(scenario=two_hops, vary={"flow.0.sender.window": [4]}, columns=["timeouts", "completion_s"])
    assert told.flows.columns == ["point", "sender_window", "seed", "name", "completion_s", "timeouts"]


# ---- interrupts ------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory):  # noqa: ANN201
    """What uninterrupted sweeps leave behind, by plan."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "lossy.toml").write_text(LOSSY)
    found = {}
    for text in (PLAN, ADAPTIVE):
        (folder / "plan.toml").write_text(text)
        acklab.sweep(folder / "plan.toml", out=folder / "out", threads=1, fresh=True)
        found[text] = contents(folder / "out")
    return found


def test_any_number_of_threads_gives_the_same_bytes(plan: Path, tmp_path: Path, whole: dict) -> None:
    acklab.sweep(plan, out=tmp_path / "out[1]", threads=2)
    assert contents(tmp_path / "out[1]") == whole[PLAN]
    one_thread = {**os.environ, "POLARS_MAX_THREADS": "1"}
    subprocess.run(
        [COMMAND, "sweep", plan, "--out", tmp_path / "one"], env=one_thread, check=True, stdout=subprocess.DEVNULL
    )
    assert contents(tmp_path / "one") == whole[PLAN]


@pytest.mark.parametrize(
    ("kind", "text"), [(signal.SIGINT, PLAN), (signal.SIGKILL, ADAPTIVE)], ids=["fixed", "adaptive"]
)
def test_stopped_anywhere_it_goes_on_to_the_same_bytes(
    plan: Path, tmp_path: Path, whole: dict, kind: signal.Signals, text: str
) -> None:
    plan.write_text(text)
    out, draw = tmp_path / "out", random.Random(f"{kind} {text}")
    command = [COMMAND, "sweep", plan, "--out", out, "--threads", "2"]
    stopped = 0
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        journal, wanted = out / ".acklab" / "runs.jsonl", draw.randint(1, 150_000)
        before = journal.stat().st_size if journal.exists() else 0
        while process.poll() is None and (not journal.exists() or journal.stat().st_size < before + wanted):
            time.sleep(0.002)
        process.send_signal(kind)
        _, said = process.communicate(timeout=60)
        stopped += process.returncode != 0
        if (
            kind == signal.SIGINT and process.returncode and (out / ".acklab").exists()
        ):  # else it came when all was written
            assert process.returncode == 130 and b"the same command goes on" in said and b"Traceback" not in said
    assert stopped
    (out / ".acklab" / "new" / "charts").mkdir(
        parents=True
    )  # what a process leaves that is killed while it writes the tables
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert contents(out) == whole[text]
    assert sorted(os.listdir(tmp_path)) == ["lossy.toml", "out", "plan.toml"] and not (out / ".acklab").exists()


def test_what_is_done_is_not_run_again(plan: Path, tmp_path: Path, acklab_command: Acklab) -> None:
    out = tmp_path / "out"
    acklab.sweep(plan, out=out)
    before = contents(out)
    again = acklab.sweep(plan, out=out)
    assert again.kept == again.runs == 960 and contents(out) == before
    # A line that was cut off, one that is no result, and what a crashed system leaves.
    import gzip

    journal = out / ".acklab" / "runs.jsonl"
    journal.parent.mkdir()
    work = {"verb": "sweep", **json.loads(before["acklab.json"])["work"]}
    (out / ".acklab" / "work.json").write_text(json.dumps(work))

    lines = gzip.decompress(before["runs.jsonl.gz"]).splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[100:300]) + b"\0" * 50 + lines[5] + b"nonsense\n" + lines[7][:-40])
    done = acklab_command("sweep", str(plan), "--out", str(out))
    assert "200 of them done before" in done.stdout and contents(out) == before


def test_another_metric_needs_no_runs(plan: Path, tmp_path: Path) -> None:
    acklab.sweep(plan, out=tmp_path / "out")
    told = acklab.sweep(plan, out=tmp_path / "out", metrics=["rtt"], columns=["mean_rtt_s"], title="RTT")
    assert told.kept == told.runs and told.summary["metric"].unique().to_list() == ["rtt"] and told.title == "RTT"


def test_another_sweep_in_the_directory_is_refused(plan: Path, tmp_path: Path, acklab_command: Acklab) -> None:
    out = tmp_path / "out"
    acklab.sweep(plan, out=out)
    before = contents(out)
    for text, scenario, said in [
        (PLAN.replace("16, 32", "16"), LOSSY, "what is run has changed"),
        (PLAN.replace("120", "121"), LOSSY, "what is run has changed"),
        (PLAN, TWO_HOPS, "the scenario has changed"),
    ]:
        plan.write_text(text)
        (tmp_path / "lossy.toml").write_text(scenario)
        with pytest.raises(StudyError, match=said):
            acklab.sweep(plan, out=out)
        assert contents(out) == before
    done = acklab_command("sweep", str(plan), "--out", str(out))
    assert done.returncode == 2 and "--fresh" in done.stderr and contents(out) == before
    assert acklab_command("sweep", str(plan), "--out", str(out), "--fresh").returncode == 0


def test_another_version_is_refused_and_so_are_two_at_once(plan: Path, tmp_path: Path) -> None:
    import fcntl

    out = tmp_path / "out"
    acklab.sweep(plan, out=out)
    private, identity = out / ".acklab", json.loads((out / "acklab.json").read_text())["work"]
    private.mkdir()
    (private / "work.json").write_text(json.dumps({**identity, "acklab": "0.0.1"}))
    with pytest.raises(StudyError, match=r"begun by acklab 0\.0\.1, this is"):
        acklab.sweep(plan, out=out)
    (private / "work.json").write_text("{")
    with pytest.raises(StudyError, match="another version"):
        acklab.sweep(plan, out=out)
    with (private / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(StudyError, match="in use by another acklab"):
            acklab.sweep(plan, out=out, fresh=True)


# ---- what it leaves and says -----------------------------------------------------------------------------------------
def test_what_is_written(plan: Path, tmp_path: Path) -> None:
    acklab.sweep(plan, out=tmp_path / "out", **{**MORE, "seeds": 2})
    out = tmp_path / "out"
    assert {"flows.csv", "flows.parquet", "summary.csv", "summary.parquet", "sweep.json", "sweep.html", "acklab.json",
            "runs.jsonl.gz"} < set(contents(out))  # fmt: skip
    assert not any(name.startswith(".") or name == "runs.jsonl" for name in contents(out))
    flows = pl.read_parquet(out / "flows.parquet")
    assert flows.columns[:5] == ["point", "rate_bps", "sender_window", "recovery", "seed"]
    assert pl.read_csv(out / "flows.csv", schema=flows.schema).equals(flows)
    assert (
        pl.read_csv(out / "summary.csv")["mean"].to_list() == pl.read_parquet(out / "summary.parquet")["mean"].to_list()
    )
    told = json.loads((out / "sweep.json").read_text())
    assert told["runs"] == 48 and len(told["points"]) == 24
    assert told["points"][0]["at"] == {"rate_bps": 1e6, "sender_window": 4, "recovery": "reno"}
    page = (out / "sweep.html").read_text()
    assert "http://" not in page.replace("http://www.w3.org", "") and "sender window" in page


def test_the_table_is_aligned_and_json_is_all_there_is(plan: Path, acklab_command: Acklab) -> None:
    plan.write_text(PLAN.replace("[vary]", '[vary]\nlink.1.rate = "1Mbps..2Mbps/3"'))
    done = acklab_command("sweep", str(plan), "--seeds", "5")
    assert done.returncode == 0 and not done.stderr, done.stderr
    head, _, rest = done.stdout.partition("\n\n")
    table = rest.splitlines()[:25]
    assert head.splitlines()[:2] == ["two hops", "24 points, 120 runs, 5 seeds a point"]
    assert table[0].split("  ")[0] == "rate (Mb/s)"
    end = table[0].index("completion (s)") + len("completion (s)")
    assert all(line[end - 1] != " " and (len(line) == end or line[end] == " ") for line in table)
    told = json.loads(acklab_command("sweep", str(plan), "--seeds", "5", "--json").stdout)
    assert told["metrics"][0] == {"name": "completion", "quantity": "completion", "where": "*", "unit": "s"}


def test_fewer_than_five_seeds_have_no_interval(plan: Path, acklab_command: Acklab, tmp_path: Path) -> None:
    """Two seeds once gave 83 ± 137 %."""
    done = acklab_command("sweep", str(plan), "--seeds", "2", "--out", str(tmp_path / "out"))
    assert done.returncode == 0 and "±" not in done.stdout
    told = json.loads((tmp_path / "out" / "sweep.json").read_text())
    assert "too-few-seeds" in [fact["kind"] for fact in told["facts"]]
    assert pl.read_parquet(tmp_path / "out" / "summary.parquet")["low"].null_count() == 8 * len(told["metrics"])


def test_a_mean_of_equal_numbers_may_be_rounded() -> None:
    from types import SimpleNamespace

    from acklab.study.sweep_page import alike

    row = {"low": [51.72607708214443], "high": [51.72607708214444], "mean": [51.726077082144435]}
    plan = SimpleNamespace(seeds=SimpleNamespace(most=5))
    assert alike(SimpleNamespace(summary=pl.DataFrame(row), plan=plan))
    assert not alike(SimpleNamespace(summary=pl.DataFrame({**row, "high": [51.727]}), plan=plan))


def test_flags_do_without_a_plan(two_hops: Path, acklab_command: Acklab) -> None:
    done = acklab_command(
        "sweep", str(two_hops), "--vary", "flow.f.sender.window=4,8", "--vary", "link.G->R.rate=1Mbps..2Mbps/3",
        "--case", "every: flow.0.receiver.ack.policy=every", "--case", "delayed: flow.0.receiver.ack.policy=delayed",
        "--set", "link.0.delay=1ms", "--json", "--metric", "rtt",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told["points"]) == 12 and told["points"][-1]["at"] == {
        "sender_window": 8, "rate_bps": 2e6, "case": "delayed"}  # fmt: skip


def test_a_run_that_fails_is_named(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from acklab.engines import journal as batches

    failed = b'{"error":"line 1: the run failed: it broke"}'
    monkeypatch.setattr(batches, "batches", lambda runs, *_: iter([[failed]]) if next(iter(runs)) else None)
    with pytest.raises(
        acklab.RunError, match="flow.0.sender.window=4, recovery=reno, seed 1: the run failed: it broke"
    ):
        acklab.sweep(plan)


def test_the_facts_are_each_metrics_range_and_what_has_no_value(two_hops: Path, tmp_path: Path) -> None:
    swept = acklab.sweep(
        scenario=two_hops,
        vary={"flow.0.size.segments": [60, 1_000_000], "link.1.queue.packets": [4, 90]},
        set={"stop": {"at": "20s"}},
        metrics=["completion", "syns_sent"],
        out=tmp_path / "out",
    )
    told = json.loads((tmp_path / "out" / "sweep.json").read_text())
    facts = {(fact["kind"], fact.get("metric")): fact for fact in told["facts"]}
    values = swept.summary.filter(pl.col("metric") == "completion")["mean"].drop_nulls()
    found = facts["range", "completion"]
    assert (found["least"], found["most"]) == (values.min(), values.max()) and "queue 90" in found["least_at"]
    assert facts["unfinished", "completion"]["points"] == 2, "no value is not the same value"
    assert ("unfinished", "syns_sent") not in facts and facts["range", "syns_sent"]["least"] == 1
    page = (tmp_path / "out" / "sweep.html").read_text()
    assert "0 of 1 finished" in page.replace("\u00a0", " ")
