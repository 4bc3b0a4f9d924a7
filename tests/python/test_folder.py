"""Result directories: one set of files at any instant, foreign files untouched, one writer, no link followed."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import acklab
from acklab.results.directory import FolderError, results
from acklab.study.grammar import StudyError
from acklab.study.sweep import from_tree, sweep
from front import LONG, TWO_HOPS, Acklab, contents

OLD = {"a.txt": b"old a", "b.txt": b"old b", "sub/c.txt": b"old c", "gone/d.txt": b"old d"}
NEW = {"a.txt": b"new a", "e.txt": b"new e", "sub/c.txt": b"new c", "sub/deep/f.txt": b"new f"}
FOREIGN = {"notes.txt": b"mine", "sub/mine.txt": b"mine", ".hidden": b"mine", "gone.txt": b"mine"}


def write(out: Path, files: dict[str, bytes], verb: str = "run") -> None:
    """Writes a set of results."""
    with results(out, verb) as folder, folder.replacing() as scratch:
        for name, data in files.items():
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            (scratch / name).write_bytes(data)


def plant(out: Path, files: dict[str, bytes]) -> None:
    """Writes foreign files."""
    for name, data in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)


def shown(out: Path) -> dict[str, bytes]:
    """The results that a reader sees."""
    found = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    return {name: data for name, data in found.items() if not name.startswith(".acklab/") and name not in FOREIGN}


def dies_at(step: int, out: Path) -> bool:
    """Writes the new set in a process that ends, as if killed, before its n-th operation on the file system."""
    child = os.fork()
    if child == 0:
        count = 0

        def look(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal count
            if event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "open", "os.listdir", "os.scandir"):
                count += 1
                if count > step:
                    os._exit(9)

        sys.addaudithook(look)
        try:
            write(out, NEW)
        except BaseException:
            os._exit(3)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 9)
    return status == 9


@pytest.mark.parametrize("old", [{}, OLD], ids=["empty", "replacing"])
def test_killed_before_any_operation_there_is_one_set_and_the_next_writer_goes_on(
    tmp_path: Path, old: dict[str, bytes]
) -> None:
    step, mixed = 0, True
    while mixed:
        out = tmp_path / f"out-{step}"
        out.mkdir()
        plant(out, FOREIGN)
        if old:
            write(out, old)
        marker = shown(out).get("acklab.json")
        mixed = dies_at(step, out)
        found = shown(out)
        told = found.pop("acklab.json", None)
        assert found.items() <= old.items() or found.items() <= NEW.items(), step
        assert told is None or found == (old if told == marker else NEW), step
        draw = step % 3
        if draw:
            with results(out, "run"):  # whoever comes next carries out what was decided
                found = shown(out)
                assert found.pop("acklab.json", None) or not old
                assert found in (old, NEW), step
        if draw == 1:
            write(out, OLD)
        write(out, NEW)
        found = shown(out)
        assert json.loads(found.pop("acklab.json"))["files"] == sorted(NEW) and found == NEW
        assert not (out / ".acklab").exists() and not (out / "gone").exists()
        assert all((out / name).read_bytes() == data for name, data in FOREIGN.items())
        step += 1
    assert step > 25


def test_random_sets_replace_each_other_and_foreign_files_stay(tmp_path: Path) -> None:
    draw, names = random.Random(7), [f"{folder}{name}" for folder in ("", "s/", "s/t/", "u/") for name in "abc"]
    for number in range(300 if LONG else 40):
        out = tmp_path / str(number)
        foreign = {name: b"mine" for name in draw.sample(names, draw.randrange(4))}
        out.mkdir()
        plant(out, foreign)
        last: dict[str, bytes] = {}
        for _ in range(4):
            wanted = {name: draw.randbytes(4) for name in draw.sample(names, draw.randrange(6))}
            if wanted.keys() & foreign.keys():
                with pytest.raises(FolderError, match="does not name as acklab's"):
                    write(out, wanted)
            else:
                write(out, wanted)
                last = {**wanted, "acklab.json": (out / "acklab.json").read_bytes()}
            assert {**last, **foreign} == {
                str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()
            }


def test_captures_of_nodes_with_long_names_have_shorter_ones(tmp_path: Path, acklab_command: Acklab) -> None:
    scenario = tmp_path / "long.toml"
    scenario.write_text(TWO_HOPS.replace('"G"', f'"{"Gé" * 100}"'))
    done = acklab_command("run", str(scenario), "--out", str(tmp_path / "out"), "--capture", "all")
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").glob("*.pcapng"))) == 4


# ---- verbs -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def verbs(two_hops: Path) -> dict[str, list[str]]:
    """A quick command of each verb that writes."""
    capture = Path(__file__).parents[2] / "examples" / "captures" / "linux-receiver.pcap"
    return {
        "run": ["run", str(two_hops)],
        "sweep": ["sweep", str(two_hops), "--vary", "flow.0.sender.window=4,8"],
        "compare": ["compare", str(two_hops), "--case", "a", "--case", "flow.0.sender.window=4", "--seeds", "2"],
        "analyze": ["analyze", str(capture)],
        "reproduce": ["reproduce", "allman1998/figure-1", "--quick"],
    }


def test_a_file_is_no_place_for_results(tmp_path: Path, verbs: dict[str, list[str]], acklab_command: Acklab) -> None:
    (tmp_path / "notes").write_text("mine")
    done = acklab_command(*verbs["run"], "--out", str(tmp_path / "notes"))
    assert done.returncode == 2 and "notes is no directory; give another name" in done.stderr
    assert (tmp_path / "notes").read_text() == "mine"


def test_no_verb_writes_over_another_ones_results(
    tmp_path: Path, verbs: dict[str, list[str]], acklab_command: Acklab
) -> None:
    for verb, command in verbs.items():
        out = tmp_path / verb
        assert acklab_command(*command, "--out", str(out)).returncode == 0
        marker = json.loads((out / "acklab.json").read_text())
        assert marker["verb"] == verb and marker["acklab"] == acklab.__version__
        assert marker["command"] == ["acklab", *command]
    for verb in verbs:
        before = contents(tmp_path / verb)
        for other, command in verbs.items():
            if other != verb:
                refused = acklab_command(*command, "--out", str(tmp_path / verb))
                assert refused.returncode == 2 and not refused.stdout
                assert f"holds results of `acklab {verb}`, which `acklab {other}` does not replace" in refused.stderr
        assert contents(tmp_path / verb) == before


@pytest.mark.parametrize(("verb", "file", "more"), [
    ("sweep", "plan.toml", ["--set", "link.0.delay=1ms", "--seeds", "2", "--metric", "rtt"]),
    ("compare", "cases.toml", ["--set", "link.0.delay=1ms", "--under", "s: flow.0.start=1s", "--spread-starts", "10ms", "--metric", "rtt"]),
])  # fmt: skip
def test_the_files_of_a_result_repeat_it(
    tmp_path: Path, verbs: dict[str, list[str]], acklab_command: Acklab, verb: str, file: str, more: list[str]
) -> None:
    assert acklab_command(*verbs[verb], *more, "--out", str(tmp_path / "one")).returncode == 0
    given = [str(tmp_path / "one" / file)]
    again = acklab_command(verb, *(["--cases"] if verb == "compare" else []), *given, "--out", str(tmp_path / "two"))
    assert again.returncode == 0, again.stderr
    tables = ("flows.csv", "summary.csv", "sweep.json") if verb == "sweep" else ("runs.parquet", "ranking.parquet")
    for name in tables:
        assert contents(tmp_path / "one")[name] == contents(tmp_path / "two")[name]


def test_an_unfinished_sweep_is_a_sweeps(tmp_path: Path, verbs: dict[str, list[str]], acklab_command: Acklab) -> None:
    private = tmp_path / "out" / ".acklab"
    private.mkdir(parents=True)
    (private / "work.json").write_text('{"verb": "sweep"}')
    refused = acklab_command(*verbs["run"], "--out", str(tmp_path / "out"))
    assert refused.returncode == 2 and "holds results of `acklab sweep`" in refused.stderr
    fresh = acklab_command(*verbs["sweep"], "--out", str(tmp_path / "out"), "--fresh")
    assert fresh.returncode == 0 and not private.exists()


def test_a_reproduction_keeps_the_other_papers(tmp_path: Path) -> None:
    def paper(name: str, *files: str) -> None:
        with results(tmp_path, "reproduce") as folder:
            keep = lambda one: not one.startswith(name)  # noqa: E731
            with folder.replacing(keep=keep) as scratch:
                for file in files:
                    (scratch / f"{name}-{file}").write_text(file)
                (scratch / "index.html").write_text(name)

    paper("one", "a", "b")
    paper("two", "a")
    paper("one", "b", "c")
    assert sorted(os.listdir(tmp_path)) == ["acklab.json", "index.html", "one-b", "one-c", "two-a"]


def test_only_one_writes(tmp_path: Path, two_hops: Path) -> None:
    out, refused = tmp_path / "out", []
    barrier = threading.Barrier(4)

    def work(number: int) -> None:
        barrier.wait()
        for _ in range(40):
            try:
                write(out, {f"{number}": b"", "all": b"%d" % number})
            except FolderError as error:
                refused.append(str(error))
            else:
                assert (out / "acklab.json").exists()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = (out / "all").read_text()
    assert refused and all("in use by another acklab" in text for text in refused)
    assert sorted(os.listdir(out)) == sorted(["acklab.json", "all", last])


# ---- links -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "name",
    [".acklab", ".acklab/lock", ".acklab/new", ".acklab/ready", ".acklab/work.json", ".acklab/work.json.new",
     ".acklab/runs.jsonl", "acklab.json", "flows.parquet", "runs.jsonl.gz", "report.html"],
)  # fmt: skip
def test_no_link_is_followed(tmp_path: Path, two_hops: Path, name: str) -> None:
    victims = tmp_path / "victims"
    victims.mkdir()
    (victims / "file").write_text("precious")
    (victims / "folder").mkdir()
    (victims / "folder" / "file").write_text("precious")
    plan = from_tree({"scenario": two_hops, "vary": {"flow.0.sender.window": [4, 8]}, "metrics": ["completion"]})
    for target in ("file", "folder", "nothing"):
        for work in (lambda out: acklab.run(two_hops).write(out), lambda out: sweep(plan, out=out)):
            out = Path(tempfile.mkdtemp(dir=tmp_path))
            (out / name).parent.mkdir(exist_ok=True)
            (out / name).symlink_to(victims / target)
            with contextlib.suppress(FolderError, StudyError, OSError):
                work(out)
            assert contents(victims) == {"file": b"precious", "folder/file": b"precious"}
            assert name.startswith(".acklab") or (out / name).is_symlink()


def test_a_marker_cannot_lead_elsewhere(tmp_path: Path) -> None:
    from acklab.results import directory

    (tmp_path / "precious").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "c.txt").write_text("mine")
    for name in ("../precious", str(tmp_path / "precious"), "sub/../../precious", ".acklab/x", "", "a\0b"):
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        marker = {"verb": "run", "format": 1, "acklab": "0", "files": [name]}
        (out / "acklab.json").write_text(json.dumps({**marker, "checksum": directory._checksum(marker)}))
        with pytest.raises(FolderError, match="damaged or not acklab's"):
            write(out, NEW)
    (out / "acklab.json").unlink()
    write(out, OLD)
    for path in (out / "sub").iterdir():
        path.unlink()
    (out / "sub").rmdir()
    (out / "sub").symlink_to(tmp_path / "folder")
    write(out, {"a.txt": b""})
    with pytest.raises(FolderError, match="no plain directory"):
        write(out, NEW)
    assert (tmp_path / "precious").read_text() == (tmp_path / "folder" / "c.txt").read_text() == "mine"


# ---- file systems ----------------------------------------------------------------------------------------------------
def mounted(place: Path, size: str) -> bool:
    """Whether a small file system of its own could be mounted."""
    place.mkdir(exist_ok=True)
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True)
    return made.returncode == 0


@pytest.fixture
def volume(tmp_path: Path) -> Iterator[Path]:
    """A mount point."""
    place = tmp_path / "volume"
    if os.geteuid() != 0 or not mounted(place, "64m"):
        pytest.skip("mounting takes root")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("verb", ["run", "reproduce"])
def test_a_mount_point_and_a_link_to_it_are_directories(
    volume: Path, verbs: dict[str, list[str]], verb: str, acklab_command: Acklab
) -> None:
    elsewhere = volume.parent / "elsewhere"
    elsewhere.symlink_to(volume)
    for out in (volume, elsewhere):
        done = acklab_command(*verbs[verb], "--out", str(out))
        assert done.returncode == 0, done.stderr
        assert (volume / "acklab.json").exists() and not (volume / ".acklab").exists()


def test_a_writable_directory_in_one_that_is_not(tmp_path: Path, verbs: dict[str, list[str]]) -> None:
    if os.geteuid() == 0 and subprocess.run(["setpriv", "--version"], capture_output=True).returncode:
        pytest.skip("root writes anywhere")
    out = tmp_path / "closed" / "out"
    out.mkdir(parents=True)
    out.chmod(0o777)
    out.parent.chmod(0o555)
    os.chmod(tmp_path, 0o755)
    for parent in tmp_path.parents:
        if not os.stat(parent).st_mode & 0o001:
            if os.geteuid() != 0:
                break
            os.chmod(parent, os.stat(parent).st_mode | 0o011)
    as_nobody = ["setpriv", "--reuid", "65534", "--clear-groups"] if os.geteuid() == 0 else []
    code = "import sys; from pathlib import Path; from acklab.results.directory import results\n" \
           "with results(sys.argv[1], 'run') as folder, folder.replacing() as scratch: (scratch / 'a').write_text('b')"  # fmt: skip
    done = subprocess.run([*as_nobody, sys.executable, "-c", code, out], capture_output=True, text=True)
    out.parent.chmod(0o755)
    if "acklab" in done.stderr and "ModuleNotFound" in done.stderr or "Permission denied: '/root" in done.stderr:
        pytest.skip("another user cannot read the package")
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(out)) == ["a", "acklab.json"]


@pytest.mark.parametrize("verb", ["run", "sweep"])
def test_a_full_disk_leaves_the_old_set_or_the_new_one(
    volume: Path, verbs: dict[str, list[str]], verb: str, acklab_command: Acklab
) -> None:
    """With every room that is left on the disk, from one page to more than enough."""
    subprocess.run(["umount", volume], check=True)
    draw, command = random.Random(verb), verbs[verb]
    rooms = [4, 32, *(draw.randrange(40, 700) for _ in range(40 if LONG else 1))]
    try:
        for room in rooms:
            assert mounted(volume, "8m")
            try:
                out = volume / "out"
                if draw.random() < 0.5:
                    assert acklab_command(*command, "--out", str(out)).returncode == 0
                before = contents(out) if out.exists() else {}
                stat = os.statvfs(volume)
                with (volume / "ballast").open("wb") as file:
                    file.write(b"\0" * max(0, stat.f_bavail * stat.f_frsize - room * 1024))
                done = acklab_command(*command, "--out", str(out))
                left = contents(out) if out.exists() else {}
                visible = {name: data for name, data in left.items() if not name.startswith(".acklab/")}
                if done.returncode == 0:
                    assert "acklab.json" in visible
                else:
                    assert done.returncode == 1 and visible == before, (room, done.stderr)
                    assert "No space left on device" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
                    assert "internal error" not in done.stderr
                (volume / "ballast").unlink()
                again = acklab_command(*command, "--out", str(out))
                assert again.returncode == 0, again.stderr
            finally:
                subprocess.run(["umount", volume], check=True)
    finally:
        mounted(volume, "64m")
