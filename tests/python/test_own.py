"""ACK policies and congestion controls in Python."""

from __future__ import annotations

import copy
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import acklab
from acklab import AckPolicy, CongestionControl, Emission
from acklab.scenario import DropTail, Flow, Link, PythonPolicy, Receiver, Scenario, Sender, Size
from front import inside as _command


class Delayed(AckPolicy):
    """The simulator's ``delayed``, without a heartbeat."""

    def __init__(self, segments: int = 2, timer: float = 0.1) -> None:
        self.segments, self.timer, self.held = segments, timer, 0

    def on_segment(self, arrival: acklab.Arrival) -> Emission:
        self.held += 1
        if not arrival.in_order or self.held >= self.segments:
            return Emission.now()
        return Emission.by(arrival.now_s + self.timer)

    def on_ack_sent(self, now_s: float) -> None:
        self.held = 0


class Reno(CongestionControl):
    """The simulator's ``reno``."""

    needs = "credit"

    def on_congestion(self, signal: str, in_use: float, window: acklab.Window) -> float:
        return in_use / 2


class Grown(Reno):
    """The same, written out."""

    needs = "round-trips"

    def __init__(self) -> None:
        self.acks = 0

    def on_ack(self, ack: acklab.AckEvent, window: acklab.Window) -> None:
        self.acks += 1

    def grow(self, credit: float, window: acklab.Window) -> None:
        super().grow(credit, window)


LINK = (
    '[[link]]\nbetween = ["S", "R"]\nrate = "1.5Mbps"\ndelay = "50ms"\nqueue = { kind = "drop-tail", packets = 12 }\n'
)


def text(ack: str = '{ policy = "delayed" }', control: str = '"reno"', **flow: Any) -> str:
    more = "\n".join(f"{key} = {value}" for key, value in flow.items())
    sides = f"receiver = {{ ack = {ack} }}\nsender = {{ control = {control} }}"
    return f'{LINK}[[flow]]\nname = "f"\nfrom = "S"\nto = "R"\nsize = {{ segments = 400 }}\n{more}\n{sides}\n'


MINE = '{ policy = "python", name = "mine" }'
OWN = '{ kind = "python", name = "own" }'


def flows(scenario: Any, **passed: Any) -> Any:
    return acklab.run(scenario, **passed).summary()["flows"]


def test_a_copy_of_a_native_algorithm_gives_the_same_bytes() -> None:
    native = acklab.run(text(), **{"record.series": True, "record.packets": True}).json()
    for control in (Reno, Grown):
        same = acklab.run(
            text(MINE, OWN),
            policies={"mine": Delayed},
            controls={"own": control},
            **{"record.series": True, "record.packets": True},
        )
        assert same.json() == native
        assert 'ack = { name = "mine", parameters = {}, policy = "python" }' in same.scenario_toml()


def test_parameters_reach_the_constructor_and_each_connection_has_its_instance() -> None:
    made: list[Any] = []

    def make(**parameters: Any) -> Delayed:
        made.append(parameters)
        return Delayed(**parameters)

    mine = '{ policy = "python", name = "mine", parameters = { segments = 3, timer = 0.2 } }'
    told = flows(text(mine, count=2, repeat="{ times = 2 }"), policies={"mine": make})
    assert made == 4 * [{"segments": 3, "timer": 0.2}]
    assert told == flows(text('{ policy = "delayed", segments = 3, timer = "200ms" }', count=2, repeat="{ times = 2 }"))


def test_the_builder_takes_the_class() -> None:
    def scenario(ack: Any, control: Any) -> Scenario:
        link = Link(between=["S", "R"], rate="1.5Mbps", delay="50ms", queue=DropTail(packets=12))
        flow = Flow(
            from_="S", to="R", size=Size(segments=400), receiver=Receiver(ack=ack), sender=Sender(control=control)
        )
        return Scenario(links=[link], flows=[flow])

    named = flows(scenario(PythonPolicy(name="Delayed"), Reno), policies={"Delayed": Delayed})
    assert flows(scenario(Delayed, Reno)) == named
    assert flows(text(), **{"flow.0.receiver.ack": Delayed}) == flows(text())
    with pytest.raises(TypeError, match="give the class Delayed itself"):
        acklab.run(scenario(Delayed(), Reno))
    with pytest.raises(TypeError, match="two different algorithms are called Delayed"):
        acklab.run(scenario(Delayed, Reno), policies={"Delayed": Reno})
    for refused in (
        lambda: scenario(Delayed, Reno).to_toml(),
        lambda: list(acklab.run_batch([scenario(Delayed, Reno)])),
    ):
        with pytest.raises(TypeError, match="Delayed is Python code, which no scenario file holds"):
            refused()


