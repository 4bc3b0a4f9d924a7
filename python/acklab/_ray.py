"""Runs on a Ray cluster: scheduling, transport and retries are Ray's (https://docs.ray.io)."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from . import _core
from ._line import record

#: Seconds of work that a task is given, by the cost of a run so far: far more than Ray takes to start one.
TASK_S = 2.0
#: Most runs of a task.
MOST = 10_000
#: Tasks under way or waiting, for each processor of the cluster.
AHEAD = 3


class RayError(_core.RunError):
    """The cluster cannot be used."""


def is_there() -> bool:
    """Whether Ray is installed."""
    return importlib.util.find_spec("ray") is not None


def work(scenarios: list[str], version: str) -> tuple[float, list[bytes]]:
    """A task: the seconds it took, and the result of each scenario.

    Raises:
        RayError: the worker has another version of acklab.
    """
    if version != _core.__version__:
        raise RayError(f"a worker has acklab {_core.__version__}, this is {version}; install the same on every machine")
    began = time.monotonic()
    batch = _core.Batch(1)
    found: list[bytes] = []
    for scenario in scenarios:
        batch.feed(scenario.encode() + b"\n")
        if batch.full:
            found += batch.take().splitlines()
    batch.close()
    while lines := batch.take():
        found += lines.splitlines()
    return time.monotonic() - began, found


def batches(scenarios: Iterable[str], journal: Path, address: str | None = None) -> Iterator[list[bytes]]:
    """Result lines of numbered scenarios as they come, in order; each is in ``journal`` before anybody sees it.

    Args:
        scenarios: a number, a space and the scenario as JSON, each.
        journal: the file that results are appended to, as the extension does.
        address: of the cluster, as ``ray.init`` takes it; None starts Ray on this machine.

    Raises:
        RayError: the cluster cannot be used.
        OSError: the journal cannot be written.
    """
    ray = _started(address)
    remote = ray.remote(num_cpus=1)(work)
    given = iter(scenarios)
    numbers: dict[Any, tuple[int, list[int]]] = {}  # task -> its place, and the numbers of its runs
    results: dict[int, list[bytes]] = {}
    begun = told = 0
    cost = TASK_S
    try:
        most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        with journal.open("ab") as file:
            while True:
                while len(numbers) < most:
                    lines = list(islice(given, min(MOST, max(1, round(TASK_S / cost)))))
                    if not lines:
                        break
                    pairs = [line.split(" ", 1) for line in lines]
                    task = remote.remote([scenario for _, scenario in pairs], _core.__version__)
                    numbers[task] = begun, [int(number) for number, _ in pairs]
                    begun += 1
                if not numbers:
                    return
                # Not for ever at once, so that an interrupt is soon seen.
                done, _ = ray.wait(list(numbers), num_returns=1, timeout=0.5)
                for task in done:
                    took, found = ray.get(task)
                    place, of = numbers.pop(task)
                    cost = max(1e-6, took / len(found))
                    for number, line in zip(of, found, strict=True):
                        if not line.startswith(b'{"error"'):
                            file.write(record(number, line))
                    results[place] = found
                file.flush()
                while told in results:
                    yield results.pop(told)
                    told += 1
    except ray.exceptions.RayError as error:
        raise RayError(f"Ray: {str(error).strip().splitlines()[-1]}") from error
    finally:
        for task in numbers:
            ray.cancel(task, force=True)
        ray.shutdown()


def _started(address: str | None) -> Any:
    import ray

    try:
        ray.init(address=address, include_dashboard=False if address is None else None, log_to_driver=False, logging_level="error")
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise RayError(f"no Ray cluster at {address}: {str(error).strip().splitlines()[0]}") from None
    return ray
