"""The path, the parameters, each stated or inferred, the printed tables, and the scenarios."""

from __future__ import annotations

from typing import Any

from ...reproduce.paper import Parameter
from ..later import text

SECONDS, RATE_BPS, FILE = 360, 1_500_000, 1_000_000
DELAY_S = 0.05
"""One way."""
WEBS, FTPS, WINDOWS = (8, 16, 32), (0, 1, 2, 3), (1, 2, 3, 4)
SERVERS = 4
SMALL, LARGE = (3_000, 20_000), (40_000, 112_000)
"""Bytes of a page: of three clients in four, and of the fourth."""
FILES = 420, 1_000_000, 0.75
"""Fewest and most bytes of a file of HTTP/1.0, and the shape of their distribution."""
THINK = {"times": 1000, "think": "1s", "think_to": "5s"}

Table = dict[tuple[int, int], tuple[float, ...]]


def _table(rows: str) -> Table:
    """Rows ``webs ftps value value ...``."""
    lines = [line.split() for line in rows.strip().splitlines()]
    return {(int(webs), int(ftps)): tuple(map(float, values)) for webs, ftps, *values in lines}


DELAYS_10 = _table("""
    8 0 0.56 14.3 17.9 16.1
    8 1 1.06 18.9 25.5 32.1
    8 2 1.18 16.1 17.1 28.9
    8 3 1.26 11.9 19.0 27.0
    16 0 0.64 11.0 15.6 18.8
    16 1 1.04 17.3 24.0 35.6
    16 2 1.22 17.2 20.5 25.4
    16 3 1.31 10.7 21.4 22.1
    32 0 0.92 17.6 28.6 21.0
    32 1 1.19 19.6 25.0 26.1
    32 2 1.43 23.8 35.0 33.6
    32 3 1.56 19.2 29.5 33.3
""")
"""Table 1: seconds with 1, and percent less with 2, 3 and 4."""
UTILISATION = _table("""
    8 0 34 37 38 39
    8 1 95 92 93 92
    8 2 98 97 97 96
    8 3 98 98 98 98
    16 0 67 69 69 67
    16 1 96 95 93 92
    16 2 98 98 97 96
    16 3 99 99 98 98
    32 0 92 87 85 84
    32 1 98 97 96 96
    32 2 99 99 98 98
    32 3 100 99 99 98
""")
DROPS = _table("""
    8 0 0.0 0.0 0.0 0.0
    8 1 0.6 1.2 1.4 1.3
    8 2 1.8 2.3 2.3 2.7
    8 3 2.6 3.0 3.5 3.5
    16 0 0.1 0.5 0.8 1.0
    16 1 2.1 2.6 2.9 2.9
    16 2 3.5 3.6 4.2 4.5
    16 3 4.5 4.7 5.2 4.9
    32 0 0.1 0.5 0.8 1.0
    32 1 2.1 2.6 2.9 2.9
    32 2 3.5 3.6 4.2 4.5
    32 3 9.3 8.4 7.7 7.6
""")
"""Table 2, percent by window."""
DELAYS = _table("""
    8 0 0.47 14.9 19.1 21.3
    8 1 0.84 17.9 19.0 25.0
    8 2 0.99 11.5 17.3 23.0
    8 3 1.04 12.1 20.2 28.3
    16 0 0.54 7.4 14.8 20.4
    16 1 0.89 14.6 21.3 27.0
    16 2 1.02 14.7 19.6 25.5
    16 3 1.11 9.0 17.0 18.9
    32 0 0.94 16.0 29.8 36.2
    32 1 1.23 12.2 28.5 21.1
    32 2 1.39 6.5 13.7 12.2
    32 3 1.46 4.0 11.0 15.0
""")
"""Table 4."""
POWER = _table("""
    8 1 4.2 4.2 4.2 3.7
    8 2 2.7 2.5 2.6 2.3
    8 3 2.1 1.9 2.0 2.0
    16 1 1.8 1.8 1.5 1.4
    16 2 1.5 1.2 1.1 1.5
    16 3 1.0 1.0 1.0 1.0
    32 1 0.3 0.3 0.5 0.3
    32 2 0.4 0.3 0.4 0.4
    32 3 0.4 0.3 0.4 0.5
""")
"""Table 5."""
POWER_10 = _table("""
    8 1 4.7 4.2 4.2 4.2
    8 2 3.0 2.8 3.0 2.8
    8 3 2.2 2.2 2.2 2.2
    16 1 2.3 2.4 2.4 2.5
    16 2 1.8 2.0 1.8 1.9
    16 3 1.4 1.6 1.5 1.7
    32 1 0.7 0.9 1.3 0.9
    32 2 0.8 1.0 1.3 1.1
    32 3 0.7 1.0 1.2 1.0
""")
"""Table 3."""
HALVES = {
    (16, 0): (35.5, 0.64, 0, 0, 67, 0.1),
    (0, 16): (0, 0, 36.4, 0.54, 69, 0.7),
    (8, 8): (16.9, 0.67, 18.9, 0.52, 68, 0.5),
    (32, 0): (48.9, 0.91, 0, 0, 92, 3.5),
    (0, 32): (0, 0, 44.7, 0.68, 85, 4.3),
    (16, 16): (22.8, 0.94, 22.9, 0.71, 89, 4.6),
    (64, 0): (51.9, 1.50, 0, 0, 98, 13.0),
    (0, 64): (0, 0, 47.6, 0.86, 91, 8.6),
    (32, 32): (29.0, 1.40, 22.0, 1.20, 98, 12.0),
}
"""Table 6 by clients with a window of 1 and with one of 3: Mbytes and delay of those with 1, of those with 3, utilisation, drops."""
ALONE = {(16, 1): (0.64, 67, 0.1), (16, 3): (0.54, 69, 0.7), (32, 1): (0.91, 92, 3.5), (32, 3): (0.68, 85, 4.3)}
"""Table 6's experiments of Tables 1 and 2, by clients and window: delay, utilisation, drops."""

