"""`acklab run`, as a user and a script meet it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from acklab.cli.doctor import newer_source
from front import COMMAND, RECORDED, TWO_HOPS, Acklab, inside

EXAMPLE = Path(__file__).parents[2] / "examples" / "allman1998.toml"


def summary(result: subprocess.CompletedProcess[str]) -> dict:
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


def refused(result: subprocess.CompletedProcess[str]) -> str:
    """What a bad scenario's one or two lines say."""
    assert (result.returncode, result.stdout) == (2, "")
    lines = result.stderr.splitlines()
    assert 1 <= len(lines) <= 2, result.stderr
    assert "Traceback" not in result.stderr
    return result.stderr


def test_json_is_one_object_with_the_contract_keys(acklab_command: Acklab, two_hops: Path) -> None:
    told = summary(acklab_command("run", str(two_hops), "--json"))
    assert list(told) == ["title", "seed", "end_s", "flows", "links"]
    (flow,) = told["flows"]
    assert flow["completed"] and flow["bytes"] == 60 * 1448
    assert flow["completion_s"] == pytest.approx(flow["finished_s"] - flow["first_data_s"])
    assert [(link["from"], link["to"]) for link in told["links"]] == [("S", "G"), ("G", "S"), ("G", "R"), ("R", "G")]


def test_the_table_is_aligned_has_units_and_fits(acklab_command: Acklab, two_hops: Path) -> None:
    result = acklab_command("run", str(two_hops))
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "two hops"
    header = next(line for line in lines if line.startswith("flow"))
    row = lines[lines.index(header) + 1]
    for unit in ("start s", "time s", "Mb/s", "RTT ms"):
        end = header.index(unit) + len(unit)
        assert row[end - 1].isdigit() and (end == len(row) or row[end] == " "), f"{unit} is not right-aligned"
    assert max(map(len, lines)) <= 120
    assert "\x1b" not in result.stdout


def test_a_scenario_comes_from_standard_input_in_either_format(acklab_command: Acklab) -> None:
    tree = {
        "link": [{"between": ["S", "R"], "rate": "1Mbps", "delay": "10ms"}],
        "flow": [{"from": "S", "to": "R", "size": {"segments": 3}}],
    }
    toml = "\n".join(f"{key} = [{inline(value[0])}]" for key, value in tree.items())
    from_toml = acklab_command("run", "-", "--json", stdin=toml)
    from_json = acklab_command("run", "-", "--json", stdin=json.dumps(tree))
    assert summary(from_toml) == summary(from_json)


def inline(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {inline(entry)}" for key, entry in value.items()) + " }"
    return json.dumps(value)


def test_set_and_seed_override_the_file(acklab_command: Acklab, two_hops: Path) -> None:
    told = summary(
        acklab_command(
            "run", str(two_hops), "--json", "--seed", "7", "--set", "flow.0.size.segments=5", "--set", "title=five"
        )
    )
    assert (told["seed"], told["title"], told["flows"][0]["bytes"]) == (7, "five", 5 * 1448)


def test_show_expanded_prints_a_scenario_that_runs_the_same(acklab_command: Acklab, two_hops: Path) -> None:
    expanded = acklab_command("run", str(two_hops), "--show-expanded", "--set", "flow.0.size.segments=9")
    assert expanded.returncode == 0 and "initial_window" in expanded.stdout
    again = summary(acklab_command("run", "-", "--json", stdin=expanded.stdout))
    assert again == summary(acklab_command("run", str(two_hops), "--json", "--set", "flow.0.size.segments=9"))


