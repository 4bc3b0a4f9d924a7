"""Plans of `acklab sweep`: values, ranges, points, and what is said about plans that are none."""

from __future__ import annotations

import math
import random
import re
from datetime import date
from pathlib import Path

import pytest

import acklab
from acklab import ScenarioError
from acklab.study.grammar import StudyError, column, read, values_of_range
from acklab.study.reading import vary, with_options
from acklab.study.seeds import seeds
from acklab.study.sweep import Design, from_file, from_tree
from front import TWO_HOPS, Acklab

DOTTED = TWO_HOPS.replace('name = "f"', 'name = "a.b"')


def plan(**keys: object):  # noqa: ANN201
    return from_tree({"scenario": TWO_HOPS, "vary": {"flow.0.sender.window": [4, 8]}, **keys}, "plan.toml")


def design(**keys: object) -> Design:
    found = Design(plan(**keys))
    found.check()
    return found


# ---- values ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("4..8", [4, 5, 6, 7, 8]),
        ("4..9 step 2", [4, 6, 8]),
        ("1Mbps..10Mbps/4", ["1Mbps", "4Mbps", "7Mbps", "10Mbps"]),
        ("0.0..1.0/5", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("1..1000/4 log", [1, 10, 100, 1000]),
        ("1ms..100ms/3 log", ["1ms", "10ms", "100ms"]),
        ("900kbps..1.1Mbps/3", ["900000bps", "1000000bps", "1100000bps"]),
        ({"from": "10ms", "to": "30ms", "step": "0.01s"}, ["10ms", "20ms", "30ms"]),
        ({"from": 1, "to": 4, "points": 4}, [1, 2, 3, 4]),
        (range(3), [0, 1, 2]),
        (["every", "delayed"], ["every", "delayed"]),
    ],
)
def test_values(given: object, expected: list[object]) -> None:
    assert values_of_range(given) == expected


def test_ranges_begin_and_end_where_they_say_and_rise_evenly() -> None:
    draw = random.Random(3)
    for _ in range(300):
        low, points = draw.uniform(0.001, 1e6), draw.randint(2, 200)
        high = low * draw.uniform(1.01, 1000)
        low, high = float(f"{low:.6g}"), float(f"{high:.6g}")
        unit = draw.choice(["", "Mbps", "ms", "kB"])
        for scale in ("linear", "log"):
            found = [
                read(one)
                for one in values_of_range(
                    {"from": f"{low!r}{unit}", "to": f"{high!r}{unit}", "points": points, "scale": scale}
                )
            ]
            numbers = [one.number for one in found if one is not None and one.unit == unit]
            assert len(numbers) == points
            assert math.isclose(numbers[0], low, rel_tol=1e-11) and math.isclose(numbers[-1], high, rel_tol=1e-11)
            steps = [b / a if scale == "log" else b - a for a, b in zip(numbers, numbers[1:], strict=False)]
            assert all(math.isclose(step, steps[0], rel_tol=1e-5) for step in steps) and steps[0] > (scale == "log")


def test_columns_have_one_unit() -> None:
    assert column(["500ms", "1s"]) == ("s", [0.5, 1.0])
    assert column([1, 2.5]) == ("", [1.0, 2.5])
    assert column(["1Mbps", "1s"]) == ("", ["1Mbps", "1s"])
    assert column([True, False]) == ("", ["true", "false"])
    assert column([{"policy": "every"}, "x"]) == ("", ['{ policy = "every" }', "x"])


# ---- points ----------------------------------------------------------------------------------------------------------
def test_products_zips_and_alternatives_multiply() -> None:
    draw = random.Random(5)
    keys = ["flow.0.sender.window", "link.1.rate", "link.0.delay", "link.1.queue.packets"]
    for _ in range(50):
        sizes = [draw.randint(1, 5) for _ in keys]
        zipped = draw.randint(1, 4)
        tree = {
            "vary": {key: [f"{k + 1}" for k in range(size)] for key, size in zip(keys, sizes, strict=True)},
            "together": [{"link.0.rate": [f"{k + 1}Mbps" for k in range(zipped)], "link.1.delay": ["1ms"] * zipped}],
            "alternatives": {"x": {"one": {"flow.0.start": "1s"}, "two": {"flow.0.start": "2s"}}},
        }
        found = Design(plan(**tree))
        count = math.prod(sizes) * zipped * 2
        assert found.plan.points == count
        every = [tuple(map(str, found.cells(point))) for point in range(count)]
        assert len(set(every)) == count and every[0][-1] == "one" and every[1][-1] == "two", (
            "the last axis goes round fastest"
        )


