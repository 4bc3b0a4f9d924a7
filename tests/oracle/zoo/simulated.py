"""The simulator's policy `quic` beside the stacks whose rules it can state: the table of docs/oracle/zoo.md. ``write.py`` puts it there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import acklab
from acklab.experiments.zoo.paths import CLIENT, PATHS, SERVER
from acklab.experiments.zoo.tables import Table

#: The policy that states a stack's rule; where a stack waits by tokio, its timer is a millisecond longer.
POLICIES: dict[str, dict[str, Any]] = {
    "quic-go": {"policy": "quic"},
    "quinn": {"policy": "quic", "max_ack_delay": "26ms"},
    "s2n-quic": {"policy": "quic", "segments": 10, "max_ack_delay": "26ms"},
}
SHOWN = ("plain", "fast", "geo", "burst-loss", "shallow", "slow-back")


def simulated(name: str, path: str) -> tuple[float, float]:
    """Packets an ACK and the time of a simulated download with the stack `quic` at both ends."""
    tree = PATHS[path].scenario(path, 1)
    receiver = {"stack": "quic", "ack": POLICIES[name]}
    size = {"bytes": f"{PATHS[path].request}B"}
    tree["flow"] = [{"name": "f", "from": SERVER, "to": CLIENT, "size": size, "sender": {"stack": "quic"}, "receiver": receiver}]
    tree["stop"] = {"when": "flows-complete", "at_most": "120s"}
    flow = acklab.run(json.dumps(tree)).summary()["flows"][0]
    return flow["segments_sent"] / flow["acks_sent"], flow["completion_s"]


def table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Packets an ACK: the stack, the simulator, and by how much it differs."""
    by = {(row["receiver"], row["path"]): row["per_ack"] for row in rows if row["sender"] == row["receiver"] and "per_ack" in row}
    cells = []
    for name, policy in POLICIES.items():
        keys = ", ".join(f"{key} = {json.dumps(value)}" for key, value in policy.items())
        made = [(by[name, path], simulated(name, path)[0]) for path in SHOWN]
        cells.append([name, f"`{{ {keys} }}`", *(f"{real:.2f}, {ours:.2f} ({100 * (ours / real - 1):+.1f} %)" for real, ours in made)])
    about = "Packets an ACK of the stack, of the simulator's stack `quic` with this policy, and the difference."
    return Table("simulated", "In the simulator", about, ["stack", "policy", *SHOWN], cells)
