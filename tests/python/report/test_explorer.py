"""The explorer: its program gives the command's bytes and the report's columns, and what its tour says is in the runs."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import explorer_runs
import numpy as np
import polars as pl
import pytest
from test_report_page import read

import acklab
from acklab import _core, cli
from acklab.plot.runs import Run
from acklab.report import contents, explorer, page
from acklab.text.input import loads

TREE = explorer.contents()
PRESETS = {preset["name"]: preset["text"] for preset in TREE["preset"]}
STEPS = {step["title"]: step for step in TREE["step"]}
ALL = {"series": True, "queue": True, "packets": True}

built = pytest.mark.skipif(bool(explorer_runs.WHY), reason=explorer_runs.WHY)

#: What the charts' tables meet beside the presets: losses on either way, filtered and made ACKs, several flows, repeated
#: transfers, datagrams, equal packets that are lost.
OTHERS = [
    STEPS["An ACK filter"]["scenario"].replace(
        "packets = 100 }\n\n", 'packets = 100, filter = { kind = "cake" } }\n\n'
    ),
    STEPS["Veno"]["scenario"]
    .replace("{ rate = 0.003 }", "{ rate = 0.05 }\nback.loss = { rate = 0.1 }")
    .replace('"20s"', '"6s"'),
    STEPS["Loss"]["scenario"]
    .replace('name = "f"', 'name = "f"\ncount = 3')
    .replace('"rfc"', '"ns2-1998"\nsender.recovery = "tahoe"'),
    """\
stop = { at = "3s" }
link = [{ between = ["S", "R"], rate = "1Mbps", delay = "10ms", queue = { kind = "drop-tail", packets = 5 } }]
flow = [{ from = "S", to = "R", size = { segments = 20 }, repeat = { times = 4, think = "50ms" } },
        { from = "R", to = "S", size = { bytes = "40kB" }, sender = { stack = "linux" } },
        { from = "S", to = "R", source = { kind = "udp", rate = "600kbps", packet = 500 } }]
