"""Runs every example, plan and paper with two builds and compares their numbers: ``make same BASE=COMMIT``.

python tools/same.py BASE [--only PART]... [--jobs N]

BASE is a commit, which is built in a git worktree below ``target/same`` with an environment of its own, or the directory of
a checkout that is built. Every numeric column of every table is compared exactly, rows by their keys (columns of short texts),
and so is every number, truth value and single word in JSON. What only the newer build has is named and is no difference; a
column or field of sentences may go. Papers run with ``--quick``. The exit status is 1 if there is a difference.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from acklab.papers import installed, names
from acklab.text.input import loads

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "target" / "same"
#: A text of more words is a sentence, and no key.
MAX_KEY_WORDS = 7
#: Differences of a source that are printed.
MAX_PRINTED = 12
#: Keys by which the objects of a JSON list are told apart, if they have it and it is unique.
NAMED_BY = ("id", "name", "case", "situation", "metric", "file", "label")
#: Lists the files of a directory of results, with a checksum.
MARKER = "acklab.json"
#: The scenario of an example that has cases and names none.
CASES_OF = {
    "examples/access/filters.toml": "examples/access/dsl.toml",
    "examples/access/modem.toml": "examples/access/docsis30.toml",
    "examples/access/queues.toml": "examples/access/dsl.toml",
    "examples/access/router.toml": "examples/access/dsl.toml",
    "examples/quic/asked.toml": "examples/quic/uplink.toml",
}


@dataclass
class Compared:
    """What a source's outputs have in common, what differs, and what came or was a sentence."""

    counts: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    not_run: str = ""


# ---- what is run -----------------------------------------------------------------------------------------------------
def sources(root: Path) -> dict[str, list[str]]:
    """Returns the command of each source, without ``--json`` and ``--out``."""
    commands: dict[str, list[str]] = {}
    for path in sorted([*(root / "examples").rglob("*"), *(root / "packages").glob("*/examples/*")]):
        name = path.relative_to(root).as_posix()
        if path.suffix == ".toml" and not (path.parent / "Cargo.toml").exists():
            commands[name] = verb_of(name, loads(path.read_text("utf-8")))
        elif path.suffix == ".pcap" or name.endswith("qlog.gz"):
            commands[name] = ["analyze", name]
            if path.suffix == ".pcap":
                commands[f"{name} (fit)"] = ["fit", name]
        elif path.suffix == ".pkt":
            commands[name] = ["drill", name]
    return commands | {name: ["reproduce", name, "--quick"] for name in (*names(), *installed("studies"))}


def verb_of(name: str, tree: Mapping[str, Any]) -> list[str]:
    """Returns the command that takes a TOML file."""
    if tree.keys() & {"free", "objectives", "trials"}:
        return ["infer" if "value" in tree else "tune", name]
    if tree.keys() & {"case", "situation"}:
        return ["compare", *([] if "scenario" in tree else [CASES_OF.get(name, "")]), "--cases", name, "--seeds", "5"]
    return ["sweep" if "vary" in tree or "alternatives" in tree else "run", name]


def built(base: str) -> Path:
    """Returns the checkout of a commit, built; or the directory, if it is one."""
    if (Path(base) / "python" / "acklab").is_dir():
        return Path(base).resolve()
    commit = git("rev-parse", "--verify", f"{base}^{{commit}}")
    place = WORK / commit
    if not (place / "Makefile").exists():
        git("worktree", "prune")
        git("worktree", "add", "--force", "--detach", str(place), commit)
    ours = ("PYTHONPATH", "MAKEFLAGS", "MAKELEVEL", "PYO3_PYTHON")
    environment = {key: text for key, text in os.environ.items() if key not in ours}
    environment["CARGO_TARGET_DIR"] = str(WORK / "cargo")  # dependencies are compiled once for all bases
    subprocess.run(["make", "--no-print-directory", "setup"], cwd=place, env=environment, check=True)
    return place


