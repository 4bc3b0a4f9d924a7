"""The test cases of draft-ietf-ccwg-bbr-06 (appendix A): each a scenario with what it expects, and the modes that it passes through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import acklab

HERE = Path(__file__).parent / "bbr3"
#: Payload of a full packet of 10 Mb/s, in bits a second.
TRUTH = 10e6 * 1448 / 1500


@dataclass
class Turn:
    """A time in one mode, and the rows of the table ``series`` in it."""

    mode: str
    rows: list[dict[str, Any]]

    @property
    def start(self) -> float:
        return float(self.rows[0]["time_s"])

    @property
    def end(self) -> float:
        return float(self.rows[-1]["time_s"])

    def values(self, column: str) -> list[float]:
        return [row[column] for row in self.rows if row[column] is not None]


def turns(run: acklab.Run) -> list[Turn]:
    """The run's times in one mode each, in their order."""
    pl = pytest.importorskip("polars")
    found: list[Turn] = []
    for row in pl.DataFrame(run.series).iter_rows(named=True):
        if row["mode"] is None:
            continue
        if not found or found[-1].mode != row["mode"]:
            found.append(Turn(row["mode"], []))
        found[-1].rows.append(row)
    return found


Check = Callable[[list[Turn]], None]
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    def add(what: Check) -> Check:
        CHECKS[name] = what
        return what

    return add


def words(found: list[Turn]) -> list[str]:
    return [turn.mode for turn in found]


def first(found: list[Turn], mode: str, since: float = 0.0) -> int:
    """Index of the first time in ``mode`` that begins after ``since``."""
    return next(n for n, turn in enumerate(found) if turn.mode == mode and turn.start >= since)


@check("01-startup-plateau")
def _(found: list[Turn]) -> None:
    assert words(found)[:2] == ["startup", "drain"]
    assert found[1].rows[0]["max_bandwidth_bps"] == pytest.approx(TRUTH, rel=0.02)


@check("02-startup-loss")
def _(found: list[Turn]) -> None:
    # What is in flight is below the product already: Drain ends with the same ACK.
    assert words(found)[:2] == ["startup", "probe-down"]


@check("03-drain-inflight")
def _(found: list[Turn]) -> None:
    drain, after = found[1], found[2]
    product = TRUTH * 0.04 / 8 / 1448
    assert drain.mode == "drain" and drain.rows[-1]["flight_segments"] > product
    assert after.rows[0]["flight_segments"] <= product + 1


@check("04-drain-time")
def _(found: list[Turn]) -> None:
    drain, after = found[1], found[2]
    product = TRUTH * 0.04 / 8 / 1448
    assert (drain.mode, after.mode) == ("drain", "probe-down")
    assert after.rows[0]["flight_segments"] > 1.5 * product, "it ends by time"


@check("05-up-plateau")
def _(found: list[Turn]) -> None:
    up = first(found, "probe-up")
    assert found[up + 1].mode == "probe-down"
    # Three rounds, and the one in which it begins.
    assert 3 * 0.04 <= found[up + 1].start - found[up].start <= 5 * 0.07


@check("06-up-loss")
def _(found: list[Turn]) -> None:
    up = first(found, "probe-up", 7.0)
    # What is in flight is so little that PROBE_DOWN ends with the ACK that begins it.
    assert found[up + 1].mode == "probe-cruise" and found[up + 1].start < 8.5
    assert not found[-1].values("inflight_longterm_segments"), "limited by the application, as the pseudo-code has it"


@check("07-app-limited")
def _(found: list[Turn]) -> None:
    assert found[-1].mode == "probe-up" and found[-1].end - found[-1].start > 2.0


@check("08-down-inflight")
def _(found: list[Turn]) -> None:
    down = first(found, "probe-down")
    assert found[down + 1].mode == "probe-cruise"
    product = TRUTH * 0.04 / 8 / 1448
    assert found[down].rows[-1]["flight_segments"] > product >= found[down + 1].rows[0]["flight_segments"] - 1


