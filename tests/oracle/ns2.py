"""Running ns-2 itself on a row: the other side of the comparison, for fresh cases and for the scripts' own check."""

import os
import re
import shutil
import subprocess
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent / "scripts"


def installed():
    return shutil.which("ns") is not None


def arguments(fmt, row):
    """The script's words for a row (a tick phase is drawn by ns-2 itself, so `boot` is not passed)."""
    return [f"{option}={text}" for option, text in fmt.options(row).items() if option != "boot"]


def results(fmt, row, timeout=120):
    """The row's result columns as ns-2 prints them, or None where it printed no result in time."""
    words = ["ns", str(SCRIPTS / fmt.experiment.script), *arguments(fmt, row)]
    try:
        # ns-2 reads two variables of the senders over asymmetric paths that it never sets: zeros, as when the rows were made.
        zeros = {**os.environ, "GLIBC_TUNABLES": "glibc.malloc.perturb=255"}
        printed = subprocess.run(words, capture_output=True, text=True, timeout=timeout, env=zeros).stdout
    except subprocess.TimeoutExpired:
        return None
    line = next((l for l in reversed(printed.splitlines()) if "status=" in l), None)
    if line is None:
        return None
    said = dict(re.findall(r"(\w+)=(\S*)", line))
    return {
        column: said[fmt.renamed.get(column, column)]
        for column in row
        if fmt.is_result(column) and fmt.renamed.get(column, column) in said
    }
