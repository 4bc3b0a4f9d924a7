"""acklab: a laboratory for TCP acknowledgments.

>>> import acklab
>>> run = acklab.run('''
... stop = { when = "flows-complete" }
... link = [{ between = ["S", "R"], rate = "1.5Mbps", delay = "50ms" }]
... flow = [{ from = "S", to = "R", size = { segments = 20 } }]
... ''')
>>> run.summary()["flows"][0]["completed"]
True
"""

from .results import starting  # noqa: F401, I001  # first, so that an interrupt while the rest is imported ends the command quietly
from importlib import import_module

from ._core import CaptureError, RunError, ScenarioError, Simulation, Table, __version__
from .captures import Analysis, analyze
from .experiments.infer import InferError, infer
from .experiments.sweep import SweepError, sweep
from .experiments.tune import TuneError, tune
from .results.stored import NotRecordedError
from .run import Run, run, run_batch, simulation
from .scenario import Scenario
from .scenario.own import AckEvent, AckPolicy, Arrival, CongestionControl, Departure, Emission, Window

__all__ = [
    "AckEvent",
    "AckPolicy",
    "Analysis",
    "Arrival",
    "CaptureError",
    "CongestionControl",
    "Departure",
    "Emission",
    "InferError",
    "NotRecordedError",
    "Run",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Simulation",
    "SweepError",
    "Table",
    "TuneError",
    "Window",
    "__version__",
    "analyze",
    "infer",
    "run",
    "run_batch",
    "simulation",
    "sweep",
    "tune",
]


def __getattr__(name: str) -> object:
    if name in ("compare", "dataset", "plot", "report"):  # imported when asked for: charts take their time
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "compare", "dataset", "plot", "report"})
