"""The congestion controls are as ns-2's modules of Linux are, but for what `docs/oracle/linux.md` explains."""

from pathlib import Path

import linux
import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "oracle" / "linux.md"

# Mean throughput over eight seeds, acklab's over ns-2's, with acklab's SACK sender. Vegas: ns-2's module takes two round trips
# for a segment.
NEAR = {
    "reno": (0.89, 1.01),
    "cubic": (0.97, 1.15),
    "veno": (0.95, 1.02),
    "vegas": (1.1, 2**0.5),
    "westwood": (0.89, 1.0),
}
# And with TCP/Linux's own. CUBIC and Westwood+ are other algorithms at 1 %.
ALIKE = {
    "reno": (0.99, 1.01),
    "cubic": (1.0, 1.19),
    "veno": (0.99, 1.02),
    "vegas": (0.98, 1.01),
    "westwood": (0.98, 1.14),
}


@pytest.fixture(scope="module")
def compared():
    return linux.compare()


@pytest.fixture(scope="module")
def alike():
    return linux.compare(linux=True)


@pytest.fixture(scope="module")
def windows(compared):
    """{(case, kind): [(time, ns-2's window, acklab's)]}."""
    return {
        (row["case"], row["kind"]): [(t, w, ours[t]) for t, w in row["cwnds"].items()]
        for row, _, ours in compared
        if ours
    }


@pytest.mark.parametrize("kind", linux.KINDS)
@pytest.mark.parametrize("plr", ["1e-3", "1e-2"])
def test_throughput_over_random_loss(compared, alike, kind, plr):
    words = [f"{linux.means(compared, kind, plr)[0]:.0f}"]
    for rows, bounds in ((compared, NEAR), (alike, ALIKE)):
        theirs, ours = linux.means(rows, kind, plr)
        low, high = bounds[kind]
        assert low <= round(ours / theirs, 2) <= high, f"ns-2 {theirs:.0f}, acklab {ours:.0f}"
        words += [f"{ours:.0f}", f"{ours / theirs:.2f}"]
    line = f"| {kind} | {plr} | {' | '.join(words)} |"
    assert line in PAGE.read_text(), f"the page says otherwise than {line}"


@pytest.mark.long
def test_what_each_rule_is_worth():
    """The page's second table, to its last digit."""
    page = PAGE.read_text()
    for name, found in linux.shares():
        line = " | ".join([f"| {name}", *("" if value is None else f"{value:.2f}" for value in found)]) + " |"
        assert line in page, f"the page says otherwise than {line}"


@pytest.mark.parametrize("kind", ["reno", "veno"])
def test_listed_losses_give_the_same_sawtooth(windows, kind):
    """Two percent of the window, half a segment for ns-2's whole ones, and the round trip after a loss, which is noticed apart."""
    apart = [abs(ours - theirs) > 0.02 * theirs + 1 for t, theirs, ours in windows["losses", kind] if t >= 1]
    assert sum(apart) <= 2, [entry for entry, wrong in zip(windows["losses", kind], apart) if wrong]


def test_cubic_has_the_same_curve(windows):
    """Three stages of it: concave after slow start, with fast convergence, and convex up to 420 segments. Within 3 %."""
    apart = [
        (t, theirs, ours) for t, theirs, ours in windows["losses", "cubic"] if t >= 1 and abs(ours / theirs - 1) > 0.03
    ]
    assert len(apart) <= 3, apart
    assert max(abs(ours - theirs) for t, theirs, ours in windows["losses", "cubic"] if 5 <= t <= 11) < 2


def test_vegas_grows_every_round_trip_and_ns2s_every_second(windows):
    slope = {
        name: window_at(windows["losses", "vegas"], 20, column) - window_at(windows["losses", "vegas"], 10, column)
        for name, column in (("ns-2", 1), ("acklab", 2))
    }
    assert slope == {"ns-2": 50.0, "acklab": 100.0}


def test_vegas_keeps_the_same_backlog(windows):
    """A full link: the window is what the link holds, 121 segments, and two to four."""
    for t, theirs, ours in windows["full", "vegas"]:
        if t >= 5:
            assert theirs in (125, 126) and abs(ours - theirs) <= 1, (t, theirs, ours)


def test_westwood_keeps_what_the_link_carries(windows):
    """A drop of a full queue leaves rate times least round trip, 121 segments, in both, after the first has taught acklab's."""
    for column, since in ((1, 5), (2, 22)):
        least = min(entry[column] for entry in windows["full", "westwood"] if entry[0] > since)
        assert 119 <= least <= 126, (column, least)


@pytest.mark.parametrize("kind", ["reno", "cubic", "veno", "vegas"])
def test_a_full_link_carries_as_much(compared, kind):
    theirs, ours = next(
        (int(row["acked"]), ours) for row, ours, _ in compared if (row["case"], row["kind"]) == ("full", kind)
    )
    assert abs(ours / theirs - 1) < 0.005


def window_at(entries, time, column):
    return next(entry[column] for entry in entries if entry[0] == time)
