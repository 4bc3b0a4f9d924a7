"""What section IV runs: downloads by policy, pieces, credit, rate, size, buffer and recovery."""

from __future__ import annotations

from itertools import product
from typing import Any

from .runs import EVERYONE, QUICK_FLOWS, downloads
from .setting import BUFFERS, FILE_BYTES, FLOWS, LOW, PIECES, POLICIES, REFERENCES, Client, Path


def _pieces(pieces: int, **_: Any) -> Client:
    """divss1; with one piece the reference."""
    return Client("divss1", pieces) if pieces > 1 else Client("every")


FIGURE_7 = downloads(
    "divack pieces",
    "divss1 with 2 to 64 pieces",
    {"pieces": PIECES, "flows": FLOWS},
    _pieces,
)
NEWRENO = downloads(
    "divack pieces, NewReno",
    "the same where a sender repairs one loss in a round trip",
    {"pieces": (1, *PIECES), "flows": FLOWS},
    _pieces,
    lambda **_: Path(recovery="newreno"),
    most_seeds=30,
)
FIGURE_7_MOST = downloads(
    "divack most pieces",
    "32 and 64 pieces, J up to 32: more seeds",
    {"pieces": (32, 64), "flows": LOW},
    _pieces,
    rounds=(10, 100),
)
"""Some 60 seeds settle how far the two are apart."""
FIGURE_7_64 = downloads(
    "divack pieces, J = 64",
    "the same among 64 flows, where a timeout or two decide how long a download takes: more seeds",
    {"pieces": (1, *PIECES), "flows": (64,)},
    _pieces,
    quick={"flows": (QUICK_FLOWS[-1],)},
    rounds=(10, 100),
)
"""Some 60 seeds settle the gain of the last number of pieces."""
LIMITS = (1.0, 2.0)
FIGURE_8 = downloads(
    "divack ABC",
    "each policy against a sender that counts bytes",
    {"limit": LIMITS, "policy": EVERYONE, "flows": FLOWS},
    lambda policy, limit, **_: Client(policy, credit="abc", limit=limit),
)
FIGURE_8_SECOND = downloads(
    "divack ABC, every second segment",
    "the two policies that divide every second ACK, and delayed ACKs, with L = 2: more seeds",
    {"limit": LIMITS[1:], "policy": ("delayed", "divss2", "divca2"), "flows": FLOWS},
    lambda policy, limit, **_: Client(policy, credit="abc", limit=limit),
)
THIEF, THIEF_ABC = (
    downloads(
        f"divack thief, {name}",
        f"{about}, J up to 32: more seeds",
        {"policy": ("every", *POLICIES), "flows": LOW},
        lambda policy, rules=rules, **_: Client(policy, **rules),
        rounds=(10, 160),
    )
    for name, about, rules in (
        ("ACKs", "each policy against a sender that counts ACKs", {}),
        ("ABC", "each policy against a sender that counts bytes", {"credit": "abc", "limit": 2.0}),
    )
)
"""Some 100 seeds settle whether ABC leaves less than a third of the gain."""
SLOWER = downloads(
    "divack 1.5 Mb/s",
    "the same through 1.5 Mb/s and 13 packets",
    {"policy": EVERYONE, "flows": FLOWS},
    lambda policy, **_: Client(policy),
    lambda **_: Path(rate=1.5),
    most_seeds=30,
)
SIZES = (15_000, 150_000, FILE_BYTES, 6_000_000)
BY_SIZE = downloads(
    "divack sizes",
    "one ACK a segment against delayed ACKs, four sizes",
    {"size": SIZES, "policy": REFERENCES, "flows": FLOWS},
    lambda policy, **_: Client(policy),
    lambda size, **_: Path(file_bytes=size),
    {"size": (15_000, FILE_BYTES)},
)
BUFFER_SHARES = (0.25, 0.5, 1.0, 2.0, 4.0)
BY_BUFFER = downloads(
    "divack buffers",
    "a quarter of to four bandwidth-delay products of buffer, J = 4",
    {"buffer": BUFFER_SHARES, "policy": ("every", "divss1", "divca1"), "flows": (4,)},
    lambda policy, **_: Client(policy),
    lambda buffer, **_: Path(buffer=round(buffer * BUFFERS[10.0])),
)

FLAVOURS = (
    ("RFC 6675", Path()),
    ("SACK 1996", Path(recovery="sack")),
    ("NewReno", Path(recovery="newreno")),
    ("RFC 6675, 64 kB window", Path(window=44)),
    ("NewReno, 64 kB window", Path(recovery="newreno", window=44)),
    ("NewReno, 20 segments (ns-2's default)", Path(recovery="newreno", window=20)),
)
BY_FLAVOUR = downloads(
    "divack flavours",
    "the recoveries and windows that the paper leaves open",
    {"flavour": tuple(name for name, _ in FLAVOURS), "policy": EVERYONE, "flows": (1, 2, 8, 32)},
    lambda policy, **_: Client(policy),
    lambda flavour, **_: dict(FLAVOURS)[flavour],
    {"flavour": ("RFC 6675", "NewReno")},
    most_seeds=6,
)

READINGS = {
    f"{recovery}, {window} segments, pieces {pieces}": Path(recovery=recovery, window=window, pieces=pieces)
    for recovery, window, pieces in product(("rfc6675", "newreno"), (100000, 20), ("slide", "grow"))
}
"""How ns-2, which counts packets, may have taken divided ACKs, with a window that never binds and with its default."""
BY_READING = downloads(
    "divack counting",
    "what a sender makes of the pieces, with two recoveries and windows",
    {"reading": tuple(READINGS), "policy": EVERYONE, "flows": (2, 8, 32)},
    lambda policy, **_: Client(policy),
    lambda reading, **_: READINGS[reading],
    most_seeds=6,
)
LONG_SIZES = (FILE_BYTES, 6_000_000, 24_000_000)
LONG = downloads(
    "divack long",
    "long transfers divided in congestion avoidance, and in slow start",
    {"size": LONG_SIZES, "policy": ("every", "divss1", "divca1", "divca2"), "flows": (2, 8, 32)},
    lambda policy, **_: Client(policy),
    lambda size, **_: Path(file_bytes=size),
    {"size": LONG_SIZES[:2]},
    most_seeds=10,
)
"""Section V: in long transfers division in congestion avoidance pays."""
