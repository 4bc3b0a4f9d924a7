"""``acklab sweep``: a scenario over ranges of its keys."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..text.numbers import counted
from ..text.terminal import complain, file_name, say
from . import examples, meant, paths, programs
from .expected import say_ignored
from .options import add_outputs, add_verb, add_workers, check_out, directory, reading, refuse, runs_kept, show, workers

if TYPE_CHECKING:
    from ..study.sweep import Design, SweepPlan

EXAMPLE = """\
FILE is a plan (TOML, with [vary] and the rest; `acklab schema --plan` describes it), or a scenario with what varies as options.
VALUES are 4,8,16 or a range: 1Mbps..10Mbps/5 (5 points), "1..1000/7 log", "4..32 step 2", 4..24. Each --vary is an axis, and
every combination is run; keys in one --vary with a ; between them vary together. A metric is one of `acklab compare --help`,
a column of the flows or links table, or an aggregate: timeouts@f, drops@G->R, p99(completion).

example:
  acklab sweep examples/queue.toml --out queue    a plan; tables, charts and a page in queue/
  acklab sweep examples/allman1998.toml --vary link.1.queue.packets=4..24 --metric completion
  acklab sweep examples/allman1998.toml --vary flow.0.sender.window=4,8,16 --vary link.1.rate=1Mbps..10Mbps/5
  acklab sweep examples/queue.toml --shard 3/16 --out part3    a sixteenth of the runs
  acklab sweep --join part* --out queue           what the undivided sweep would have written, from the directories of all parts
  acklab sweep examples/allman1998.toml --vary 'link.0.rate=2Mbps,4Mbps; link.1.rate=1Mbps,2Mbps' --json
  acklab sweep examples/queue.toml --dataset runs    flows as Parquet, also to s3://BUCKET/NAME; acklab plot draws it
  acklab sweep --path cable --vary up=1Mbps..35Mbps/6 --metric goodput@down*      an access path, by its own keys

With --out or --dataset, what is done is kept: the same command continues where an interrupt or a crash stopped it, and gives the same files.

exit status: 0; 1 a run or an output failed; 2 bad plan or scenario; 130 interrupted; 143 terminated

"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Run a scenario for every combination of values of its keys, with as many seeds as it takes."
    verb = add_verb(verbs, "sweep", act, about, EXAMPLE + examples.ABOUT, runs_kept)
    verb.add_argument(
        "file", metavar="FILE", nargs="?", help="the plan, or the scenario; - is a scenario on standard input"
    )
    examples.add_path(verb)
    verb.add_argument("--vary", metavar="KEY=VALUES", action="append", default=[], help="an axis; may be repeated")
    verb.add_argument(
        "--case", metavar="CASE", action="append", default=[], help="a named alternative, 'NAME: KEY=VALUE; ...'"
    )
    verb.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="set a key at every point")
    verb.add_argument("--seeds", metavar="N", help="seeds 1 to N at every point (1), or LEAST..MOST with --half-width")
    verb.add_argument(
        "--half-width", type=float, metavar="SHARE",
        help="more seeds until half the 95 %% interval of the first metric is at most this share of its mean",
    )  # fmt: skip
    verb.add_argument("--spread-starts", metavar="TIME", help="let each seed start each flow up to TIME later")
    verb.add_argument(
        "--metric", metavar="METRIC", action="append", default=[], help="what to measure; may be repeated"
    )
    verb.add_argument(
        "--column", metavar="NAME", action="append", default=[], help="keep this column of the flows table (all)"
    )
    about = "also write tables, charts and a page there; an interrupted sweep continues"
    add_outputs(verb, about, "delete the finished runs that are there, and run all of them")
    programs.add_kernels(verb)
    verb.add_argument(
        "--shard",
        type=shard,
        metavar="K/N",
        help="make the K-th of N parts of the runs only; with --out, --join puts the parts together",
    )
    verb.add_argument(
        "--join",
        metavar="DIR",
        nargs="+",
        help="run nothing: put the parts of one sweep together, all of --shard, in --out DIR",
    )
    verb.add_argument(
        "--dataset",
        type=directory,
        metavar="DIR|URL",
        help="instead of --out: write the flows there as partitioned Parquet, for many runs",
    )
    add_workers(verb)


