"""The presets of `--path`: each runs, in the simulator and as the plan of a live run, and does what its page says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import acklab
from acklab import _core
from acklab._toml import loads
from acklab.cli.examples import PATHS, example, keys
from front import Acklab

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "access-paths.md"
#: Paths of constant rates, made for another page.
PLAIN = ("cable", "dsl", "lte", "satellite")
PRESETS = tuple(path for path in PATHS if path not in PLAIN)


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
    row = next(row for row in links if {row["from"], row["to"]} == {"A", "C"} and row["from"] == ("A" if direction == "down" else "C"))
    return float(8e-6 * row["bytes"] / seconds)


def test_every_preset_has_a_row() -> None:
    assert tuple(rows()) == PRESETS


@pytest.mark.parametrize("path", PRESETS)
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
    done = acklab_command("run", "--path", "docsis30", "--set", "up=20Mbps", "--set", "stop.at=200ms", "--show-expanded")
    assert done.returncode == 0, done.stderr
    rate = loads(done.stdout)["link"][1]["back"]["rate"]
    assert (rate["kind"], rate["rate"], rate["map_interval"]) == ("docsis", "20000000bps", "0.002s")
    assert "no key up;" in acklab_command("run", "--path", "leo", "--set", "up=20Mbps").stderr
    done = acklab_command("emulate", "--path", "gpon", "--set", "up=200Mbps", "--dry-run")
    assert done.returncode == 0 and "A" in done.stdout, done.stderr
    assert acklab_command("emulate", "--dry-run").returncode == 2
    assert "up_buffer" not in keys("docsis31") and keys("gpon")["up"] == "link.1.back.rate.rate"
