"""What the numbers of the first part say, point by point; the guide has the same sentences."""

from __future__ import annotations

from ...figures.stats import Sample
from ...reproduce.grid import Grid
from .setting import FQ, MECHANISMS, PATHS
from .told import Point, sample, spread, told

WIRED = ("fibre", "cable", "leo", "geo")
"""Paths on which HyStart sees no delays but a queue's."""
BUNCHED = ("fibre", "cable", "wifi", "lte", "nr")
"""Paths whose uplinks hold ACKs until a grant, a cycle or an aggregate."""
FAIR = tuple(key for key, place in PATHS.items() if place.down == FQ)


def _range(values: list[float], places: int = 0) -> str:
    low, high = f"{min(values):.{places}f}", f"{max(values):.{places}f}"
    return low if low == high else f"{low} to {high}"


def points(one: Grid, four: Grid, pair: Grid) -> list[Point]:
    """The points, in the guide's order."""

    def alone(path: str, mechanism: str, column: str = "time_s", size: str = "20 MB", sender: str = "linux") -> Sample:
        return sample(one, column, path=path, mechanism=mechanism, size=size, sender=sender)

    def shared(path: str, mechanism: str, column: str) -> Sample:
        return sample(four, column, path=path, mechanism=mechanism)

    def apart(size: str) -> float:
        """Percent between the slowest and the fastest of all but TACK-like, at most."""
        times = [[alone(path, key, size=size).value for key in MECHANISMS if key != "tack"] for path in WIRED]
        return max(100 * (max(each) / min(each) - 1) for each in times)

    seeds = alone("fibre", "delayed").count
    late = [100 * (alone(path, "tack").value / alone(path, "delayed").value - 1) for path in WIRED]
    left = [alone(path, "cake", "acks_per_mb").value for path in BUNCHED]
    of = [alone(path, "delayed", "acks_per_mb").value for path in BUNCHED]
    slower = [alone(path, "cake", sender="rfc").value / alone(path, "delayed", sender="rfc").value for path in BUNCHED]
    jains = [shared(path, key, "jain").value for path in FAIR for key in MECHANISMS]
    shares = [sample(pair, "share_percent", path=path, mechanism=key).value for path in FAIR for key in MECHANISMS]
    others = [path for path in PATHS if path not in FAIR]
    rough = [shared(path, key, "jain").value for path in others for key in MECHANISMS]
    uneven = []
    for path in others:
        for key, kind in MECHANISMS.items():
            value = sample(pair, "share_percent", path=path, mechanism=key)
            low, high = spread(value)
            if not low <= 50 <= high:
                uneven.append(f"{kind.name} on {PATHS[path].short} ({told(value)} %)")

    def p99(path: str) -> str:
        return _range([shared(path, key, "p99_ms").value for key in MECHANISMS if key not in ("acc", "tack")])

    return [
        (
            "A download alone",
            f"On fibre, cable and both satellites six strategies take nearly the same time with Linux's sender. Their means over {seeds} seeds "
            f"are at most {apart('1 MB'):.1f} % apart for 1 MB and {apart('20 MB'):.1f} % for 20 MB. TACK-like takes {_range(late)} % longer "
            "than delayed ACKs for 20 MB.",
        ),
        (
            "Grants",
            f"On LTE 20 MB take {told(alone('lte', 'delayed'))} s with delayed ACKs and {told(alone('lte', 'cake'))} s with the CAKE filter. "
            f"On 5G NR they take {told(alone('nr', 'delayed'))} and {told(alone('nr', 'cake'))} s, and these intervals overlap. "
            "HyStart ends slow start early where ACKs wait for grants; the filter leaves it too few ACKs a round trip for that.",
        ),
        (
            "A filter's saving",
            f"On the five paths that bunch ACKs, CAKE's filter leaves {_range(left)} ACKs per megabyte of {_range(of)} (20 MB alone). "
            f"On the satellites no ACK waits in the uplink's queue, and all {alone('geo', 'cake', 'acks_per_mb').value:.0f} remain. "
            f"HyStart then ends slow start late on cable, and {told(alone('cable', 'cake', 'retransmits_percent'))} % of the segments are "
            f"retransmitted instead of {told(alone('cable', 'delayed', 'retransmits_percent'))}.",
        ),
        (
            "A filter's condition",
            "The sender must count all that an ACK covers, as Linux does. If an ACK is worth at most a segment in slow start (RFC 5681), 20 MB "
            f"take {_range(slower, 1)} times as long with the filter as with delayed ACKs on these five paths.",
        ),
        (
            "The uplink",
            f"ACKs of four downloads take {told(shared('cable', 'every', 'uplink_percent'))} % of cable's 35 Mb/s if each segment is "
            f"acknowledged, {told(shared('cable', 'delayed', 'uplink_percent'))} delayed, "
            f"{told(shared('cable', 'cake', 'uplink_percent'))} with the filter. On Wi-Fi 6 the same three take "
            f"{told(shared('wifi', 'every', 'uplink_percent'))}, {told(shared('wifi', 'delayed', 'uplink_percent'))} and "
            f"{told(shared('wifi', 'cake', 'uplink_percent'))} % of the air's time. The downloads get "
            f"{told(shared('wifi', 'every', 'goodput_mbps'))}, {told(shared('wifi', 'delayed', 'goodput_mbps'))} and "
            f"{told(shared('wifi', 'cake', 'goodput_mbps'))} Mb/s there.",
        ),
        (
            "Fairness",
            "Flow queues even out shares. With FQ-CoDel on fibre and Wi-Fi, Jain's index of four downloads is "
            f"{_range(jains, 3)} over all strategies. Beside a flow with delayed ACKs they get {_range(shares)} % of the throughput there. "
            f"With one queue for all flows Jain's index is {_range(rough, 2)}. There the 95 % interval of the share leaves out a half only for "
            f"{', '.join(uneven)}.",
        ),
        (
            "Latency under load",
            f"The queue decides it. The requests' p99 is {p99('fibre')} ms on fibre, {p99('wifi')} on Wi-Fi, {p99('cable')} on cable, "
            f"{p99('leo')} by LEO and {p99('geo')} by GEO satellite (means of five strategies). With TACK-like on cable it is "
            f"{told(shared('cable', 'tack', 'p99_ms'))}, because the buffer drops answers, and a first timeout takes 1 s. On LTE the "
            f"strategy counts too: the median is {told(shared('lte', 'delayed', 'p50_ms'))} ms with delayed ACKs and "
            f"{told(shared('lte', 'cake', 'p50_ms'))} with the filter. The four downloads get "
            f"{told(shared('lte', 'delayed', 'goodput_mbps'))} and {told(shared('lte', 'cake', 'goodput_mbps'))} Mb/s.",
        ),
        (
            "Smartacking",
            f"Alone it sends {told(alone('fibre', 'smart', 'acks_per_mb'))} ACKs per megabyte on fibre and "
            f"{told(alone('lte', 'smart', 'acks_per_mb'))} on LTE. Beside three of its kind it sends "
            f"{told(shared('cable', 'smart', 'acks_per_mb'))} on cable and {told(shared('leo', 'smart', 'acks_per_mb'))} by LEO satellite. "
            f"Behind Wi-Fi's aggregates it sends {told(alone('wifi', 'smart', 'acks_per_mb'))} even alone.",
        ),
        (
            "ACC",
            f"On LTE it acknowledges every segment ({told(alone('lte', 'acc', 'acks_per_mb'))} ACKs per megabyte), because the uplink is "
            f"hardly congested. On Wi-Fi its RED asks for fewer, {told(alone('wifi', 'acc', 'acks_per_mb'))}. But RED drops requests that have "
            f"no ECN: their p99 is {told(shared('wifi', 'acc', 'p99_ms'))} ms instead of {told(shared('wifi', 'delayed', 'p99_ms'))}.",
        ),
    ]  # fmt: skip
