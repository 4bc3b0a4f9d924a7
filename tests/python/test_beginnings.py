"""Ways in: templates, access paths, explanations, completion, and examples that are found anywhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from acklab import _core
from acklab.cli import main
from acklab.cli.examples import KEYS, PATHS, TEMPLATES, example, keys
from acklab.text.input import loads
from front import Acklab


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_examples_of_the_help_work_anywhere(acklab_command: Acklab) -> None:
    for arguments in (["run", "examples/allman1998.toml"], ["analyze", "examples/captures/linux-receiver.pcap"]):
        assert acklab_command(*arguments).returncode == 0
    Path("examples").mkdir()
    Path("examples/allman1998.toml").write_text("title = 3\n")
    assert "title = 3" in acklab_command("run", "examples/allman1998.toml").stderr, "a file that is there comes first"


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_a_commented_scenario(template: str, acklab_command: Acklab) -> None:
    done = acklab_command("new", "mine", "--template", template)
    assert done.returncode == 0 and done.stdout == "wrote mine.toml; next: acklab run mine.toml\n"
    assert Path("mine.toml").read_text().count("#") >= 3
    _core.expanded(Path("mine.toml").read_bytes())
    again = acklab_command("new", "mine.toml", "--template", template)
    assert again.returncode == 2 and "mine.toml is there already" in again.stderr


@pytest.mark.parametrize("name", ["", ".toml", "..", "x/", "a\0b", "a\ud800b"])
def test_what_is_no_name_gets_no_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    with pytest.raises(SystemExit) as exit:
        main(["new", name])
    assert exit.value.code == 2 and "is no name of a file; nothing was written" in capsys.readouterr().err
    assert [*tmp_path.rglob("*")] == [tmp_path / "x"]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_has_named_keys(path: str, acklab_command: Acklab) -> None:
    values = {
        "down": "70Mbps",
        "up": "3Mbps",
        "delay": "7ms",
        "down_buffer": "90kB",
        "up_buffer": "50kB",
        "downloads": "2",
        "upload": "1s",
    }
    assert values.keys() == KEYS.keys() >= keys(path).keys()
    values = {key: value for key, value in values.items() if key in keys(path)}
    sets = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    done = acklab_command("run", "--path", path, *sets, "--show-expanded")
    assert done.returncode == 0, done.stderr
    whole = loads(done.stdout)
    assert whole["title"].startswith(f"{path}: " + ", ".join(f"{key}={value}" for key, value in values.items())[:30])
    link = whole["link"][min(1, len(whole["link"]) - 1)]  # Wi-Fi has one link, the wire
    found = {
        "down": link["rate"],
        "up": link["back"]["rate"]["rate"] if keys(path).get("up", "").endswith(".rate.rate") else link["back"]["rate"],
        "delay": link["delay"],
        "down_buffer": link["queue"].get("bytes", link["queue"].get("buffer")),
        "up_buffer": link["back"]["queue"].get("bytes", link["back"]["queue"].get("buffer")),
    }
    wanted = {
        "down": "70000000bps",
        "up": "3000000bps",
        "delay": "0.007s",
        "down_buffer": "90000B",
        "up_buffer": "50000B",
    }
    assert found.items() >= {key: value for key, value in wanted.items() if key in values}.items()
    assert {flow["name"]: (flow["count"], flow["start"]) for flow in whole["flow"]}.items() >= {
        "down": (2, "0s"),
        "up": (1, "1s"),
    }.items()


def test_a_path_is_compared_and_swept_by_the_same_names(acklab_command: Acklab) -> None:
    short = ["--set", "stop.at=200ms"]
    done = acklab_command("sweep", "--path", "dsl", "--vary", "up=1Mbps,2Mbps", "--metric", "goodput@down*", *short)
    assert done.returncode == 0 and "up (Mb/s)" in done.stdout, done.stderr
    done = acklab_command(
        "compare", "--path", "dsl", "--case", "as it is", "--case", "fast: up=9Mbps", "--seeds", "2", *short
    )
    assert done.returncode == 0 and "fast" in done.stdout, done.stderr
    assert acklab_command("run", "--path", "dsl", str(example("t1.toml"))).returncode == 2
    assert (
        "--path dsl: no key upp; did you mean up?"
        in acklab_command("run", "--path", "dsl", "--set", "upp=2Mbps").stderr
    )
    assert "did you mean cable?" in acklab_command("run", "--path", "cabel").stderr


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("flow.0.sender.dup_thresh", ["Duplicate ACKs", "at least 1", "in the stacks:", "linux     3"]),
        ("delayed.timer", ["flow.receiver.ack (delayed).timer", 'default: "0.1s"']),
        ("link.0.queue", ['kind = "drop-tail"', 'kind = "red"']),
        ("quic", ['policy = "quic"', "stack quic: flow.sender.stack", "sender    recovery"]),
        ("stack quic", ["stack quic: flow.sender.stack"]),
        ("flow.sender.stack", [f'"{stack}"' for stack in ("ns2-1998", "ns2-2.35", "rfc", "linux", "quic")]),
    ],
)
def test_a_key_is_explained(key: str, parts: list[str], acklab_command: Acklab) -> None:
    done = acklab_command("explain", key)
    assert done.returncode == 0 and all(part in done.stdout for part in parts), done.stdout + done.stderr


def test_every_key_of_the_schema_is_explained() -> None:
    import json

    from acklab.text.schema import walk

    schema = json.loads(_core.schema())
    told = {place.path[-1].strip("()") for place in walk(schema, schema, ())}
    keys = {
        key
        for table in schema["$defs"].values()
        for key, entry in table.get("properties", {}).items()
        if "const" not in entry
    }
    assert keys <= told


def test_an_unknown_key_is_suggested(acklab_command: Acklab) -> None:
    done = acklab_command("explain", "duptresh")
    assert done.returncode == 2 and "did you mean dup_thresh?" in done.stderr


def test_a_file_is_no_key(acklab_command: Acklab, tmp_path: Path) -> None:
    file = tmp_path / "t1.toml"
    file.write_text("")
    done = acklab_command("explain", str(file))
    assert done.returncode == 2 and "acklab run" in done.stderr


def test_help_is_a_verb_and_the_shell_completes(acklab_command: Acklab) -> None:
    assert acklab_command("help", "sweep").stdout == acklab_command("sweep", "--help").stdout
    script = acklab_command("--print-completion", "bash").stdout
    assert "sweep" in script and subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
