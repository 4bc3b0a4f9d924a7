"""RFC 2415's readers take flows from a result line by a pattern; parsing the whole line gives the same numbers."""

from __future__ import annotations

import json
from collections import defaultdict
from statistics import median
from typing import Any

import pytest

from acklab import _core
from acklab.papers.rfc2415 import files, pages
from acklab.papers.rfc2415.setting import DELAY_S, browsing, fetching, mixed


def result(scenario: str) -> bytes:
    return _core.Simulation(scenario).run().json(False).encode()


def power(flows: list[dict[str, Any]]) -> float:
    transfers = [flow for flow in flows if flow["name"].startswith("ftp")]
    took = [flow["last_data_s"] + DELAY_S for flow in transfers if flow["completed"]]
    return 1e-6 * sum(flow["bytes"] for flow in transfers) / median(took) if took else 0.0


def test_pages_over_http_1_1() -> None:
    line = result(browsing(8, 1, 2, 1))
    flows = json.loads(line)["flows"]
    took = [flow["last_data_s"] + DELAY_S for flow in flows if flow["completed"] and flow["name"].startswith("web")]
    assert pages.Read()(line) == (median(took), power(flows))


@pytest.mark.parametrize("scenario", [fetching(8, 1, 2, 1), mixed(4, 4, 1)])
def test_pages_over_http_1_0(scenario: str) -> None:
    line = result(scenario)
    told = json.loads(line)
    of: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for flow in told["flows"]:
        if flow["completed"] and flow["name"].startswith("web"):
            name, _, again = flow["name"].partition("#")
            page = ".".join(name.split(".")[:2])
            of[page, again].append((flow["first_data_s"], flow["first_data_s"] + flow["last_data_s"]))
    took = {
        page: max(b for _, b in times) - min(a for a, _ in times) + DELAY_S
        for page, times in of.items()
        if len(times) == 4
    }
    by = {window: [delay for (page, _), delay in took.items() if page.endswith(f".{window}")] for window in "13"}
    carried = {
        window: sum(f["bytes"] for f in told["flows"] if f["name"].split("#")[0].split(".")[1:2] == [window])
        for window in "123"
    }
    link = next(one for one in told["links"] if (one["from"], one["to"]) == ("n1", "n0"))
    assert files.Read()(line) == (
        median(took.values()),
        *(median(delays) if delays else 0.0 for delays in by.values()),
        100 * link["utilisation"],
        100 * link["drops"] / (link["packets"] + link["drops"]),
        power(told["flows"]),
        100 * carried["3"] / sum(carried.values()),
    )


def test_a_flow_with_other_keys_is_refused() -> None:
    line = result(browsing(8, 0, 1, 1)).replace(b'"start_s"', b'"begin_s"', 1)
    with pytest.raises(ValueError, match="flows read"):
        pages.Read()(line)
