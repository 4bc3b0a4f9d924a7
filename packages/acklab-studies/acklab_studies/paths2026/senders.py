"""The parts of Linux's sender, and what an uplink's grants change for each."""

from __future__ import annotations

from acklab.report.charts import Multiples, Spot
from acklab.reproduce.grid import Grid
from acklab.reproduce.paper import Drawn

from .runs import TRANSFER, Few
from .setting import PATHS, SENDERS, SIZES, STUDY, UPLINKS, download, scenario
from .told import sample, spread, told


def _one(path: str, size: str, sender: str, uplink: str, seed: int) -> str:
    return scenario(path, "delayed", [download("delayed", sender)], seed, SIZES[size], uplink)


SEND = Few(
    "senders",
    "a download with delayed ACKs, by the sender and the uplink",
    {"path": tuple(PATHS), "size": tuple(SIZES), "sender": tuple(SENDERS), "uplink": UPLINKS},
    _one,
    TRANSFER,
)

QUANTITIES = (("1 MB", "time_s"), ("20 MB", "time_s"), ("20 MB", "retransmits_percent"))
TITLES = ("1 MB (s)\n← better", "20 MB (s)\n← better", "retransmits (%)\n← better, 20 MB")


@STUDY.figure(
    "senders", "", "What the sender's parts do, with and without the uplink's grants: delayed ACKs", "3", [SEND]
)
def senders(grid: Grid) -> Drawn:
    listed = [["", *(title.split("\n")[0] + of for title in TITLES for of in ("", ", plain"))]]
    places = []
    for path in grid.axes["path"]:
        panels: list[list[Spot]] = [[] for _ in QUANTITIES]
        listed.append([PATHS[path].name, *[""] * (len(listed[0]) - 1)])
        for row, (key, sender) in enumerate(SENDERS.items()):
            line = [sender.name]
            for panel, (size, column) in zip(panels, QUANTITIES, strict=True):
                for uplink in UPLINKS:
                    plain = uplink == "plain"
                    if plain and not PATHS[path].grants_ms:
                        line.append("-")
                        continue
                    value = sample(grid, column, path=path, size=size, sender=key, uplink=uplink)
                    panel.append(Spot(row, value.value, spread(value), hollow=plain))
                    line.append(told(value))
            listed.append(line)
        places.append((PATHS[path].name, panels))
    rows = [(sender.name, sender.colour) for sender in SENDERS.values()]
    about = (
        "Completion of 1 MB and 20 MB, and retransmits, by the sender's parts and the uplink; means and 95 % intervals"
    )
    chart = Multiples(
        "senders", about, rows, TITLES, places, ("the uplink as it is", "the same rate and mean delay without grants")
    )
    return Drawn(
        [chart], {"senders": grid.frame()}, (), "", _one("lte", "20 MB", "linux", "as it is", 1), listed=listed
    )