def git(*words: str) -> str:
    """Returns what git prints."""
    return subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def run(build: Path, words: list[str], out: Path, *, keep: bool) -> tuple[int, str, str]:
    """Runs a command of a build; returns its exit status and output. ``keep`` takes those of an earlier call from ``out``."""
    done, marker = out / "tables", out / "done.json"
    if keep and marker.exists():
        earlier = json.loads(marker.read_text("utf-8"))
        if earlier[0] == words:
            return earlier[1], earlier[2], earlier[3]
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    # With --json a run writes no table of packets, and its summary.json has the same fields.
    more = ["--json"] if words[0] == "drill" else ["--out", str(done)] + ["--json"] * (words[0] != "run")
    environment = {**os.environ, "PYTHONPATH": str(build / "python")}
    ended = subprocess.run(
        [build / ".venv/bin/python", "-m", "acklab", *words, *more],
        cwd=build, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    result = (ended.returncode, ended.stdout, ended.stderr)
    marker.write_text(json.dumps([words, *result]), "utf-8")
    return result


# ---- tables ----------------------------------------------------------------------------------------------------------
def is_text(column: pl.Series) -> bool:
    """Returns whether a column holds texts, or nothing."""
    dtype = column.dtype.inner if isinstance(column.dtype, pl.List) else column.dtype
    return dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)


def is_key(column: pl.Series) -> bool:
    """Returns whether a column holds short texts."""
    if not is_text(column) or column.dtype in (pl.List, pl.Null):
        return False
    return not any(len(text.split()) > MAX_KEY_WORDS for text in column.cast(pl.String).drop_nulls().unique())


def compare_tables(name: str, old: pl.DataFrame, new: pl.DataFrame, result: Compared) -> None:
    """Compares the keys of two tables, and their numeric columns; rows of one key are compared in their order."""
    result.changes += [f"new column {name}.{column}" for column in new.columns if column not in old.columns]
    for column in old.drop(new.columns, strict=False).columns:
        sentences = is_text(old[column]) and not is_key(old[column])
        (result.changes if sentences else result.differences).append(f"{name}.{column} is gone")
    shared = [column for column in old.columns if column in new.columns]
    keys = [column for column in shared if is_key(old[column]) and is_key(new[column])]
    by = keys or shared
    values = [column for column in shared if column not in keys and not is_text(old[column])]
    sides = [frame.with_columns(pl.col(keys).cast(pl.String)) for frame in (old, new)]
    left, right = (frame.sort(keys, maintain_order=True) if keys else frame for frame in sides)
    result.counts.update(tables=1, rows=old.height, columns=len(keys) + len(values))
    if left.height != right.height or not left.select(keys).equals(right.select(keys)):
        lone = [one.join(other, on=by, how="anti", nulls_equal=True).height for one, other in (sides, sides[::-1])]
        result.differences.append(f"{name}: {old.height} rows are {new.height}; with keys of one side alone: {lone}")
        return
    for column in values:
        if is_text(right[column]):
            result.differences.append(f"{name}.{column} has no numbers any more")
        elif len(wrong := left[column].ne_missing(right[column]).arg_true()):
            where, pair = left.select(keys).row(wrong[0], named=True), (left[column][wrong[0]], right[column][wrong[0]])
            result.differences.append(
                f"{name}.{column}: {len(wrong)} of {left.height} differ; at {where}: {pair[0]!r} is {pair[1]!r}"
            )


