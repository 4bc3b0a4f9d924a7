"""``acklab compare``: alternatives for any key of a scenario, ranked."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from ..text.terminal import complain, file_name
from . import examples, programs
from .expected import say_ignored
from .options import add_outputs, add_verb, add_workers, check_out, reading, runs_kept, show, workers

if TYPE_CHECKING:
    from ..study.compare import Comparison

EXAMPLE = """\
A case is NAME, or NAME: KEY=VALUE, several keys separated by ; (in quotes, for the shell). The first case is what the
others are measured against. A situation is written the same way; every case is tried in each.

A metric is [NAME:] QUANTITY[@WHERE], WHERE a flow's name or a pattern such as down*, for a link FROM->TO:
{quantities}
or a column of the flows or links table (acks_sent, drops@G->R), or an aggregate of a column, of completion, transfer-rate or
rtt: p99(completion), max(max_queue_packets), with sum, mean, min, max, p50, p99.9, ...; goodput of all flows where none is given.

Objectives are the metrics by which cases are judged: the first, or those that --for names. Their intervals hold together with 95 %
(Bonferroni); those of the other metrics with another 95 %. Each metric of each case is compared with the first case: better, worse,
within the margin (2 %, or --margin; two one-sided tests), or undecided where the seeds show neither. A case loses nothing where no
metric is worse or undecided. Fewer than 5 seeds have no intervals and no verdicts.

example:
  acklab compare examples/allman1998.toml --metric completion \\
      --case delayed --case 'every segment: flow.0.receiver.ack={policy="every"}'
  acklab compare examples/access/dsl.toml --cases examples/access/filters.toml    cases, situations and metrics from a file
  acklab compare --path dsl --set up=2Mbps --cases examples/access/filters.toml   the same of a faster uplink
  acklab compare examples/access/dsl.toml --cases examples/access/filters.toml --out dsl    tables, a chart (SVG, PNG) and a page
  acklab compare dsl --for upload,latency    another order of objectives, from the runs in dsl/; so --metric, --case and --under

With --out, runs are kept: the same command continues where an interrupt stopped it, and another question to the same scenario makes
only the runs that are missing.

exit status: 0; 1 a run or an output failed; 2 bad scenario or comparison; 130 interrupted; 143 terminated

"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    from ..study.metrics import QUANTITIES

    quantities = "".join(f"  {q.name:<14}{q.about} ({q.unit})\n" for q in QUANTITIES.values())
    about = "Run a scenario with alternatives for any of its keys, each with the same seeds, and rank them."
    shown = EXAMPLE.replace("{quantities}", quantities.rstrip("\n")) + examples.ABOUT
    verb = add_verb(verbs, "compare", act, about, shown, runs_kept)
    verb.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="the scenario (TOML or JSON), which --cases may name; or the DIR of --out, whose runs answer again",
    )
    examples.add_path(verb)
    verb.add_argument("--case", metavar="CASE", action="append", default=[], help="an alternative; repeat for each")
    verb.add_argument("--under", metavar="CASE", action="append", default=[], help="a situation; may be repeated")
    verb.add_argument(
        "--metric", metavar="METRIC", action="append", default=[], help="what to measure; may be repeated"
    )
    verb.add_argument("--cases", metavar="TOML", help="a file with [[case]], [[situation]], metrics, for, seeds, ...")
    verb.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="set a key in every case")
    verb.add_argument(
        "--seeds", metavar="N", help="seeds 1 to N, the same for every case (10), or LEAST..MOST with a rule"
    )
    verb.add_argument(
        "--half-width", type=float, metavar="SHARE",
        help="more seeds until half the interval of every difference is at most this share of the first's mean",
    )  # fmt: skip
    verb.add_argument("--decide", action="store_true", help="more seeds until no verdict is undecided (5..100)")
    verb.add_argument(
        "--for",
        dest="objectives",
        metavar="NAMES",
        help="the metrics by which cases are judged, such as upload,download,latency",
    )
    verb.add_argument(
        "--margin", metavar="SHARE", help="a difference of less than this share of the mean does not matter (2%%)"
    )
    verb.add_argument(
        "--spread-starts", metavar="TIME", help="let each seed start each flow up to TIME later, all cases alike"
    )
    verb.add_argument(
        "--spread-delays",
        metavar="SHARE",
        help="let each seed make each link longer by up to SHARE, such as 1%%, all cases alike",
    )
    about = "also write the tables, a chart and a page there; an interrupted comparison continues"
    add_outputs(verb, about, "run again what an interrupted comparison has already run")
    programs.add_kernels(verb)
    add_workers(verb)


