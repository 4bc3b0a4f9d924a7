"""What a fit claims: refusals, ranges that were not tested, what is determined, and the words of an answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import acklab
from acklab.study.fit import FitError, fit
from acklab.study.fit.estimates import passed, share, window
from acklab.study.fit.fit import Fit, _replayed
from acklab.study.fit.held_out import HeldOut
from acklab.study.fit.measure import direction, measure
from acklab.study.fit.page import report
from acklab.study.fit.place import Place, Value
from acklab.study.fit.predict import _lacks, claims, given, what_if
from acklab.study.fit.search import Score, score
from acklab.study.store import StoreError, tables
from front import unexplained

LINUX = Path(__file__).parents[2] / "examples/captures/linux-receiver.pcap"
SCENARIO = """
stop = { when = "flows-complete", at_most = "60s" }
record = { packets = true }
link = [
    { between = ["S", "G"], rate = "1Gbps", delay = "50us" },
    { between = ["G", "H"], rate = "20Mbps", delay = "20ms", queue = { kind = "drop-tail", packets = 120 } },
    { between = ["H", "R"], rate = "1Gbps", delay = "50us" },
]
flow = [{ from = "S", to = "R", sender = { stack = "linux" }, receiver = { stack = "linux" }, FLOW }]
"""


def fit_of(folder: Path, flow: str) -> Fit:
    return fit(acklab.run(SCENARIO.replace("FLOW", flow)).capture("S->G@S", path=folder / "x.pcapng"))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Fit:
    return fit_of(tmp_path_factory.mktemp("trust"), 'size = { bytes = "4MB" }')


def test_a_part_of_a_segment_that_fills_the_window_is_no_write() -> None:
    whole = acklab.analyze(LINUX)
    row = direction(whole)
    data = pl.DataFrame(whole.segments).filter(
        (pl.col("direction") == row["direction"]) & (pl.col("payload_bytes") > 0)
    )
    assert data["payload_bytes"].n_unique() > 2, "parts of segments within the data"
    told = measure(whole, row)
    assert not told.writes and told.values["application"].value == "always sends"
    most = told.values["window"]
    assert not most.determined and most.low < 0.5 * most.high, "it limits, and varies"


def test_a_fit_that_misses_the_acks_of_the_second_half_predicts_nothing(found: Fit) -> None:
    assert not found.bad
    for acks, refused in ((0.45, False), (0.6, True), (-0.6, True)):
        other = replace(found, held_out=HeldOut(Score(0.01, 0.0, acks), -0.1, 0.1, [], [], 0.0, []))
        assert bool(other.bad) == refused, acks
    assert other.bad is not None and other.bad.kind == "bad-half-acks"
    with pytest.raises(FitError, match=r"the second half's number of ACKs differs by .*\. A longer transfer"):
        what_if(other, ["link.0.rate=1Mbps"])


def test_a_model_needs_the_limit_of_the_capture() -> None:
    def row(window: float, sender: float = 0.0, application: float = 0.0) -> dict[str, Any]:
        return {
            "window_limited_s": window,
            "sender_window_limited_s": sender,
            "application_limited_s": application,
            "limits_s": 1.0,
        }

    assert not _lacks(row(0.6), row(0.35)) and not _lacks(row(0.4), row(0.0)), "half as long; no main limit"
    lacks = _lacks(row(0.0, 0.0, 0.9), row(0.9))
    assert lacks is not None and lacks.values == {"limit": "the application", "captured": 0.9, "simulated": 0.0}


def test_only_the_question_that_was_tested_has_a_claim(found: Fit) -> None:
    queue = ["link.0.queue={kind='fq-codel'}"]
    rates = (1e6, 2e6)

    def kinds(of: Fit, sets: list[str]) -> list[str]:
        return [one.kind for one in claims(of, sets, rates)]

    assert kinds(found, queue) == ["claim"]
    for sets in (["link.0.rate=1Mbps"], [*queue, "link.0.rate=1Mbps"], ["link.0.queue.packets=9"]):
        assert kinds(found, sets) == ["claim-question"]
    unknown = replace(
        found, values=[replace(one, determined=False) if one.name == "rate" else one for one in found.values]
    )
    assert kinds(unknown, queue) == ["claim-rate"]
    held = replace(found, held_out=HeldOut(Score(0.01, 0.0, 0.0), 0.1, 0.2, [], [], 0.0, []))
    assert kinds(held, queue) == ["claim-half"]
    other = what_if(unknown, ["flow.0.receiver.ack={policy='every'}"])
    assert [one.kind for one in other.claims] == ["claim-question", "claim-rate"]
    assert other.claims[1].values["low"] <= other.claims[1].values["high"]
    assert not unexplained(report(found, other).text())
    feet = [[foot.kind for foot in report(found, one).tables[0].feet] for one in (other, replace(other, near_s=0.02))]
    assert feet[0] == ["draws"] and feet[1] == ["draws", "away"], "captured at the sender, or further away"


def test_a_model_that_loses_more_than_was_fitted_predicts_nothing(found: Fit) -> None:
    assert what_if(found, ["flow.0.receiver.ack=every"]).draws
    few = [replace(one, low=None, high=1e-4) if one.name == "loss" else one for one in found.values]
    with pytest.raises(FitError, match=r"interval of loss: .*%, fitted: at most 0\.0100"):
        what_if(replace(found, values=few), ["flow.0.receiver.ack=every"])


def test_round_trips_that_were_not_compared_are_not_told(found: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    every = ["flow.0.receiver.ack={policy='every'}"]
    assert any(one.name == "mean round trip" for one in what_if(found, every).quantities)
    monkeypatch.setattr(found.search, "waits", lambda tried: None)
    assert found.blind
    assert [one.name for one in what_if(found, every).quantities][:3] == ["completion", "goodput", "ACKs"]


def test_what_a_replayed_write_gives_is_no_evidence(tmp_path: Path, found: Fit) -> None:
    paused = fit_of(tmp_path, 'source = { kind = "listed", writes = [["0s", "300kB"], ["2s", "20kB"]] }')
    assert given(paused) == pytest.approx(2.0, abs=0.05) and not given(found)
    feet = {
        name: [foot.kind for table in report(one).tables for foot in table.feet]
        for name, one in (("paused", paused), ("found", found))
    }
    assert "given" in feet["paused"] and "given" not in feet["found"]


def test_a_capture_near_the_receiver_does_not_show_what_the_sender_has_in_flight() -> None:
    row = {"limits_s": 1.0, "sender_window_limited_s": 0.8, "window_limited_s": 0.0, "max_flight_bytes": 2896}
    acks = pl.DataFrame({"window_bytes": [60_000, 65_000]})
    near, far = (window(row, acks, Place(behind, 0.01, 0.01)) for behind in (False, True))
    assert (near.value, near.determined) == (2896, True) and (far.value, far.determined) == (65_000, False)


def test_a_share_of_losses_is_determined_by_its_interval() -> None:
    row = {"segments": 2776}
    assert share(row, 13, seen=True).determined
    assert not share(row, 4, seen=True).determined, "less than half to more than twice"
    resent = share(row, 13, seen=False)
    assert not resent.determined
    none = share({"segments": 84}, 0, seen=True)
    assert not none.determined and none.low is None and none.high == pytest.approx(0.0437, abs=1e-4)


def test_a_policy_without_quick_acks_is_no_match_for_one_with_them() -> None:
    every = Value("replayed policy", "every 2 segments")
    assert (
        _replayed(every, "delayed", 0.0).determined
        and _replayed(replace(every, value="linux"), "by-phase", 0.1).determined
    )
    assert not _replayed(every, "quick-then-delayed", 0.0).determined
    other = _replayed(every, "delayed", 0.87)
    assert not other.determined


def test_sizes_of_acks_show_what_cancels_in_their_number() -> None:
    def curve(*acks: int) -> pl.DataFrame:
        return pl.DataFrame({"time_s": [0.1 * place for place in range(len(acks))], "ack_bytes": list(acks)})

    one, other = curve(2, 4, 6, 8), curve(1, 2, 3, 8)
    assert score(one, other).acks == 0.0 and score(one, other).sizes == 1.0 and score(one, one).sizes == 0.0
    assert score(one, curve(1, 4, 6, 8)).sizes == pytest.approx(0.5)


def test_a_place_of_a_fit_is_no_dataset_and_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "fit.json").write_text("{}")
    (tmp_path / "fit.html").write_text("")
    with pytest.raises(StoreError, match="no Parquet file; it has the page .*fit.html"):
        tables(tmp_path)


def test_the_rate_is_at_least_what_all_data_had() -> None:
    # No two packets are a window apart, so that no round trip shows a rate: 29 packets passed in 40 ms.
    data = pl.DataFrame({"time_s": [0.02 * (number // 10) for number in range(30)], "payload_bytes": [1000] * 30})
    assert passed(
        data, pl.DataFrame({"plain": []}, schema={"plain": pl.Boolean}), 1.0, 0.0199, behind=True
    ) == pytest.approx(29_000 * 8 / 0.04)