# ---- JSON ------------------------------------------------------------------------------------------------------------
def leaves(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the path and value of each number, truth value, null and single word."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from leaves(entry, f"{at}.{key}")
    elif isinstance(value, list):
        for key, entry in zip(names_of(value), value, strict=True):
            yield from leaves(entry, f"{at}[{key}]")
    elif not isinstance(value, str) or len(value.split()) == 1:
        yield at, value


def names_of(entries: list[Any]) -> list[Any]:
    """Returns what the entries of a list are called: by a key of theirs, or by number."""
    for key in NAMED_BY:
        names = [entry.get(key) for entry in entries if isinstance(entry, Mapping)]
        if len(names) == len(entries) == len({name for name in names if isinstance(name, str)}):
            return names
    return list(range(len(entries)))


def parsed(text: str) -> Any:
    """Returns the value of a JSON text, or the values of its lines."""
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


def compare_json(name: str, old: str, new: str, result: Compared) -> None:
    """Compares the values of two JSON texts."""
    before, now = dict(leaves(parsed(old))), dict(leaves(parsed(new)))
    result.changes += [f"new field {name}{path}" for path in now if path not in before]
    for path, value in before.items():
        if path not in now:
            listed = result.changes if value is None or isinstance(value, str) else result.differences
            listed.append(f"{name}{path} = {value!r} is gone")
        elif value != now[path]:
            result.differences.append(f"{name}{path}: {value!r} is {now[path]!r}")
    result.counts["fields"] += len(before)


# ---- both ------------------------------------------------------------------------------------------------------------
def compare(words: list[str], builds: tuple[Path, Path], outs: tuple[Path, Path]) -> Compared:
    """Runs a source with both builds and compares what they print and write."""
    result = Compared()
    old = run(builds[0], words, outs[0], keep=outs[0].is_relative_to(WORK / "out"))
    new = run(builds[1], words, outs[1], keep=False)
    if old[0] != new[0]:
        errors = [(text.strip() or "-").splitlines()[-1] for text in (old[2], new[2])]
        result.differences.append(f"exit status {old[0]} is {new[0]} ({errors[0]} | {errors[1]})")
        return result
    if old[0] not in (0, 1):
        result.not_run = old[2].strip().partition("\n")[0]
        return result
    if words[0] != "run":
        compare_json("json", old[1], new[1], result)
    files = [
        {
            path.relative_to(out).as_posix(): path
            for kind in ("*.parquet", "*.json")
            for path in out.rglob(kind)
            if path.name != MARKER
        }
        for out in (outs[0] / "tables", outs[1] / "tables")
    ]
    result.changes += [f"new file {name}" for name in files[1].keys() - files[0].keys()]
    for name, path in sorted(files[0].items()):
        if name not in files[1]:
            result.differences.append(f"{name} is gone")
        elif path.suffix == ".json":
            compare_json(name, path.read_text("utf-8"), files[1][name].read_text("utf-8"), result)
        else:
            frames = [pl.read_parquet(each, glob=False) for each in (path, files[1][name])]
            compare_tables(name, frames[0], frames[1], result)
    if not result.counts:
        result.not_run = old[2].strip().partition("\n")[0] or "no numbers"
    return result


def main(words: list[str]) -> int:
    """Compares and prints; returns 1 if something differs."""
    parser = argparse.ArgumentParser(description="Compare the numbers of two builds of acklab.")
    parser.add_argument("base", help="a commit, or the directory of a checkout that is built")
    parser.add_argument("--only", action="append", metavar="PART", help="only sources whose name contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="sources at a time (one a processor)")
    options = parser.parse_args(words)
    base = built(options.base)
    kept = WORK / "out" / base.name if base.is_relative_to(WORK) else WORK / "other"
    old, new = sources(base), sources(ROOT)
    chosen = [name for name in old | new if not options.only or any(part in name for part in options.only)]
    different = not_run = 0
    with ThreadPoolExecutor(options.jobs) as pool:

        def one(name: str) -> Compared:
            if name not in old or name not in new:
                return Compared(not_run="only in base" if name in old else "only here")
            slug = name.replace("/", "+").replace(" ", "")
            return compare(new[name], (base, ROOT), (kept / slug, WORK / "new" / slug))

        for name, result in zip(chosen, pool.map(one, chosen), strict=True):
            counts = ", ".join(f"{count} {what}" for what, count in result.counts.items())
            wrong, changes = result.differences, result.changes
            print(f"{name}: {result.not_run and f'NOT RUN: {result.not_run}' or counts}", end="")
            print(f": {len(wrong)} DIFFERENCES" if wrong else "" if result.not_run else ": equal", flush=True)
            for text in wrong[:MAX_PRINTED]:
                print(f"    {text}")
            if len(wrong) > MAX_PRINTED:
                print(f"    and {len(wrong) - MAX_PRINTED} more")
            if changes:
                print(f"    no difference: {', '.join(changes[:MAX_PRINTED])} ({len(changes)} in all)")
            different, not_run = different + bool(wrong), not_run + bool(result.not_run)
    print(f"{len(chosen)} sources: {len(chosen) - different - not_run} equal, {different} different, {not_run} not run")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
