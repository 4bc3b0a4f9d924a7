"""The builder is the scenario file in Python: the same keys, and nothing but them."""

from __future__ import annotations

import dataclasses
import json

import pytest

import acklab
from acklab import _core
from acklab import scenario as s
from front import TWO_HOPS

SCHEMA = json.loads(_core.schema())


def two_hops() -> s.Scenario:
    return s.Scenario(
        title="two hops",
        links=[
            s.Link(between=("S", "G"), rate="10Mbps", delay="2ms"),
            s.Link(between=("G", "R"), rate="1.5Mbps", delay="48ms", queue=s.Queue(packets=8)),
        ],
        flows=[
            s.Flow(name="f", from_="S", to="R", size=s.Size(segments=60), sender=s.Sender(window=40)),
        ],
    )


def everything() -> s.Scenario:
    """A scenario with every part of the builder in it."""
    pipe = s.Pipe(rate="10Mbps", delay="1ms", queue=s.Queue(waiting=9), loss=s.Loss(rate=0.125, only="data", seed=3))
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
                queue=s.Queue(bytes="64kB"),
                back=s.Back(rate="64kbps", loss=s.Loss(list=[3, 1000], where="after-queue")),
            )
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
                sender=s.Sender(stack="mine", credit=s.Credit(kind="ack-counting"), initial_window=2.5),
                receiver=s.Receiver(stack="mine", ack=s.Ack(policy="delayed", timer="50ms", segments=3)),
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


#: Part of the schema -> the class that mirrors it.
MIRRORS = {
    "SenderTable": s.Sender,
    "ReceiverTable": s.Receiver,
    "StackTable": s.Stack,
    "LinkTable": s.Link,
    "BackTable": s.Back,
    "FlowTable": s.Flow,
    "RecordTable": s.Record,
    "RepeatTable": s.Repeat,
    "StopTable": s.Stop,
    "LossSpec": s.Loss,
    "Pipe": s.Pipe,
    "Direction": s.Direction,
}


def keys(part: type) -> set[str]:
    return {part._keys.get(field.name, field.name) for field in dataclasses.fields(part)}  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", MIRRORS)
def test_every_table_of_the_file_has_its_class_with_the_same_keys(name: str) -> None:
    """A rule added in Rust is added to python/acklab/scenario too; this is what says so."""
    assert keys(MIRRORS[name]) == set(SCHEMA["$defs"][name]["properties"])


def test_the_top_of_the_file_has_the_same_keys() -> None:
    assert keys(s.Scenario) == set(SCHEMA["properties"])


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Topology", {"dumbbell": s.Dumbbell, "parking-lot": s.ParkingLot, "asymmetric": s.Asymmetric}),
        ("QueueSpec", {"drop-tail": s.Queue}),
        ("AckPolicyKind", {"every": None, "delayed": s.Ack}),
    ],
)
def test_every_variant_has_its_class(name: str, parts: dict[str, type | None]) -> None:
    definition = SCHEMA["$defs"][name]
    variants = definition.get("oneOf", [definition])
    tags = {"kind", "policy"}
    found = {}
    for variant in variants:
        tag = next(key for key in variant["properties"] if key in tags)
        found[variant["properties"][tag]["const"]] = set(variant["properties"])
    assert found.keys() == parts.keys()
    for tag, part in parts.items():
        assert part is None or keys(part) == found[tag]


def test_choices_are_the_files() -> None:
    """Every Literal of the builder lists what the simulator accepts, no more and no less."""
    import typing

    hints = typing.get_type_hints(s.Sender)
    for rule, schema in SCHEMA["$defs"]["SenderTable"]["properties"].items():
        if "$ref" not in schema:
            continue
        definition = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
        allowed = {form["const"] for form in definition.get("oneOf", []) if "const" in form}
        literals = [hint for hint in typing.get_args(hints[rule]) if typing.get_origin(hint) is typing.Literal]
        if allowed:
            assert {word for hint in literals for word in typing.get_args(hint)} == allowed, rule


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
    assert repr(s.Queue(packets=8)) == "Queue(kind='drop-tail', packets=8)"


def test_a_value_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="no value like"):
        s.Scenario(seed=1j).to_toml()  # type: ignore[arg-type]
