"""The builder is the scenario file in Python: the same keys, and nothing but them."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import typing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acklab
from acklab import _core
from acklab import scenario as s
from acklab.scenario._toml import dumps
from acklab.text.input import loads
from front import TWO_HOPS

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads(_core.schema())


def two_hops() -> s.Scenario:
    return s.Scenario(
        title="two hops",
        links=[
            s.Link(between=("S", "G"), rate="10Mbps", delay="2ms"),
            s.Link(between=("G", "R"), rate="1.5Mbps", delay="48ms", queue=s.DropTail(packets=8)),
        ],
        flows=[
            s.Flow(name="f", from_="S", to="R", size=s.Size(segments=60), sender=s.Sender(window=40)),
        ],
    )


def everything() -> s.Scenario:
    """A scenario with every part of the builder in it."""
    pipe = s.Pipe(rate="10Mbps", delay="1ms", queue=s.DropTail(waiting=9), loss=s.Loss(rate=0.125, only="data", seed=3))
    return s.Scenario(
        title='quotes ", backslashes \\, tabs \t, ünïcode 🙂, \x7f',
        seed=2**62,
        stop=s.Stop(when="flows-complete", at_most="90s"),
        topology=s.Dumbbell(pairs=2, bottleneck=pipe, access=s.Pipe(rate="100Mbps", delay="0.1ms")),
        links=[
            s.Link(
                between=("R1", "Z"),
                rate="1Mbps",
                delay="5ms",
                queue=s.DropTail(bytes="64kB", filter=s.CakeFilter(aggressive=True)),
                stages=[s.Spack(timer="0.5s")],
                back=s.Back(
                    rate="64kbps",
                    loss=s.Loss(list=[3, 1000], where="after-queue"),
                    queue=s.DropTail(
                        packets=30,
                        filter=s.DelayedFilter(per="connection", share=0.9),
                        drop="fastest-oldest",
                        scheduler="round-robin",
                    ),
                    stages=[
                        s.HeaderCompression(size="4B", repair="request"),
                        s.AckReconstruction(step=2, spacing="1ms"),
                        s.Rbscp(pieces=3),
                    ],
                ),
            ),
            s.Link(
                between=("R1", "Y"),
                rate="1Mbps",
                delay="5ms",
                queue=s.DropTail(filter=s.StaticFilter(threshold=3, conservative=True), scheduler="acks-first"),
            ),
        ],
        flows=[
            s.Flow(
                from_="S0",
                to="Z",
                start="1s",
                count=3,
                stagger="10ms",
                size=s.Size(bytes="20kB"),
                repeat=s.Repeat(times=2, think="0.5s"),
                sender=s.Sender(stack="mine", credit=s.AckCounting(), initial_window=2.5),
                receiver=s.Receiver(stack="mine", ack=s.Delayed(timer="50ms", segments=3)),
            ),
            s.Flow(from_="S1", to="R0", size="unlimited"),
        ],
        stacks={"mine": s.Stack(base="ns2-2.35", tick="1ms", sack=True, ack_size=52)},
        record=s.Record(series=True, packets=False),
    )


@pytest.mark.parametrize("make", [two_hops, everything])
def test_file_tree_and_object_are_the_same_scenario(make: object) -> None:
    scenario = make()  # type: ignore[operator]
    expanded = {_core.expanded(text) for text in (scenario.to_toml(), json.dumps(scenario.to_dict()))}
    assert len(expanded) == 1
    assert acklab.run(scenario).json() == acklab.run(scenario.to_toml()).json() == acklab.run(scenario.to_dict()).json()


def test_the_builder_writes_what_one_writes_by_hand() -> None:
    assert two_hops().to_toml().replace("\n\n", "\n").split() == TWO_HOPS.replace("\n\n", "\n").split()


def test_toml_and_json_agree_for_every_text() -> None:
    scenario = everything()
    assert acklab.run(scenario.to_toml()).title == scenario.title == acklab.run(scenario).title


@given(title=st.text(), name=st.text(min_size=1), lost=st.lists(st.integers(0, 2**62), min_size=1, unique=True))
def test_any_text_and_number_means_the_same_in_both_formats(title: str, name: str, lost: list[int]) -> None:
    scenario = two_hops()
    scenario.title = title
    scenario.links[0].loss = s.Loss(list=lost)  # type: ignore[index, union-attr]
    scenario.stacks = {name: s.Stack(base="rfc")}
    outcomes = []
    for text in (scenario.to_toml(), json.dumps(scenario.to_dict())):
        try:
            outcomes.append(_core.expanded(text))
        except acklab.ScenarioError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("topology", "ends"),
    [
        (s.Dumbbell(bottleneck={"rate": "1Mbps", "delay": "1ms"}, access=s.Pipe(rate="9Mbps", delay="1ms")), "S0 R0"),
        (s.ParkingLot(hops=3, hop=s.Pipe(rate="1Mbps", delay="1ms"), access=s.Pipe(rate="9Mbps", delay="1ms")), "S R"),
        (
            s.Asymmetric(
                down=s.Direction(rate="8Mbps", delay="5ms"),
                up=s.Back(rate="128kbps"),
                server=s.Pipe(rate="9Mbps", delay="1ms"),
            ),
            "S C",
        ),
    ],
)
def test_topologies_run(topology: s.Topology, ends: str) -> None:
    sender, receiver = ends.split()
    run = acklab.run(s.Scenario(topology=topology, flows=[s.Flow(from_=sender, to=receiver, size=s.Size(segments=9))]))
    assert run.summary()["flows"][0]["completed"]


def test_the_builder_is_the_one_the_schema_gives() -> None:
    """A rule, a policy, a queue ... added in Rust is in the builder too: `make setup` writes it."""
    spec = importlib.util.spec_from_file_location("builder", ROOT / "tools" / "builder.py")
    assert spec and spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    for path, text in tool.generate(SCHEMA).items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is not up to date; run `make setup`"


def test_every_key_of_the_file_is_a_field_of_some_class() -> None:
    """Independently of the generator: every property in the schema, wherever it stands."""
    fields = {key for part in vars(s).values() if isinstance(part, type) for key in keys(part)}

    def properties(schema: object) -> set[str]:
        if isinstance(schema, list):
            return set().union(*map(properties, schema))
        if not isinstance(schema, dict):
            return set()
        return set(schema.get("properties", ())).union(*map(properties, schema.values()))

    assert properties(SCHEMA) == fields | {"$schema"}


def keys(part: type) -> set[str]:
    if not dataclasses.is_dataclass(part):
        return set()
    return {part._keys.get(field.name, field.name) for field in dataclasses.fields(part)}  # type: ignore[attr-defined]


def test_a_parameter_beside_the_stacks_own_leaves_the_others() -> None:
    def recovery(sender: s.Sender) -> str:
        scenario = two_hops()
        scenario.flows[0].sender = sender  # type: ignore[index, union-attr]
        lines = _core.expanded(scenario.to_toml()).splitlines()
        return next(line for line in lines if line.startswith("recovery = "))

    linux = recovery(s.Sender(stack="linux")).replace('frto = "linux"', 'frto = "off"')
    assert 'frto = "off"' in linux and 'reordering = "linux"' in linux and 'tick = "0.004s"' in linux
    assert recovery(s.Sender(stack="linux", recovery=s.RackRecovery(frto="off"))) == linux
    assert recovery(s.Sender(stack="linux", recovery={"frto": "off"})) == linux
    assert recovery(s.Sender(stack="linux")) == recovery(s.Sender(stack="linux", recovery="rack"))
    assert '"at-once"' in recovery(s.Sender(stack="linux", recovery=s.Rfc6675Recovery(frto="linux")))


# Words that go only with others.
COMPANY = {
    "bbr": ["flow.0.sender.recovery=rack"],
    "bbr3": ["flow.0.sender.recovery=rack"],
    "no-deflation": ["flow.0.sender.recovery=newreno"],
    "rfc9002": ["flow.0.sender.timestamps=false"],
    "feedback=counts": ["flow.0.sender.recovery=rfc9002", "flow.0.sender.timestamps=false", "flow.0.receiver.ack=quic"],
    **{
        f"segmentation={name}": ["flow.0.sender.recovery=rack", "flow.0.sender.sequence=bytes"]
        for name in ("linux", "linux-6.1")
    },
    "pacing=bursts": ["flow.0.sender.recovery=newreno", "flow.0.sender.max_burst=3"],
}


@pytest.mark.parametrize("side", ["sender", "receiver"])
def test_every_word_the_builder_knows_is_one_the_simulator_takes(side: str) -> None:
    """And a made-up word is not; so a Literal cannot be empty talk."""
    part = {"sender": s.Sender, "receiver": s.Receiver}[side]
    hints = typing.get_type_hints(part)
    tried = 0
    for rule in (field.name for field in dataclasses.fields(part)):
        literals = [hint for hint in typing.get_args(hints[rule]) if typing.get_origin(hint) is typing.Literal]
        for word in (word for hint in literals for word in typing.get_args(hint)):
            _core.expanded(
                TWO_HOPS,
                sets=[f"flow.0.{side}.{rule}={word}", *COMPANY.get(word, []), *COMPANY.get(f"{rule}={word}", [])],
            )
            with pytest.raises(acklab.ScenarioError):
                _core.expanded(TWO_HOPS, sets=[f"flow.0.{side}.{rule}={word}x"])
            tried += 1
    assert tried > 20 or side == "receiver"


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    for make, said in [
        (lambda: s.Sender(recovry="sack"), "Sender has no `recovry`; did you mean `recovery`?"),
        (lambda: s.Flow(frm="S", to="R"), "did you mean `from_`?"),
        (lambda: s.Scenario(seeed=1), "did you mean `seed`?"),
        (lambda: s.Repeat(xyzzy=1), "it has times, think"),
    ]:
        with pytest.raises(TypeError) as refusal:
            make()
        assert said in str(refusal.value)


def test_positions_and_missing_values_are_refused() -> None:
    with pytest.raises(TypeError, match="by name"):
        s.Link(("S", "R"))
    with pytest.raises(TypeError, match="between"):
        s.Link(rate="1Mbps", delay="1ms")


def test_parts_compare_copy_and_show_themselves() -> None:
    import copy
    import pickle

    scenario = everything()
    assert copy.deepcopy(scenario) == scenario == pickle.loads(pickle.dumps(scenario))
    changed = dataclasses.replace(scenario, seed=3)
    assert changed != scenario and changed.seed == 3
    assert repr(s.DropTail(packets=8)) == "DropTail(kind='drop-tail', packets=8)"


@pytest.mark.parametrize(
    "tree",
    [
        {"title": [{"a": {"b.c": 1}}, "null"]},
        {"vary": [1, {"a": 1}], "x": [{"a": 1}, {"b": [2]}], "y": []},
        {"stack": {"mine": {"base": "rfc"}, "other": 1}},
        {"stack": {"mine": {"base": "rfc"}, "other": {"tick": "1ms"}}, "stop": {"at": "1s"}},
    ],
)
def test_any_tree_is_written_as_toml(tree: dict[str, object]) -> None:
    assert loads(dumps(tree)) == tree


def test_a_value_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="no value like"):
        s.Scenario(seed=1j).to_toml()  # type: ignore[arg-type]
