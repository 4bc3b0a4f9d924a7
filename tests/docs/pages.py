"""What stands in the documentation's code blocks, and running it.

A page is tried from top to bottom in an empty directory that holds a copy of ``examples/``:

* ``console``: each line that starts with ``$ `` is a command, and is run; what follows it is shown only. In a block
  ``console exact`` it is what the command prints, and a line ``...`` stands for any number of lines.
* ``python``: run. A block ``text exact`` that comes directly after it is what it prints; ``text`` is shown only.
* ``toml`` or ``json`` whose first line is ``# NAME``: a file of that name, for what follows. Others are shown only.
* ``rust``: a part of examples/custom, which has a test of its own.
* ``sh``: what a reader types and a test cannot try (installing, cloning); each line must be one of :data:`UNTRIED`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "python"))

from front import inside  # noqa: E402

#: What a reader types first: it needs a network, a fresh machine, or minutes.
UNTRIED = {
    "pip install acklab",
    "acklab demo",  # the tutorial runs it
    "apt-get install git gcc libc6-dev python3 python3-venv",
    "git clone ADDRESS acklab",
    "cd acklab",
    "make setup",
    "make demo",
    "make test",
    "make docs",
    "make bench",
    "acklab reproduce --out whole",  # an hour
    ".venv/bin/python tools/verdicts.py whole/claims.json",
    ". .venv/bin/activate",
    # what tests/oracle and tests/capture run
    "tests/oracle/check.py tests/oracle/data/a_single_flow.csv",
    "tests/oracle/check.py --traces tests/oracle/data/traces tests/oracle/data/a_single_flow.csv",
    "tests/oracle/random_ns2.py --count 40 --seed 20",
    "tests/oracle/check_suites.py",
    "tests/oracle/check_suites.py --fresh",
    "tests/oracle/ns3/compare.py",
    "python tests/capture/table.py",
    "acklab reproduce allman1998",
    # what tests/live runs, where the machine lets it
    "acklab run examples/live.toml --live --beside",
    "acklab run examples/live.toml --live --acks kernel --control cubic",
    "acklab run examples/division.toml --live --realtime --beside",
    "acklab run examples/live.toml --live --realtime --beside --seed 2 --set 'flow.f.sender.control={kind=\"veno\"}' "
    "--set 'link.0.loss={rate=0.01,only=\"payload\"}'",
    "for k in 1 2 4 8 16; do acklab run examples/live.toml --live --realtime --beside --set flow.f.sender.stack=linux "
    "--set flow.f.receiver.ack.segments=$k; done",
    "acklab reproduce paths2026",
    # examples that `cargo test` builds; the first two have tests of their own
    "cargo run -p acklab-tcp --example exchange",
    "cargo run -p acklab-path --example filtered",
    "cargo run -p acklab-sim --example transfer linux 1MB 20Mbps 20ms 100",
    "cargo package --no-verify -p acklab-packet -p acklab-table -p acklab-tcp -p acklab-path -p acklab-scenario -p acklab-sim",
    # what tests/python/test_kernel_runs.py runs, where the kernel was built
    "acklab run examples/live.toml --virtual",
    "acklab run examples/live.toml --virtual --beside",
    "acklab run examples/live.toml --virtual --linux 7.3",
    "acklab run examples/live.toml --virtual --linux R=7.3",
    "acklab drill mine.pkt --virtual --linux 7.3",
    "acklab run examples/live.toml --virtual --control htcp",
    "acklab run examples/live.toml --virtual --out results",
    "acklab compare examples/live.toml --virtual --case linux --case 'less: link.0.queue.packets=8' --seeds 5",
    "acklab drill packages/acklab-drill/examples/tail-loss.pkt --virtual",
    # what tests/python/test_programs.py runs, there too
    "acklab run PATH.toml --virtual --server 'iperf3 -s -1' --client 'iperf3 -c {server}'",
    "acklab run PATH.toml --virtual --server 'iperf3 -s -1' --client 'iperf3 -c {server}' --linux S=7.3 --linux R=6.12",
    # what makes the page of Linux's own scripts, where that kernel and its source are
    "ACKLAB_KERNEL=7.3 python tests/drill/selftests.py ~/linux-7.3 --times 10 --page docs/oracle/linux-scripts.md",
    "acklab compare PATH.toml --virtual --server 'SERVER' --client 'CLIENT {server}' --case 'fifo' "
    "--case 'cake: link.0.queue={kind=\"cake\"}' --metric 'completion@R'",
    # what tests/python/test_quic_programs.py runs, where the programs were built, too
    "git clone https://github.com/quinn-rs/quinn",
    "make kernel",
    "QUINN=../quinn sh examples/programs/quic/build.sh ../quic",
    'SERVER="$PWD/../quic/quinn serve 0.0.0.0:443 \\$ACKS" CLIENT="$PWD/../quic/quinn fetch {server}:443 5000000"',
    'acklab run examples/programs/home-cake.toml --virtual --server "$SERVER" --client "$CLIENT"',
    'acklab compare examples/programs/home-cake.toml --virtual --server "$SERVER" --client "$CLIENT" --case \'without\' '
    "--case 'with: program.0.environment={ACKS=\"10\"}' --metric completion@home "
    "--metric 'acks: segments_sent@udp home>server:443' --seeds 10 --out frequency",
    # what tests/live/test_live_programs.py runs
    "acklab run PATH.toml --live --server 'iperf3 -s -1' --client 'iperf3 -c {server}'",
    "acklab run examples/programs/web-docsis.toml --virtual --allow-programs",
    "acklab run examples/programs/iperf3-cake.toml --virtual --allow-programs --out results",
    "make explorer",
    "acklab explore",
    "acklab sweep examples/live.toml --virtual --vary link.0.delay=10ms..50ms/3",
}
#: Commands of the pages that are tried in another form: without their progress.
INSTEAD = {"acklab demo": "acklab demo 2>/dev/null"}

#: Programs that not everybody has; their commands are passed over where they are missing.
OPTIONAL = {"tshark"}

FENCE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})(?P<language>[^`\n]*)\n(?P<text>.*?)^(?P=fence)\s*$", re.MULTILINE | re.DOTALL
)


@dataclass
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(path: Path) -> list[Block]:
    """The page's blocks, in order."""
    text = path.read_text(encoding="utf-8")
    page = path.relative_to(ROOT).as_posix()
    return [
        Block(page, text.count("\n", 0, found.start()) + 1, found["language"].strip(), found["text"])
        for found in FENCE.finditer(text)
    ]


