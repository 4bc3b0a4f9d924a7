"""BBR does as the kernel's did, as near as `docs/oracle/kernel.md` says."""

from pathlib import Path

import kernel_bbr
import kernel_rivals
import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "oracle" / "kernel.md"

# Simulated over the least and the most of the kernel's runs.
NEAR = {
    "goodput_bps": (0.99, 1.02),
    "mean_srtt_s": (0.94, 1.03),
    "segments_sent": (0.99, 1.02),
    "acks_sent": (0.98, 1.02),
}
# Where the page says that it is less near: the queue of ACKs, and what start-up loses.
LESS_NEAR = {("acks-slow", "mean_srtt_s"): (0.86, 1.03), ("every-32nd", "mean_srtt_s"): (0.94, 1.07)}
ROOM = {"acks-filtered": 0.12}


@pytest.fixture(scope="module")
def compared():
    return kernel_bbr.compare()


@pytest.fixture(scope="module")
def rivals():
    return kernel_rivals.compare()


@pytest.mark.parametrize("name", kernel_bbr.PATHS)
def test_a_path(compared, name):
    measures = compared[name]
    for measure, near in NEAR.items():
        low, high = LESS_NEAR.get((name, measure), near)
        least, _, most, simulated = measures[measure]
        assert low * least <= simulated <= high * most, f"{measure}: kernel {least} to {most}, acklab {simulated}"
    least, _, most, simulated = measures["retransmits"]
    room = max(4, ROOM.get(name, 0.03) * least)
    assert least - room <= simulated <= most + room, f"retransmits: kernel {least} to {most}, acklab {simulated}"
    least, _, most, simulated = measures["timeouts"]
    assert least - 1 <= simulated <= most, f"timeouts: kernel {least} to {most}, acklab {simulated}"
    least, _, most, simulated = measures["mean_queue_packets"]
    assert least - 2.1 <= simulated <= most + 0.5, f"queue: kernel {least} to {most}, acklab {simulated}"


@pytest.mark.parametrize("queue", kernel_rivals.QUEUES)
def test_beside_cubic(rivals, queue):
    """The kernel's runs lie among eight of the simulator's, or near."""
    for measure, (least, most, low, high) in rivals[queue].items():
        if measure.endswith("_bps"):
            assert low - 0.2e6 <= least and most <= high + 0.2e6, (
                f"{measure}: kernel {least} to {most}, acklab {low} to {high}"
            )
    least, most, low, high = rivals[queue]["mean_queue_packets"]
    assert 0.97 * low <= least and most <= 1.03 * high, f"queue: kernel {least} to {most}, acklab {low} to {high}"


def test_the_page_says_so():
    page = PAGE.read_text()
    for line in [*kernel_bbr.lines(), *kernel_bbr.timing(), *kernel_rivals.lines()]:
        assert line in page, f"the page says otherwise than {line}"