def test_keys_that_vary_together_are_set_together() -> None:
    found = design(together=[{"link.0.rate": ["2Mbps", "4Mbps"], "link.1.rate": ["1Mbps", "2Mbps"]}])
    assert [found.cells(point) for point in range(4)] == [[4, 2e6, 1e6], [4, 4e6, 2e6], [8, 2e6, 1e6], [8, 4e6, 2e6]]
    assert found.sets(1)[-3:] == ["flow.0.sender.window=4", 'link.0.rate="4Mbps"', 'link.1.rate="2Mbps"']


def test_keys_without_quotes_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(DOTTED)
    plans = [
        'scenario = "s.toml"\n[vary]\n"flow.\\"a.b\\".sender.window" = [4, 8]\n',
        'scenario = "s.toml"\nvary.flow."a.b".sender.window = [4, 8]\n',
        'scenario = "s.toml"\n[vary.flow."a.b".sender]\nwindow = "4..8 step 4"\n',
    ]
    for text in plans:
        (tmp_path / "plan.toml").write_text(text)
        found = Design(from_tree(from_file(tmp_path / "plan.toml"), "plan.toml", tmp_path))
        found.check()
        assert found.sets(1) == ["record={}", 'flow."a.b".sender.window=8']
        assert '"window":8' in found.lines(1, [1])[0]


def test_a_queue_is_a_share_of_the_bandwidth_delay_product() -> None:
    found = design(
        vary={"link.1.rate": ["1.5Mbps", "3Mbps"], "$share": [0.5, 2.0]},
        derive={
            "link.1.queue.packets": {
                "times": ["$share", "link.1.rate", "100ms"],
                "over": [8, 1500],
                "round": "up",
                "at_least": 8,
            }
        },
    )
    assert [found.settings(point)["link.1.queue.packets"] for point in range(4)] == [8, 25, 13, 50]
    assert [column.title for column in found.plan.columns_told] == ["rate_bps", "share"]


def test_what_is_derived_reads_the_scenario_and_writes_units() -> None:
    double = {"times": [2, "link.0.delay"], "unit": "ms", "plus": ["1ms"]}
    found = design(derive={"link.1.delay": double, "flow.0.start": {"times": "link.1.delay", "unit": "s"}})
    assert found.settings(0) == {"flow.0.sender.window": 4, "link.1.delay": "5ms", "flow.0.start": "0.005s"}


def test_draws_are_the_seeds_and_the_same_at_every_point() -> None:
    found = design(draw={"flow.0.start": "0s..1s", "flow.0.size.segments": [10, 20, 30]}, seeds=3)
    first, second = found.sets(0, 1)[-2:], found.sets(1, 1)[-2:]
    assert first == second and found.sets(0, 2)[-2:] != first
    sizes = {found.sets(0, seed)[-1] for seed in range(1, 40)}
    assert sizes == {f"flow.0.size.segments={n}" for n in (10, 20, 30)}


def test_more_seeds_until_the_interval_is_narrow() -> None:
    rule = seeds({"at_least": 5, "at_most": 50, "half_width": 0.1})
    assert rule.more([1.0, 1.01, 0.99, 1.0, 1.0]) == 5
    assert rule.more([1.0, 2.0, 3.0, 4.0, 5.0]) == rule.grown(5) > 5
    assert rule.more([1.0, 2.0] * 25) == 50, "never more than at_most"
    assert rule.more([0.0] * 5) == 5, "what never varies is known"
    assert rule.more([1.0, math.nan, 3.0, 4.0, 5.0]) == 5, "a run without a value stays one"


