"""Tables 1, 2, 3 and 6: pages of four files, each on a connection of its own (HTTP/1.0)."""

from __future__ import annotations

import re
from statistics import median

from ...figures.charts import Lines
from ...figures.stats import Sample
from ...reproduce.experiments import Replications
from ...reproduce.grid import Grid
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from ..later import sample
from .curves import by_window, experiments, printed
from .lines import every, flow
from .registry import PAPER
from .setting import DELAY_S, DELAYS_10, DROPS, FTPS, HALVES, POWER_10, UTILISATION, WEBS, WINDOWS, fetching, mixed

FILES_OF_A_PAGE = 4
FITTED = (8, 0)
"""The experiment whose two numbers with a window of one have decided the sizes."""
UNKNOWN = "sizes are fitted to two numbers of 8/0 with a window of one, and none were tried on any other run"

_FLOW = re.compile(
    rb'"name":"(web\d+\.(\d)|ftp\d+)(\.url\d)?(?:#(\d+))?"' + flow("completed", "first_data_s", "last_data_s", "bytes")
)
"""A flow of a result line: name, window, whether it follows, round, end, times and bytes."""
_LINK = re.compile(rb'"from":"n1","to":"n0"[^{}]*?"packets":(\d+),[^{}]*?"drops":(\d+),[^{}]*?"utilisation":([^,}]+)')


class Read:
    """Median delays of pages, those of clients with a window of 1 and with one of 3 apart. Then the link, and the file transfers' power in
    Mbytes/s. Last what clients with 3 carry of all pages' bytes, percent."""

    names = ("page_s", "ones_s", "threes_s", "used", "drops", "power", "threes")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        """A page's delay is from its first request to its last byte. What has not ended counts nowhere."""
        pages: dict[tuple[bytes, bytes], tuple[int, float, float]] = {}
        took, carried = [], 0
        bytes_of: dict[bytes, int] = {}
        for name, window, _, again, completed, first, last, count in every(_FLOW, line):
            if window:
                bytes_of[window] = bytes_of.get(window, 0) + int(count)
            else:
                carried += int(count)
            if completed == b"false":
                continue
            if window:
                start, end = float(first), float(first) + float(last)
                files, earliest, latest = pages.get((name, again), (0, start, end))
                pages[name, again] = files + 1, min(earliest, start), max(latest, end)
            else:
                took.append(float(last) + DELAY_S)
        # The text of a page departs before the files that follow it.
        delays = {
            page: latest - earliest + DELAY_S
            for page, (files, earliest, latest) in pages.items()
            if files == FILES_OF_A_PAGE
        }
        found = _LINK.search(line, line.rfind(b'"links":['))
        if found is None:
            raise ValueError("no link n1 -> n0")
        packets, drops = int(found[1]), int(found[2])
        return (
            median(delays.values()),
            *(
                _median([delay for (name, _), delay in delays.items() if name.endswith(window)])
                for window in (b".1", b".3")
            ),
            100 * float(found[3]),
            100 * drops / (packets + drops),
            1e-6 * carried / median(took) if took else 0.0,
            100 * bytes_of.get(b"3", 0) / sum(bytes_of.values()),
        )


def _median(delays: list[float]) -> float:
    return median(delays) if delays else 0.0


RUNS = Replications(
    "HTTP/1.0",
    "web clients over HTTP/1.0 and file transfers by the initial window",
    {"webs": WEBS, "ftps": FTPS, "window": WINDOWS},
    fetching,
    Read(),
    {"webs": (8, 32), "ftps": (0, 2), "window": (1, 3)},
    rounds=(10,),
)


def _half(pair: str, seed: int) -> str:
    ones, threes = map(int, pair.split("/"))
    return mixed(ones, threes, seed)


MIXED = Replications(
    "halves",
    "web clients over HTTP/1.0, half with an initial window of one and half with three",
    {"pair": [f"{ones}/{threes}" for ones, threes in HALVES]},
    _half,
    Read(),
    rounds=(10,),
)


def _all(grid: Grid, least_ftps: int = 0) -> list[tuple[int, int, int]]:
    return [(webs, ftps, window) for webs, ftps in experiments(grid, least_ftps) for window in grid.axes["window"]]


def _of(grid: Grid, column: str, webs: int, ftps: int, window: int) -> Sample:
    return sample(grid, column, webs=webs, ftps=ftps, window=window)