def test_an_error_fails_the_run_with_its_traceback() -> None:
    class Broken(Delayed):
        def on_segment(self, arrival: acklab.Arrival) -> Emission:
            return super().on_segment(arrival) if arrival.now_s < 0.5 else Emission.by(1 / 0)

    simulation = acklab.simulation(text(MINE), policies={"mine": Broken})
    with pytest.raises(acklab.RunError) as caught:
        simulation.run()
    said = str(caught.value)
    assert said.startswith(
        "flow `f`, receiver.ack `mine`: on_segment raised ZeroDivisionError: division by zero\nTraceback"
    )
    assert "test_own.py" in said and "Emission.by(1 / 0)" in said
    with pytest.raises(acklab.RunError, match="failed earlier; begin another"):
        simulation.outcome()
    told = list(
        acklab.run_batch([acklab.Scenario(**_tree(MINE)), acklab.Scenario(**_tree())], policies={"mine": Broken})
    )
    assert "ZeroDivisionError" in told[0]["error"] and told[1]["flows"][0]["completed"]


def _tree(ack: str = '{ policy = "delayed" }') -> dict[str, Any]:
    import tomllib

    tree = tomllib.loads(text(ack))
    return {"links": tree["link"], "flows": tree["flow"]}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda arrival: None, "on_segment answered None; must be an acklab.Emission, such as"),
        (lambda arrival: True, "on_segment answered True; must be an acklab.Emission, such as"),
        (lambda arrival: Emission.by(0.01), "on_segment answered 0.01 s at 0.05"),
        (lambda arrival: Emission.at(float("nan")), "a time is a finite number of seconds, not NaN"),
        (lambda arrival: Emission.pieces(1), "count is 1; must be from 2 to 64"),
        (lambda arrival: Emission.pieces(2, order="up"), "order: unknown variant `up`, expected `rising`"),
    ],
)
def test_wrong_answers_of_a_policy(answer: Any, said: str) -> None:
    kind = type("Wrong", (AckPolicy,), {"on_segment": lambda self, arrival: answer(arrival)})
    with pytest.raises(acklab.RunError) as caught:
        acklab.run(text(MINE), policies={"mine": kind})
    assert said in str(caught.value), caught.value


def _setting(name: str, value: float) -> Any:
    return lambda self, credit, window: setattr(window, name, value)


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ({"grow": _setting("cwnd", -1.0)}, "grow set window.cwnd to -1; must be at least a segment"),
        ({"grow": _setting("cwnd", float("inf"))}, "grow set window.cwnd to inf; must be at least a segment"),
        ({"grow": _setting("ssthresh", float("nan"))}, "grow set window.ssthresh to NaN; must be above 0"),
        (
            {"on_congestion": lambda self, signal, in_use, window: -3},
            "on_congestion answered -3; must be a window above 0",
        ),
        (
            {"on_congestion": lambda self, signal, in_use, window: "half"},
            "on_congestion answered 'half'; must be a window",
        ),
        (
            {"needs": "deliveries", "pacing_rate": lambda self: 0},
            "pacing_rate answered 0; must be None, or segments a second above 0",
        ),
        (
            {"needs": "deliveries", "pacing_rate": lambda self: 9, "send_quantum": lambda self: 0.5},
            "send_quantum answered 0.5; must be a whole number",
        ),
        ({"needs": "all"}, 'needs is all; must be "credit", "round-trips", "deliveries" or "losses"'),
        ({"__init__": lambda self, beta: None}, "__init__ raised TypeError"),
    ],
)
def test_wrong_answers_of_a_control(methods: dict[str, Any], said: str) -> None:
    with pytest.raises(acklab.RunError) as caught:
        acklab.run(text(control=OWN), controls={"own": type("Wrong", (Reno,), methods)})
    assert said in str(caught.value), caught.value


def test_what_is_no_algorithm_is_refused() -> None:
    with pytest.raises(acklab.RunError, match=r"policies\(...\) gave a int, no acklab.AckPolicy"):
        acklab.run(text(MINE), policies={"mine": lambda: 3})
    with pytest.raises(acklab.ScenarioError, match="nothing of that name was passed.*passed: other"):
        acklab.run(text(MINE), policies={"other": Delayed})
    with pytest.raises(acklab.ScenarioError, match="must be a text"):
        acklab.run(text('{ policy = "python", name = 3 }'))


def test_an_interrupt_in_python_code_stays_one() -> None:
    class Interrupted(Delayed):
        def on_segment(self, arrival: acklab.Arrival) -> Emission:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        acklab.run(text(MINE), policies={"mine": Interrupted})