PARAMETERS = [
    Parameter("links", "10 Mb/s at the hosts, 1.5 Mb/s and 50 ms between them", "stated", "the figure"),
    Parameter("delay at the hosts", "none", "inferred", "none is named"),
    Parameter("queue", "25 packets", "stated", "section 2"),
    Parameter("segments and window", "1460 bytes, 11 segments", "stated", "section 2"),
    Parameter("initial window", "1 to 4; one after a loss", "stated", "section 2"),
    Parameter("file transfers", "1 Mbyte, again and again", "stated", "section 3"),
    Parameter("run", "360 s", "stated", "section 2"),
    Parameter("pages", "a connection a page, then 1 to 5 s", "stated", "section 3, the model of HTTP/1.1"),
    Parameter(
        "page sizes",
        "3 to 20 kB of three clients in four, 40 to 112 kB of the fourth",
        "inferred",
        "not printed: 34 % of the link for 8 clients is 28 kB a page, and a median file fits into two packets",
    ),
    Parameter(
        "pages of HTTP/1.0", "a file, then three at once, each on a connection of its own", "stated", "section 2"
    ),
    Parameter(
        "file sizes of HTTP/1.0",
        "Pareto of shape 0.75 from 420 bytes, cut at 1 Mbyte",
        "inferred",
        "not printed: fitted to the delay of 0.56 s and the utilisation of 34 % of 8/0 with 1; about 48 runs of pairs of shape and least size, 8 or 12 seeds each",
        fitted_to=("table1.inferred",),
    ),
    Parameter("ACKs", "one for each segment", "inferred", "ns's two-way TCP unless told otherwise"),
    Parameter("first requests", "spread over 5 s", "inferred", "none is named"),
    Parameter(
        "a page's delay",
        "with half a round trip for the request",
        "inferred",
        "a scenario's transfer is begun by the server",
    ),
]


def browsing(webs: int, ftps: int, window: int, seed: int) -> str:
    """So many web clients and file transfers, over HTTP/1.1."""
    flows = [_flow(f"web{i}", i, window) | _pages(i) | {"start": f"{5 * i / webs}s"} for i in range(webs)]
    return _network(flows + _transfers(ftps, window), seed)


def fetching(webs: int, ftps: int, window: int, seed: int) -> str:
    """The same over HTTP/1.0."""
    flows = [flow for i in range(webs) for flow in _page(i, webs, window)]
    return _network(flows + _transfers(ftps, window), seed)


def mixed(ones: int, threes: int, seed: int) -> str:
    """Web clients over HTTP/1.0, so many with a window of 1 and with one of 3, in turn where there are both."""
    webs = ones + threes
    windows = [1, 3] * ones if ones == threes else [1] * ones + [3] * threes
    return _network([flow for i in range(webs) for flow in _page(i, webs, windows[i])], seed)


def _page(client: int, webs: int, window: int) -> list[dict[str, Any]]:
    """A file, and three that follow it."""
    least, most, shape = FILES
    size = {"size": {"pareto": {"least": f"{least}B", "most": f"{most}B", "shape": shape}}}
    name = f"web{client}.{window}"
    again = {"start": f"{5 * client / webs}s", "repeat": THINK}
    return [
        _flow(name, client, window) | size | again,
        _flow(f"{name}.url", client, window) | size | {"count": 3, "after": name},
    ]


def _transfers(ftps: int, window: int) -> list[dict[str, Any]]:
    again = {"size": {"bytes": f"{FILE}B"}, "repeat": {"times": 1000}}
    return [_flow(f"ftp{i}", i, window) | again | {"start": f"{0.1 * i:.1f}s"} for i in range(ftps)]


def _network(flows: list[dict[str, Any]], seed: int) -> str:
    queue = {"kind": "drop-tail", "packets": 25}
    links: list[dict[str, Any]] = [
        {
            "between": ["n1", "n0"],
            "rate": f"{RATE_BPS}bps",
            "delay": f"{DELAY_S}s",
            "queue": queue,
            "back": {"queue": queue},
        }
    ]
    for place in range(SERVERS):
        links += [
            {"between": ends, "rate": "10Mbps", "delay": "0s"} for ends in ([f"s{place}", "n1"], ["n0", f"c{place}"])
        ]
    return text({"seed": seed, "stop": {"at": f"{SECONDS}s"}, "link": links, "flow": flows})


def _pages(client: int) -> dict[str, Any]:
    least, most = LARGE if client % 4 == 3 else SMALL
    return {"size": {"uniform": [f"{least}B", f"{most}B"]}, "repeat": THINK}


def _flow(name: str, place: int, window: int) -> dict[str, Any]:
    sender = {
        "stack": "ns2-1998",
        "sequence": "bytes",
        "syn": True,
        "header": 40,
        "packet": 1460,
        "window": 11,
        "initial_window": window,
    }
    ends = {"from": f"s{place % SERVERS}", "to": f"c{place % SERVERS}"}
    return {"name": name, **ends, "sender": sender, "receiver": {"stack": "ns2-1998", "ack": {"policy": "every"}}}