# ---- what is no plan -------------------------------------------------------------------------------------------------
RULE = {"at_least": 6, "at_most": 9, "half_width": 0.1}
BDP = {"times": [1, "link.1.rate"], "over": [8]}
WRONG = [
    ({"vary": {}}, "nothing varies; give [vary]"),
    ({"vary": {"flow.0.sender.window": []}}, "vary.flow.0.sender.window = [] is an empty list"),
    ({"vary": {"flow.0.sender.window": [4, 4]}}, "has 4 twice"),
    ({"vary": {"link.1.rate": "1Mbps..2s/3"}}, 'vary.link.1.rate = "1Mbps..2s/3" goes from "1Mbps" to "2s"'),
    ({"vary": {"link.1.rate": "2Mbps..1Mbps/3"}}, "the first end has to be below the second"),
    ({"vary": {"link.1.rate": "1Mbps..2Mbps"}}, "says neither points nor a step"),
    ({"vary": {"flow.0.sender.window": "1..4/6"}}, "has the point 1.6 between whole ends"),
    ({"vary": {"flow.0.sender.window": "0..4/3 log"}}, "begins at 0 or below on a log scale"),
    ({"vary": {"flow.0.sender.window": "4..8/one"}}, 'has "one" points; give a whole number from 2'),
    ({"vary": {"flow.0.sender.window": {"from": 1, "to": 4, "step": 0}}}, "has the step 0; give a positive number"),
    (
        {"vary": {"flow.0.sender.window": {"from": 1, "to": 4, "many": 2, "points": 2}}},
        "has unknown many; a range has from",
    ),
    ({"vary": {"flow.0.sender.window": "4"}}, 'vary.flow.0.sender.window = "4" is no range'),
    ({"vary": {"flow.0.sender.window": 4}}, "vary.flow.0.sender.window = 4 gives nothing to vary"),
    (
        {"vary": {"flow.0.sender.windw": [4]}},
        "at flow.0.sender.windw=4: scenario: flow[0].sender.windw: unknown key; did you mean `window`?",
    ),
    ({"vary": {"flow.9.sender.window": [4]}}, "`flow` has no entry `9` to set"),
    ({"vary": {'flow."f.sender': [4]}}, "a quote is not closed"),
    ({"vary": {"flow.0.sender.window": [4, -8]}}, "at flow.0.sender.window=-8: scenario: "),
    (
        {"vary": {"flow.0.start": [date(2026, 1, 1)]}},
        "vary.flow.0.start has datetime.date(2026, 1, 1); a value is text",
    ),
    ({"vary": {"seed": [1, 2]}}, "a sweep decides this itself; give `seeds`"),
    ({"vary": {"record.series": [True]}}, "it records nothing but the summary"),
    ({"vary": {"$1": [1]}}, '"$1" is no variable'),
    ({"vary": {"$x": [1, 2]}}, "$x is a variable that nothing is derived from"),
    ({"vary": [4]}, "vary = [4]: has to be a table"),
    ({"varry": {}}, "no key varry; did you mean vary?"),
    ({"scenario": None}, "no scenario; give scenario ="),
    ({"scenario": "nowhere.toml"}, 'scenario = "nowhere.toml": No such file or directory'),
    (
        {"together": [{"link.0.rate": ["1Mbps"], "link.1.rate": ["1Mbps", "2Mbps"]}]},
        "link.0.rate has 1, link.1.rate has 2",
    ),
    ({"together": [{"flow.0.sender.window": [1, 2]}]}, "flow.0.sender.window is varied twice"),
    ({"together": {"link.0.rate": ["1Mbps"]}}, "has to be a list of tables"),
    ({"alternatives": {"x": {}}}, "alternatives.x = {} has no alternatives"),
    ({"alternatives": {"x": {"a": 4}}}, "has a = 4, which is no table of keys"),
    ({"alternatives": {"seed": {"a": {"flow.0.start": "1s"}}}}, "two columns would be called seed"),
    ({"derive": {"flow.0.start": 4}}, "derive.flow.0.start = 4: has to be a table"),
    (
        {"derive": {"flow.0.start": {"times": ["nothing"], "unit": "s"}}},
        "derive.flow.0.start: nothing is not there; a factor is",
    ),
    ({"derive": {"flow.0.start": {"times": ["flow.0.from"]}}}, 'flow.0.from is "S", which is no number'),
    ({"derive": {"flow.0.start": {"times": ["$x"]}}}, "no variable $x is varied or set; there are none"),
    ({"derive": {"flow.0.start": {"times": [1], "over": [0]}}}, "is 0; nothing can be divided by it"),
    (
        {"derive": {"flow.0.start": {"times": [1e300, 1e300], "round": "up"}}},
        "derive.flow.0.start: the product is beyond any number",
    ),
    ({"vary": {"flow.0.sender.window": "1.0..1e300 step 1e-300"}}, "values; at most 1,000,000"),
    ({"vary": {"flow.0.sender.window": "1..2000000 step 1"}}, "has 2,000,000 values; at most 1,000,000"),
    (
        {"derive": {"flow.0.start": {"times": [1], "round": "off"}}},
        'derive.flow.0.start.round = "off": one of up, down, nearest',
    ),
    ({"derive": {"flow.0.start": {"times": [1], "unit": "h"}}}, 'derive.flow.0.start.unit = "h": one of bps'),
    ({"derive": {"flow.0.start": {"times": [1], "at_least": 2, "at_most": 1}}}, "has at_least above at_most"),
    ({"derive": {"flow.0.sender.window": BDP}}, "flow.0.sender.window is varied and derived"),
    ({"draw": {"flow.0.start": "0s"}}, 'can not be drawn from; give "0s..1s"'),
    ({"draw": {"flow.0.start": "0s..1Mbps"}}, "both bounds need the same kind of unit"),
    ({"draw": {"flow.0.size.segments": [3, 0]}}, "scenario: flow[0].size.segments: is 0"),
    ({"seeds": 0}, "seeds = 0: give a whole number from 1 to 1,000,000"),
    ({"seeds": {**RULE, "at_least": 1}}, "seeds.at_least = 1: a whole number from 5"),
    ({"seeds": {**RULE, "at_most": 5}}, "seeds.at_least = 6: is above at_most = 5"),
    ({"seeds": {**RULE, "half_width": 5}}, "seeds.half_width = 5: a share of the mean"),
    ({"seeds": {**RULE, "metric": "x"}}, 'seeds.metric = "x": no metric of that name; there are none'),
    ({"seeds": {**RULE, "until": 1}}, "seeds: no key until; there are"),
    ({"spread_starts": "soon"}, 'spread_starts = "soon": a time'),
    ({"metrics": ["speed"]}, "no quantity `speed`; there are completion"),
    ({"metrics": ["completion@x"]}, "metric completion of x: no flow `x`; there are f"),
    ({"metrics": ["drops@G->X"]}, "no link direction `G->X`; there are S->G"),
    ({"metrics": ["goodput", "goodput"]}, "two metrics have one name"),
    ({"columns": ["speed"]}, "columns: no column `speed`; the flows table has name"),
    ({"set": {"seed": 4}}, "a sweep decides this itself"),
    (
        {"title": [{"every": {"a.b": {"policy": "every"}}}, "null"]},
        'title = [{"every": {"a.b": {"policy": "every"}}}, "null"]: has to be a text',
    ),
    ({"set": {"title": "a\ud800b"}}, "'a\\ud800b' holds half a surrogate pair, which is no text"),
]


