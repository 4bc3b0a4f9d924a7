"""The parts of Linux's sender, and what an uplink's grants change for each."""

from __future__ import annotations

from ...figures.charts import Multiples, Spot
from ...figures.stats import Sample
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from .registry import STUDY
from .runs import TRANSFER, Few
from .setting import PATHS, SENDERS, SIZES, UPLINKS, download, scenario
from .told import Point, said, sample, spread, told


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
    remark = said(points(grid)) if set(grid.axes["path"]) == set(PATHS) else ""
    return Drawn(
        [chart], {"senders": grid.frame()}, (), remark, _one("lte", "20 MB", "linux", "as it is", 1), listed=listed
    )


def points(grid: Grid) -> list[Point]:
    """What the rows say, in the guide's order."""

    def one(path: str, sender: str, column: str = "time_s", uplink: str = "as it is") -> Sample:
        return sample(grid, column, path=path, size="20 MB", sender=sender, uplink=uplink)

    def late(path: str) -> int:
        """Seeds that take 1.2 times as long as without grants, or longer."""
        pairs = zip(one(path, "linux").values, one(path, "linux", uplink="plain").values, strict=True)
        return sum(value >= 1.2 * plain for value, plain in pairs)

    rack = max(abs(one(path, "no-rack").value / one(path, "linux").value - 1) for path in PATHS)
    timeouts = int(grid.columns["timeouts"].sum())
    return [
        (
            "Grants end slow start early",
            f"On LTE Linux takes {told(one('lte', 'linux'))} s for 20 MB with delayed ACKs, and {told(one('lte', 'linux', uplink='plain'))} s on an "
            f"uplink of the same rate and mean delay without grants. On 5G NR it takes {told(one('nr', 'linux'))} and "
            f"{told(one('nr', 'linux', uplink='plain'))} s. The grants cost a fifth of the time or more in {late('lte')} of "
            f"{one('lte', 'linux').count} seeds on LTE and in {late('nr')} on 5G NR.",
        ),
        (
            "HyStart is the cause",
            f"Without it 20 MB take {told(one('lte', 'no-hystart'))} s on LTE and {told(one('nr', 'no-hystart'))} on 5G NR, with HyStart++ "
            f"{told(one('lte', 'hystart++'))} and {told(one('nr', 'hystart++'))}, with BBR {told(one('lte', 'bbr'))} and {told(one('nr', 'bbr'))}.",
        ),
        (
            "HyStart also spares losses",
            f"Without it Linux retransmits {told(one('cable', 'no-hystart', 'retransmits_percent'))} % of the segments on cable and "
            f"{told(one('leo', 'no-hystart', 'retransmits_percent'))} % by LEO satellite, with it "
            f"{told(one('cable', 'linux', 'retransmits_percent'))} and {told(one('leo', 'linux', 'retransmits_percent'))}. The 20 MB take "
            f"{told(one('cable', 'no-hystart'))} instead of {told(one('cable', 'linux'))} s on cable, {told(one('leo', 'no-hystart'))} and "
            f"{told(one('leo', 'linux'))} s by LEO satellite. With HyStart++ cable has {told(one('cable', 'hystart++', 'retransmits_percent'))} %.",
        ),
        (
            "RACK-TLP finds nothing to do",
            f"Without it the mean time for 20 MB differs by at most {100 * rack:.2f} %, because HyStart avoids the losses. All runs of this part "
            f"together have {timeouts} timeouts.",
        ),
    ]
