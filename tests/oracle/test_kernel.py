"""The stack `linux` does as the kernel did, as near as `docs/oracle/kernel.md` says."""

from pathlib import Path

import kernel
import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "oracle" / "kernel.md"

# Simulated over the median of the kernel's runs.
NEAR = {"goodput_bps": (0.94, 1.04), "mean_srtt_s": (0.92, 1.12), "segments_sent": (0.94, 1.04), "acks_sent": (0.94, 1.09)}


@pytest.fixture(scope="module")
def compared():
    return kernel.compare()


@pytest.mark.parametrize(("name", "control"), kernel.experiments())
def test_a_path(compared, name, control):
    measures = compared[name, control]
    for measure, (low, high) in NEAR.items():
        _, median, _, simulated = measures[measure]
        assert low <= simulated / median <= high, f"{measure}: kernel {median}, acklab {simulated}"
    least, _, most, simulated = measures["retransmits"]
    room = max(4, 0.1 * least)
    assert least - room <= simulated <= most + room, f"retransmits: kernel {least} to {most}, acklab {simulated}"
    least, _, most, simulated = measures["timeouts"]
    assert least - 1 <= simulated <= most, f"timeouts: kernel {least} to {most}, acklab {simulated}"


def test_the_page_says_so():
    page = PAGE.read_text()
    for line in kernel.lines():
        assert line in page, f"the page says otherwise than {line}"
