"""The fit of a capture: estimates, a search, and a check by the half of the connection that was held out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...text.input import located
from ...text.templates import Fact, fact
from ..answers import Answer
from .both_ends import joined
from .held_out import HeldOut, check
from .measure import Measured, direction, elsewhere, measure, same
from .place import FitError, Value, of_direction
from .predict import bad, blind
from .receivers import Named, name
from .search import TIMER, Search, Tried

if TYPE_CHECKING:
    from ...captures import Analysis
    from ...results.directory import Folder

#: What a search chose is determined only if the best model's cost is at most this: a larger misfit may hide the true choice.
SURE = 0.02
#: A replayed policy is not determined if more of its ACKs than this share have other sizes: 80 % must follow a policy that a capture names, too.
OTHER_SIZES = 0.2
#: Policies with phases in which each segment has its ACK.
QUICK = ("quick-then-delayed", "by-phase")
#: Segments of a connection that are fitted at most: its first.
MAX_SEGMENTS = 150_000


@dataclass(frozen=True, repr=False)
class Fit(Answer):
    """A fitted scenario, with what is known of each parameter."""

    verb = "fit"

    file: str
    found: Analysis
    measured: Measured
    search: Search
    replay: Tried
    """The choice that replays the capture best; its losses may be the capture's, one by one."""
    models: Sequence[Tried]
    """The models that fit alike, the best first: their losses are the queue's, or random, or none."""
    values: Sequence[Value]
    receiver: Named | None
    """What the receiver acknowledges like; None where too few ACKs show."""
    held_out: HeldOut | None
    """The second half of the data, predicted from the first."""
    why_not: str
    """Why nothing was held out; empty where it was."""
    simulations: int
    notes: Sequence[Fact] = ()

    @property
    def model(self) -> Tried:
        """The model that fits best."""
        return self.models[0]

    @property
    def scenario(self) -> dict[str, Any]:
        """The model's tree, which ``acklab run`` runs."""
        return self.search.tree(self.model.sets)

    def scenario_toml(self) -> str:
        """The model as text, which :func:`acklab.run` and :func:`acklab.why` take, too."""
        text: str = self._page().scenario(self)
        return text

    def frames(self) -> dict[str, Any]:
        """No tables but the parameters."""
        return {}

    def html(self) -> str:
        """The page's text."""
        text: str = self._page().page(self)
        return text

    def write_into(self, folder: Folder) -> None:
        """Writes what :meth:`write` does to a directory that is held."""
        self._page().write(self, None, folder)

    def _page(self) -> Any:
        return import_module(".page", __package__)

    def __repr__(self) -> str:
        return f"<Fit of {self.file!r}; print() shows it>"

    @property
    def bad(self) -> Fact | None:
        """Why no prediction follows from the fit; None if one does."""
        return bad(self)

    @property
    def blind(self) -> Fact | None:
        """Why no prediction of another queue or sender follows from the fit; None if one does."""
        return blind(self)


def fit(
    path: str | os.PathLike[str],
    only: str | None = None,
    tick: Callable[[int], None] = lambda made: None,
    receiver: str | os.PathLike[str] | None = None,
    sets: Sequence[str] = (),
) -> Fit:
    """Fits the direction of a capture that acknowledges most data, of the connections that ``only`` names.

    Args:
        path: the capture; it is read several times.
        only: an address, ``:port``, ``address:port`` or ``#number``.
        tick: called with the number of simulations so far.
        receiver: a capture of the same connection at its receiver; ``path`` is then that at its sender.
        sets: changes that the fit is to be asked about, which are checked before it is made.

    Raises:
        ScenarioError: a change is not legal; the message names key and value.
        FitError: the capture does not show enough for a scenario, or none fits.
        CaptureError: it is no capture.
        OSError: it cannot be read.
    """
    from ...captures import of_capture

    path = located(os.fspath(path)) if isinstance(os.fspath(path), str) else path
    found, notes = of_capture(path), list[Fact]()
    row = direction(found, only)
    if row["segments"] > MAX_SEGMENTS:
        found, row = _shorter(path, found, row)
        notes.append(fact("first-part", segments=row["segments"], most=MAX_SEGMENTS))
    try:
        measured = measure(found, row)
    except FitError as error:
        raise FitError(f"{str(error).removesuffix('.')}{'' if only else elsewhere(found, row)}") from None
    if receiver is not None:
        measured, ways = joined(found, measured, of_capture(receiver))
        notes += ways.facts(len(measured.lost[0]))
    search = Search(measured, tick)
    search.check(sets)
    replay, models = search.best(measured.curve)
    named = name(measured, search, replay, found)
    held_out, why_not, made = None, "", 0
    try:
        held_out, made = check(path, measured, lambda more: tick(search.count + more))
    except FitError as error:
        why_not = str(error)
    return Fit(
        os.fsdecode(path),
        found,
        measured,
        search,
        replay,
        models,
        _values(measured, search, models),
        named,
        held_out,
        why_not,
        search.count + made,
        notes,
    )


