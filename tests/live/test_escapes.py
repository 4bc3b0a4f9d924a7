"""Programs that try to get out of a node: of a kernel's under --virtual and zoo, of namespaces under --live."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_runs import COMMAND, ROOT, missing

import acklab as acklab_package
from acklab import _core
from acklab.engines import kernel, node, view

PATH = "stop.at = '20s'\n[[link]]\nbetween = ['S', 'R']\nrate = '20Mbps'\ndelay = '10ms'\n"
PROGRAM = ROOT / "tests" / "python" / "programs" / "escape.py"


def possible(engine: str) -> None:
    """Skips what this machine has not."""
    if engine == "--live":
        if why := missing():
            pytest.skip(f"no live runs here: {why}")
        return
    try:
        kernel.find()
    except _core.LiveError:
        pytest.skip("there is no kernel; make kernel builds one")


def acklab(*words: object, **given: Any) -> subprocess.CompletedProcess[str]:
    command = [COMMAND, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, **given)


def at(name: str, run: str) -> str:
    return f"[[program]]\nat = '{name}'\nrun = {json.dumps(run)}\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What there is to reach on this machine; afterwards nothing of it was."""
    place, folder, scenario = tmp_path / "private", tmp_path / "private" / "folder", tmp_path / "scenario"
    for made in (folder, scenario):
        made.mkdir(parents=True)
    (place / "secret").write_text("the secret of the host")
    os.mkfifo(place / "fifo")
    waiting = os.open(place / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    named, abstract, tcp = (socket.socket(kind) for kind in (socket.AF_UNIX, socket.AF_UNIX, socket.AF_INET))
    abstract_name = f"acklab-escape-{os.getpid()}"
    named.bind(str(place / "socket"))
    abstract.bind("\0" + abstract_name)
    tcp.bind(("127.0.0.1", 0))
    for link in (named, abstract, tcp):
        link.listen()
        link.setblocking(False)
    process = subprocess.Popen(["sleep", "1000"])
    told = {"secret": f"{place}/secret", "folder": f"{folder}", "scenario": f"{scenario}", "socket": f"{place}/socket"}
    told |= {"fifo": f"{place}/fifo", "abstract": abstract_name, "port": tcp.getsockname()[1], "process": process.pid}
    yield {**told, "home": os.path.expanduser("~")}
    assert process.poll() is None
    process.kill()
    process.wait()
    for link in (named, abstract, tcp):
        with pytest.raises(BlockingIOError):
            link.accept()
        link.close()
    assert os.read(waiting, 1) == b""
    os.close(waiting)
    assert not os.listdir(folder) and (place / "secret").read_text() == "the secret of the host"
    for escaped in ("/", "/usr", "/usr/local/bin", "/etc", "/dev", sys.prefix, PROGRAM.parent, scenario):
        assert not Path(escaped, "escaped").exists(), escaped


def command(world: dict[str, Any], **more: Any) -> str:
    return f"{sys.executable} -S {PROGRAM} '{json.dumps({**world, **more})}'"


@pytest.mark.parametrize("engine", ["--virtual", "--live"])
def test_a_program_gets_nowhere(engine: str, world: dict[str, Any], tmp_path: Path) -> None:
    """It manages nothing, and of what it leaves only plain files and folders are kept."""
    possible(engine)
    file, out = Path(world["scenario"]) / "escape.toml", tmp_path / "out"
    own = "; echo kept > plain; mkdir deeper; echo kept > deeper/plain"
    file.write_text(PATH + at("S", command(world, live=engine == "--live") + own))
    late = ["--late", "10s"] if engine == "--live" else []
    done = acklab("run", file, engine, "--allow-programs", "--json", "--out", out, *late)
    assert done.stdout, done.stderr
    program = json.loads(done.stdout)["programs"][0]
    assert json.loads(program["output"].splitlines()[0]) == [], program["output"]
    kept = sorted(path.relative_to(out / "nodes") for path in (out / "nodes").rglob("*"))
    assert not any(path.is_symlink() or path.is_fifo() for path in (out / "nodes").rglob("*"))
    assert not {path.name for path in kept} & {"hole", "several", "names", "planted"}
    assert {Path("S/files/plain"), Path("S/files/deeper/plain")} <= {*kept}


def test_a_program_of_the_zoo_gets_nowhere(world: dict[str, Any]) -> None:
    possible("--virtual")
    client = command(world, status=3)
    words = ["--server", "python3 -m http.server 443", "--client", client, "--path", "plain", "--json"]
    (row,) = json.loads(acklab("zoo", *words).stdout)
    assert row["error"] == "exit status 3 at R: []", row


def test_a_program_that_has_become_the_kernel_gets_no_further(world: dict[str, Any], tmp_path: Path) -> None:
    """With every power and all of the machine mounted inside, the kernel's own process still opens nothing else."""
    possible("--virtual")
    if ctypes.CDLL(None).syscall(444, 0, 0, 1) < 1:
        pytest.skip("this machine has no Landlock")
    shutil.copytree(Path(acklab_package.__file__).parent, tmp_path / "package" / "acklab")
    first = tmp_path / "package" / "acklab" / "engines" / "node.py"
    bound, opened = "    view.bound()\n", '    os.mkdir("/tmp/h")\n    view.mount("none", "/tmp/h", "hostfs", 0, "/")\n'
    assert bound in first.read_text()
    first.write_text(first.read_text().replace(bound, opened))
    run = f"cat /tmp/h{world['secret']}; touch /tmp/h/usr/escaped /tmp/h{world['folder']}/escaped; head -n 1 /tmp/h/etc/passwd"
    words = [sys.executable, "-m", "acklab", "run", "-", "--virtual", "--allow-programs", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "package")}
    done = subprocess.run(
        words, input=PATH + at("S", run), env=environment, cwd="/", capture_output=True, text=True, check=False
    )
    *refused, shown = json.loads(done.stdout)["programs"][0]["output"].splitlines()
    assert [line.endswith("Permission denied") for line in refused] == [True] * 3 and shown.startswith("root:"), refused


