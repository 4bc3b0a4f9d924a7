"""Figures 1, 7 and 10(a): goodput and ACKs over four WLANs."""

from __future__ import annotations

import json

from acklab.report.charts import Axis, Bar, Bars
from acklab.reproduce.experiments import Branches, Replications, Warm
from acklab.reproduce.grid import Grid
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn
from acklab.study.intervals import Sample, jackknife

from ..later import gain, sample, spread, told
from .setting import ACKS, COLOURS, PAPER, SECONDS, STANDARDS, datagrams, download, warm_s

PRINTED = {"TCP": (5.4, 19.0, 155.0, 434.0), "TACK": (6.0, 23.5, 198.0, 556.0)}
"""Figure 10(a), Mb/s; the halves are from the authors' plot script."""
BASELINE = (7.0, 26.0, 210.0, 590.0)
REDUCED = (90.5, 95.4, 99.4, 99.8)
"""Figure 1: ACKs saved, percent, by the order of the standards."""
FEW = {"standard": STANDARDS[:3]}
PAYLOAD = 1472


class _Steady:
    """What a transfer did after its start: bytes, ACKs, data segments."""

    names = ("bytes", "acks", "segments")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        before, after = (json.loads(part)["flows"][0] for part in line.split(b"\n"))
        return tuple(float(after[key] - before[key]) for key in ("bytes", "acks_sent", "segments_sent"))


READ = _Steady()

FIGURE_10 = Branches(
    "TACK over WLANs",
    "one download over each WLAN, with TCP's delayed ACKs and with TACK",
    {"standard": STANDARDS, "receiver": tuple(ACKS)},
    lambda standard, receiver, seed: download(standard, receiver, seed),
    READ,
    FEW,
    most_seeds=5,
    warm=lambda standard, receiver, seed: Warm((standard, receiver, seed), warm_s()),
)


class _Carried:
    """Datagrams that the access point delivered, Mb/s of payload."""

    names = ("rate",)

    def __call__(self, line: bytes) -> tuple[float, ...]:
        result = json.loads(line)
        link = next(one for one in result["links"] if (one["from"], one["to"]) == ("AP", "M"))
        return (8e-6 * PAYLOAD * link["packets"] / result["end_s"],)


UDP = Replications(
    "UDP over WLANs",
    "datagrams faster than each WLAN carries",
    {"standard": STANDARDS},
    datagrams,
    _Carried(),
    FEW,
    most_seeds=4,
)


def megabits(grid: Grid, standard: str, receiver: str) -> Sample:
    """Goodput, Mb/s."""
    return sample(grid, "bytes", standard=standard, receiver=receiver).over(SECONDS[standard] / 8e-6)


def gained(grid: Grid, standard: str) -> Sample:
    """TACK's goodput above TCP's, percent."""
    return gain(grid, "bytes", {"receiver": "TACK"}, {"receiver": "TCP"}, standard=standard)


def per_segment(grid: Grid, standard: str, receiver: str) -> Sample:
    """ACKs for a hundred data segments."""
    cell = grid.at(standard=standard, receiver=receiver)
    return Sample.of((100 * cell["acks"] / cell["segments"]).tolist())


def saved(grid: Grid, standard: str) -> Sample:
    """ACKs saved by TACK for the same data, percent."""
    tcp, tack = (grid.at(standard=standard, receiver=name) for name in ("TCP", "TACK"))
    ratio = {name: one["acks"] / one["segments"] for name, one in (("TCP", tcp), ("TACK", tack))}
    return jackknife(
        len(ratio["TCP"]), lambda seeds: float(100 * (1 - ratio["TACK"][seeds].mean() / ratio["TCP"][seeds].mean()))
    )


@PAPER.claim("fig7.udp", UDP)
def udp_baseline(grid: Grid) -> Measurement:
    rates = {name: sample(grid, "rate", standard=name) for name in grid.axes["standard"]}
    return Measurement({"ratio": {name: rate.over(BASELINE[STANDARDS.index(name)]) for name, rate in rates.items()}})