def test_recorded_tables_are_in_the_json(acklab_command: Acklab) -> None:
    told = summary(acklab_command("run", "-", "--json", stdin=RECORDED))
    packet = told["packets"][0]
    assert list(packet) == [
        *("time_s", "link", "event", "flow", "kind", "seq", "len", "ack", "sack", "size_bytes"),
        *("retransmit", "syn", "fin", "ts_val", "ts_ecr"),
    ]
    assert {row["event"] for row in told["packets"]} >= {"enqueue", "dequeue", "deliver", "drop"}
    sacks = [row["sack"] for row in told["packets"] if row["sack"]]
    assert sacks and all(start < end for sack in sacks for start, end in sack)
    assert {"cwnd_segments", "state"} <= told["series"][0].keys()
    assert told["queue"][0]["link"] == "S->G"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("rate =", "rat ="), ["two-hops.toml", "rat", "`rate`"]),
        (('"2ms"', '"2"'), ["two-hops.toml", "delay", "unit"]),
        (("segments = 60", "segments = 0"), ["size.segments", "at least 1"]),
        (('to = "R"', 'to = "Q"'), ["flow", "Q"]),
        ((TWO_HOPS, ""), ["two-hops.toml", "empty"]),
    ],
)
def test_a_bad_scenario_names_file_key_and_remedy(
    acklab_command: Acklab, two_hops: Path, change: tuple[str, str], words: list[str]
) -> None:
    two_hops.write_text(TWO_HOPS.replace(*change), encoding="utf-8")
    told = refused(acklab_command("run", str(two_hops), "--json"))
    for word in words:
        assert word in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "nowhere.toml"], ["nowhere.toml", "No such file"]),
        (["run", "."], [".", "directory"]),
        (["run"], ["FILE"]),
        (["run", "-", "--set", "window"], ["window", "=20"]),
        (["run", "-", "--sed", "3x"], ["unknown", "--sed"]),
        (["run", "-", "--seed", "-1"], ["seed"]),
        (["run", "-", "--seed", "1e3"], ["1e3", "whole number from 0 to 2^64 - 1"]),
        (["run", "-", "--seed", str(2**64)], ["2^64 - 1"]),
        (["run", "-", "--threads", "2"], ["--batch"]),
        (["run", "--batch", "-", "--out", "x"], ["--batch"]),
        (["run", "--batch", "nowhere.jsonl"], ["nowhere.jsonl", "No such file"]),
        (["run", "--batch", "-", "--threads", "0"], ["--threads", "0", "from 1 to 1024"]),
        (["run", "--batch", "-", "--threads", "1025"], ["--threads", "1025", "from 1 to 1024"]),
        (["run", "--batch", "."], [".", "directory"]),
        (["walk"], ["walk", "run"]),
    ],
)
def test_a_bad_command_line_is_explained(acklab_command: Acklab, arguments: list[str], words: list[str]) -> None:
    told = refused(acklab_command(*arguments, stdin=TWO_HOPS))
    for word in words:
        assert word in told


def test_a_scenario_that_is_not_text_is_refused(tmp_path: Path, acklab_command: Acklab) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b'title = "\xe9"\n')
    assert "UTF-8" in refused(acklab_command("run", str(path)))