def shard(text: str) -> Any:
    """A shard, for argparse."""
    from ..study.shards import Shard

    try:
        return Shard.read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def act(options: argparse.Namespace) -> int:
    """Sweeps and returns the exit status."""
    from .. import _core
    from ..results.progress import Progress
    from ..study.grammar import StudyError
    from ..study.shards import make_shard
    from ..study.sweep import Design, sweep

    check_out(options)
    if options.join:
        return _join(options)
    examples.take_path(options)
    told, written = options.json or options.open, options.out or options.dataset
    refuse(
        options,
        (options.file is None, "which sweep? give a plan, or a scenario or --path with --vary"),
        (
            options.dataset and (options.out or options.json),
            "--dataset goes without --out and --json; `acklab plot` reads it",
        ),
        (
            options.shard and (told or not written),
            "--shard goes with --out DIR or --dataset DIR, and without --json and --open",
        ),
    )
    meter = lambda total: Progress("sweep", total)  # noqa: E731
    made_by = workers(options)
    how: Any = {"threads": options.threads, "workers": made_by, "fresh": options.fresh, "meter": meter}
    try:
        plan = _plan(options)
        own, engine = programs.for_many(options, plan.scenario, plan.file, plan=not (options.vary or options.case))
        plan = replace(plan, engine=engine, given_sets=[*own, *plan.given_sets])
        design = Design(plan)
        for note in meant.notes(plan.scenario, plan.file, options.set):
            complain(note)
        say_ignored(plan.scenario, plan.file)
        if options.dataset:
            return _dataset(design, options, meter)
        if options.kernel:
            from .live import say_unfollowed

            say_unfollowed(plan.scenario, plan.file, plan.given_sets)
        if options.shard:
            runs = make_shard(plan, options.shard, Path(options.out), design=design, **how)
            say(f"shard {options.shard}: {counted(runs, 'run')} in {file_name(options.out)}")
            return 0
        result = sweep(design, out=options.out, **how)
        paths.say_path(options)
        show(options, result)
    except (StudyError, _core.ScenarioError) as error:
        options.parser.exit(2, f"acklab: {examples.in_short(options, meant.explained(error, options))}\n")
    return 0


def _join(options: argparse.Namespace) -> int:
    """Writes what the undivided sweep would have written, and prints it."""
    from .. import _core
    from ..study import shards
    from ..study.grammar import StudyError

    if not options.out or options.file or options.path or options.shard or options.dataset:
        options.parser.error("--join goes with --out DIR, and without a FILE, --path, --shard and --dataset")
    try:
        swept = shards.merge([Path(part) for part in options.join], Path(options.out))
    except (StudyError, _core.ScenarioError) as error:
        options.parser.exit(2, f"acklab: {error}\n")
    show(options, swept)
    return 0


def _dataset(design: Design, options: argparse.Namespace, meter: Any) -> int:
    """Writes a dataset and says what is there."""
    from ..study.store import StoreError, write

    how = {
        "threads": options.threads,
        "ray": options.engine == "ray",
        "address": options.address,
        "shard": options.shard,
    }
    try:
        runs, before = write(design, options.dataset, **how, meter=meter)
    except StoreError as error:
        options.parser.exit(2, f"acklab: {error}\n")
    part = f"shard {options.shard}: " if options.shard else ""
    kept = f", {before:,} of them from before" if before else ""
    say(f"{part}{counted(runs, 'run')} in {file_name(options.dataset)}{kept}")
    return 0


def _plan(options: argparse.Namespace) -> SweepPlan:
    """The plan that the file and the options make."""
    from ..study.grammar import StudyError
    from ..study.reading import cases, is_plan, vary, with_options
    from ..study.reading import seeds as given_seeds
    from ..study.sweep import from_tree
    from ..text.input import PlanText
    from .source import read

    with reading(options, options.file):
        text, name = read(options.file)
    tree: dict[str, Any] = {}
    where: str | PlanText = name
    mistake: StudyError | None = None
    try:
        where, tree = PlanText.read(text, name, StudyError)
    except StudyError as error:  # it may still be a scenario in JSON
        mistake = error
    folder = Path(options.file).parent
    varied = {**vary(options.vary), **cases(options.case)}
    if not is_plan(tree):
        if not varied:
            raise mistake or StudyError(
                f"{name} is a scenario, not a plan; give [vary] in a plan, or --vary KEY=VALUES"
            )
        tree = {}
    plain_options = {"metrics": options.metric, "columns": options.column, "spread_starts": options.spread_starts}
    tree = {**tree, **{key: given for key, given in plain_options.items() if given}}
    seeds = given_seeds(options.seeds, options.half_width)
    if seeds is not None:
        tree["seeds"] = seeds
    tree = with_options(tree, varied)
    if options.of_path is not None and (called := examples.short_names(options.of_path, tree)):
        tree["names"] = {**called, **tree.get("names", {})}
    if "scenario" in tree:
        return replace(from_tree(tree, where, folder), given_sets=options.set)
    plan = from_tree({**tree, "scenario": text}, where, folder)
    return replace(plan, file=name, given_sets=options.set)
