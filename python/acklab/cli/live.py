"""``acklab run --live`` and ``--virtual`` without programs: a scenario between real kernels."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..report.report import Report, Table
from ..results.expected import of_rows
from ..results.summary import _number, flow_columns, link_columns
from ..results.validity import TABLES, marked, short, why
from ..scenario.access import time_of_buffer
from ..text.input import loads
from ..text.templates import Fact, fact, sentence
from ..text.terminal import complain, file_name, one_line, say, say_json
from . import paths
from .expected import say_checks
from .kernels import FOR, KEPT_BYTES
from .options import check_out, open_page

if TYPE_CHECKING:
    from .. import _core

NAMES = (
    *(f"{table}.parquet" for table in TABLES),
    "summary.json",
    "scenario.toml",
    "sender.pcap",
    "receiver.pcap",
    "report.html",
)


def act(options: argparse.Namespace, text: bytes, file: str) -> int:
    """Runs what the options ask for and returns the exit status."""
    from .. import _core

    check_out(options)
    sets = [*options.set]
    if (length := getattr(options, FOR)) is not None:
        sets.append(f"stop={{at={json.dumps(length)}}}")
    asked = {"kernel_acks": options.acks == "kernel", "control": options.control, "sender": options.sender}
    try:
        plan = _core.LivePlan(text, file=file, sets=sets, seed=options.seed, **asked, in_virtual_time=options.virtual)
    except _core.ScenarioError as error:
        if length is None or not str(error).startswith(f"{file}: stop.at = "):
            raise
        options.parser.exit(2, "acklab: --for " + str(error).removeprefix(f"{file}: stop.at ") + "\n")
    if options.dry_run:
        paths.say_path(options)
        say_json(plan.json()) if options.json else say(plan_report(json.loads(plan.json())).text())
        return 0
    simulation = None
    if options.beside or options.out:
        recorded = ["record.series=true", "record.queue=true"] if options.out else []
        simulation = _core.Simulation(text, file=file, sets=[*recorded, *sets], seed=options.seed)
    go = partial(plan.run, realtime=options.realtime, late=options.late)
    if options.virtual:
        from ..engines.kernel import run as boot

        versions = {node: version for node, version in options.linux if node}
        known = {flow[end] for flow in json.loads(plan.json())["flows"] for end in ("from", "to")}
        if unknown := next((node for node in versions if node not in known), None):
            options.parser.error(
                f"--linux {unknown}=...: no flow begins or ends there; flows do at {', '.join(sorted(known))}"
            )
        go = partial(boot, plan, asked, versions=versions)
    try:
        result, simulated = _run(go, plan, simulation, options)
    except _core.LiveError as error:
        complain(str(error))
        return 1
    beside = json.loads(simulated.json(records=False)) if simulated is not None and options.beside else None
    live = json.loads(result.json())
    if options.json:
        say_json(json.dumps({**live, "simulated": beside}) if beside is not None else result.json())
    else:
        paths.say_path(options)
        say(as_text(live, "In virtual time" if options.virtual else "Live"))
        if beside is not None:
            say("\n" + beside_as_text(live, beside))
        if options.out:
            say(f"\nwritten to {file_name(Path(options.out))}/")
    if options.out:
        open_page(options, Path(options.out) / "report.html")
    if not result.valid:
        complain(live["why"][-1])
        return 1
    return say_checks(of_rows(loads(plan.scenario_toml()).get("expect", ()), live), options.json)


def _run(
    go: Callable[..., _core.LiveResult],
    plan: _core.LivePlan,
    simulation: _core.Simulation | None,
    options: argparse.Namespace,
) -> tuple[_core.LiveResult, _core.RunResult | None]:
    """The run, then the simulation, and everything that is written.

    The simulation comes after the live run: a process that has just computed is given the processor late.
    """
    from ..results.directory import results
    from ..results.frames import write_parquet

    if not options.out:
        result = go()
        return result, simulation and simulation.run()
    from ..report.live import page

    with results(options.out, "live", NAMES) as folder, folder.replacing({"seeds": options.seed}) as scratch:
        result = go(
            captures=scratch, capture_bytes=KEPT_BYTES if options.capture_bytes is None else options.capture_bytes
        )
        live = json.loads(result.json())
        for name in TABLES:
            write_parquet(marked(getattr(result, name), live), scratch / f"{name}.parquet")
        (scratch / "summary.json").write_text(result.json() + "\n", encoding="utf-8")
        (scratch / "scenario.toml").write_text(plan.scenario_toml(), encoding="utf-8")
        assert simulation is not None
        simulated = simulation.run()
        (scratch / "report.html").write_text(page(live, result, simulated), encoding="utf-8")
    return result, simulated


def _flow_columns(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, Any]]:
    """Heading and cell of each column: the simulator's that a kernel tells, and its own."""
    trips = [("sRTT ms", "mean_srtt_s"), ("least", "min_rtt_s")]
    own = [(head, lambda row, key=key: _number(row[key] and 1e3 * row[key])) for head, key in trips]
    return [*flow_columns(rows), *own, ("control", lambda row: row["control"])]


def _or_dash(value: object) -> str:
    return "-" if value is None else str(value)


