"""Work on a Ray cluster: scheduling, transport and retries are Ray's (https://docs.ray.io)."""

from __future__ import annotations

import importlib.util
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from .. import _core
from ..results.interrupts import deferred
from ..text.terminal import Shown
from .journal import Runs, record

#: Seconds of work in a task, estimated from what a run has cost so far: a share of the time since the start, between two bounds.
#: There is a least because a task costs Ray some milliseconds. There is a most so that the last tasks end at about the same time.
LEAST_S, MOST_S, SHARE = 0.1, 1.0, 0.1
#: Runs of each first task, the largest factor from one task's runs to the next task's, and most runs of a task.
FEW, GROWTH, MOST = 16, 8, 50_000
#: Tasks under way or waiting, for each processor of the cluster.
AHEAD = 3
#: Scenarios that a worker's batch is given before its first answer. It takes so many without waiting.
WINDOW = 256
#: How often Ray restarts a task whose worker or node was lost.
RETRIES = 5

Unit = tuple[float, Any]
"""What a task returns: the seconds it took, and its result."""


class RayError(Shown, _core.RunError):
    """The cluster cannot be used."""


def is_there() -> bool:
    """Whether Ray is installed."""
    return importlib.util.find_spec("ray") is not None


class Cluster:
    """A Ray cluster in use, between ``with`` and its end."""

    def __init__(self, address: str | None = None) -> None:
        """``address`` is as ``ray.init`` takes it; None starts Ray on this machine."""
        self._address = address

    def __enter__(self) -> Cluster:
        """Connects.

        Raises:
            RayError: there is no such cluster.
        """
        import ray

        self._ray = ray
        began: dict[str, Any] = {"include_dashboard": False} if self._address is None else {"address": self._address}
        handler, here = signal.getsignal(signal.SIGTERM), threading.current_thread() is threading.main_thread()
        try:
            ray.init(**began, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise RayError(f"no Ray cluster at {self._address}: {str(error).strip().splitlines()[0]}") from None
        finally:
            if here and handler is not None:
                signal.signal(signal.SIGTERM, handler)  # Ray has put its own there
        return self

    def __exit__(self, *_: object) -> None:
        with deferred():  # Ray does not survive an exception in there
            self._ray.shutdown()

    def each(
        self, work: Callable[[Any, Any], Any], shared: Any, take: Callable[[int], Any]
    ) -> Iterator[tuple[int, Any]]:
        """What ``work`` makes of each unit, with the unit's number from 0, in whatever order they end.

        Args:
            work: a function of ``shared`` and a unit, which a worker calls.
            shared: what all units need; a worker is sent it once, and keeps it.
            take: the next unit, given how many runs it should have; None after the last.

        Raises:
            RayError: the cluster cannot be used.
        """
        ray = self._ray
        remote = ray.remote(num_cpus=1, max_retries=RETRIES)(_task)
        ahead = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        under_way: dict[Any, tuple[int, int]] = {}  # task -> the number of its unit, and how many runs it was to have
        begun, count, over, start = 0, FEW, False, time.monotonic()
        try:
            held = ray.put(shared)
            while True:
                while not over and len(under_way) < ahead:
                    unit = take(count)
                    over = unit is None
                    if not over:
                        under_way[remote.remote(_core.__version__, work, [held], unit)] = begun, count
                        begun += 1
                if not under_way:
                    return
                # Not for ever at once, so that an interrupt is soon seen.
                done, _ = ray.wait(list(under_way), num_returns=1, timeout=0.5)
                for task in done:
                    took, result = ray.get(task)
                    number, had = under_way.pop(task)
                    aim = min(MOST_S, max(LEAST_S, SHARE * (time.monotonic() - start)))
                    count = max(1, min(MOST, GROWTH * had, round(aim * had / max(took, 1e-9))))
                    yield number, result
                    del result  # so that Ray can free it while the next one is waited for
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, (_core.RunError, _core.ScenarioError, OSError)):
                raise cause from None
            raise RayError(f"Ray: {type(cause).__name__}: {cause}") from error
        except ray.exceptions.RayError as error:
            raise RayError(f"Ray: {str(error).strip().splitlines()[-1]}") from error
        finally:
            with deferred():
                for task in under_way:
                    ray.cancel(task, force=True)


#: What the tasks of this worker share, by the name Ray gives it.
_held: dict[str, Any] = {}


def _task(version: str, work: Callable[[Any, Any], Any], shared: list[Any], unit: Any) -> Unit:
    """What a worker does.

    Raises:
        RayError: it has another version of acklab.
    """
    import ray

    if version != _core.__version__:
        raise RayError(f"a worker has acklab {_core.__version__}, this is {version}; install the same on every machine")
    name = shared[0].hex()
    if name not in _held:
        _held.clear()
        _held[name] = ray.get(shared[0])
    began = time.monotonic()
    result = work(_held[name], unit)
    return time.monotonic() - began, result


def recorded(address: str | None = None) -> Callable[[Runs, Path], Iterator[list[bytes]]]:
    """The workers of a cluster, who make the records of the journal, too."""

    def make(runs: Runs, journal: Path) -> Iterator[list[bytes]]:
        numbers, waiting, told = iter(runs.numbers), {}, 0
        with Cluster(address) as cluster, journal.open("ab") as file:
            for number, (records, found) in cluster.each(
                _records, runs.lines, lambda count: list(islice(numbers, count)) or None
            ):
                file.write(records)
                file.flush()
                waiting[number] = found
                while told in waiting:
                    yield waiting.pop(told)
                    told += 1

    return make


def _records(lines: Callable[[list[int]], Iterable[str]], numbers: list[int]) -> tuple[bytes, list[bytes]]:
    """The journal's records of some runs, and for each run its error, empty where it has none."""
    found = list(results(lines(numbers)))
    errors = [line if line.startswith(b'{"error"') else b"" for line in found]
    kept = zip(numbers, found, errors, strict=True)
    return b"".join(record(number, line) for number, line, error in kept if not error), errors


def batches(scenarios: Iterable[str], address: str | None = None) -> Iterator[list[bytes]]:
    """Result lines of scenarios, in order, as :func:`acklab.engines.journal.batches` gives them.

    Raises:
        RayError: the cluster cannot be used.
    """
    given, waiting, told = iter(scenarios), {}, 0
    with Cluster(address) as cluster:
        for number, found in cluster.each(_lines, None, lambda count: list(islice(given, count)) or None):
            waiting[number] = found
            while told in waiting:
                yield waiting.pop(told).splitlines()
                told += 1


def _lines(_: None, scenarios: list[str]) -> bytes:
    return b"".join(line + b"\n" for line in results(scenarios))


def results(scenarios: Iterable[str]) -> Iterator[bytes]:
    """Result lines of scenarios, in order, by one thread."""
    batch, given, room = _core.Batch(1), iter(scenarios), WINDOW
    while some := list(islice(given, room)):
        batch.feed("\n".join([*some, ""]).encode())
        found = batch.take().splitlines()
        room += len(found) - len(some)
        yield from found
        while not room:
            found = batch.take().splitlines()
            room += len(found)
            yield from found
    batch.close()
    while lines := batch.take():
        yield from lines.splitlines()
