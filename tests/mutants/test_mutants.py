"""The mutants fit the sources, name tests that exist, and are all caught."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent / "run.py"
spec = importlib.util.spec_from_file_location("mutation", SCRIPT)
mutation = sys.modules["mutation"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mutation)

MUTANTS = mutation.mutants()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits(mutant):
    source = (mutation.ROOT / mutant.file).read_text("utf-8")
    assert mutant.apply(source) != source
    package, file, test = mutant.test.split()
    crate = mutation.ROOT / "crates" / package.removeprefix("acklab-")
    *modules, name = test.split("::")
    if file == "lib":  # a unit test, in the module `tests` of the code's own, or in a file of that name
        code = crate.joinpath("src", *modules[:-1])
        path = next(path for path in [code / "tests.rs", code.with_suffix(".rs"), code / "mod.rs"] if path.exists())
    else:
        path = crate / "tests" / (f"{file}/{modules[0]}.rs" if modules else f"{file}.rs")
    assert re.search(rf"#\[test\]\n *fn {name}\(", path.read_text("utf-8")), f"{path} has no test {name}"


def test_the_docs_have_their_number():
    page = (mutation.ROOT / "docs" / "mutants.md").read_text("utf-8")
    assert f"\n{len(MUTANTS)} mutants, {len(MUTANTS)} caught\n" in page


@pytest.mark.skipif(not os.environ.get("ACKLAB_LONG"), reason="builds each mutant: make test-all")
@pytest.mark.skipif(not shutil.which("cargo"), reason="no cargo")
def test_all_are_caught():
    result = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == f"{len(MUTANTS)} mutants, {len(MUTANTS)} caught"