@PAPER.claim("fig10a.goodput", FIGURE_10)
def goodput(grid: Grid) -> Measurement:
    ratios, rates = {}, []
    for name in grid.axes["standard"]:
        for receiver in ACKS:
            found = megabits(grid, name, receiver)
            ratios[f"{name}, {receiver}"] = found.over(PRINTED[receiver][STANDARDS.index(name)])
            rates.append(f"{found.value:.3g} ({name}, {receiver})")
    return Measurement(
        {"ratio": ratios},
        f"Mb/s here: {', '.join(rates)}. The MAC is fitted to the UDP baseline alone; what the room's other users took of the air "
        "is not in that fit",
    )


@PAPER.claim("fig10a.gain", FIGURE_10)
def improvement(grid: Grid) -> Measurement:
    return Measurement(
        {"gain": {name: gained(grid, name) for name in grid.axes["standard"]}},
        "the gain is what the air time of ACKs leaves: without aggregation an ACK costs a station nearly a data frame's overhead, with "
        "aggregation up to a dozen ACKs share one. Over 802.11b the plot script's own values, 5.4 and 6 Mb/s, are a gain of 11 %; Figure "
        "10(a) prints 5 and 6, a gain of 20 %. Other stations, collisions and a router's own limits are not modelled",
    )


@PAPER.claim("fig1.acks", FIGURE_10)
def acks_saved(grid: Grid) -> Measurement:
    away = {}
    for name in grid.axes["standard"]:
        here, there = saved(grid, name), REDUCED[STANDARDS.index(name)]
        away[name] = Sample.of([value - there for value in here.values])
    rates = ", ".join(f"{saved(grid, name).value:.1f} % ({name})" for name in grid.axes["standard"])
    return Measurement(
        {"away": away},
        f"saved here: {rates}. Over 802.11b TCP sends some 250 ACKs a second, TACK 4 a round trip: 90.5 % follow from a round trip of "
        "some 170 ms, 80 % from 80 ms; the paper's round trips lie between 4 and 200 ms",
    )


@PAPER.claim("sec63.ratio", FIGURE_10)
def acks_a_segment(grid: Grid) -> Measurement:
    return Measurement({name: per_segment(grid, "802.11g", name) for name in ACKS})


@PAPER.figure("figure-10a", "Figure 10", "Goodput of TCP and of TACK over four WLANs", "6.3", [FIGURE_10, UDP])
def figure_10a(grid: Grid, udp: Grid) -> Drawn:
    groups, compared = [], []
    for name in grid.axes["standard"]:
        place = STANDARDS.index(name)
        found = {receiver: megabits(grid, name, receiver) for receiver in ACKS}
        # In units of the UDP baseline, so that 7 and 590 Mb/s fit one axis.
        base = BASELINE[place] / 100
        values = [v for r in ACKS for v in (found[r].value / base, PRINTED[r][place] / base)]
        errors = [v for r in ACKS for v in (spread(found[r]) / base, 0.0)]
        groups.append(Bar(name, values, errors))
        compared += [
            Compared(f"{name}, UDP, Mb/s", f"{BASELINE[place]:g}", told(sample(udp, "rate", standard=name))),
            *(Compared(f"{name}, {r}, Mb/s", f"{PRINTED[r][place]:g}", told(found[r])) for r in ACKS),
            Compared(
                f"{name}, gain",
                f"{100 * (PRINTED['TACK'][place] / PRINTED['TCP'][place] - 1):.0f} %",
                told(gained(grid, name), "%"),
            ),
            Compared(f"{name}, ACKs saved", f"{REDUCED[place]} %", told(saved(grid, name), "%")),
        ]
    keys = [f"{r}{of}" for r in ACKS for of in ("", ", the paper")]
    colours = [COLOURS["TCP"], "gold", COLOURS["TACK"], "pink"]
    about = "Goodput in percent of the paper's UDP baseline: 7, 26, 210 and 590 Mb/s (95 % intervals)"
    chart = Bars("figure-10a", about, keys, colours, groups, Axis("goodput (% of the UDP baseline)", low=0))
    return Drawn([chart], {"figure_10a": grid.frame()}, compared, scenario=download("802.11g", "TACK", 1))