@pytest.mark.parametrize("engine", ["--virtual", "--live"])
def test_what_a_program_reads(engine: str, tmp_path: Path) -> None:
    """The scenario's folder, its own, and what --read names, wherever they are; also below the node's own /tmp."""
    possible(engine)
    names = ("scenario", "own", "named", "other")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "data").write_text(f"{name}\n")
    (tmp_path / "own" / "run.py").write_text("print('runs')\n")
    (tmp_path / "scenario" / "to-other").symlink_to(tmp_path / "other")
    reads = f"{sys.executable} -S {tmp_path}/own/run.py; cd {tmp_path}; cat {' '.join(f'{name}/data' for name in names)} scenario/to-other/data"
    file = tmp_path / "scenario" / "reads.toml"
    file.write_text(PATH + at("S", reads + "; touch scenario/data own/data named/data"))
    late = ["--late", "10s"] if engine == "--live" else []
    done = acklab("run", file, engine, "--allow-programs", "--json", "--read", tmp_path / "named", *late)
    lines = json.loads(done.stdout)["programs"][0]["output"].splitlines()
    assert lines[:4] == ["runs", "scenario", "own", "named"]
    assert sum("No such file" in line for line in lines) == 2 and sum("Read-only" in line for line in lines) == 3, lines


@pytest.mark.parametrize("engine", ["--virtual", "--live"])
@pytest.mark.parametrize("kind", ["forks", "memory", "files", "output"])
def test_what_takes_everything_is_bounded(engine: str, kind: str) -> None:
    possible(engine)
    run = {
        "forks": "bomb() { bomb | bomb & }; bomb; sleep 100",
        "memory": f"{sys.executable} -c 'b = [bytearray(b\"x\" * (1 << 24)) for _ in range(100)]; import time; time.sleep(1); print(1)'",
        "files": "head -c 700000000 /dev/zero >large && echo all",
        "output": "head -c 20000000 /dev/zero | tr '\\0' x",
    }[kind]
    late = ["--late", "10s"] if engine == "--live" else []
    done = acklab(
        "run", "-", engine, "--allow-programs", "--json", *late, input=PATH.replace("20s", "2s") + at("S", run)
    )
    if not done.stdout:  # its node was ended
        assert done.returncode == 1 and ("were ended" in done.stderr or "kernel" in done.stderr), done.stderr
        return
    program = json.loads(done.stdout)["programs"][0]
    if kind == "output":
        assert (program["printed_bytes"], len(program["output"])) == (20_000_000, node.MOST_OUTPUT)
    elif kind == "files":
        assert "all" not in program["output"], program["output"]
    else:
        assert program["stopped"] or program["status"] != 0, program


def test_folders_that_a_command_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program's own folder is shown, of another Python the whole; where the folder is shared, the file alone."""
    home, other = tmp_path / "home", tmp_path / "pyenv" / "versions" / "3.99"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv(view.VARIABLE, f"/named{os.pathsep}/proc/1/root")
    for path in (home / "tool", home / "bin" / "tool", home / "bin" / "data", other / "bin" / "python3.99"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600 if path.name == "data" else 0o700)
    (home / "venv" / "bin").mkdir(parents=True)
    (home / "venv" / "bin" / "python").symlink_to(other / "bin" / "python3.99")
    shown = {
        f"exec {home}/tool x": {f"{home}/tool"},
        f"X=1 {home}/bin/tool": {f"{home}/bin"},
        f"cat {home}/bin/data /etc/hosts /proc/self/exe": set(),
        f"'{home}/venv/bin/python' -S": {f"{home}/venv", f"{other}"},
    }
    always = {*view.folders([])}
    assert "/named" in always and sys.prefix in always and not any(path.startswith("/proc") for path in always)
    for run, folders in shown.items():
        assert {*view.folders([run])} - always == folders, run


def test_a_folder_that_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    for folder, words in (
        ("/", "a node has its own"),
        ("/proc/self", "a node has its own"),
        (tmp_path / "no", "is no directory"),
    ):
        done = acklab("run", "x.toml", "--virtual", "--read", folder)
        assert done.returncode == 2 and words in done.stderr, done.stderr
    assert acklab("run", "x.toml", "--read", tmp_path).returncode == 2
