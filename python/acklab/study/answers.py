"""What searches and inferences show alike: cells in sentences, the meaning of keys, files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..report.report import Report
from ..results.frames import provenance, system_errors
from ..results.result import KINDS, Result
from .keys import worded

if TYPE_CHECKING:
    import polars as pl

    from ..report.charts import Chart


class Answer(Result):
    """The results of a door, as a module beside it reports them: ``compare_page`` those of compare."""

    def report(self, **more: Any) -> Report:
        """Its facts and tables."""
        return cast(Report, self._page().report(self, **more))

    def plain(self) -> dict[str, Any]:
        """As plain values: the object that ``--json`` prints."""
        return cast("dict[str, Any]", self._page().plain(self))

    def frames(self) -> dict[str, pl.DataFrame]:
        """What was tried, a row each: its choices, how it ended, and means with their 95 % intervals."""
        return {KINDS[self.verb].main: self._page().frame(self)}

    def _page(self) -> Any:
        return import_module(f"..{self.verb}_page", __name__)


#: A number and the unit of a scenario's value.
_QUANTITY = re.compile(r"([\d.]+)([kMG]?bps|[kMG]?B|[mun]?s|min)")


def written(value: Any) -> str:
    """A cell of a choice."""
    from ..scenario._toml import inline

    return value if isinstance(value, str) else inline(value)


def spoken(value: Any) -> str:
    """A cell in a sentence: a quantity with a space before its unit.

    >>> spoken("152.8ms"), spoken("43.15Mbps"), spoken("linux"), spoken(12)
    ('152.8\\xa0ms', '43.15\\xa0Mb/s', 'linux', '12')
    """
    text = written(value)
    found = _QUANTITY.fullmatch(text)
    return f"{found[1]}\u00a0{found[2].replace('bps', 'b/s')}" if found else text


def choice(cells: Mapping[str, Any]) -> str:
    """A choice in a sentence."""
    return ", ".join(f"{worded(name)} {spoken(value)}" for name, value in cells.items())


def write_files(
    folder: Path,
    verb: str,
    plan: Any,
    seeds: int,
    table: tuple[str, pl.DataFrame],
    plain: Any,
    chart: Chart,
    report: Callable[[str], Report],
) -> None:
    """Writes a named table, the plan, ``plain`` and the page under the verb's name, and the chart, into a directory."""
    from ..report.pieces import saved

    told = plan.told()
    texts = [
        one.scenario if isinstance(one.scenario, str) else one.scenario.decode(errors="replace") for one in plan.entries
    ]
    about = provenance(scenario="\n".join(dict.fromkeys(texts)), plan=told, seeds=seeds)
    name, frame = table
    with system_errors(folder / f"{name}.parquet"):
        frame.write_parquet(folder / f"{name}.parquet", metadata=about)
    frame.write_csv(folder / f"{name}.csv")
    (folder / "plan.toml").write_text(told, encoding="utf-8")
    (picture,) = saved([chart], folder, wide=True)
    (folder / f"{verb}.html").write_text(report(picture).page(), encoding="utf-8")
    (folder / f"{verb}.json").write_text(json.dumps(plain, indent=1, allow_nan=False) + "\n", encoding="utf-8")