def test_out_writes_tables_and_summary(acklab_command: Acklab, tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    out = tmp_path / "deep" / "out"
    result = acklab_command("run", "-", "--out", str(out), "--json", stdin=RECORDED)
    told = summary(result)
    assert {"flows.parquet", "links.parquet", "series.parquet", "queue.parquet", "packets.parquet"} <= set(
        os.listdir(out)
    )
    assert pl.read_parquet(out / "packets.parquet").height == len(told["packets"])
    assert json.loads((out / "summary.json").read_text())["flows"] == told["flows"]
    again = acklab_command("run", str(out / "scenario.toml"), "--json")
    assert summary(again)["packets"] == told["packets"]
    assert os.listdir(tmp_path / "deep") == ["out"], "a scratch directory was left behind"


def test_out_keeps_what_else_is_there_and_replaces_its_own(acklab_command: Acklab, two_hops: Path) -> None:
    out = two_hops.parent / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    (out / "summary.json").write_text("mine, too")
    refused = acklab_command("run", str(two_hops), "--out", str(out))
    assert refused.returncode == 2 and "summary.json, which acklab.json does not name" in refused.stderr
    assert (
        sorted(os.listdir(out)) == ["notes.txt", "summary.json"] and (out / "summary.json").read_text() == "mine, too"
    )
    (out / "summary.json").unlink()
    for seed in ("1", "2"):
        assert acklab_command("run", str(two_hops), "--seed", seed, "--out", str(out)).returncode == 0
        assert json.loads((out / "summary.json").read_text())["seed"] == int(seed)
    assert (out / "notes.txt").read_text() == "mine"


def test_out_has_the_tables_of_one_run(acklab_command: Acklab, two_hops: Path) -> None:
    out = two_hops.parent / "out"
    for table in ("packets", "queue"):
        record = f"record.{table}=true"
        assert acklab_command("run", str(two_hops), "--json", "--set", record, "--out", str(out)).returncode == 0
    assert sorted(it.name for it in out.glob("*.parquet")) == ["flows.parquet", "links.parquet", "queue.parquet"]


def test_out_that_cannot_be_written_fails_with_one_line(acklab_command: Acklab, two_hops: Path) -> None:
    result = acklab_command("run", str(two_hops), "--json", "--out", "/proc/nowhere/out")
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1 and "/proc/nowhere" in result.stderr
    result = acklab_command("run", str(two_hops), "--json", "--out", "/proc/nowhere")
    assert (result.returncode, result.stderr) == (1, "acklab: /proc/nowhere: No such file or directory\n")


def test_a_reader_that_goes_away_is_no_trouble(two_hops: Path) -> None:
    command = f"'{COMMAND}' run '{two_hops}' --set flow.0.count=200 --json; echo status $? >&2"
    result = subprocess.run(
        f"({command}) | head -c 10", shell=True, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.stderr == "status 0\n"


def test_a_closed_pipe_ends_the_printing_and_not_the_run(two_hops: Path, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    for verb in (
        ["run"],
        ["compare", "--case", "a", "--case", "b: flow.0.start=1ms"],
        ["sweep", "--vary", "flow.0.start=1ms,2ms"],
    ):
        out = tmp_path / verb[0]
        command = [COMMAND, verb[0], two_hops, *verb[1:], "--out", out]
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=600, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert len(list(out.glob("*.html"))) == 1
    os.close(writer)


def test_a_full_disk_is_one_line(two_hops: Path) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [COMMAND, "run", two_hops], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert (result.returncode, result.stderr) == (1, "acklab: standard output: No space left on device\n")


@pytest.mark.parametrize(
    ("command", "status", "says"),
    [
        ("run two-hops.toml >&-", 1, "acklab: standard output is closed\n"),
        ("schema >&-", 1, "acklab: standard output is closed\n"),
        ("run - <&-", 2, "acklab run: -: standard input is closed (see acklab run --help)\n"),
        ("run --batch - <&-", 2, "acklab run: -: standard input is closed (see acklab run --help)\n"),
    ],
)
def test_a_closed_stream_is_named(two_hops: Path, command: str, status: int, says: str) -> None:
    line = f"'{COMMAND}' {command}"
    result = subprocess.run(line, shell=True, cwd=two_hops.parent, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (status, "", says)


def test_errors_stay_out_of_results_where_standard_error_is_closed(two_hops: Path) -> None:
    result = subprocess.run(f"'{COMMAND}' run nowhere.toml 2>&-", shell=True, capture_output=True, check=False)
    assert (result.returncode, result.stdout) == (2, b"")


def test_a_title_is_one_line_and_moves_no_cursor(acklab_command: Acklab, two_hops: Path) -> None:
    result = acklab_command("run", str(two_hops), "--set", 'title="two\\nhops\\u001b[2J"')
    assert result.stdout.splitlines()[0] == "two hops\\x1b[2J"


def test_bytes_that_are_no_text_do_not_break_it(tmp_path: Path, acklab_command: Acklab) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.toml")
    with open(odd, "w") as file:
        file.write(TWO_HOPS.replace("two hops", "zwei Sprünge 🙂"))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([COMMAND, *arguments], capture_output=True, timeout=60, check=False, env=environment)

    table = run("run", odd)
    assert (table.returncode, table.stderr) == (0, b"") and rb"Spr\xfcnge" in table.stdout
    told = run("run", odd, "--json")
    assert json.loads(told.stdout.decode("utf-8"))["title"] == "zwei Sprünge 🙂"
    refused_set = run("run", odd, "--set", os.fsdecode(b"flow.0.name\xff=3"))
    assert refused_set.returncode == 2 and b"name" in refused_set.stderr
    missing = run("run", os.fsdecode(b"\xfe.toml"))
    assert missing.returncode == 2 and b"No such file" in missing.stderr


def test_a_run_waits_for_no_library_that_it_does_not_use(two_hops: Path) -> None:
    heavy = "{'numpy', 'polars', 'matplotlib', 'altair'}"
    code = f"import sys; from acklab.cli import main; main(['run', {str(two_hops)!r}]); sys.exit(str({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip() == "set()"


def test_the_module_is_the_command(two_hops: Path, acklab_command: Acklab) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "acklab", "run", str(two_hops)], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.stdout == acklab_command("run", str(two_hops)).stdout


@pytest.mark.parametrize("verb", ["run", "schema", "doctor"])
def test_every_verb_has_help_with_an_example(acklab_command: Acklab, verb: str) -> None:
    result = acklab_command(verb, "--help")
    assert result.returncode == 0
    assert "example:" in result.stdout and f"acklab {verb}" in result.stdout
    assert verb in acklab_command("help", "--all").stdout


def test_schema_is_a_json_schema_and_the_stacks_a_table(acklab_command: Acklab) -> None:
    schema = summary(acklab_command("schema"))
    assert schema["properties"]["flow"]["type"] == "array"
    stacks = acklab_command("schema", "--stacks").stdout.splitlines()
    assert stacks[0].split()[:5] == ["side", "rule", "ns2-1998", "ns2-2.35", "rfc"]
    assert any(line.split()[:2] == ["sender", "min_rto"] for line in stacks)


def test_doctor_names_a_source_that_is_newer_than_the_extension(tmp_path: Path) -> None:
    extension, source = tmp_path / "python/acklab/_core.so", tmp_path / "crates/tcp/src/lib.rs"
    for number, file in enumerate((source, extension)):
        file.parent.mkdir(parents=True)
        file.touch()
        os.utime(file, (number, number))
    assert newer_source(extension) is None
    os.utime(source, (2, 2))
    assert newer_source(extension) == "crates/tcp/src/lib.rs"


def test_doctor_passes_its_self_check(acklab_command: Acklab) -> None:
    found = summary(acklab_command("doctor", "--json"))
    assert found["self_check"]["passed"] and found["packages"]["polars"]
    assert "self-check passed" in acklab_command("doctor").stdout


def test_several_scenarios_share_a_page(
    acklab_command: Acklab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scenario = EXAMPLE.read_text(encoding="utf-8")
    for name, recovery in (("one", "reno"), ("other", "sack")):
        text = scenario.replace('recovery = "reno"', f'recovery = "{recovery}"')
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    done = acklab_command("run", "one.toml", "other.toml", "--out", "out")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "flow.f.sender.recovery reno, sack" in re.search("<title>(.*?)</title>", page).group(1)
    for name in ("one", "other"):
        assert f'"label":"{name}"' in page
        assert (tmp_path / "out" / name / "packets.parquet").exists()
    lines = acklab_command("run", "one.toml", "other.toml", "--json").stdout.splitlines()
    assert [len(json.loads(line)["flows"]) for line in lines] == [1, 1]
    twice = acklab_command("run", "one.toml", "./one.toml", "--out", "twice")
    assert twice.returncode == 0 and {"one", "one-2"} <= {path.name for path in (tmp_path / "twice").iterdir()}


def test_open_shows_the_page(acklab_command: Acklab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > opened\n')
    browser.chmod(0o755)
    file = str(EXAMPLE)
    words = [COMMAND, "run", file, "--out", "out", "--open"]
    done = subprocess.run(
        words, env={**os.environ, "BROWSER": str(browser)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "opened").read_text().strip() == (tmp_path / "out" / "report.html").resolve().as_uri()
    assert "--out" in refused(acklab_command("run", file, "--open"))


def test_what_an_override_loses_is_said() -> None:
    def said(*arguments: str) -> list[str]:
        done = inside(*arguments)
        assert done.returncode == 0, done.stderr
        return [line.removeprefix("acklab: ") for line in done.stderr.splitlines() if "note:" in line]

    short = ("--path", "docsis30", "--set", "stop.at=0.2s")
    queue = 'link.1.back.queue={ kind = "cake" }'
    assert said("run", *short, "--set", "link.1.back.rate=5Mbps") == [
        "note: --set link.1.back.rate=5Mbps makes a constant rate of docsis, which sends by grants; --set link.1.back.rate.rate=5Mbps keeps the grants"
    ]
    assert said("run", *short, "--set", "up=5Mbps", "--set", "up_buffer=100ms") == []
    cases = ("--case", "as it is", "--case", f"CAKE: {queue}", "--seeds", "2")
    assert said("compare", *short, "--set", "up_buffer=100ms", *cases) == [
        "note: --set link.1.back.queue.bytes=100ms changes nothing in 'CAKE': a case sets that key, or the scenario has this value"
    ]