def test_a_control_that_owns_the_window_hears_of_departures_and_deliveries() -> None:
    heard: list[Any] = []

    class Fixed(CongestionControl):
        needs = "deliveries"
        owns_window = True

        def on_ack(self, ack: acklab.AckEvent, window: acklab.Window) -> None:
            heard.append((ack.in_flight / window.mss, ack.delivery_rate))
            window.cwnd = 8 * window.mss

        def on_sent(self, departure: acklab.Departure, window: acklab.Window) -> None:
            heard.append(departure.min_rtt_s)

        def on_congestion(self, signal: str, in_use: float, window: acklab.Window) -> tuple[float, float]:
            return window.cwnd, window.ssthresh

        def pacing_rate(self) -> float:
            return 100.0

    (flow,) = flows(text(control=OWN), controls={"own": Fixed}, **{"flow.0.sender.recovery": "rack"})
    assert flow["completed"] and flow["retransmits"] == 0
    assert max(pair[0] for pair in heard if isinstance(pair, tuple)) <= 8
    assert any(isinstance(entry, float) and entry < 1 for entry in heard)


def test_a_control_hears_of_each_segment_that_is_lost() -> None:
    lost: list[tuple[int, float, float]] = []
    acks: list[tuple[bool, int | None, int | None]] = []

    class Counts(CongestionControl):
        needs = "losses"

        def on_lost(self, segment: acklab.LostSegment, window: acklab.Window) -> None:
            lost.append((segment.end - segment.start, segment.tx_in_flight, segment.lost_since))

        def on_ack(self, ack: acklab.AckEvent, window: acklab.Window) -> None:
            acks.append((ack.cwnd_limited, ack.tx_in_flight, ack.lost_since))

        def on_congestion(self, signal: str, in_use: float, window: acklab.Window) -> float:
            return in_use / 2

    sets = {"flow.0.sender.recovery": "rack", "link.0.loss": {"list": [60, 62]}, "link.0.queue.packets": 100}
    (flow,) = flows(text(control=OWN), controls={"own": Counts}, **sets)
    assert flow["completed"] and flow["retransmits"] == len(lost) == 2
    # The second was in flight beside the first, and is the second to be lost since it left.
    assert [(all_of_them / size, flight >= size) for size, flight, all_of_them in lost] == [(1, True), (2, True)]
    assert any(limited for limited, _, _ in acks) and max(since or 0 for _, _, since in acks) == 2 * lost[0][0]
    refused = {**sets, "flow.0.sender.recovery": "fack"}
    with pytest.raises(acklab.ScenarioError, match="judges each segment"):
        acklab.run(text(control=OWN), controls={"own": Counts}, **refused)


class Dctcp(CongestionControl):
    """The simulator's ``dctcp``, with counts of what its ACKs say."""

    def __init__(self) -> None:
        self.alpha, self.end, self.delivered, self.marked = 1.0, 0, 0.0, 0.0

    def on_ack(self, ack: acklab.AckEvent, window: acklab.Window) -> None:
        self.delivered += ack.newly_delivered
        self.marked += ack.ce_count
        if ack.ack > self.end and self.delivered > 0:
            self.alpha += 0.0625 * (self.marked / self.delivered - self.alpha)
            self.end, self.delivered, self.marked = ack.snd_max, 0.0, 0.0

    def on_congestion(self, signal: str, in_use: float, window: acklab.Window) -> float:
        return in_use * (1 - self.alpha / 2) if signal == "mark" else in_use / 2


@pytest.mark.parametrize("recovery", ["newreno", "rfc6675", "fack", "rack", "rfc9002"])
@pytest.mark.parametrize("needs", ["round-trips", "deliveries"])
def test_dctcp_in_python_sees_the_marks_and_losses_of_the_native_one(recovery: str, needs: str) -> None:
    queue = 'queue = { kind = "red", packets = 60, min = 3.0, max = 30.0, weight = 1.0, max_p = 0.3, ecn = true }'
    link = f'[[link]]\nbetween = ["S", "R"]\nrate = "8Mbps"\ndelay = "10ms"\nloss = {{ rate = 0.005 }}\n{queue}\n'
    own = type("Own", (Dctcp,), {"needs": needs})

    def outcome(control: str, **passed: Any) -> Any:
        sender = f'sender = {{ recovery = "{recovery}", control = {control}, ecn = true, timestamps = false }}'
        flow = f'[[flow]]\nname = "f"\nfrom = "S"\nto = "R"\nsize = {{ segments = 3000 }}\n{sender}\nreceiver.echo_each_mark = true\n'
        # Each window and each packet, and when. Only the native control reports its share of marks.
        done = json.loads(acklab.run(link + flow, **{"record.series": True, "record.packets": True}, **passed).json())
        share = done["flows"][0].pop("marked_share")
        assert (share is None) == bool(passed)
        return json.dumps(done)

    if (recovery, needs) == ("newreno", "deliveries"):
        said = 'sender.control: is "own", which needs a recovery that reports losses: "rfc6675", "fack", "rack" or "rfc9002"; the recovery is "newreno"'
        with pytest.raises(acklab.ScenarioError, match=said):
            outcome(OWN, controls={"own": own})
    else:
        assert outcome(OWN, controls={"own": own}) == outcome('"dctcp"')


