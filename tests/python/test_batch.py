"""Many runs at once: order, independence from threads, and errors that keep their place."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

import acklab
from front import COMMAND, Acklab


def scenario(segments: int, **more: object) -> dict:
    return {
        "title": f"{segments}",
        "link": [{"between": ["S", "R"], "rate": "2Mbps", "delay": "5ms", "loss": {"rate": 0.02}}],
        "flow": [{"from": "S", "to": "R", "size": {"segments": segments}}],
        **more,
    }


def lines(scenarios: list) -> str:
    return "".join(json.dumps(each) + "\n" for each in scenarios)


#: Long and short mixed, so that threads finish out of order.
MIXED = [scenario(5000 if place % 7 == 0 else 1 + place % 50, seed=place + 1) for place in range(700)]


def test_results_come_in_order_and_equal_for_any_number_of_threads(acklab_command: Acklab) -> None:
    outputs = {}
    for threads in (1, 2, 8):
        result = acklab_command("run", "--batch", "-", "--threads", str(threads), stdin=lines(MIXED))
        assert (result.returncode, result.stderr) == (0, "")
        outputs[threads] = result.stdout
    told = [json.loads(line) for line in outputs[1].splitlines()]
    assert [each["title"] for each in told] == [each["title"] for each in MIXED]
    assert [each["seed"] for each in told] == [each["seed"] for each in MIXED]
    assert outputs[1] == outputs[2] == outputs[8]


def test_a_line_is_what_a_single_run_prints(acklab_command: Acklab) -> None:
    for each in (scenario(40), scenario(40, record={"packets": True, "series": True, "queue": True})):
        batch = acklab_command("run", "--batch", "-", stdin=lines([each])).stdout
        single = acklab_command("run", "-", "--json", stdin=json.dumps(each)).stdout
        assert batch == single


def test_a_bad_line_says_so_in_its_place(acklab_command: Acklab) -> None:
    text = lines([scenario(1)]) + "\n" + '{"flows": []}\n' + "not json\n" + lines([scenario(2)]).rstrip("\n")
    result = acklab_command("run", "--batch", "-", stdin=text)
    assert (result.returncode, result.stderr) == (2, "")
    first, unknown, broken, last = (json.loads(line) for line in result.stdout.splitlines())
    assert (first["title"], last["title"]) == ("1", "2")
    assert "line 3" in unknown["error"] and "`flow`" in unknown["error"]
    assert list(broken) == ["error"] and broken["error"].startswith("line 4, column 2: not valid JSON")


def test_set_and_seed_hold_for_every_line(acklab_command: Acklab) -> None:
    result = acklab_command(
        *("run", "--batch", "-", "--seed", "9", "--set", "flow.0.name=g"), stdin=lines([scenario(1), scenario(2)])
    )
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(each["seed"], each["flows"][0]["name"]) for each in told] == [(9, "g"), (9, "g")]


def test_empty_input_gives_empty_output(acklab_command: Acklab) -> None:
    result = acklab_command("run", "--batch", "-")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_file_of_lines_works_too(acklab_command: Acklab, tmp_path: Path) -> None:
    path = tmp_path / "scenarios.jsonl"
    path.write_text(lines(MIXED[:20]))
    result = acklab_command("run", "--batch", str(path))
    assert result.returncode == 0 and len(result.stdout.splitlines()) == 20


def test_a_program_may_write_a_line_and_wait_for_its_answer() -> None:
    with subprocess.Popen([COMMAND, "run", "--batch", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        for segments in (3, 1, 2):
            process.stdin.write(lines([scenario(segments)]).encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["title"] == str(segments)
        process.stdin.close()
        assert process.wait(timeout=10) == 0


@pytest.mark.parametrize("busy", [True, False])
def test_an_interrupt_ends_a_batch(busy: bool) -> None:
    endless = scenario(1)
    endless["flow"][0] = {"from": "S", "to": "R"}
    endless["stop"] = {"at": "100000000s"}
    with subprocess.Popen([COMMAND, "run", "--batch", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        process.stdin.write(lines([scenario(1)]).encode())
        process.stdin.flush()
        assert process.stdout.readline()  # it has begun, however long that took
        if busy:
            process.stdin.write(lines([endless] * 2000).encode()[: 1 << 16])
            process.stdin.flush()
            time.sleep(0.2)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 130


def test_run_batch_from_python_equals_single_runs() -> None:
    some = MIXED[:60]
    for threads in (1, 3):
        assert list(acklab.run_batch(iter(some), threads=threads)) == [acklab.run(each).summary() for each in some]


def test_run_batch_takes_texts_and_scenarios_and_more_than_it_holds_at_once() -> None:
    texts = (json.dumps(scenario(1 + place % 3), indent=1) for place in range(3000))
    titles = [each["title"] for each in acklab.run_batch(texts, threads=2)]
    assert titles == [str(1 + place % 3) for place in range(3000)]
    (told,) = acklab.run_batch([acklab.Scenario(title="none")])
    assert list(told) == ["error"]


def test_run_batch_and_simulation_take_set_and_record_as_run_does() -> None:
    asked = {"set": {"flow.0.sender.window": 3}, "seed": 2}
    (told,) = acklab.run_batch([scenario(20)], record=["series"], **asked)
    alone = acklab.run(scenario(20), record=["series"], **asked)
    assert (
        told["flows"] == alone.summary()["flows"]
        and told["series"]
        and told["flows"] != acklab.run(scenario(20)).summary()["flows"]
    )
    assert acklab.simulation(scenario(20), **asked).advance().json(False) == acklab.run(scenario(20), **asked).json()
    with pytest.raises(ValueError, match="record: no table cwnd"):
        list(acklab.run_batch([scenario(1)], record=["cwnd"]))


def test_run_batch_may_be_abandoned() -> None:
    results = acklab.run_batch((scenario(100) for _ in range(100_000)), threads=2)
    assert next(results)["title"] == "100"
    results.close()


def test_run_batch_keeps_places_and_refuses_what_is_no_scenario() -> None:
    told = list(acklab.run_batch(["", json.dumps(scenario(2)), " \n", b"\xff", "\ud800 = 1"]))
    assert [list(each) == ["error"] for each in told] == [True, False, True, True, True]
    for wrong in (None, 3):
        with pytest.raises(TypeError, match=r"Scenario, its tree, its text or a path, not"):
            list(acklab.run_batch([wrong]))
    for path in (Path("two-hops.toml"), "\ud800"):
        with pytest.raises(OSError):
            list(acklab.run_batch([path]))
    for threads in (0, -1, 1025):
        with pytest.raises(ValueError, match="from 1 to 1024"):
            list(acklab.run_batch([scenario(1)], threads=threads))


def test_a_list_is_looked_at_before_its_first_entry_runs() -> None:
    several: list = [scenario(1)] * 3000
    with pytest.raises(TypeError, match=r"scenarios\[3000\]: a scenario is a Scenario"):
        next(acklab.run_batch([*several, 5]))
    with pytest.raises(FileNotFoundError, match=r"scenarios\[3000\]: No such file.*no\.toml"):
        next(acklab.run_batch([*several, "no.toml"]))
    assert next(acklab.run_batch(iter([*several, 5])))["flows"], "an iterator is read as it runs"


def test_an_empty_text_is_an_empty_scenario() -> None:
    with pytest.raises(acklab.ScenarioError, match="empty"):
        acklab.run("")