@pytest.mark.parametrize(("keys", "said"), WRONG, ids=[said[:40] for _, said in WRONG])
def test_what_is_no_plan_is_said_before_anything_runs(keys: dict, said: str) -> None:
    with pytest.raises(StudyError) as error:
        design(**keys)
    text = str(error.value)
    assert text.startswith("plan.toml: ") and said in text, text
    assert text.count("\n") <= 2 and "Traceback" not in text


def test_a_scenario_that_is_no_toml_is_told_by_its_name() -> None:
    with pytest.raises(ScenarioError, match="scenario:2:2:"):
        Design(plan(scenario="a = \nb"))


def test_too_many_points_are_refused() -> None:
    keys = [f"flow.0.sender.{name}" for name in ("window", "packet")]
    with pytest.raises(StudyError, match="points; at most"):
        plan(vary={key: {"from": 1, "to": 4000, "step": 1} for key in keys})


def test_the_command_says_the_same_and_leaves_nothing(acklab_command: Acklab, two_hops: Path, tmp_path: Path) -> None:
    for arguments, said in [
        ([two_hops], "is a scenario, not a plan; give [vary] in a plan, or --vary KEY=VALUES"),
        ([two_hops, "--vary", "flow.0.sender.window"], "varies nothing; write KEY=VALUES"),
        ([two_hops, "--vary", "flow.0.sender.window=-1"], "at flow.0.sender.window=-1"),
        ([two_hops, "--vary", "flow.0.sender.window=4", "--vary", "flow.0.sender.window=8"], "is there twice"),
        ([two_hops, "--vary", "flow.0.sender.window=4", "--seeds", "2..9"], "depends on --half-width"),
        ([two_hops, "--vary", "flow.0.sender.window=4", "--seeds", "0"], "from 1 to 1,000,000"),
        ([two_hops, "--vary", "flow.0.sender.window=4", "--set", "link.0.rate=x"], "link[0].rate"),
        ([two_hops, "--vary", "flow.0.sender.window=4", "--case", "x: y"], "sets nothing"),
        ([tmp_path / "no.toml", "--vary", "a=1"], "No such file or directory"),
    ]:
        done = acklab_command("sweep", *map(str, arguments), "--out", str(tmp_path / "out"))
        assert done.returncode == 2 and said in done.stderr and not done.stdout, done.stderr
        assert "Traceback" not in done.stderr and not (tmp_path / "out").exists()