def test_a_control_that_owns_the_window_needs_a_recovery_that_leaves_it() -> None:
    class Owner(Reno):
        owns_window = True

    said = 'is "own", which needs a recovery that reports losses: "rfc6675", "fack", "rack" or "rfc9002"; the recovery is "newreno"'
    for passed in (Owner, lambda: Owner()):
        with pytest.raises(acklab.ScenarioError, match=said):
            acklab.run(text(control=OWN), controls={"own": passed}, **{"flow.0.sender.recovery": "newreno"})


def test_branches_go_on_independently() -> None:
    passed: dict[str, Any] = {"policies": {"mine": Delayed}, "controls": {"own": Grown}}
    whole = acklab.run(text(MINE, OWN), **passed).json()
    simulation = acklab.simulation(text(MINE, OWN), **passed)
    simulation.run_until(1.0)
    clone, deep = simulation.clone(), copy.deepcopy(simulation)
    assert clone.run().json() == simulation.run().json() == deep.run().json() == whole

    class Shy(Delayed):
        def __deepcopy__(self, memo: Any) -> Any:
            raise RuntimeError("one of a kind")

    simulation = acklab.simulation(text(MINE), policies={"mine": Shy})
    simulation.run_until(1.0)
    with pytest.raises(acklab.RunError, match="deepcopy raised RuntimeError: one of a kind"):
        simulation.clone()
    assert simulation.run().json()


def test_a_name_that_the_scenario_does_not_use_is_said() -> None:
    with pytest.warns(
        UserWarning, match="policies: no flow of the scenario names mien, so it is not used; it names mine"
    ):
        acklab.run(text(MINE), policies={"mine": Delayed, "mien": Delayed})
    with pytest.warns(
        UserWarning, match="controls: no flow of the scenario names own, so it is not used; it names none"
    ):
        acklab.run(text(), controls={"own": Reno})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        acklab.run(text(MINE, OWN), policies={"mine": Delayed}, controls={"own": Reno})


def test_threads_do_not_change_a_batch() -> None:
    scenarios = [acklab.Scenario(**_tree(MINE), seed=seed) for seed in range(1, 9)]
    one, four = ([*acklab.run_batch(scenarios, threads=n, policies={"mine": Delayed})] for n in (1, 4))
    assert one == four and all(told["flows"][0]["completed"] for told in one)


def test_the_command_takes_a_python_file_only_when_told(tmp_path: Path) -> None:
    scenario, code = tmp_path / "s.toml", tmp_path / "mine.py"
    scenario.write_text(text('{ policy = "python", name = "Lazy" }'))
    code.write_text(
        "import acklab\nclass Lazy(acklab.AckPolicy):\n"
        "    def on_segment(self, arrival):\n        return acklab.Emission.by(arrival.now_s + 0.01)\n"
    )
    refused = _command("run", str(scenario))
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "flow[0].receiver.ack: `Lazy` is Python code" in refused.stderr and "--python FILE" in refused.stderr
    plain = tmp_path / "plain.toml"
    plain.write_text(text('{ policy = "every" }'))
    lazy = 'flow.0.receiver.ack={policy="python",name="Lazy"}'
    for more in (("sweep", scenario, "--vary", "link.0.delay=1ms,2ms"), ("sweep", plain, "--case", "a", "--case", f"mine: {lazy}"),
                 ("compare", plain, "--case", "a", "--case", f"mine: {lazy}")):  # fmt: skip
        refused = _command(*more)
        assert (
            refused.returncode == 2
            and "`Lazy` is Python code, which a sweep or a comparison does not take" in refused.stderr
        ), refused.stderr
        assert 'acklab.run_batch(SCENARIOS, policies={"Lazy": ...})' in refused.stderr
    assert _command("run", str(scenario), "--python", str(code)).returncode == 0
    for broken, said in (("x = 1\n", "it defines no subclass"), ("1 / 0\n", "ZeroDivisionError: division by zero")):
        code.write_text(broken)
        refused = _command("run", str(scenario), "--python", str(code))
        assert refused.returncode == 2 and said in refused.stderr and refused.stderr.count("\n") == 1
