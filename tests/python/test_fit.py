"""Fits of scenarios to captures: estimates against drawn truths, the verb, its refusals, hostile captures."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import acklab
from acklab.study.fit import FitError, fit
from acklab.study.fit.estimates import events, lost, writes
from acklab.study.fit.fit import Fit
from acklab.study.fit.held_out import Member, Weights, interval
from acklab.study.fit.measure import direction, elsewhere, measure
from acklab.study.fit.page import foreseen, report
from acklab.study.fit.place import place, waits
from acklab.study.fit.predict import what_if
from acklab.study.fit.receivers import CLOCK, EVEN, MOST, OTHERS, SECOND, Named, Signature, called, compared, name, same
from acklab.study.fit.search import Search
from acklab.text.templates import fact
from front import inside as command

COMMAND = Path(sys.executable).with_name("acklab")
ENDS = {"sender": "S->G@S", "receiver": "H->R@R"}
RATE, TRIP, QUEUE, BYTES = 20e6, 0.0402, 120, 4_000_000


def captured(
    folder: Path, flow: str = f'size = {{ bytes = "{BYTES}B" }}', more: str = "", end: str = "sender", **sets: Any
) -> Path:
    """A capture of a transfer over 20 Mb/s and 40.2 ms, with a queue of 120 packets."""
    run = acklab.run(
        f"""
        stop = {{ when = "flows-complete", at_most = "60s" }}
        record = {{ packets = true }}
        link = [
            {{ between = ["S", "G"], rate = "1Gbps", delay = "50us" }},
            {{ between = ["G", "H"], rate = "20Mbps", delay = "20ms", queue = {{ kind = "drop-tail", packets = {QUEUE} }}{more} }},
            {{ between = ["H", "R"], rate = "1Gbps", delay = "50us" }},
        ]
        flow = [{{ from = "S", to = "R", sender = {{ stack = "linux" }}, receiver = {{ stack = "linux" }}, {flow} }}]
    """,
        **sets,
    )
    return run.capture(ENDS[end], path=folder / f"{end}.pcapng")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Fit]:
    """The same transfer, fitted from either end."""
    folder = tmp_path_factory.mktemp("fitted")
    return {end: fit(captured(folder, end=end)) for end in ENDS}


def values(found: Fit) -> dict[str, Any]:
    return {one.name: one for one in found.values}


@pytest.mark.parametrize("end", ENDS)
def test_a_download_with_losses_in_its_queue_is_found_from_either_end(end: str, fitted: dict[str, Fit]) -> None:
    found = fitted[end]
    told = values(found)
    assert told["rate"].determined and abs(told["rate"].value / RATE - 1) < 0.01
    assert abs(told["round trip"].value / TRIP - 1) < 0.01
    assert told["losses"].value == "by the queue" and abs(told["queue"].value - QUEUE) <= 4
    assert told["sender"].value == "linux cubic" and told["replayed policy"].value == "linux"
    assert found.measured.place.behind == (end == "receiver")
    assert abs(found.model.score.end) < 0.02 and found.model.score.curve < 0.01
    held = found.held_out
    assert held is not None and abs(held.end) < 0.05
    assert held.covered and held.low < 0 < held.high and held.high - held.low < 0.4
    assert not found.bad


def test_near_the_receiver_no_queue_is_asked(fitted: dict[str, Fit]) -> None:
    found = fitted["receiver"]
    assert not found.bad and found.blind
    for asked in ("link.0.queue={kind='fq-codel'}", "flow.0.sender.control=reno"):
        with pytest.raises(FitError, match="near the receiver, a capture does not show the round trips"):
            what_if(found, [asked])
    assert not fitted["sender"].blind


def test_another_queue_is_predicted_as_it_runs(fitted: dict[str, Fit]) -> None:
    told = what_if(fitted["sender"], ["link.0.queue={kind='drop-tail',packets=20}"])
    by_name = {one.name: one for one in told.quantities}
    small = acklab.run("""
        stop = { when = "flows-complete", at_most = "60s" }
        link = [
            { between = ["S", "G"], rate = "1Gbps", delay = "50us" },
            { between = ["G", "H"], rate = "20Mbps", delay = "20ms", queue = { kind = "drop-tail", packets = 20 } },
            { between = ["H", "R"], rate = "1Gbps", delay = "50us" },
        ]
        flow = [{ from = "S", to = "R", sender = { stack = "linux" }, receiver = { stack = "linux" }, size = { bytes = "4000000B" } }]
    """).summary()["flows"][0]
    for about, truth in (("completion", small["completion_s"]), ("mean round trip", small["mean_rtt_s"])):
        found = by_name[about].changed
        assert 0.95 * found.low <= truth <= 1.05 * found.high, (about, found, truth)
    assert by_name["mean round trip"].change.high < -0.3
    changes = [one for one in foreseen(told) if one.kind == "what-if"]
    assert changes[0].values["quantity"] == "mean round trip" and changes[0].values["high"] < -0.3
    same = what_if(fitted["sender"], ["link.2.queue.packets=90000"])
    assert [one.kind for one in foreseen(same)][0] == "unchanged"
    answer = report(fitted["sender"], told).tables[0]
    assert [row[0] for row in answer.rows] == [one.name for one in told.quantities]


def test_losses_are_numbered_from_either_end(tmp_path: Path) -> None:
    numbers = [40, 41, 300, 301, 700, 1500]
    for end in ENDS:
        path = captured(
            tmp_path,
            more=f', loss = {{ list = {numbers}, only = "payload" }}',
            flow='size = { bytes = "3MB" }',
            end=end,
        )
        found = acklab.analyze(path)
        row = direction(found)
        data = pl.DataFrame(found.segments).filter(
            (pl.col("direction") == row["direction"]) & (pl.col("payload_bytes") > 0)
        )
        assert lost(data, row, place(row))[0] == numbers, end


def test_random_losses_are_replayed_one_by_one(tmp_path: Path) -> None:
    found = fit(captured(tmp_path, more=", loss = { rate = 0.004 }", end="receiver"))
    assert found.replay.listed and abs(found.replay.score.end) < 0.05 and found.replay.score.curve < 0.02
    loss = values(found)["loss"]
    assert loss.low < 0.004 < loss.high


@pytest.mark.parametrize("end", ENDS)
def test_pauses_of_the_application_become_writes(end: str, tmp_path: Path) -> None:
    given = [(0.0, 30_000), (0.4, 500), (0.9, 200_000), (1.5, 100), (2.25, 60_000)]
    listed = ", ".join(f'["{time}s", "{size}B"]' for time, size in given)
    path = captured(tmp_path, flow=f'source = {{ kind = "listed", writes = [{listed}] }}', end=end)
    found = acklab.analyze(path)
    row = direction(found)
    data = pl.DataFrame(found.segments).filter(
        (pl.col("direction") == row["direction"]) & (pl.col("payload_bytes") > 0)
    )
    told = writes(data, pl.DataFrame(found.acks).filter(pl.col("direction") == row["direction"]), row, place(row))
    assert [size for _, size in told] == [size for _, size in given]
    shift = 0.0402  # the first write waits for the handshake
    assert all(
        abs(time + shift * (number > 0) - wanted) < 0.003
        for number, ((time, _), (wanted, _)) in enumerate(zip(told, given, strict=True))
    )
    done = fit(path)
    assert abs(done.replay.score.end) < 0.01 and "writes" in done.scenario["flow"][0]["source"]


@pytest.mark.parametrize("end", ENDS)
def test_a_slow_links_packets_are_no_part_of_the_delay(end: str, tmp_path: Path) -> None:
    # A packet of 1500 bytes takes 6 ms at 2 Mb/s, a small one and an ACK less: the round trip is that of the delays alone.
    given = [(0.0, 400), (0.7, 600), (1.5, 800), (1.6, 60_000), (2.5, 20_000)]
    listed = ", ".join(f'["{time}s", "{size}B"]' for time, size in given)
    slow = {
        "link.1.rate": "2Mbps",
        "flow.0.sender.stack": "rfc",
        "flow.0.receiver.stack": "rfc",
        "flow.0.receiver.ack": {"policy": "every"},
    }
    path = captured(tmp_path, flow=f'source = {{ kind = "listed", writes = [{listed}] }}', end=end, **slow)
    row = direction(acklab.analyze(path))
    assert row["path_rtt_min_s"] > 1.005 * TRIP
    if end == "receiver":
        assert row["sender_rtt_payload_bytes"] == 400, "the third segment of the handshake"
    assert abs(values(fit(path))["round trip"].value / TRIP - 1) < 0.005


def test_a_delaying_receivers_number_and_timer_are_found(tmp_path: Path) -> None:
    listed = ", ".join(f'["{0.5 * number}s", "{1448 * 12 + 100}B"]' for number in range(12))
    ack = {"policy": "delayed", "segments": 4, "timer": "70ms"}
    path = captured(
        tmp_path,
        flow=f'source = {{ kind = "listed", writes = [{listed}] }}',
        end="receiver",
        **{"flow.0.receiver.ack": ack},
    )
    told = values(fit(path))
    assert (told["ACK policy"].value, told["segments an ACK"].value) == ("delayed", 4)
    assert told["ACK timer"].determined and abs(told["ACK timer"].value / 0.07 - 1) < 0.05


def test_a_window_that_limits_leaves_the_rate_a_bound(tmp_path: Path) -> None:
    path = captured(tmp_path, flow='size = { bytes = "1MB" }', **{"flow.0.sender.window": "20000B"})
    told = values(fit(path))
    assert told["window"].determined and told["window"].value == 20_000
    if not told["rate"].determined:
        assert told["rate"].high is None and told["rate"].low < RATE


def test_the_held_out_half_is_not_read(tmp_path: Path) -> None:
    path = captured(tmp_path)
    whole, part = acklab.analyze(path), acklab.analyze(path, until_s=0.8)
    assert 0 < len(part.segments) < len(whole.segments)
    assert max(pl.DataFrame(part.segments)["time_s"]) <= 0.8 < max(pl.DataFrame(whole.segments)["time_s"])
    kept = pl.DataFrame(whole.segments).filter(pl.col("time_s") <= 0.8)
    assert pl.DataFrame(part.segments).select("time_s", "seq_bytes").equals(kept.select("time_s", "seq_bytes"))


def test_a_first_half_without_a_loss_leaves_the_queue_open(fitted: dict[str, Fit]) -> None:
    found = fitted["sender"]
    held = found.held_out
    assert found.measured.lost[0], "the second half has the losses"
    assert held is not None
    assert held.high - held.low > 0.1


def test_an_interval_has_the_weight_that_it_claims() -> None:
    by = Weights(decay=1.0, queue=0.5, once=0.0, thrice=0.0, ends=0.0, held=0.9, margin=0.01, misfits=2.0)
    ends = [0.5, -0.5, *([0.0] * 8)]

    def members(odd: float, kind: str = "choice", more: float = 0.0) -> list[Member]:
        return [
            Member({}, 1, kind if place < 2 else "choice", more if place < 2 else 0.0, odd if place < 2 else 0.115)
            for place in range(10)
        ]

    assert interval(members(0.04), ends, 0.0, by) == pytest.approx((-0.01, 0.01))
    wide = pytest.approx((0.5 * 0.99 - 1, 1.5 * 1.01 - 1))
    assert interval(members(0.115), ends, 0.0, by) == wide
    assert interval(members(0.12, "queue"), ends, 0.0, by) == wide
    assert interval(members(0.08, "queue"), ends, 0.0, by) == pytest.approx((-0.01, 0.01)), "queues count half"
    assert interval(members(0.115, more=1.1), ends, 0.0, by) == pytest.approx((-0.01, 0.01)), "a misfit counts less"
    assert interval([Member({}, 1, "choice", 0.0, 1.0)], [0.0], 0.05, by) == pytest.approx((-0.1, 0.1)), (
        "the misfit of the first half"
    )


def test_linux_is_named_from_either_end_and_its_versions_are_not_told_apart_without_sacks(
    fitted: dict[str, Fit],
) -> None:
    for found in fitted.values():
        named = found.receiver
        assert named is not None and named.known and named.far < 0.05
        assert all(one.startswith("Linux") for one in named.names)
        assert named.odds["every second segment, from the first"] < 1e-3 and named.odds["every segment"] < 1e-3


def test_a_receiver_is_named_by_what_its_acks_show(tmp_path: Path) -> None:
    def named(ack: Any, more: str = "", **sets: Any) -> Named:
        path = captured(tmp_path, more=more, flow='size = { bytes = "1MB" }', **{"flow.0.receiver.ack": ack, **sets})
        found = acklab.analyze(path)
        measured = measure(found, direction(found))
        search = Search(measured)
        told = name(measured, search, search.best(measured.curve)[0], found)
        assert told is not None
        return told

    second = named({"policy": "delayed", "segments": 2})
    assert second.known and called(second.names) == [SECOND, CLOCK], "a clock may have the same ACKs"
    assert not named({"policy": "daass"}).known, "it has the beginning of Linux, and its later ACKs"
    bare = named(
        {"policy": "linux", "sack_delay": "0s"},
        ", loss = { list = [400], only = 'payload' }",
        **{"link.1.rate": "100Mbps", "link.1.queue.packets": 2000},
    )
    assert bare.odds["Linux without SACK compression"] > 15 * bare.odds["Linux 4.18 to 6.18"], (
        "each segment above a gap has an ACK"
    )
    assert bare.known, "all that are left are of Linux"
    assert not named({"policy": "periodic", "interval": "20ms"}).known, "a receiver that is like none"


def test_a_name_is_said_only_where_few_are_left_and_one_of_them_is_known_and_near() -> None:
    said = Named({"Linux since 6.19": 0.5, "Linux 4.18 to 6.18": 0.3, OTHERS[0]: 0.2}, far=0.05, cost=0.01)
    assert said.known and called(said.names) == ["Linux 4.18 to 6.18", "Linux since 6.19", OTHERS[0]]
    assert not Named({OTHERS[0]: 0.9, OTHERS[1]: 0.1}, 0.0, 0.0).known, "none of them is known"
    assert not Named({SECOND: 0.4, OTHERS[0]: 0.3, "every segment": 0.3}, 0.0, 0.0).known, "too many are left"
    assert not Named({SECOND: 1.0}, 0.3, 0.0).known and not Named({SECOND: 1.0}, 0.0, 0.2).known, (
        "it is far, or does not fit"
    )
    other = [(0.03, 0.5, 1.0), (0.0, 0.5, 0.4), (0.0, 0.5, 2.0)]
    assert not any(Named({SECOND: 1.0}, far, 0.0, share, above).known for far, share, above in other), (
        "like no other, and yet another"
    )
    assert Named({SECOND: 1.0}, 0.1, 0.0, 0.9).known and Named({SECOND: 1.0}, 0.0, 0.0, 0.5, 1.2).known


def test_two_receivers_are_alike_by_the_numbers_that_both_acknowledge() -> None:
    one, other = (Signature([], 0, np.array(numbers)) for numbers in ([2, 4, 6, 8], [2, 4, 7, 8]))
    assert same(one, one) == 1.0 and same(one, other) == 3 / 5 and same(Signature([], 0, np.array([])), one) == 0.0


def test_a_likelihood_counts_acks_of_a_connection_as_few() -> None:
    empty = np.zeros(6)
    ones, twos = np.array([9000, 0, 0, 0, 0, 0]), np.array([0, 9000, 0, 0, 0, 0])

    def of(counts: Any, repeats: int = 0) -> Signature:
        return Signature([empty, counts], repeats, np.arange(9000))

    alike, near = compared(of(ones), of(ones))
    other, far = compared(of(ones), of(twos))
    assert (near, far) == pytest.approx((0.0, 1.0))
    assert alike - other == pytest.approx(MOST * np.log((1 - EVEN + EVEN / 6) / (EVEN / 6)), rel=0.01)

    def above(seen: int, simulated: int) -> float:
        return compared(of(ones, seen), of(ones, simulated))[0] - alike

    assert (
        above(400, 400) == 0 and above(400, 200) == pytest.approx(above(4000, 2000), rel=0.05) and above(400, 200) < -4
    )
    assert -1 < above(2, 4) < 0, "two ACKs above gaps have the weight of few"


def test_what_is_missing_where_a_capture_ends_was_lost(tmp_path: Path) -> None:
    numbers = [300, 301, 305]
    path = captured(
        tmp_path,
        more=f', loss = {{ list = {numbers}, only = "payload" }}',
        flow='size = { bytes = "900kB" }',
        end="receiver",
    )
    whole = acklab.analyze(path)
    gap = pl.DataFrame(whole.segments).filter(pl.col("kind").cast(pl.String) == "late")["time_s"][0]
    part = acklab.analyze(path, until_s=gap - 1e-6)
    row = direction(part)
    data = pl.DataFrame(part.segments).filter((pl.col("direction") == row["direction"]) & (pl.col("payload_bytes") > 0))
    assert lost(data, row, place(row))[0] == numbers
    assert measure(part, row).repairing and not measure(whole, direction(whole)).repairing


def test_losses_within_a_flight_are_one_event() -> None:
    row = {"max_flight_bytes": 20_000, "segment_bytes": 1000}
    assert events([], row) == 0
    assert events([5, 6, 20, 60, 70, 200], row) == 3


def test_the_verb_writes_a_scenario_that_runs(tmp_path: Path) -> None:
    path = captured(tmp_path, flow='size = { bytes = "1MB" }')
    done = command("fit", path.name, "--out", "o", "--what-if", "link.0.rate=10Mbps", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert all(head in done.stdout for head in ("What if\n", "Beside the capture\n", "Parameters\n"))
    assert sorted(one.name for one in (tmp_path / "o").iterdir()) == [
        "acklab.json",
        "fit.html",
        "fit.json",
        "fitted.toml",
    ]
    told = json.loads((tmp_path / "o" / "fit.json").read_text())
    rerun = json.loads(command("run", "o/fitted.toml", "--json", cwd=tmp_path).stdout)["flows"][0]
    assert rerun["completed"] and rerun["bytes"] == told["acked_bytes"] == 1_000_000
    assert abs(rerun["completion_s"] / told["duration_s"] - 1) < 0.05
    again = command("fit", path.name, "--json", "--what-if", "link.0.rate=10Mbps", cwd=tmp_path)
    assert json.loads(again.stdout) == told, "the same capture, the same fit"
    assert "<script src" not in (tmp_path / "o" / "fit.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--what-if", "link.0.queue.pakets=5"], "--what-if: scenario: link[0].queue.pakets: unknown key"),
        (["--only", ":81"], "no connection with acknowledged data is of :81"),
        (["--open"], "--open goes with --out DIR"),
    ],
)
def test_a_wrong_request_is_refused(arguments: list[str], said: str, tmp_path: Path) -> None:
    path = captured(tmp_path, flow='size = { bytes = "300kB" }')
    done = command(
        "fit",
        path,
        "--out" if arguments[0] != "--open" else "--json",
        *(["o"] if arguments[0] != "--open" else []),
        *arguments,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (2, "") and said in done.stderr
    assert not (tmp_path / "o").exists()


def test_a_bad_fit_predicts_nothing(fitted: dict[str, Fit]) -> None:
    from dataclasses import replace

    from acklab.study.fit.held_out import HeldOut
    from acklab.study.fit.search import Score

    bad = replace(fitted["sender"], held_out=HeldOut(Score(0.3, 0.5, 0.0), 0.2, 0.8, [], [], 0.3, []))
    assert bad.bad == fact("bad-half", share=0.5, most=0.15)
    with pytest.raises(FitError, match="no prediction: fitted to its first half"):
        what_if(bad, ["link.0.rate=1Mbps"])


def test_a_refusal_names_a_connection_that_can_be_fitted(fitted: dict[str, Fit]) -> None:
    found = fitted["sender"].found
    row = found.rows()[0]

    class Two:
        """The same analysis with a connection that lacks its data before it."""

        def rows(self) -> list[dict[str, Any]]:
            return [{**row, "lacking_bytes": row["acked_bytes"]}, {**row, "connection": 7}]

    assert elsewhere(Two(), Two().rows()[0]).endswith("--only '#7'")  # type: ignore[arg-type]
    assert elsewhere(found, row) == ""


def packet(payload: int, protocol: int = 6) -> bytes:
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + payload, 0, 0, 64, protocol, 0) + bytes([10, 0, 0, 1, 10, 0, 0, 2])
    return ip + struct.pack(">HHIIBBHHH", 1000, 80, 1, 1, 5 << 4, 16, 65535, 0, 0) + bytes(payload)


def pcap(*packets: bytes) -> bytes:
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101)
    return head + b"".join(struct.pack("<IIII", 10, n, len(one), len(one)) + one for n, one in enumerate(packets))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not one byte"),
        (b"text\n", "neither pcap"),
        (pcap(), "no TCP connection"),
        (pcap(packet(100)), "no connection with acknowledged data"),
        (pcap(packet(100, 17)), "no TCP connection"),
        (pcap(*[packet(1000)] * 50), "no connection with acknowledged data"),
    ],
)
def test_what_is_no_transfer_is_refused_in_a_line(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "x.pcap").write_bytes(content)
    done = command("fit", "x.pcap", "--out", "o", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "") and said in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "o").exists()


def test_a_capture_that_is_cut_anywhere_is_fitted_or_refused(tmp_path: Path) -> None:
    whole = captured(tmp_path, flow='size = { bytes = "400kB" }', end="receiver").read_bytes()
    outcomes = []
    for share in (0.003, 0.02, 0.2, 0.7, 0.999):
        cut = tmp_path / "cut.pcapng"
        cut.write_bytes(whole[: int(share * len(whole))])
        try:
            outcomes.append(bool(fit(cut).values))
        except (FitError, acklab.CaptureError):
            outcomes.append(False)
    assert outcomes[0] is False and outcomes[-1] is True


def test_a_queue_is_asked_only_where_round_trips_agree() -> None:
    def row(median: float, p95: float, vantage: str = "sender", behind: str = "") -> dict[str, Any]:
        told = {
            "vantage": vantage,
            "path_rtt_min_s": 0.020,
            "rtt_min_s": 0.020,
            "rtt_median_s": median,
            "rtt_p95_s": p95,
        }
        return {**told, "sender_rtt_min_s": 0.001, "bottleneck_from": behind}

    captured = row(0.190, 0.240)
    near, far = waits(captured, row(0.185, 0.245)), waits(captured, row(0.185, 0.110))
    assert near is not None and near.agree and near.apart < 0.02
    assert far is not None and not far.agree and (far.captured_s, far.simulated_s) == pytest.approx((0.240, 0.110)), (
        "the 95th of 100 decides, too"
    )
    assert waits(row(0.190, 0.240, "receiver"), captured) is None and waits(captured, None) is None
    assert waits(row(0.190, 0.240, "between", "data"), captured) is None, (
        "behind the bottleneck, its queue is in no round trip from here"
    )
