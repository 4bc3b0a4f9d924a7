"""What an access path prints of itself: buffers in time and in bytes, which keep their time, and which uplinks have grants."""

from __future__ import annotations

from typing import Any

import pytest

from acklab import _core
from acklab.cli.examples import GROUPS, PATHS, example, keys
from acklab.scenario.access import granted
from acklab.text.input import loads
from front import Acklab

#: Bytes at a preset's own rates, down and up.
BYTES = {
    "cable": (2_000_000, 498_750), "dsl": (255_000, 64_000), "lte": (997_500, 250_000), "satellite": (8_000_000, 250_125),
    "docsis30": (500_000, 312_500), "docsis31": (2_000_000, 500_000), "vdsl": (2_461_563, 615_313), "gpon": (2_500_000, 1_250_000),
    "lte-fdd": (4_700_000, 1_600_000), "nr-tdd": (5_400_000, 590_000), "geo": (7_500_000, 375_000), "leo": (2_200_000, 212_000),
}  # fmt: skip


def expanded(path: str, *sets: str) -> dict[str, Any]:
    known = keys(path)
    written = [f"{known.get(key, key)}={value}" for key, _, value in (text.partition("=") for text in sets)]
    return loads(_core.expanded(example(f"access/{path}.toml").read_bytes(), file=path, sets=written))


def limits(scenario: dict[str, Any]) -> tuple[int, ...]:
    link = scenario["link"][1]
    queues = (link["queue"], link["back"]["queue"])
    return tuple(int(queue.get("bytes", queue.get("buffer")).removesuffix("B")) for queue in queues)


@pytest.mark.parametrize("path", BYTES)
def test_a_preset_has_its_bytes_at_its_own_rates(path: str) -> None:
    assert limits(expanded(path)) == BYTES[path]


def test_a_buffer_keeps_its_time_when_the_rate_changes() -> None:
    assert limits(expanded("docsis30", "down=50Mbps", "up=5Mbps")) == (250_000, 156_250), "40 and 250 ms"
    assert limits(expanded("docsis31", "up=3.5Mbps")) == (2_000_000, 50_000), "DOCSIS-PIE's buffer, too"


def test_a_buffer_is_set_in_time_or_in_bytes() -> None:
    for buffer in ("down_buffer=20ms", "down_buffer=125kB", "down_buffer=0.02s"):
        assert limits(expanded("docsis30", "down=50Mbps", buffer))[0] == 125_000
    assert limits(expanded("docsis31", "up_buffer=100ms"))[1] == 437_500


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("40", "`40` has no unit"),
        ("0ms", "the time that the link needs for a byte"),
        ("-1ms", "is negative"),
        ("40parsec", 'or a time as "40ms"'),
        ("1e11s", "at most 9 PB"),
        ("0B", "must be at least 1B"),
    ],
)
def test_nonsense_is_refused(value: str, said: str, acklab_command: Acklab) -> None:
    done = acklab_command("run", "--path", "docsis30", "--set", f"down_buffer={value}")
    assert done.returncode == 2 and said in done.stderr and "down_buffer = " in done.stderr and not done.stdout


def test_a_run_and_a_sweep_print_both_units_and_the_grants(acklab_command: Acklab) -> None:
    half = ["--set", "down=50Mbps", "--set", "up=5Mbps", "--set", "stop.at=100ms"]
    line = "down 50 Mb/s, drop-tail 40 ms (250 kB); up 5 Mb/s by grants, drop-tail 250 ms (156.25 kB); delay 6 ms one way, 12 ms there and back, and the wait for a grant"
    for verb, more in (
        ("run", []),
        ("run", ["--live", "--dry-run"]),
        ("sweep", ["--vary", "downloads=1,2", "--metric", "goodput@down*"]),
    ):
        done = acklab_command(verb, "--path", "docsis30", *half, *more)
        start = {"sweep": "path docsis30 as it is: "}.get(verb, "path docsis30: ")
        assert done.returncode == 0 and f"{start}{line}" in done.stdout, done.stdout + done.stderr
    assert acklab_command("run", "--path", "docsis30", *half, "--json").stdout.startswith("{")


@pytest.mark.parametrize("path", PATHS)
def test_a_preset_says_whether_it_has_grants(path: str, acklab_command: Acklab) -> None:
    scenario = expanded(path)
    has = len(scenario["link"]) > 1 and granted(scenario["link"][1]["back"]["rate"])
    assert has == (path in GROUPS["uplink by grants"])
    told = acklab_command("explain", path).stdout
    if path in ("cable", "dsl", "lte", "satellite"):
        assert "without grants" in told and "simplified" in told


def test_a_required_key_is_explained_as_such(acklab_command: Acklab) -> None:
    assert "buffer (required)" in acklab_command("explain", "docsis-pie").stdout
    assert "threshold (required)" in acklab_command("explain", "static").stdout
    assert "\n  required" in acklab_command("explain", "docsis-pie.buffer").stdout
    assert "required" not in acklab_command("explain", "link.queue.codel.target").stdout
    assert "with --path" in acklab_command("explain", "down_buffer").stdout


@pytest.mark.parametrize("path", PATHS)
def test_every_preset_can_run_between_kernels_or_says_why_not(path: str, acklab_command: Acklab) -> None:
    done = acklab_command("run", "--live", "--path", path, "--dry-run")
    if path.startswith("wifi"):
        assert done.returncode == 2 and "air that both directions share" in done.stderr
    else:
        assert done.returncode == 0, done.stderr


def test_a_path_runs_on_a_kernel_by_the_same_verb(acklab_command: Acklab) -> None:
    """Without a kernel all that is missing is the kernel."""
    done = acklab_command("run", "--virtual", "--path", "lte-fdd", "--set", "downloads=1", "--for", "100ms")
    assert done.returncode == 0 or "make kernel" in done.stderr, done.stderr
