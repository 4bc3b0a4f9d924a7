"""The presets of `--path`: each runs, in the simulator and as the plan of a live run, and does what its page says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import acklab
from acklab import _core
from acklab.cli.examples import PATHS, example, keys
from acklab.text.input import loads
from front import Acklab

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "access-paths.md"
#: Paths of constant rates, made for another page.
PLAIN = ("cable", "dsl", "lte", "satellite")
#: Without a link of their own, and not live.
WIFI = ("wifi5", "wifi6")
PRESETS = tuple(path for path in PATHS if path not in (*PLAIN, *WIFI))


def preset(path: str) -> dict[str, Any]:
    return loads(example(f"access/{path}.toml").read_text())


def rows() -> dict[str, list[str]]:
    """The page's table: preset, and its cells."""
    found = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and not line.startswith("| `--path`"):
            found[cells[0].strip("`")] = cells[1:]
    return found


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def idle(path: str) -> tuple[float, float]:
    """Least and mean round trip of the small request alone, in milliseconds."""
    tree = preset(path)
    tree["flow"] = [flow for flow in tree["flow"] if flow["name"] == "ping"]
    row = acklab.run(tree).summary()["flows"][0]
    return 1000 * row["min_rtt_s"], 1000 * row["mean_rtt_s"]


def saturated(path: str, direction: str) -> float:
    """What a direction carries of datagrams that come faster, in Mb/s."""
    tree, seconds = preset(path), 15 if path == "leo" else 2 if direction == "down" else 8
    ends = {"down": ("S", "C"), "up": ("C", "S")}[direction]
    source = {"kind": "udp", "rate": "2Gbps" if direction == "down" else "700Mbps", "packet": 1500}
    link = tree["link"][1]
    (link if direction == "down" else link.setdefault("back", {}))["queue"] = {"kind": "drop-tail", "packets": 1000}
    tree["link"][0]["rate"] = "100Gbps"
    tree["flow"] = [{"from": ends[0], "to": ends[1], "source": source}]
    tree["stop"] = {"at": f"{seconds}s"}
    links = acklab.run(tree).summary()["links"]
    row = next(
        row
        for row in links
        if {row["from"], row["to"]} == {"A", "C"} and row["from"] == ("A" if direction == "down" else "C")
    )
    return float(8e-6 * row["bytes"] / seconds)


def test_every_preset_has_a_row() -> None:
    assert tuple(rows()) == (*PRESETS, *WIFI)


@pytest.mark.parametrize("path", (*PRESETS, *WIFI))
def test_an_idle_round_trip_is_what_the_page_says(path: str) -> None:
    least, mean = numbers(rows()[path][2])
    found = idle(path)
    assert found[0] == pytest.approx(least, abs=0.35) and found[1] == pytest.approx(mean, abs=0.35)


@pytest.mark.parametrize("path", PRESETS)
def test_a_saturated_direction_carries_what_the_page_says(path: str) -> None:
    down, up = numbers(rows()[path][3])
    assert saturated(path, "down") == pytest.approx(down, rel=0.02)
    assert saturated(path, "up") == pytest.approx(up, rel=0.02)


@pytest.mark.parametrize("path", PRESETS)
def test_a_preset_says_its_sources_and_can_run_live(path: str) -> None:
    text = example(f"access/{path}.toml").read_text()
    head = text[: text.index("title =")]
    assert "From " in head or "rates are" in head
    assert "Assumed: " in head and all(line.startswith("# ") for line in head.splitlines())
    _core.LivePlan(text.encode(), file=path, sets=[], seed=None, kernel_acks=False, control=None, sender=None)


def test_a_preset_runs_and_its_keys_reach_the_grants(acklab_command: Acklab) -> None:
    done = acklab_command(
        "run", "--path", "docsis30", "--set", "up=20Mbps", "--set", "stop.at=200ms", "--show-expanded"
    )
    assert done.returncode == 0, done.stderr
    rate = loads(done.stdout)["link"][1]["back"]["rate"]
    assert (rate["kind"], rate["rate"], rate["map_interval"]) == ("docsis", "20000000bps", "0.002s")
    assert "no key up;" in acklab_command("run", "--path", "leo", "--set", "up=20Mbps").stderr
    done = acklab_command("run", "--live", "--path", "gpon", "--set", "up=200Mbps", "--dry-run")
    assert done.returncode == 0 and "A" in done.stdout, done.stderr
    assert acklab_command("run", "--live", "--dry-run").returncode == 2
    assert "up_buffer" not in keys("docsis31-ll") and keys("gpon")["up"] == "link.1.back.rate.rate"


@pytest.mark.parametrize(
    ("path", "frames", "aggregate_us", "block_ack_us"),
    [("wifi5", 64, 44 + 254 * 3.6, 32), ("wifi6", 256, 50.4 + 194 * 13.6, 40)],
)
def test_a_saturated_access_point_fills_its_aggregates(
    path: str, frames: int, aggregate_us: float, block_ack_us: float
) -> None:
    """An exchange is DIFS, a mean backoff of 7.5 slots, full aggregate, SIFS, block ACK; propagation of 1 us twice."""
    exchange_us = 34 + 7.5 * 9 + aggregate_us + 16 + block_ack_us + 2
    tree = preset(path)
    tree["wlan"][0]["ap_queue"] = {"kind": "drop-tail", "packets": 1000}
    tree["flow"] = [{"from": "S", "to": "C", "source": {"kind": "udp", "rate": "2Gbps", "packet": 1500}}]
    tree["stop"] = {"at": "2s"}
    row = next(row for row in acklab.run(tree).summary()["links"] if (row["from"], row["to"]) == ("A", "C"))
    mbps = 8e-6 * row["bytes"] / 2
    assert mbps == pytest.approx(frames * 12_000 / exchange_us, rel=0.01)
    assert mbps == pytest.approx(numbers(rows()[path][3])[0], rel=0.02)


def test_wifi_presets_have_no_keys_of_a_link(acklab_command: Acklab) -> None:
    assert set(keys("wifi6")) == {"downloads", "upload"}
    done = acklab_command("run", "--path", "wifi6", "--set", "downloads=1", "--set", "stop.at=300ms", "--json")
    assert done.returncode == 0, done.stderr
    assert "no key up;" in acklab_command("run", "--path", "wifi6", "--set", "up=20Mbps").stderr