def as_text(live: Mapping[str, Any], how: str = "Live") -> str:
    """A live run's summary for a terminal."""
    tables = []
    for columns, rows, names in (
        (_flow_columns(live["flows"]), live["flows"], 2),
        (link_columns(live["links"]), live["links"], 1),
    ):
        cells = [[cell(row) for _, cell in columns] for row in rows]
        tables.append(Table([head for head, _ in columns], cells, names=names))
    facts = [*clock(live, how), *(fact("note", text=note) for note in live["notes"])]
    return Report("run", one_line(live["title"]) or "(no title)", facts, [*tables, _ignored(live["ignored"])]).text()


def clock(live: Mapping[str, Any], how: str = "Live") -> list[Fact]:
    """On which kernel, how late packets were where time is real, and whether that makes the run invalid."""
    late = live["lateness"]
    facts = [fact("clock", how=how, kernel=live["kernel"], seed=str(live["seed"]), end=live["end_s"])]
    if late["releases"]:
        facts.append(fact("lateness", median=late["p50_s"], high=late["p99_s"], most=late["max_s"]))
    return [*facts, *([fact("invalid", why=short(reason))] if (reason := why(live)) else [])]


def _ignored(rules: list[Mapping[str, str]]) -> Table:
    """The rules that the kernel does not follow."""
    rows = [[rule["key"], rule["scenario"], rule["kernel"]] for rule in rules]
    return Table(["not followed by the kernel", "scenario", "kernel"], rows, names=3)


#: What both have of a flow, and by what to multiply it.
BESIDE = [
    ("goodput Mb/s", "goodput_bps", "goodput_bps", 1e-6),
    ("completion s", "completion_s", "completion_s", 1.0),
    ("segments sent", "segments_sent", "segments_sent", 1.0),
    ("retransmits", "retransmits", "retransmits", 1.0),
    ("timeouts", "timeouts", "timeouts", 1.0),
    ("ACKs sent", "acks_sent", "acks_sent", 1.0),
    ("ACKs filtered", "acks_filtered", "acks_filtered", 1.0),
    ("least RTT ms", "min_rtt_s", "min_rtt_s", 1e3),
    ("mean RTT ms", "mean_rtt_s", "mean_srtt_s", 1e3),
]


def beside_as_text(live: Mapping[str, Any], simulated: Mapping[str, Any]) -> str:
    """Each flow's numbers from the simulator and from the live run, side by side; none where the run is invalid."""
    if why(live):
        return sentence(fact("not-compared"))
    rows = []
    for real, virtual in zip(live["flows"], simulated["flows"], strict=True):
        for name, theirs, ours, factor in BESIDE:
            pair = [virtual[theirs], real[ours]]
            cells = [
                _or_dash(value) if isinstance(value, int) or value is None else _number(value * factor)
                for value in pair
            ]
            ratio = _number(pair[1] / pair[0], 3) if pair[0] and pair[1] is not None else "-"
            rows.append([real["name"], name, *cells, ratio])
    return "\n".join(Table(["flow", "", "simulated", "live", "ratio"], rows, names=2).lines())


def plan_report(plan: Mapping[str, Any]) -> Report:
    """What a run would do."""
    complete = "or when every flow is complete" if plan["until_complete"] else ""
    facts = [fact("ends", end=plan["end_s"], complete=complete, segment=plan["segment_bytes"], mtu=plan["mtu"])]
    links = [
        [f"{link['from']}->{link['to']}", way, _number(link["rate_bps"] / 1e6), _number(1e3 * link["delay_s"]),
         json.dumps(_given(link["queue"])) + time_of_buffer(link["queue"], link["buffer_rate_bps"]), json.dumps(_given(link["loss"])) if link["loss"] else "-"]
        for way in ("there", "back") for link in plan[way]
    ]  # fmt: skip
    flows = [
        [flow["name"], f"{flow['from']}->{flow['to']}", "-" if flow["bytes"] is None else str(flow["bytes"]), flow["control"], flow["ours"] or "-",
         "the scenario's" if flow["shaped"] else "the kernel's"]
        for flow in plan["flows"]
    ]  # fmt: skip
    settings = [[name, str(value)] for name, value in plan["variables"].items()]
    for name, routes in (("route", plan["routes"]), ("route of policies", plan["routes_apart"])):
        settings += [
            [f"{name}: {who}", route] for who, route in zip(("senders", "receivers"), routes or (), strict=False)
        ]
    tables = [
        Table(["link", "way", "Mb/s", "delay ms", "queue", "loss"], links, names=6),
        Table(["flow", "path", "bytes", "kernel's control", "the scenario's (eBPF)", "ACKs"], flows, names=6),
        Table(["setting", "value"], settings, names=2),
        _ignored(plan["ignored"]),
    ]
    facts += [fact("note", text=note) for note in plan["notes"]]
    return Report("run", one_line(plan["title"]) or "(no title)", facts, tables)


def say_unfollowed(text: str | bytes, file: str, sets: Sequence[str]) -> None:
    """Says on standard error in what the kernels of many runs do not follow their scenario, as it is without cases and values."""
    from .. import _core
    from ..engines.kernel import find, unfollowed

    try:
        find()
        lines = unfollowed(text, file, sets)
    except (_core.LiveError, _core.ScenarioError):  # which the runs say; and some cases may be possible
        return
    for line in lines:
        complain(f"--virtual: {line}")


def _given(table: Mapping[str, Any]) -> dict[str, Any]:
    """What of a table has a value."""
    return {key: value for key, value in table.items() if value is not None}