@check("09-down-max-time")
def _(found: list[Turn]) -> None:
    down = first(found, "probe-down")
    assert found[down + 1].mode == "probe-refill"
    assert 2.0 <= found[down + 1].start - found[down].start <= 3.0


@check("10-probe-rtt")
def _(found: list[Turn]) -> None:
    rtt = first(found, "probe-rtt")
    assert found[rtt].start == pytest.approx(5.04, abs=0.05) and found[rtt + 1].mode == "probe-cruise"
    assert 0.2 <= found[rtt + 1].start - found[rtt].start <= 0.3


@check("11-idle")
def _(found: list[Turn]) -> None:
    assert "probe-rtt" not in words(found)


@check("12-startup-aggregation")
def _(found: list[Turn]) -> None:
    assert words(found)[:2] == ["startup", "drain"]


@check("15-bandwidth-up")
def _(found: list[Turn]) -> None:
    up = first(found, "probe-up", 3.0)
    rates = [found[up].rows[0]["max_bandwidth_bps"], found[up].rows[-1]["max_bandwidth_bps"]]
    assert rates[0] < 10e6 and rates[1] == pytest.approx(10 * TRUTH, rel=0.02)
    # log(10) / log(1.24) rounds are 11; three show that there is no more.
    assert found[up + 1].start - found[up].start < 20 * 0.043


@check("16-bandwidth-down")
def _(found: list[Turn]) -> None:
    after = [row for turn in found for row in turn.rows if row["time_s"] > 4.0]
    half = next(row["time_s"] for row in after if row["bandwidth_bps"] < 50e6)
    assert half < 5.1
    drop = next(row["time_s"] for row in after if row["max_bandwidth_bps"] < 20e6)
    ups = [turn for turn in found if turn.mode == "probe-up" and 4.0 < turn.start < drop]
    assert len(ups) >= 2, "two cycles"


@check("17-policer")
def _(found: list[Turn]) -> None:
    cruise = [turn for turn in found if turn.mode == "probe-cruise"]
    assert any(turn.values("inflight_shortterm_segments") for turn in cruise)
    late = [rate for turn in found if turn.start > 10 for rate in turn.values("max_bandwidth_bps")]
    assert max(late) < 1.4 * TRUTH


@check("18-spurious-recovery")
def _(found: list[Turn]) -> None:
    up = first(found, "probe-up")
    assert words(found)[up : up + 4] == ["probe-up", "probe-down", "probe-refill", "probe-up"]
    bound = found[up + 1].values("inflight_longterm_segments")
    assert bound and not found[up + 2].values("inflight_longterm_segments"), "the bound goes again"
    assert found[up + 3].start - found[up + 1].start < 0.15


@check("19-spurious-rto")
def _(found: list[Turn]) -> None:
    up = first(found, "probe-up")
    assert words(found)[up : up + 4] == ["probe-up", "probe-down", "probe-refill", "probe-up"]
    assert not found[up + 2].values("inflight_longterm_segments")


@check("20-probe-rtt-in-startup")
def _(found: list[Turn]) -> None:
    assert words(found) == ["startup", "probe-rtt", "startup"]


@check("21-loss-in-up")
def _(found: list[Turn]) -> None:
    up = first(found, "probe-up")
    before, after = (found[n].values("inflight_longterm_segments")[0] for n in (up, up + 1))
    assert found[up + 1].mode == "probe-down" and 0.7 * before <= after < before


@check("22-refill-app-limited")
def _(found: list[Turn]) -> None:
    refill = first(found, "probe-refill")
    assert found[refill + 1].mode == "probe-up"
    assert min(found[refill].values("max_bandwidth_bps")) >= 0.99 * TRUTH


@pytest.mark.parametrize("name", sorted(path.stem for path in HERE.glob("*.toml")))
def test_a_case_of_the_draft(name: str) -> None:
    run = acklab.run(HERE / f"{name}.toml", **{"record.series": True})
    run.check()
    assert run.checks, "a scenario that expects nothing"
    if name in CHECKS:
        CHECKS[name](turns(run))


def test_every_check_has_its_case() -> None:
    assert set(CHECKS) <= {path.stem for path in HERE.glob("*.toml")}