def commands(block: Block) -> list[tuple[str, str]]:
    """A console block's commands, each with what it prints."""
    pieces = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not pieces[0].strip(), f"{block.place}: output before the first command"
    found = []
    for piece in pieces[1:]:
        lines = piece.split("\n")
        end = next(i for i, line in enumerate(lines) if not line.endswith("\\"))
        found.append(("\n".join(lines[: end + 1]), "\n".join(lines[end + 1 :])))
    return found


def agrees(printed: str, expected: str) -> bool:
    """Whether ``printed`` is what a page shows; spaces at the ends of lines do not matter."""
    lines = [line.rstrip() for line in expected.strip("\n").split("\n")]
    pattern = "\n".join(".*" if line == "..." else re.escape(line) for line in lines)
    said = "\n".join(line.rstrip() for line in printed.strip("\n").split("\n"))
    return re.fullmatch(pattern, said, re.DOTALL) is not None


def prepare(directory: Path) -> None:
    """What a reader has after cloning, as far as the pages use it."""
    shutil.copytree(ROOT / "examples", directory / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    drill = "packages/acklab-drill/examples"
    shutil.copytree(ROOT / drill, directory / drill)


def try_page(path: Path, directory: Path) -> int:
    """Runs a page's blocks in ``directory``; how many commands and programs there were."""
    names: dict[str, object] = {"__name__": "__main__"}
    tried, all_blocks = 0, blocks(path)
    for block, after in zip_longest(all_blocks, all_blocks[1:]):
        if block.language in ("console", "console exact"):
            for command, expected in commands(block):
                if command.split()[0] in OPTIONAL and not shutil.which(command.split()[0]):
                    continue
                printed = shell(block, command, expected, directory)
                if block.language == "console exact":
                    check(block, command, printed, expected)
                tried += 1
        elif block.language == "python":
            printed = run_python(block, names, directory)
            if after and after.language == "text exact" and touching(block, after):
                check(block, "this program", printed, after.text)
            tried += 1
        elif block.language in ("toml", "json") and (name := re.match(r"# (\S+\.(?:toml|jsonl?))\n", block.text)):
            (directory / name[1]).write_text(block.text, encoding="utf-8")
        elif block.language == "rust":
            assert block.text in (directory / "examples/custom/src/main.rs").read_text(encoding="utf-8"), block.place
        elif block.language == "sh":
            unknown = {line.partition("  #")[0].rstrip() for line in block.text.strip().split("\n")} - UNTRIED
            assert not unknown, f"{block.place}: nothing tries {unknown}"
    return tried


def touching(block: Block, after: Block) -> bool:
    """Whether ``after`` is what ``block`` prints: only an empty line stands between them."""
    return after.line <= block.line + block.text.count("\n") + 3


def check(block: Block, what: str, printed: str, expected: str) -> None:
    """Fails unless ``printed`` is what the page shows."""
    if not agrees(printed, expected):
        raise AssertionError(f"{block.place}: {what} prints\n{printed}\nthe page says\n{expected}")


def shell(block: Block, command: str, shown: str, directory: Path) -> str:
    """What a command prints, errors included. It ends with 0, with 1 (a claim differs), or with 2 where the page shows its error."""
    command = INSTEAD.get(command, command)
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words = list(lexer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        patch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        if words[0] == "acklab" and not any(word and set(word) <= set("();<>|&") for word in words):
            done = inside(*words[1:], cwd=directory)  # a tenth of a start
        else:
            done = subprocess.run(
                command, shell=True, cwd=directory, capture_output=True, text=True, timeout=600, check=False
            )
    printed = done.stdout + done.stderr
    refused = done.returncode == 2 and re.search("^acklab", shown, re.MULTILINE)
    assert done.returncode in (0, 1) or refused, (
        f"{block.place}: {command} ends with {done.returncode}: {printed[-2000:]}"
    )
    return printed


def run_python(block: Block, names: dict[str, object], directory: Path) -> str:
    """What a program prints; it goes on where the page's last one ended."""
    printed, before = io.StringIO(), Path.cwd()
    os.chdir(directory)
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # a reader would see it, and the page does not show it
            exec(compile(block.text, block.place, "exec"), names)
    finally:
        os.chdir(before)
    return printed.getvalue()
