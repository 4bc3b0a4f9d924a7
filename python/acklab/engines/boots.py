"""Batches on kernels: a boot for each scenario, several at once."""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from .. import _core
from . import kernel
from .line import record
from .programs import run, summary


def _as_simulated(live: Mapping[str, Any]) -> bytes:
    """A live summary with the simulator's columns; what no kernel tells is null."""
    names = [column["name"] for column in _core.columns("flows")]
    flows = [
        {name: flow.get("mean_srtt_s" if name == "mean_rtt_s" else name) for name in names} for flow in live["flows"]
    ]
    told = {
        "title": live["title"],
        "seed": live["seed"],
        "end_s": live["end_s"],
        "flows": flows,
        "links": live["links"],
    }
    return json.dumps(told, separators=(",", ":")).encode()


def _summary(text: str, allowed: bool) -> bytes:
    """What became of a scenario, with its programs if they are allowed."""
    programs = _core.Programs(text)
    if not json.loads(programs.json())["programs"]:
        return _as_simulated(json.loads(kernel.result(text).json()))
    if not allowed:
        raise _core.LiveError("the scenario names programs, which run only with --allow-programs")
    return json.dumps(summary(run(programs)), separators=(",", ":")).encode()


def batches(
    scenarios: Iterable[str], threads: int, journal: str | os.PathLike[str] | None = None, *, programs: bool = False
) -> Iterator[list[bytes]]:
    """Result lines in order, as :func:`acklab.engines.batches.batches` gives them, from so many runs at once.

    The scenarios' programs run only with ``programs``.
    """

    def make(line: str) -> bytes:
        number, text = re.fullmatch(r"(\d*) ?(.*)", line, re.DOTALL).groups()  # type: ignore[union-attr]
        try:
            told = _summary(text, programs)
        except (_core.LiveError, _core.ScenarioError) as error:
            return json.dumps({"error": f"kernel: {error}"}).encode()
        if journal is not None:
            with open(journal, "ab", buffering=0) as file:
                file.write(record(int(number), told))
        return told

    kernel.find()
    waiting: deque[Future[bytes]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for line in scenarios:
            waiting.append(pool.submit(make, line))
            if len(waiting) > 2 * threads:
                yield [waiting.popleft().result()]
        while waiting:
            yield [waiting.popleft().result()]
    finally:
        pool.shutdown(cancel_futures=True)
