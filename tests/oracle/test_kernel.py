"""The stack `linux` does as the kernel did, as near as `docs/oracle/kernel.md` says."""

from pathlib import Path

import kernel
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "oracle" / "kernel.md"

# Simulated over the least and the most of the kernel's runs.
NEAR = {
    "goodput_bps": (0.98, 1.03),
    "mean_srtt_s": (0.96, 1.11),
    "segments_sent": (0.98, 1.03),
    "acks_sent": (0.97, 1.08),
}
# ... and of paths where it is farther; the page says why.
FARTHER = {
    "outages": {"goodput_bps": (0.98, 1.04), "segments_sent": (0.98, 1.04), "mean_srtt_s": (0.96, 1.13)},
    "pauses": {"mean_srtt_s": (0.96, 1.16)},
    "unstamped": {"mean_srtt_s": (0.96, 1.19)},
}


@pytest.fixture(scope="module")
def compared():
    return kernel.compare()


@pytest.mark.parametrize(("name", "control"), kernel.experiments())
def test_a_path(compared, name, control):
    measures = compared[name, control]
    for measure, (low, high) in (NEAR | FARTHER.get(name, {})).items():
        least, _, most, simulated = measures[measure]
        assert low * least <= simulated <= high * most, f"{measure}: kernel {least} to {most}, acklab {simulated}"
    least, _, most, simulated = measures["retransmits"]
    room = max(4, 0.1 * least)
    assert least - room <= simulated <= most + room, f"retransmits: kernel {least} to {most}, acklab {simulated}"
    least, _, most, simulated = measures["timeouts"]
    assert least - 1 <= simulated <= most, f"timeouts: kernel {least} to {most}, acklab {simulated}"


def test_the_page_says_so():
    page = PAGE.read_text()
    for line in kernel.lines():
        assert line in page, f"the page says otherwise than {line}"


@pytest.mark.long
def test_the_page_has_what_each_rule_is_worth():
    page = PAGE.read_text()
    for line in kernel.shares():
        assert line in page, f"the page says otherwise than {line}"


def test_the_page_on_live_runs_counts_the_near_ones(compared):
    """Experiments in which the stack's throughput is within 3 % of the kernel's median."""
    goodputs = [measures["goodput_bps"] for measures in compared.values()]
    near = sum(abs(simulated / median - 1) <= 0.03 for _, median, _, simulated in goodputs)
    page = ROOT / "docs" / "howto" / "live.md"
    assert f"in {near} of {len(goodputs)} experiments" in " ".join(page.read_text().split())