def _shorter(
    path: str | os.PathLike[str], found: Analysis, row: Mapping[str, Any]
) -> tuple[Analysis, Mapping[str, Any]]:
    """The analysis of the capture's first part, with so many segments of the direction as are fitted."""
    import polars as pl

    from ...captures import of_capture

    times = of_direction(found.segments, row).filter(pl.col("payload_bytes") > 0)["time_s"]
    until = float(times[min(MAX_SEGMENTS * len(times) // max(row["segments"], 1), len(times) - 1)])
    part = of_capture(path, until_s=until)
    shorter = same(part, row)
    if shorter is None:
        raise FitError("the first part of the connection has no data")
    return part, shorter


def _replayed(chosen: Value, named: str, sizes: float) -> Value:
    """The policy of the simulation, beside what the capture's is named: one without quick ACKs is no match for one with them, nor one with other ACKs."""
    if sizes > OTHER_SIZES:
        return replace(chosen, determined=False, how=fact("how-sizes", share=sizes))
    if named not in QUICK or chosen.value == "linux":
        return chosen
    return replace(chosen, determined=False, how=fact("how-no-quick"))


def _values(measured: Measured, search: Search, models: Sequence[Tried]) -> list[Value]:
    """Every parameter, with what the search found: a choice that others fit as well is not determined."""
    best, values, sure = models[0], dict(measured.values), models[0].cost <= SURE

    def among(name: str, label: str, of: Sequence[Tried] = models) -> Value:
        names = list(dict.fromkeys(one.names[name] for one in of))
        if len(names) > 1:
            return Value(label, names[0], determined=False, how=fact("how-alike", names=names[1:]))
        return Value(label, names[0], determined=sure, how=fact("how-alone" if sure else "how-misfit"))

    trip = values["round trip"]
    shift = search.rtt_s - trip.value
    values["round trip"] = replace(trip, value=search.rtt_s, low=trip.low + shift, high=trip.high + shift)
    values["sender"] = among("sender", "sender", [*models, *search.open])
    if not search.open:
        values["sender"] = replace(values["sender"], determined=False, how=fact("how-no-trips"))
    policy = among("acks", "replayed policy")
    values["replayed policy"] = _replayed(policy, values["ACK policy"].value, best.score.sizes)
    if measured.lost[0]:
        values["losses"] = among("losses", "losses")
        queues = sorted({one.queue for one in models if one.queue is not None})
        if best.queue is not None:
            known = values["losses"].determined
            alike = fact("how-queues", low=queues[0], high=queues[-1]) if len(queues) > 1 else fact("how-queue")
            how = alike if known else values["losses"].how
            values["queue"] = Value("queue", best.queue, "packets", queues[0], queues[-1], known, how)
        elif values["queue"].determined:
            values["queue"] = replace(values["queue"], determined=False, high=None, how=fact("how-random"))
    timers = sorted(float(one.sets[TIMER][:-2]) / 1e3 for one in models if TIMER in one.sets)
    if not values["ACK timer"].determined and TIMER in best.sets:
        value, known = float(best.sets[TIMER][:-2]) / 1e3, sure and all(TIMER in one.sets for one in models)
        values["ACK timer"] = Value("ACK timer", value, "s", timers[0], timers[-1], known, fact("how-search"))
    return list(values.values())
