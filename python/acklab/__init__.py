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

TYPE_CHECKING = False  # as typing's, whose import takes time
if TYPE_CHECKING:
    from typing import Any

    from . import plot
    from ._core import CaptureError, LiveError, RunError, ScenarioError, Simulation, Table, __version__
    from .captures import Analysis, analyze
    from .results.result import Result
    from .results.stored import NotRecordedError
    from .runs import Run, run, run_batch, simulation
    from .scenario import Scenario
    from .scenario import mahimahi as mahimahi
    from .scenario.own import AckEvent, AckPolicy, Arrival, CongestionControl, Departure, Emission, LostSegment, Window
    from .study import dataset
    from .study.fit.fit import Fit, fit
    from .study.fit.place import FitError
    from .study.grammar import InferError, StudyError, SweepError, TuneError
    from .study.infer import infer
    from .study.loading import load
    from .study.sweep import sweep
    from .study.tune import tune
    from .study.why import Why, why

    compare: Any  # modules that can be called
    report: Any
    reproduce: Any

#: Where each public name is, imported when it is first asked for: a command imports what it uses.
_HOMES = {
    "_core": ("CaptureError", "LiveError", "RunError", "ScenarioError", "Simulation", "Table", "__version__"),
    "captures": ("Analysis", "analyze"),
    "results.result": ("Result",),
    "results.stored": ("NotRecordedError",),
    "runs": ("Run", "run", "run_batch", "simulation"),
    "scenario": ("Scenario",),
    "study.grammar": ("InferError", "StudyError", "SweepError", "TuneError"),
    "study.fit.place": ("FitError",),
    "study.fit.fit": ("Fit", "fit"),
    "study.infer": ("infer",),
    "study.loading": ("load",),
    "study.sweep": ("sweep",),
    "study.tune": ("tune",),
    "study.why": ("Why", "why"),
    "scenario.own": (
        "AckEvent",
        "AckPolicy",
        "Arrival",
        "CongestionControl",
        "Departure",
        "Emission",
        "LostSegment",
        "Window",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
#: Modules, by where they are. Some can also be called: ``acklab.compare(a, b)``, ``acklab.report(run)``.
_MODULES = {
    "compare": "study.compare",
    "dataset": "study.dataset",
    "mahimahi": "scenario.mahimahi",
    "plot": "plot",
    "report": "report",
    "reproduce": "reproduce",
}

__all__ = [
    "AckEvent",
    "AckPolicy",
    "Analysis",
    "Arrival",
    "CaptureError",
    "CongestionControl",
    "Departure",
    "Emission",
    "Fit",
    "FitError",
    "InferError",
    "LiveError",
    "LostSegment",
    "NotRecordedError",
    "Result",
    "Run",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Simulation",
    "StudyError",
    "SweepError",
    "Table",
    "TuneError",
    "Why",
    "Window",
    "__version__",
    "analyze",
    "compare",
    "dataset",
    "fit",
    "infer",
    "load",
    "plot",
    "report",
    "reproduce",
    "run",
    "run_batch",
    "simulation",
    "sweep",
    "tune",
    "why",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        module = globals()[name] = import_module(f".{_MODULES[name]}", __name__)
        return module
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
