"""What HyStart++ and RACK-TLP change: the sender as it is deployed, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...figures.charts import Multiples, Spot
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from .compared import spread, told
from .registry import STUDY
from .runs import TRANSFER, Few, sample
from .setting import PATHS, SIZES, download, scenario


@dataclass(frozen=True)
class Sender:
    """Rules that replace those of the other parts."""

    name: str
    colour: str
    rules: dict[str, Any]


HYSTART = {"kind": "cubic", "slow_start": "hystart++"}
SENDERS = {
    "plain": Sender("RFC 6675", "gold", {}),
    "hystart": Sender("+ HyStart++", "sky", {"control": HYSTART}),
    "rack": Sender("+ RACK-TLP", "pink", {"recovery": "rack"}),
    "both": Sender("+ both", "blue", {"control": HYSTART, "recovery": "rack"}),
}
"""The last comes nearest to a Linux sender of 2026: CUBIC and RACK-TLP, and a slow start that looks for delay. Linux looks with the
older HyStart (ACK trains as well as delay, and no return), recovers by proportional rate reduction, and undoes needless
reductions; none of that is here."""
ACKS = ("delayed", "every")


def _one(path: str, size: str, sender: str, mechanism: str, seed: int) -> str:
    flow = download(mechanism, **{"control": "cubic", "counting": "bytes", **SENDERS[sender].rules})
    return scenario(path, mechanism, [flow], seed, SIZES[size])


SEND = Few(
    "senders",
    "a download with CUBIC, by the sender's slow start and recovery",
    {"path": tuple(PATHS), "size": tuple(SIZES), "sender": tuple(SENDERS), "mechanism": ACKS},
    _one,
    TRANSFER,
)

QUANTITIES = (("1 MB", "time_s"), ("20 MB", "time_s"), ("20 MB", "retransmits_percent"), ("20 MB", "timeouts"))
TITLES = ("1 MB (s)\n← better", "20 MB (s)\n← better", "retransmits (%)\n← better, 20 MB", "timeouts\n← better, 20 MB")


@STUDY.figure("senders", "", "HyStart++ and RACK-TLP: CUBIC, all that an ACK covers counts", "3", [SEND])
def senders(grid: Grid) -> Drawn:
    listed = [["", *(title.split("\n")[0] + ack for title in TITLES for ack in (", delayed", ", every"))]]
    places = []
    for path in grid.axes["path"]:
        panels: list[list[Spot]] = [[] for _ in QUANTITIES]
        listed.append([PATHS[path].name, *[""] * (len(listed[0]) - 1)])
        for row, (key, sender) in enumerate(SENDERS.items()):
            line = [sender.name]
            for panel, (size, column) in zip(panels, QUANTITIES, strict=True):
                for ack in ACKS:
                    value = sample(grid, column, path=path, size=size, sender=key, mechanism=ack)
                    panel.append(Spot(row, value.value, spread(value), hollow=ack == "every"))
                    line.append(told(value))
            listed.append(line)
        places.append((PATHS[path].name, panels))
    rows = [(sender.name, sender.colour) for sender in SENDERS.values()]
    about = "Completion of 1 MB and 20 MB, retransmits and timeouts, by the sender's slow start and recovery; means and 95 % intervals"
    chart = Multiples("senders", about, rows, TITLES, places, ("delayed ACKs", "every segment"))
    return Drawn([chart], {"senders": grid.frame()}, (), _remark(grid), _one("fibre", "20 MB", "both", "delayed", 1), listed=listed)


def _remark(grid: Grid) -> str:
    """What the rows say, where all four paths were run."""
    if set(grid.axes["path"]) != set(PATHS):
        return ""

    def one(path: str, sender: str, column: str = "time_s") -> str:
        value = sample(grid, column, path=path, size="20 MB", sender=sender, mechanism="delayed").value
        return f"{value:.3g}"

    def each(sender: str) -> str:
        return ", ".join(one(path, sender) for path in PATHS)

    return (
        "The other parts' sender finds losses by counting and leaves slow start with the first; this one counts all that an ACK covers. "
        f"20 MB with delayed ACKs by fibre, Wi-Fi, LTE and satellite take {each('plain')} s; with HyStart++ {each('hystart')}, with RACK-TLP "
        f"{each('rack')}, with both {each('both')}. Timeouts on fibre: {one('fibre', 'plain', 'timeouts')}, and with RACK-TLP "
        f"{one('fibre', 'rack', 'timeouts')}. The last row comes nearest to a Linux sender of 2026, which has CUBIC, RACK-TLP and the older "
        "HyStart; its proportional rate reduction and its undoing of needless reductions are not here."
    )