def test_options_change_a_plan() -> None:
    tree = {"vary": {"flow": {"0": {"start": ["1s"]}}}, "seeds": 3}
    found = with_options(
        tree, {"vary": {"flow.0.start": ["2s"], "a.b": [1]}, "together": [{"c": [1]}], "alternatives": {"case": {}}}
    )
    assert found == {
        "vary": {"flow.0.start": ["2s"], "a.b": [1]},
        "seeds": 3,
        "together": [{"c": [1]}],
        "alternatives": {"case": {}},
    }


def test_flags_are_a_plan() -> None:
    assert vary(["a.b=4,8", 'c.d=1Mbps..2Mbps/2; flow."x=y".z=a,b']) == {
        "vary": {"a.b": [4, 8]},
        "together": [{"c.d": "1Mbps..2Mbps/2", 'flow."x=y".z': ["a", "b"]}],
    }


# ---- names of columns ------------------------------------------------------------------------------------------------
def test_columns_need_no_quotes_in_sql() -> None:
    import duckdb

    told = acklab.sweep(
        scenario=TWO_HOPS,
        vary={
            "link.1.queue.packets": [8, 20],
            "link.0.rate": ["5Mbps"],
            "link.1.rate": ["1Mbps"],
            "link.1.delay": ["1ms"],
        },
        draw={"flow.0.start": "0s..1s"},
        names={"link.1.delay": "far"},
    )
    assert told.summary.columns[1:5] == ["queue_packets", "link_0_rate_bps", "link_1_rate_bps", "far_s"]
    assert told.flows.columns[1:7] == [
        "queue_packets",
        "link_0_rate_bps",
        "link_1_rate_bps",
        "far_s",
        "seed",
        "flow_0_start_s",
    ]
    flows = told.flows  # noqa: F841
    found = duckdb.sql(
        "select queue_packets, min(link_1_rate_bps), max(far_s), min(flow_0_start_s) from flows group by 1 order by 1"
    )
    assert [row[0] for row in found.fetchall()] == [8, 20]


def test_every_name_is_a_word_and_there_once() -> None:
    from acklab.study.keys import names, titled

    draw = random.Random(3)
    steps = ["queue", "packets", "rate", "a b", "x", "delay", "sender", "2"]
    for _ in range(2000):
        keys = {
            f"{draw.choice(['link', 'flow', 'stop'])}.{'.'.join(draw.choices(steps, k=draw.randint(1, 4)))}"
            for _ in range(5)
        }
        units = {key: draw.choice(["", "s", "bps"]) for key in keys}
        found = names(list(units.items()), {}, ["rate_bps", "x"])
        titles = [titled(found[key], units[key]) for key in units]
        assert len(set(titles)) == len(titles) and not {"rate_bps", "x"} & set(titles)
        assert all(re.fullmatch(r"\w+", title) for title in titles)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"link.7.rate": "x"},
            "names.link.7.rate: nothing of that key varies or is drawn; there are flow.0.sender.window",
        ),
        ({"flow.0.sender.window": "a.b"}, 'names.flow.0.sender.window = "a.b": a name is letters, digits and _'),
        ({"flow.0.sender.window": "seed"}, "two columns would be called seed; give one another name"),
        ({"flow.0.sender.window": "bytes"}, "two columns would be called bytes"),
    ],
)
def test_a_name_that_is_none(given: dict, said: str) -> None:
    with pytest.raises(StudyError, match=re.escape(said)):
        plan(names=given)
