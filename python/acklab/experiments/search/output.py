"""Output files of searches and inferences: the table, charts, one offline page, and the object of ``--json``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...results.frames import provenance, system_errors
from ..sweep.names import worded

if TYPE_CHECKING:
    import polars as pl

    from ...figures.charts import Chart
    from ...render.report import Report


#: A number and the unit of a scenario's value.
_QUANTITY = re.compile(r"([\d.]+)([kMG]?bps|[kMG]?B|[mun]?s|min)")


def written(value: Any) -> str:
    """A cell of a choice."""
    from ...scenario._toml import inline

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


def write(
    folder: Path,
    verb: str,
    plan: Any,
    seeds: int,
    table: tuple[str, pl.DataFrame],
    plain: Any,
    charts: Iterable[Chart],
    report: Callable[[str], Report],
) -> None:
    """Writes a named table, the plan, ``plain`` and the page under the verb's name, and the charts, into a directory."""
    from ...figures.html import saved

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
    (folder / f"{verb}.html").write_text(report("".join(saved(charts, folder, wide=True))).page(), encoding="utf-8")
    (folder / f"{verb}.json").write_text(json.dumps(plain, indent=1, allow_nan=False) + "\n", encoding="utf-8")
