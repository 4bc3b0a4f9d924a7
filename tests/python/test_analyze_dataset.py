"""Many captures as one table."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from test_analyze import CAPTURE, command

import acklab
from acklab import cli
from acklab.captures import dataset


def tree(folder: Path) -> Path:
    """Captures in directories, beside other files."""
    for name in ("b/two.pcap", "a/one.pcap", ".hidden/three.pcap"):
        (folder / name).parent.mkdir(parents=True)
        shutil.copy(CAPTURE, folder / name)
    (folder / "a" / "cut.pcap").write_bytes(CAPTURE.read_bytes()[:2000])
    (folder / "a" / "empty.pcap").write_bytes(b"")
    (folder / "notes.txt").write_text("no capture")
    return folder


def test_the_captures_below_a_directory_become_one_table(tmp_path: Path) -> None:
    done = command("analyze", tree(tmp_path / "in"), "--dataset", tmp_path / "out", "--sort", "acked_bytes")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == [
        "acklab.json",
        "captures.parquet",
        "connections.html",
        "connections.parquet",
    ]
    rows = pl.read_parquet(tmp_path / "out" / "connections.parquet")
    assert [Path(name).name for name in rows["file"]] == ["cut.pcap", "one.pcap", "two.pcap"]
    alone = pl.DataFrame(acklab.analyze(CAPTURE).connections)
    assert rows.columns == ["file", *alone.columns]
    whole = rows.filter(pl.col("file").str.ends_with("one.pcap")).drop("file")
    assert whole.to_dicts() == alone.to_dicts()
    about = pl.read_parquet(tmp_path / "out" / "captures.parquet")
    assert about.filter(pl.col("refused") != "")["file"].str.split("/").list.last().sort().to_list() == [
        "empty.pcap",
        "notes.txt",
    ]


def test_the_page_has_the_limits_and_every_direction(tmp_path: Path) -> None:
    source = tree(tmp_path / "in")
    (source / "a" / "one.pcap").rename(source / "a" / "<b>&.pcap")
    found = dataset.write([str(source)], tmp_path / "out")
    page = (tmp_path / "out" / "connections.html").read_text()
    assert page.count("#0</td>") == 3 and "<b>&.pcap" not in page and "&lt;b&gt;&amp;.pcap" in page
    assert "slow-start" in page and "<script src" not in page
    decades = found.decades()
    assert decades["directions"].sum() == 3
    assert decades.filter(pl.col("decade") == 7)["directions"].sum() == 2, "13.9 Mb/s"


def test_rows_are_the_same_in_small_parts(tmp_path: Path, monkeypatch: object) -> None:
    source = tree(tmp_path / "in")
    once = dataset.write([str(source)], tmp_path / "once")
    monkeypatch.setattr(dataset, "ROWS", 1)  # type: ignore[attr-defined]
    parts = dataset.write([str(source)], tmp_path / "parts")
    assert pl.read_parquet(once.path / "connections.parquet").equals(
        pl.read_parquet(parts.path / "connections.parquet")
    )


def test_the_directorys_name_is_no_pattern(tmp_path: Path) -> None:
    for name in ("out[1]", "out*"):
        found = dataset.write([str(tree(tmp_path / name / "in"))], tmp_path / name / "kept")
        assert found.first("acked_bytes").height == 3


def test_a_directory_without_captures_has_an_empty_table(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    done = command("analyze", tmp_path / "in", "--dataset", tmp_path / "out", "--json")
    assert done.returncode == 0 and json.loads(done.stdout) == {
        "captures": 0,
        "refused": 0,
        "directions": 0,
        "unfollowed": 0,
        "limits": [],
    }
    full = pl.DataFrame(acklab.analyze(CAPTURE).connections)
    assert pl.read_parquet(tmp_path / "out" / "connections.parquet").drop("file").schema == full.schema


def test_what_does_not_go_with_a_dataset_is_refused(tmp_path: Path) -> None:
    for arguments in (["no-such"], [str(CAPTURE), "--out", "o"], ["-"]):
        done = command("analyze", *arguments, "--dataset", tmp_path / "out")
        assert done.returncode == 2 and done.stdout == "" and not (tmp_path / "out").exists(), arguments


def test_a_table_with_the_packages_files_is_aligned_as_it_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # where `examples/` is the package's
    assert cli.main(["analyze", "examples/captures", "--dataset", "found", "--sort", "bytes"]) == 0
    head, row = capsys.readouterr().out.split("\n\n")[2].splitlines()[:2]
    assert row.startswith("examples/captures/linux-receiver.pcap #0  ") and head.index("direction") == row.index(
        "10.9.0.1"
    )
