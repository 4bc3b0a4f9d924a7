"""The plan that infers the paper's unprinted rules from what it says of Figures 6 to 8 (``acklab infer divack``).

The paper prints orders, not numbers. A ratio of two times that has to be below 1 counts as 0.5 +- 0.5. A ratio that has to be near 1 has
the ledger's tolerance. Figure 6 below 64 flows is fitted. Figures 7 and 8, the other capacity and the remarks are held out. The warm-up
is 30 s instead of 400 s. A download that lasts longer than 150 s has no value. Starts are up to 2 s later, because chance decides
which flows share the bottleneck during a download.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from .setting import PAPERS, POLICIES, Client, Path, download

WARM_S, AT_MOST_S = 30.0, 180.0
SEED = 1
NUDGES = 3
LATER = "2s"
FITTED, JUDGED = (2, 8, 32), (64,)
"""Numbers of flows of Figure 6."""
SHORTER = {"printed": 0.5, "tolerance": 0.5}
"""Any time that is shorter."""

FREE: dict[str, list[Any]] = {
    "stack.host.recovery": ["reno", "newreno", "sack", "rfc6675"],
    "stack.host.window": [20, 44, 100000],
    "stack.host.min_rto": ["200ms", "1s"],
    "stack.host.max_burst": [0, 4],
}
"""44 segments are 64 kB; 20 are ns-2's default; 100,000 never bind."""


def plan() -> dict[str, Any]:
    """The plan's tree."""
    runs: dict[str, dict[str, Any]] = {}
    values: list[dict[str, Any]] = []

    def run(client: Client, flows: int, path: Path = PAPERS, about: str = "") -> str:
        pieces = f", m = {client.pieces}" if client.pieces != 16 else ""
        name = f"{client.policy}{pieces}, J = {flows}{about}"
        tree = json.loads(download(client, flows, SEED, replace(path, warm_s=WARM_S)))
        tree["stop"]["at_most"] = f"{AT_MOST_S:g}s"
        runs.setdefault(name, {"name": name, "scenario": tree})
        return name

    def value(group: str, own: str, over: str, wanted: dict[str, float], fit: bool = False) -> None:
        use = "fit" if fit else "held-out"
        values.append({"name": f"{group}: {own} over {over.partition(',')[0]}", "run": own, "over": over, "metric": "completion@client",
                       "use": use, "group": f"{group}, J = {own.partition('J = ')[2].partition(',')[0]}" if fit else group, **wanted})  # fmt: skip

    for j in FITTED:
        for policy in POLICIES:
            value("Figure 6", run(Client(policy), j), run(Client("every"), j), SHORTER, fit=True)
        value("references", run(Client("every"), j), run(Client("delayed"), j), SHORTER)
    for j in JUDGED:
        for policy in ("divss1", "divca1"):
            value("Figure 6", run(Client(policy), j), run(Client("delayed"), j), {"printed": 0.85, "tolerance": 0.25})
    for j in FITTED[:2]:
        for less, more in ((2, 8), (8, 32)):
            value("Figure 7", run(Client("divss1", more), j), run(Client("divss1", less), j), SHORTER)
        value(
            "Figure 7, limit",
            run(Client("divss1", 64), j),
            run(Client("divss1", 32), j),
            {"printed": 1.0, "tolerance": 0.08},
        )
    for own, reference, tolerance in (
        ("divss1", "every", 0.05),
        ("divca1", "every", 0.05),
        ("divss2", "delayed", 0.07),
        ("divca2", "delayed", 0.07),
    ):
        first, over = (run(Client(policy, credit="abc", limit=2.0), 8, about=", ABC") for policy in (own, reference))
        value("Figure 8", first, over, {"printed": 1.0, "tolerance": tolerance})
    slower = Path(rate=1.5)
    for policy in POLICIES:
        own, over = (run(Client(one), 2, slower, ", 1.5 Mb/s") for one in (policy, "every"))
        value("1.5 Mb/s", own, over, SHORTER)
    return {
        "title": "ACK division: the sender that Figures 6 to 8 were made with",
        "free": FREE,
        "run": list(runs.values()),
        "value": values,
        "nudges": NUDGES,
        "nudge": {"later": LATER, "longer": 0.01},
        "baseline": {},
    }