def _minus(one: Sample, printed: float) -> Sample:
    return Sample(tuple(value - printed for value in one.values))


def _over(one: Sample, other: Sample) -> Sample:
    """One value a seed."""
    return Sample(tuple(above / below for above, below in zip(one.values, other.values, strict=True)))


def _less(grid: Grid, webs: int, ftps: int, window: int) -> Sample:
    """How much shorter a page is than with a window of one, percent: one value a seed."""
    ratio = _over(_of(grid, "page_s", webs, ftps, window), _of(grid, "page_s", webs, ftps, 1))
    return Sample(tuple(100 * (1 - value) for value in ratio.values))


@PAPER.claim("table1.inferred", RUNS)
def what_sizes_are_fitted_to(grid: Grid) -> Measurement:
    return Measurement({"delay": _of(grid, "page_s", *FITTED, 1), "used": _of(grid, "used", *FITTED, 1)})


@PAPER.claim("table1.delays", RUNS)
def delays_with_one(grid: Grid) -> Measurement:
    others = [cell for cell in experiments(grid) if cell != FITTED]
    return Measurement(
        {"ratio": {f"{w}/{f}": _of(grid, "page_s", w, f, 1).over(DELAYS_10[w, f][0]) for w, f in others}}, UNKNOWN
    )


@PAPER.claim("table1.decrease", RUNS)
def decreases(grid: Grid) -> Measurement:
    cells = [cell for cell in _all(grid) if cell[2] > 1]
    return Measurement(
        {"decrease": {f"{w}/{f}, {i}": _minus(_less(grid, w, f, i), DELAYS_10[w, f][i - 1]) for w, f, i in cells}},
        UNKNOWN,
    )


@PAPER.claim("table1.three", RUNS)
def three_is_better(grid: Grid) -> Measurement:
    return Measurement({"decrease": {f"{w}/{f}": _less(grid, w, f, 3) for w, f in experiments(grid)}})


@PAPER.claim("table2.simulated", RUNS)
def utilisation(grid: Grid) -> Measurement:
    cells = [cell for cell in _all(grid) if cell != (*FITTED, 1)]
    return Measurement(
        {"used": {f"{w}/{f}, {i}": _minus(_of(grid, "used", w, f, i), UTILISATION[w, f][i - 1]) for w, f, i in cells}},
        UNKNOWN,
    )


@PAPER.claim("table2.drops", RUNS)
def drops(grid: Grid) -> Measurement:
    cells = [cell for cell in _all(grid) if cell[0] < 32 or cell[1] == 3]
    return Measurement(
        {"drops": {f"{w}/{f}, {i}": _minus(_of(grid, "drops", w, f, i), DROPS[w, f][i - 1]) for w, f, i in cells}},
        UNKNOWN,
    )


@PAPER.claim("table3.power", RUNS)
def power_of_transfers(grid: Grid) -> Measurement:
    return Measurement(
        {
            "ratio": {
                f"{w}/{f}, {i}": _of(grid, "power", w, f, i).over(POWER_10[w, f][i - 1]) for w, f, i in _all(grid, 1)
            }
        }
    )


@PAPER.claim("table3.same", RUNS)
def power_stays(grid: Grid) -> Measurement:
    cells = [cell for cell in _all(grid, 1) if cell[0] < 32 and cell[2] > 1]
    return Measurement(
        {
            "ratio": {
                f"{w}/{f}, {i}": _over(_of(grid, "power", w, f, i), _of(grid, "power", w, f, 1)) for w, f, i in cells
            }
        }
    )


def _halves(grid: Grid, column: str, pair: str) -> Sample:
    return sample(grid, column, pair=pair)


ALL_ALIKE = [(f"{ones}/{threes}", 2 * (threes > 0)) for ones, threes in HALVES if not (ones and threes)]
"""Pairs in which all have the same window, and where the delay stands in a printed row, less one."""


@PAPER.claim("table6.delays", MIXED)
def delays_alone(grid: Grid) -> Measurement:
    printed = {f"{ones}/{threes}": row for (ones, threes), row in HALVES.items()}
    return Measurement(
        {"ratio": {pair: _halves(grid, "page_s", pair).over(printed[pair][1 + at]) for pair, at in ALL_ALIKE}}, UNKNOWN
    )


