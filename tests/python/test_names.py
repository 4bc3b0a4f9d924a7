"""Names of nodes, flows, cases and files become files below the directory of the results and nowhere else; without --out nothing is made."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acklab.engines import kernel
from front import Acklab

with_kernel = pytest.mark.skipif(not kernel.place().is_file(), reason="no kernel: make kernel")
PROGRAM = f"{sys.executable} -S -c \"open('kept', 'w').write('x')\""


def names(place: Path) -> list[tuple[str, str]]:
    """Pairs of names that are paths, one that is too long, and two that become the same."""
    return [(f"{place}/victim/x", "../../x"), ("..", "."), ("a/b", "a_b"), (300 * "n", f"{300 * 'n'}m"), ("A b", "-o")]


def scenario(ends: tuple[str, str]) -> dict[str, object]:
    link = {"between": ends, "rate": "10Mbps", "delay": "5ms"}
    flows = [{"name": name, "from": ends[0], "to": ends[1], "size": {"segments": 3}} for name in ends]
    return {"link": [link], "flow": flows, "stop": {"at": "1s"}}


def kernels(ends: tuple[str, str]) -> dict[str, object]:
    own = scenario(ends)
    linux = {"sender": {"stack": "linux"}, "receiver": {"stack": "linux"}}
    return {**own, "flow": [{**flow, **linux} for flow in own["flow"][:1]]}  # type: ignore[index]


def programs(ends: tuple[str, str]) -> dict[str, object]:
    return {**scenario(ends), "flow": [], "program": [{"at": end, "run": PROGRAM} for end in ends]}


Writer = Callable[[tuple[str, str]], list[str]]
#: Words of a command that writes, its scenario, and whether it needs a kernel.
WRITERS: list[tuple[Writer, Callable[..., dict[str, object]], bool]] = [
    (lambda _: ["run", "s.json", "--qlog"], scenario, False),
    (lambda _: ["run", "s.json", "--capture", "all"], scenario, False),
    (lambda _: ["run", "s.json", "t/s.json"], scenario, False),
    (lambda ends: ["compare", "s.json", *(word for seed, end in enumerate(ends, 1) for word in ("--case", f"{json.dumps(end)[1:-1]}: seed={seed}")), "--under",
                   f"{ends[0]}: seed=1"], scenario, False),
    (lambda ends: ["sweep", "s.json", "--vary", "link.0.delay=1ms,2ms"], scenario, False),
    (lambda _: ["run", "s.json", "--virtual"], kernels, True),
    (lambda _: ["run", "s.json", "--virtual", "--allow-programs"], programs, True),
]  # fmt: skip


def tree(folder: Path, out: Path) -> dict[str, bytes | None]:
    """What is there, but for the results."""
    there = (path for path in sorted(folder.rglob("*")) if out != path and out not in path.parents)
    return {str(path): path.read_bytes() if path.is_file() else None for path in there}


@pytest.mark.parametrize("pair", range(5))
@pytest.mark.parametrize(
    ("words", "made", "boots"),
    [pytest.param(*writer, marks=with_kernel if writer[2] else ()) for writer in WRITERS],
    ids=["qlog", "capture", "run", "compare", "sweep", "virtual", "programs"],
)
def test_nothing_is_written_outside(
    acklab_command: Acklab,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: Writer,
    made: Callable[..., dict[str, object]],
    boots: bool,
    pair: int,
) -> None:
    ends = names(tmp_path)[pair]
    work, out = tmp_path / "a" / "work", tmp_path / "a" / "work" / "out"
    for folder in (work / "t", tmp_path / "victim"):
        folder.mkdir(parents=True)
    for victim in (tmp_path / "victim" / "x.pcap", tmp_path / "x.pcap", tmp_path / "a" / "x.pcap"):
        victim.write_bytes(b"kept")
    for name in ("s.json", "t/s.json"):
        (work / name).write_text(json.dumps(made(ends)))
    monkeypatch.chdir(work)
    before = tree(tmp_path, out)
    if words(ends)[-1] not in ("--qlog", "all"):  # which need --out
        done = acklab_command(*words(ends))
        assert done.returncode == 0, done.stderr
        assert tree(tmp_path, out) == before and not out.exists()
    done = acklab_command(*words(ends), "--out", "out")
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path, out) == before
    files = [path for path in out.rglob("*") if path.is_file()]
    assert len(files) > 2 and all(path.resolve().is_relative_to(out) for path in files)
    if made is programs:
        assert len(list(out.glob("*.pcap"))) == len(list(out.glob("nodes/*/files/kept"))) == 2
    if "--qlog" in words(ends):
        assert len(list(out.glob("*.sqlog"))) == 4
