"""What the printed tables say of each other."""

from __future__ import annotations

from ...reproduce.measure import Measurement
from .registry import PAPER
from .setting import ALONE, DELAYS_10, DROPS, HALVES, RATE_BPS, SECONDS, UTILISATION, WINDOWS


@PAPER.claim("table2.repeated")
def drops_of_32_clients() -> Measurement:
    same = sum(a == b for ftps in (0, 1, 2) for a, b in zip(DROPS[16, ftps], DROPS[32, ftps], strict=True))
    return Measurement(
        {"one": ALONE[32, 1][2], "three": ALONE[32, 3][2]},
        f"{same} of 12 drop rates that Table 2 prints for 32 clients are those of 16 clients; Table 6 has others for the same experiment",
    )


@PAPER.claim("table6.utilisation")
def both_tables_utilisation() -> Measurement:
    return Measurement(
        {
            "less": {
                f"{webs}/0, {window}": UTILISATION[webs, 0][window - 1] - ALONE[webs, window][1]
                for webs, window in ALONE
            }
        }
    )


@PAPER.claim("table6.delay")
def both_tables_delay() -> Measurement:
    found = {}
    for (webs, window), (delay, _, _) in ALONE.items():
        one, *less = DELAYS_10[webs, 0]
        found[f"{webs}/0, {window}"] = delay / (one * (1 - (0.0, *less)[window - 1] / 100))
    return Measurement({"ratio": found})


@PAPER.claim("table2.increase")
def largest_increase_of_drops() -> Measurement:
    rows = [row for key, row in DROPS.items() if key != (32, 3)]
    return Measurement({"increase": round(max(row[window - 1] - row[0] for row in rows for window in WINDOWS), 1)})


@PAPER.claim("table2.busy")
def least_utilisation_with_a_transfer() -> Measurement:
    return Measurement({"least": min(value for (_, ftps), row in UTILISATION.items() if ftps for value in row)})


@PAPER.claim("table3.unit")
def power_of_one_transfer() -> Measurement:
    left = (UTILISATION[8, 1][0] - UTILISATION[8, 0][0]) / 100
    megabytes = left * RATE_BPS / 8 * SECONDS / 1e6
    each_s = SECONDS / megabytes
    return Measurement(
        {"power": megabytes / (1000 * each_s)},
        f"{megabytes:.1f} Mbytes in {SECONDS} s, {each_s:.2f} s each, are {megabytes / each_s:.2f} Mbytes/s, so the printed unit is a thousand times too large",
    )


@PAPER.claim("table1.power")
def growth_of_power() -> Measurement:
    grown = [UTILISATION[cell][3] / UTILISATION[cell][0] / (1 - DELAYS_10[cell][3] / 100) for cell in DELAYS_10]
    return Measurement(
        {"least": min(grown), "most": max(grown)}, "utilisation stands for goodput, which is printed for Table 6 alone"
    )


@PAPER.claim("table6.goodput")
def goodput_and_utilisation() -> Measurement:
    found = {}
    for (ones, threes), (one_mb, _, three_mb, _, used, _) in HALVES.items():
        found[f"{ones}/{threes}"] = (one_mb + three_mb) / (used / 100 * RATE_BPS / 8 * SECONDS / 1e6)
    return Measurement(
        {"ratio": found},
        "printed megabytes over what the printed utilisation carries; the rest may be headers and retransmissions",
    )