@PAPER.claim("table6.drops", MIXED)
def drops_alone(grid: Grid) -> Measurement:
    printed = {f"{ones}/{threes}": row for (ones, threes), row in HALVES.items()}
    return Measurement(
        {"drops": {pair: _minus(_halves(grid, "drops", pair), printed[pair][5]) for pair, _ in ALL_ALIKE}}, UNKNOWN
    )


@PAPER.claim("table6.mixed", MIXED)
def no_harm(grid: Grid) -> Measurement:
    return Measurement(
        {
            "ratio": {
                str(n): _over(_halves(grid, "ones_s", f"{n // 2}/{n // 2}"), _halves(grid, "page_s", f"{n}/0"))
                for n in (16, 32)
            }
        }
    )


@PAPER.claim("table6.keep", MIXED)
def threes_keep(grid: Grid) -> Measurement:
    return Measurement(
        {
            "ratio": {
                str(n): _over(_halves(grid, "threes_s", f"{n // 2}/{n // 2}"), _halves(grid, "page_s", f"0/{n}"))
                for n in (16, 32)
            }
        }
    )


@PAPER.claim("table6.loaded", MIXED)
def threes_suffer(grid: Grid) -> Measurement:
    return Measurement({"ratio": _over(_halves(grid, "threes_s", "32/32"), _halves(grid, "page_s", "0/64"))})


@PAPER.claim("table6.share", MIXED)
def bytes_of_threes(grid: Grid) -> Measurement:
    return Measurement({str(2 * n): _halves(grid, "threes", f"{n}/{n}") for n in (8, 16, 32)}, UNKNOWN)


@PAPER.figure("files", "Table 1", "Median page delay over HTTP/1.0 by the initial window", "files", [RUNS])
def files(grid: Grid) -> Drawn:
    compared = []
    panels = by_window(grid, DELAYS_10, lambda *cell: _of(grid, "page_s", *cell).value)
    for webs, ftps in experiments(grid):
        for window, before in zip(
            grid.axes["window"], printed(DELAYS_10[webs, ftps], grid.axes["window"]), strict=True
        ):
            cell = f"{webs}/{ftps}, {window}"
            compared.append(
                Compared(f"{cell}: page, s", f"{before:.2f}", f"{_of(grid, 'page_s', webs, ftps, window).value:.2f}")
            )
            compared.append(
                Compared(
                    f"{cell}: utilisation, %",
                    f"{UTILISATION[webs, ftps][window - 1]:g}",
                    f"{_of(grid, 'used', webs, ftps, window).value:.1f}",
                )
            )
            compared.append(
                Compared(
                    f"{cell}: drops, %",
                    f"{DROPS[webs, ftps][window - 1]:g}",
                    f"{_of(grid, 'drops', webs, ftps, window).value:.1f}",
                )
            )
            if ftps:
                compared.append(
                    Compared(
                        f"{cell}: power, Mbytes/s",
                        f"{POWER_10[webs, ftps][window - 1]:g}",
                        f"{_of(grid, 'power', webs, ftps, window).value:.1f}",
                    )
                )
    return Drawn(
        [Lines("files", "Pages over HTTP/1.0; printed values dotted", panels)],
        {"files": grid.frame()},
        compared,
        "The sizes of the files are not printed. They are fitted to two numbers of 8/0 with a window of one; all others are predictions.",
        fetching(8, 1, 3, 1),
    )


@PAPER.figure("halves", "Table 6", "Half of the clients with an initial window of three", "files", [MIXED])
def halves(grid: Grid) -> Drawn:
    compared = []
    for (ones, threes), (_, one_s, _, three_s, used, dropped) in HALVES.items():
        pair = f"{ones}/{threes}"
        for column, told in (("ones_s", one_s), ("threes_s", three_s)):
            if told:
                which = "with 1" if column == "ones_s" else "with 3"
                compared.append(
                    Compared(f"{pair}: page {which}, s", f"{told:.2f}", f"{_halves(grid, column, pair).value:.2f}")
                )
        compared.append(Compared(f"{pair}: utilisation, %", f"{used:g}", f"{_halves(grid, 'used', pair).value:.1f}"))
        compared.append(Compared(f"{pair}: drops, %", f"{dropped:g}", f"{_halves(grid, 'drops', pair).value:.1f}"))
    return Drawn(
        [], {"halves": grid.frame()}, compared, "16 clients with 1, and 0 with 3, are written 16/0.", mixed(8, 8, 1)
    )