def act(options: argparse.Namespace) -> int:
    """Compares and returns the exit status."""
    from ..results.progress import Progress
    from ..study.compare import compare
    from ..study.grammar import StudyError
    from . import meant

    examples.take_path(options)
    if options.file and os.path.isfile(stored := os.path.join(options.file, "cases.toml")):
        options.out, options.cases, options.file = options.out or options.file, options.cases or stored, None
    check_out(options)
    made_by = workers(options)
    try:
        comparison = _comparison(options)
        comparison.check()
        for note in meant.notes(comparison.scenario, comparison.file, comparison.sets):
            complain(note)
        say_ignored(comparison.scenario, comparison.file)
        for text, names in comparison.without_effect().items():
            which = "no case" if len(names) == len(comparison.cases) else f"nothing in {', '.join(map(repr, names))}"
            complain(f"note: --set {text} changes {which}: a case sets that key, or the scenario has this value")
        if options.kernel:
            from .live import say_unfollowed

            say_unfollowed(comparison.scenario, comparison.file, options.set)
        told = compare(
            comparison, out=options.out, threads=options.threads, workers=made_by, fresh=options.fresh,
            meter=lambda total: Progress("compare", total),
        )  # fmt: skip
    except StudyError as error:
        options.parser.exit(2, f"acklab: {examples.in_short(options, meant.explained(error, options))}\n")
    show(options, told)
    return 0


def _comparison(options: argparse.Namespace) -> Comparison:
    from ..scenario.given import file_bytes
    from ..study.compare import Comparison, from_file
    from ..study.grammar import StudyError, share, span
    from ..study.metrics import metric
    from ..study.reading import case, pieces
    from ..study.reading import seeds as given_seeds

    told: dict[str, Any] = {}
    with reading(options, options.cases):
        told = from_file(options.cases) if options.cases else {}
    path = str(options.file or told.get("scenario") or "")
    if not path:
        options.parser.error("give a scenario FILE, or a --cases file that names one")
    with reading(options, path):
        told["scenario"] = file_bytes(path)
    if options.case:
        told["cases"] = [*told.get("cases", []), *map(case, options.case)]
    if options.under:
        told["situations"] = [*told.get("situations", []), *map(case, options.under)]
    if options.metric:
        told["metrics"] = [metric(text) for text in options.metric]
        told.pop("objective_names", None)  # those of the file's metrics
    try:
        seeds = given_seeds(options.seeds, options.half_width, options.decide)
    except StudyError as error:
        options.parser.error(str(error))
    told.update({"seeds": seeds} if seeds is not None else {})
    if options.margin is not None:
        told["margin"] = share(options.margin)
    if options.objectives is not None:
        told["objective_names"] = [name.strip() for name in pieces(options.objectives, ",")]
    if options.spread_delays is not None:
        told["spread_delays"] = share(options.spread_delays)
    if options.spread_starts is not None:
        told["spread_starts_s"] = span(options.spread_starts)
    own, told["engine"] = programs.for_many(options, told["scenario"], path, plan=bool(options.cases))
    return Comparison(file=file_name(path), sets=[*own, *options.set], **{"cases": [], **told})
