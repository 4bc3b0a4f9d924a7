"""What an access path is, for people: rates, grants, and each queue's limit in both units."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from ..text import presets
from ..text.terminal import say
from ..text.toml import loads
from . import examples

#: Rates whose uplink sends by grants.
GRANTED = ("docsis", "lte", "nr", "pon")
#: Keys under which a queue has its limit in bytes; other limits are in packets.
BYTES = ("bytes", "waiting_bytes", "buffer")
PACKETS = ("packets", "waiting")


def say_path(options: argparse.Namespace) -> None:
    """Prints what ``--path`` and ``--set`` make, if the verb was given a path."""
    name = getattr(options, "of_path", None)
    if name is None or options.json:
        return
    from .. import _core

    with open(options.file, "rb") as file:
        expanded = _core.expanded(file.read(), file=options.file, sets=options.set, seed=options.seed if "seed" in options else None)
    changed = any(getattr(options, several, None) for several in ("vary", "case", "cases", "under"))
    say(f"path {name}{' as it is' if changed else ''}: {path_as_text(loads(expanded))}")


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
    one_way, back = (sum(seconds_of(table["delay"]) for table in tables) for tables in (scenario["link"], [one["back"] for one in scenario["link"]]))
    delay = f"delay {1e3 * one_way:.4g} ms one way, round trip without queues {1e3 * (one_way + back):.4g} ms"
    return f"down {_direction(down)}; up {_direction(up, ' ' + grants)}; {delay}"


def seconds_of(time: str) -> float:
    """A time of an expanded scenario, in seconds."""
    return float(time.removesuffix("s"))


def granted(rate: object) -> bool:
    """Whether a link's ``rate`` is an uplink that sends by grants."""
    return isinstance(rate, Mapping) and rate.get("kind") in GRANTED


def _direction(link: Mapping[str, Any], grants: str = "") -> str:
    bps = rate_of_buffers(link["rate"])
    said = "" if bps is None else f"{bps / 1e6:,.6g} Mb/s"
    if isinstance(link["rate"], Mapping) and not granted(link["rate"]):
        said = f"{link['rate']['kind']} of {said}" if said else link["rate"]["kind"]
    return f"{said}{grants}, {queue_as_text(link['queue'], bps)}"


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


def explained(word: str) -> str | None:
    """What a word means with ``--path``: a preset, or a short key; none if it is neither."""
    if word in presets.KEYS:
        key, about = presets.KEYS[word]
        return f"{word}, with --path: {about}\n  in most presets: {key} (acklab explain docsis30 has those of one)"
    return _preset(word) if word in presets.PATHS else None


def _preset(name: str) -> str:
    """A preset's line, what its file says of its sources, and its keys."""
    from .. import _core

    text = examples.example(f"access/{name}.toml").read_bytes()
    known = presets.keys(name)
    lines = [f"--path {name}: {path_as_text(loads(_core.expanded(text, file=name)))}"]
    lines += [f"  {line.removeprefix('#').strip()}" for line in text.decode().partition("title =")[0].splitlines()]
    keys = [f"    {key:<12} {known[key]}: {about}" for key, (_, about) in presets.KEYS.items() if key in known]
    return "\n".join([*lines, "  short keys:", *keys])
