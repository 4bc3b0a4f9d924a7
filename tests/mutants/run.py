#!/usr/bin/env python3
"""Put deliberate faults into a copy of the crates, one at a time, and demand that the test named for each fails.

    run.py                every mutant of mutants.toml; the last line is "N mutants, N caught"
    run.py no-karn ...    only these

Exit status: 0 all caught, 1 one was not, or a test fails without any fault. The copy and its build stay in
target/mutants, so that a second run compiles little. Nothing outside target/ is written.
"""

import argparse
import filecmp
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPY = ROOT / "target" / "mutants" / "copy"
BUILD = ROOT / "target" / "mutants" / "build"


@dataclass(frozen=True)
class Mutant:
    """One fault: in `file`, `find` becomes `replace`, and `test` (package, test file, test) must fail."""

    name: str
    what: str
    why: str
    file: str
    find: str
    replace: str
    test: str

    def apply(self, source: str) -> str:
        """The faulty source."""
        times = source.count(self.find)
        if times != 1:
            raise ValueError(f"{self.name}: the text to replace occurs {times} times in {self.file}, not once")
        return source.replace(self.find, self.replace)

    def command(self, *more: str) -> list[str]:
        """The words that run its test."""
        package, file, _ = self.test.split()
        where = ["--lib"] if file == "lib" else ["--test", file]
        return ["cargo", "test", "--quiet", "--package", package, *where, *more]


def mutants() -> list[Mutant]:
    """All of mutants.toml."""
    return [Mutant(**entry) for entry in tomllib.loads((HERE / "mutants.toml").read_text("utf-8"))["mutant"]]


def refresh_copy() -> None:
    """Makes the copy equal to the crates; files that are already equal keep their age, so cargo leaves them alone."""
    wanted = {ROOT / "Cargo.toml", ROOT / "Cargo.lock"}
    wanted |= {path for path in (ROOT / "crates").rglob("*") if path.is_file()}
    for data in ("data/red", "qdiscs/data"):  # what red_replay and qdiscs read
        wanted |= set((ROOT / "tests/oracle" / data).iterdir())
    for path in wanted:
        copy = COPY / path.relative_to(ROOT)
        if not copy.exists() or not filecmp.cmp(path, copy, shallow=False):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    for copy in [path for path in COPY.rglob("*") if path.is_file()]:
        if ROOT / copy.relative_to(COPY) not in wanted:
            copy.unlink()


def cargo(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs cargo in the copy."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(BUILD), "RUST_BACKTRACE": "0"}
    return subprocess.run(command, cwd=COPY, env=environment, capture_output=True, text=True, check=False)


def healthy(chosen: list[Mutant]) -> bool:
    """Whether every test named passes while nothing is wrong, and is found at all."""
    for mutant in chosen:
        test = mutant.test.split()[2]
        result = cargo(mutant.command("--", "--exact", test))
        if result.returncode != 0 or "1 passed" not in result.stdout:
            print(f"{mutant.name}: {mutant.test} does not pass without the fault\n{result.stdout}{result.stderr}")
            return False
    return True


def caught(mutant: Mutant) -> bool:
    """Whether the fault makes its test fail (and not merely the compiler)."""
    file = COPY / mutant.file
    source = file.read_text("utf-8")
    file.write_text(mutant.apply(source), "utf-8")
    try:
        built = cargo(mutant.command("--no-run"))
        if built.returncode != 0:
            print(f"{mutant.name}: does not compile\n{built.stderr}")
            return False
        result = cargo(mutant.command("--", "--exact", mutant.test.split()[2]))
    finally:
        file.write_text(source, "utf-8")
    seen = result.returncode != 0 and "1 failed" in result.stdout
    print(f"{mutant.name}: {'caught by' if seen else 'NOT caught by'} {mutant.test.split()[2]}", flush=True)
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants to try; all when left out")
    options = parser.parse_args()
    known = {mutant.name: mutant for mutant in mutants()}
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"no mutant is called {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [known[name] for name in options.names] or list(known.values())
    refresh_copy()
    if not healthy(chosen):
        return 1
    number = sum(caught(mutant) for mutant in chosen)
    print(f"{len(chosen)} mutants, {number} caught")
    return 0 if number == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
