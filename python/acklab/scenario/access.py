"""An access path of an expanded scenario in a line: rates, grants, and each queue's limit in both units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Rates whose uplink sends by grants.
GRANTED = ("docsis", "lte", "nr", "pon")
#: Keys under which a queue has its limit in bytes; other limits are in packets.
BYTES = ("bytes", "waiting_bytes", "buffer")
PACKETS = ("packets", "waiting")


def is_access(scenario: Mapping[str, Any]) -> bool:
    """Whether an expanded scenario has the shape of ``examples/access``: an access link, and flows down and up."""
    names = {flow.get("name") for flow in scenario.get("flow", [])}
    one_air = len(scenario.get("link", [])) == 1 and len(scenario.get("wlan", [])) == 1
    return {"down", "up"} <= names and (
        one_air or (len(scenario.get("link", [])) > 1 and "back" in scenario["link"][1])
    )


def path_as_text(scenario: Mapping[str, Any]) -> str:
    """An expanded scenario of ``examples/access`` in a line.

    Args:
        scenario: its tables; the access link is the second, or an 802.11 network.
    """
    if len(scenario["link"]) == 1:
        air = scenario["wlan"][0]
        return f"shared air, no grants; access point {queue_as_text(air['ap_queue'])}, station {queue_as_text(air['queue'])}"
    link = scenario["link"][1]
    down, up = link, {**link, **link["back"]}
    grants = "by grants" if granted(up["rate"]) else "without grants"
    one_way, back = (
        sum(seconds_of(table["delay"]) for table in tables)
        for tables in (scenario["link"], [one["back"] for one in scenario["link"]])
    )
    wait = ", and the wait for a grant" if granted(up["rate"]) else ""
    delay = f"delay {1e3 * one_way:.4g} ms one way, {1e3 * (one_way + back):.4g} ms there and back{wait}"
    return f"down {_direction(down)}; up {_direction(up, ' ' + grants)}; {delay}"


def seconds_of(time: str) -> float:
    """A time of an expanded scenario, in seconds."""
    return float(time.removesuffix("s"))


def granted(rate: object) -> bool:
    """Whether a link's ``rate`` is an uplink that sends by grants."""
    return isinstance(rate, Mapping) and rate.get("kind") in GRANTED


def _direction(link: Mapping[str, Any], grants: str = "") -> str:
    return f"{rate_as_text(link['rate'])}{grants}, {queue_as_text(link['queue'], rate_of_buffers(link['rate']))}"


def rate_as_text(rate: str | Mapping[str, Any]) -> str:
    """A rate of an expanded scenario.

    >>> rate_as_text("2000000bps"), rate_as_text({"kind": "token-bucket", "mean": "5000000bps"})
    ('2 Mb/s', 'token-bucket of 5 Mb/s')
    """
    bps = rate_of_buffers(rate)
    said = "" if bps is None else f"{bps / 1e6:,.6g} Mb/s"
    if isinstance(rate, Mapping) and not granted(rate):
        return f"{rate['kind']} of {said}" if said else str(rate["kind"])
    return said


def rate_of_buffers(rate: str | Mapping[str, Any]) -> float | None:
    """The rate by which a buffer written as a time is counted, in bit/s; none of a Mahimahi trace, which has its mean.

    >>> rate_of_buffers("1000000bps"), rate_of_buffers({"kind": "table", "rows": [["0s", "2000000bps"], ["1s", "0bps"]]})
    (1000000.0, 2000000.0)
    """
    if isinstance(rate, str):
        return float(rate.removesuffix("bps"))
    if rate["kind"] == "table":
        return max(float(row[1].removesuffix("bps")) for row in rate["rows"])
    named = rate.get("mean" if rate["kind"] == "token-bucket" else "rate")
    return None if named is None else float(named.removesuffix("bps"))


def queue_as_text(queue: Mapping[str, Any], bps: float | None = None) -> str:
    """A queue of an expanded scenario, its limit in bytes also as a time at ``bps``.

    >>> queue_as_text({"kind": "drop-tail", "bytes": "250000B"}, 50e6), queue_as_text({"kind": "codel", "packets": 1000})
    ('drop-tail 40 ms (250 kB)', 'codel 1000 packets')
    """
    for key in BYTES:
        if key in queue:
            size = float(queue[key].removesuffix("B"))
            text = f"{size / 1e6:.6g} MB" if size >= 1e6 else f"{size / 1e3:.6g} kB"
            return f"{queue['kind']} {8e3 * size / bps:.4g} ms ({text})" if bps else f"{queue['kind']} {text}"
    return " ".join([queue["kind"], *(f"{queue[key]} packets" for key in PACKETS if key in queue)])


def time_of_buffer(queue: Mapping[str, Any], bps: float) -> str:
    """The limit of a queue as a time, in parentheses; nothing of one that is limited in packets.

    >>> time_of_buffer({"kind": "docsis-pie", "buffer": "498750B"}, 35e6), time_of_buffer({"kind": "codel", "packets": 9}, 35e6)
    (' (114 ms)', '')
    """
    size = next((float(queue[key].removesuffix("B")) for key in BYTES if queue.get(key)), None)
    return "" if size is None else f" ({8e3 * size / bps:.4g} ms)"