""",
]


def told(text: str, **sets: Any) -> tuple[_core.RunResult, dict[str, Any], dict[str, Any]]:
    """A run with everything recorded, its only flow, and its link there and back by the keys `there` and `back`."""
    run = acklab.run(text, record=ALL, **sets)
    summary = run.summary()
    return run, summary["flows"][0], dict(zip(("there", "back"), summary["links"][-2:], strict=True))


def pair(title: str) -> list[tuple[Any, dict[str, Any], dict[str, Any]]]:
    step = STEPS[title]
    other = {path: value for path, value in step["other"].items()}
    sets = {path: _value(value) for path, value in other.items()}
    return [told(step["scenario"]), told(step["scenario"], **sets)]


def _value(text: str) -> Any:
    return loads(f"it = {text}")["it"]


def cwnd(run: Any, at_s: float) -> float:
    return pl.DataFrame(run.series).filter(pl.col("time_s") <= at_s)["cwnd_segments"][-1]


def sees(title: str, *words: str) -> None:
    text = " ".join(STEPS[title]["sees"])
    assert not [word for word in words if word not in text], text


def test_slow_start_doubles_the_window_each_round_trip() -> None:
    run, _, links = told(STEPS["Slow start"]["scenario"])
    # The round trip is a little over 200 ms; a window is complete just before the next begins.
    windows = [round(cwnd(run, at)) for at in (0.11, 0.31, 0.51, 0.71, 0.91)][1:]
    sees(
        "Slow start",
        f"starts at {windows[0]} segments",
        ", ".join(map(str, windows)),
        f"{100 * links['there']['utilisation']:.1f} %",
    )


def test_a_full_queue_halves_the_window() -> None:
    run, flow, links = told(STEPS["Loss"]["scenario"])
    assert links["there"]["drops"] > 0 == flow["timeouts"]
    assert "packets = 20 " in STEPS["Loss"]["scenario"]
    series = pl.DataFrame(run.series)
    # What was in flight before the last of the duplicate ACKs, which report segments as arrived.
    before = series.with_columns(before=pl.col("flight_segments").shift(3))
    began = before.filter((pl.col("state") == "recovery") & (pl.col("state").shift(1) != "recovery"))
    assert all(0.4 < cut / flight < 0.55 for cut, flight in began.select("ssthresh_segments", "before").iter_rows())
    sees("Loss", "queue of 20 packets", f"happens {began.height} times", "without a timeout")
    # Between two cuts: segments by which the window grows, in round trips.
    calm = series.filter((pl.col("time_s") > 5) & (pl.col("time_s") < 6))
    trips = 1 / calm["rtt_s"].mean()
    assert (calm["cwnd_segments"][-1] - calm["cwnd_segments"][0]) / trips == pytest.approx(0.5, abs=0.1)


def test_delayed_acks_slow_slow_start() -> None:
    (a, every, _), (b, delayed, _) = pair("Delayed ACKs")
    sees("Delayed ACKs", f"B has sent {delayed['acks_sent']} ACKs and A {every['acks_sent']}")
    sees("Delayed ACKs", f"B's sender has sent {delayed['segments_sent']} segments, A's {every['segments_sent']}")
    sees("Delayed ACKs", f"After 1.1 s it is {cwnd(b, 1.11):.0f} segments with B, and {cwnd(a, 1.11):.0f} with A")
    assert [cwnd(b, at + 0.2) / cwnd(b, at) for at in (0.31, 0.51, 0.71)] == pytest.approx([1.5] * 3, abs=0.05)
    assert [cwnd(a, at + 0.2) / cwnd(a, at) for at in (0.31, 0.51, 0.71)] == pytest.approx([2] * 3, abs=0.01)


def test_stretch_acks_slow_it_more() -> None:
    (a, *_), (b, *_) = pair("Stretch ACKs")
    sees("Stretch ACKs", f"it is {cwnd(b, 1):.0f} segments with B, and {cwnd(a, 1):.0f} with A")
    ack = _value(STEPS["Stretch ACKs"]["other"]["flow.0.receiver.ack"])
    counting, *_ = told(
        STEPS["Stretch ACKs"]["scenario"],
        **{"flow.0.receiver.ack": ack, "flow.0.sender.credit": {"kind": "abc", "limit": 2}},
    )
    sees("Stretch ACKs", f"after one second it is {cwnd(counting, 1):.0f} segments")


def test_an_ack_filter_shortens_the_queue_of_acks() -> None:
    (_, without, a), (_, filtered, _) = pair("An ACK filter")
    assert a["back"]["drops"] == without["acks_dropped"]
    sees("An ACK filter", f"drops {without['acks_dropped']:,} of", f"redundant: {filtered['acks_filtered']:,} of")
    sees("An ACK filter", *(f"{1e3 * flow['mean_rtt_s']:.0f} ms" for flow in (without, filtered)))
    sees(
        "An ACK filter",
        f"{without['goodput_bps'] / 1e6:.1f} Mb/s in A, and {filtered['goodput_bps'] / 1e6:.1f} Mb/s in B",
    )


def test_divided_acks_deceive_a_sender_that_counts_acks() -> None:
    (a, honest, _), (b, divided, _) = pair("The division attack")
    sees("The division attack", f"in {divided['completion_s']:.3f} s instead of {honest['completion_s']:.3f} s")
    assert [cwnd(a, at) for at in (0.15, 0.25, 0.35)] == [2, 4, 8]
    assert [cwnd(b, at) for at in (0.15, 0.25, 0.35)] == [2, 10, 50]
    setting = {"flow.0.receiver.ack": {"policy": "divide", "pieces": 4}, "flow.0.sender.credit": {"kind": "abc"}}
    _, defended, _ = told(STEPS["The division attack"]["scenario"], **setting)
    sees("The division attack", f"in {defended['completion_s']:.3f} s again")


def test_smartacking_sends_fewer_acks_in_that_run() -> None:
    (_, delayed, a), (_, smart, b) = pair("Smartacking")
    sees("Smartacking", f"{smart['acks_sent']:,} ACKs where A sends {delayed['acks_sent']:,}")
    queues = [links["there"]["mean_queue_packets"] for links in (b, a)]
    sees("Smartacking", "{:.1f} packets with B and {:.1f} with A".format(*queues))
    assert abs(smart["goodput_bps"] / delayed["goodput_bps"] - 1) < 0.01


def test_veno_gives_way_less_to_random_loss() -> None:
    (_, reno, a), (_, veno, b) = pair("Veno")
    assert a["there"]["drops"] == b["there"]["drops"] == 0 < a["there"]["lost"]
    sees("Veno", f"{reno['goodput_bps'] / 1e6:.2f} Mb/s with Reno and {veno['goodput_bps'] / 1e6:.2f} Mb/s with Veno")


def texts() -> dict[str, str]:
    steps = {title: step["scenario"] for title, step in STEPS.items()}
    return PRESETS | steps | {f"other {i}": text for i, text in enumerate(OTHERS)}


@pytest.fixture(scope="module")
def answers() -> dict[str, explorer_runs.Answer]:
    named = texts()
    return dict(zip(named, explorer_runs.answers([*named.values()]), strict=True))


@built
def test_the_summary_is_the_commands(answers: dict[str, explorer_runs.Answer]) -> None:
    for name, text in texts().items():
        assert answers[name].status == 0, answers[name].summary
        assert answers[name].summary == _core.Simulation(text).run().json(records=False), name


@built
@pytest.mark.parametrize("name", texts())
def test_the_columns_are_the_reports(answers: dict[str, explorer_runs.Answer], name: str) -> None:
    run = Run.of(acklab.run(texts()[name], record=ALL))
    manifest, blocks = contents.manifest([run], words=False)
    page = [
        f'<script type="application/octet-stream" id="block-{i}">{text}</script>' for i, text in enumerate(blocks.texts)
    ]
    texts_ = [re.sub("<[^>]*>", "", text) for text in page]
    mine = answers[name].charts
    assert [item["flow"] for item in mine["items"]] == [item["flow"] for item in manifest["items"]]
    for got, wanted in zip(mine["items"], manifest["items"], strict=True):
        for key in ("unit", "unit_bytes", "capacity_bps", "end_s"):
            assert got[key] == wanted[key], key
        for kind, depths in wanted["depths"].items():
            assert got["depths"][kind] == pytest.approx(depths)
        for table, about in wanted["tables"].items():
            if about["rows"]:
                same(got["tables"][table], about, texts_, f"{table} of {got['flow']}")
            else:
                assert not len(next(iter(got["tables"].get(table, {"none": []}).values())))
    queues = manifest["runs"][0]["queues"]
    assert [(queue["link"], queue["top"]) for queue in mine["queues"]] == [
        (queue["link"], queue["top"]) for queue in queues
    ]
    for got, wanted in zip(mine["queues"], queues, strict=True):
        same(got["table"], wanted["table"], texts_, wanted["link"])
        same(got["drops"], wanted["drops"], texts_, f"drops on {wanted['link']}")


def same(got: dict[str, np.ndarray], about: dict[str, Any], blocks: list[str], where: str) -> None:
    """The columns are those of a block of the report, as exactly as the report holds them."""
    wanted = read(blocks, about)
    assert got.keys() == wanted.keys(), where
    for column in about["columns"]:
        name, resolution = column["name"], column.get("scale", 0)
        numbers = np.array([np.nan if value is None else value for value in wanted[name]], dtype=float)
        np.testing.assert_allclose(got[name], numbers, rtol=1e-12, atol=1.01 * resolution, err_msg=f"{where}: {name}")


@built
def test_bad_input_is_refused_with_the_commands_message() -> None:
    bad = [
        "",
        "x =",
        'link = "none"',
        PRESETS["T1 of 1998"].replace("1.5Mbps", "1.5Mbyte"),
        "{",
        TREE["step"][0]["scenario"] + "[[flow]]\nfro = 1\n",
    ]
    for text, answer in zip(bad, explorer_runs.answers(bad), strict=True):
        with pytest.raises(acklab.ScenarioError) as refused:
            _core.Simulation(text)
        assert (answer.status, answer.summary) == (2, str(refused.value))


@built
def test_a_run_that_is_too_long_to_draw_ends_with_a_sentence() -> None:
    endless = STEPS["Slow start"]["scenario"].replace('"1s"', '"1000000s"')
    (answer,) = explorer_runs.answers([endless])
    assert answer.status == 1
    assert re.fullmatch(
        r"the page keeps at most 1000000 rows of a run, and this run had more after [\d.]+ s; `acklab run` has no such limit",
        answer.summary,
    )


def test_each_choice_of_the_menus_runs() -> None:
    """Each is a value that the scenario takes, for the link, the receiver and the sender of a preset."""
    text = page.asset("explorer_controls.js")
    found = [value for _, value in re.findall(r"""\["([^"]+)", '((?:\{|")[^']+)'\]""", text)]
    assert len(found) >= 40
    for value in found:
        key = "policy" if "policy" in value else "kind" if "kind" in value else "name"
        keys = {
            "policy": ["flow.0.receiver.ack"],
            "kind": ["link.0.back.queue.filter"]
            if re.search('"(static|delayed)"', value)
            else ["link.0.queue", "link.0.back.queue"],
            "name": ["flow.0.sender.stack"]
            if value.strip('"') in ("rfc", "linux", "quic", "ns2-1998", "ns2-2.35")
            else ["flow.0.sender.control"],
        }[key]
        for one in keys:
            run = _core.Simulation(PRESETS["LTE, 40/4 Mb/s"], sets=[f"{one}={value}", 'stop.at="0.3s"']).run()
            assert json.loads(run.json(records=False))["flows"][0]["segments_acked"] > 0, value


INLINE = """\
stop = { at = "1s" }
[[link]]
loss = { rate = 0.5 }
back = { rate = "1Mbps", queue = { filter = { kind = "cake" }, kind = "drop-tail", packets = 5 } } # rate = 7
rate = "2Mbps" # as before
[[flow]]
receiver = { ack = { policy = "every" } }
"""
PATHS = (
    "stop.at",
    "link.-1.rate",
    "link.0.back.rate",
    "link.-1.back.queue.packets",
    "link.-1.back.queue.filter",
    "flow.0.receiver.ack",
    "flow.0.sender.control",
)


@built
@pytest.mark.parametrize("text", [INLINE, *PRESETS.values()], ids=["inline", *PRESETS])
def test_a_control_changes_one_value_of_the_text(text: str) -> None:
    code = (explorer_runs.ASSETS / "explorer_text.js").read_text(encoding="utf-8")
    work = (
        f"{code.replace('export ', '')}; console.log(JSON.stringify({json.dumps([[text, path] for path in PATHS])}"
        ".map(([text, path]) => [replaced(text, path, '\"new\"'), removed(text, path)])))"
    )
    done = subprocess.run(["node", "-e", work], capture_output=True, text=True, check=True, timeout=60)
    for path, (replaced, removed) in zip(PATHS, json.loads(done.stdout), strict=True):
        assert at(loads(replaced), path) == "new", path
        assert at(loads(removed), path) is None, path
        before, *after = map(loads, (text, replaced, removed))
        for tree in (before, *after):
            at(tree, path, drop=True)
        assert after == [before, before], path


def at(tree: Any, path: str, drop: bool = False) -> Any:
    """What stands there; with ``drop`` it is taken out, with the tables that are empty then."""
    key, _, rest = path.partition(".")
    if isinstance(tree, list):
        return at(tree[int(key)], rest, drop)
    if not rest:
        return tree.pop(key, None) if drop else tree.get(key)
    found = at(tree.get(key, {}), rest, drop)
    if drop and not tree.get(key, 1):
        del tree[key]
    return found


def test_the_command_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(explorer, "carried", lambda: b"program")
    assert cli.main(["explore", "--out", str(tmp_path / "site"), "--no-open"]) == 0
    text = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert text == explorer.page(b"program")
    assert "cHJvZ3JhbQ==" in text and not re.search(r"""(?:src|href)\s*=\s*["'](?!#)""", text)
    monkeypatch.setattr(explorer, "carried", lambda: None)
    monkeypatch.setattr(explorer, "repository", lambda: None)
    assert cli.main(["explore", "--out", str(tmp_path / "none")]) == 1
    assert "make explorer" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
