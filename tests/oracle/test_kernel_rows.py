"""The stack `linux` beside a kernel in virtual time, transfer by transfer (`kernel-rows`); no kernel is needed."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

import acklab

HERE = Path(__file__).parent / "kernel-rows"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "oracle" / "kernel-rows.md"
#: Rows, patterns and rows with default receivers that agree in every count but ACKs, and within 1 % in time: not fewer. Event logs that
#: are equal to the last packet.
AGREE = {"rows": 697, "patterns": 266, "defaults": 30, "logs": 19}
#: ... and those that agree in ACKs, too.
ACKS = {"rows": 689, "patterns": 233, "defaults": 18}


@pytest.fixture(scope="module")
def page():
    sys.path.insert(0, str(HERE))
    try:
        spec = importlib.util.spec_from_file_location("kernel_rows_page", HERE / "page.py")
        page = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(page)
        yield page
    finally:
        sys.path.remove(str(HERE))


def said(page, name, table):
    """The pages have this table."""
    texts = [path.read_text() for path in page.PAGES]
    assert any(f"<!-- begin {name} -->" in text for text in texts)
    assert all(page.filled(text, {name: table}) == text for text in texts), "tests/oracle/kernel-rows/page.py --write"


@pytest.mark.parametrize("name", list(AGREE))
def test_no_fewer_agree_and_the_page_says_so(page, name):
    table = page.parts(getattr(page, name)) if name != "logs" else page.packets()
    assert int(table.split()[0]) >= AGREE[name]
    if name in ACKS:
        assert int(re.search(r"and (\d+) in ACKs", table)[1]) >= ACKS[name]
    said(page, name, table)


@pytest.mark.parametrize("name", ["long_runs", "nudged", "presets"])
def test_the_page_has_what_long_runs_and_presets_say(page, name):
    said(page, name.removesuffix("_runs"), "\n".join(getattr(page, name).lines()))


def test_most_of_what_two_kernels_did_agrees_and_the_page_says_so(page):
    import apart  # beside the fixture's

    table = "\n".join(apart.lines())
    for name, apart_agree, processing_agree in (("rows", 622, 726), ("patterns", 273, 275)):
        counts = re.search(rf"^\| {name} \| \d+ \| \d+ \| (\d+) \| (\d+) \|", table, re.MULTILINE)
        assert int(counts[1]) >= apart_agree and int(counts[2]) >= processing_agree, name
    said(page, "apart", table)


def test_dctcp_is_as_far_from_two_kernels_as_the_page_says(page):
    import dctcp  # beside the fixture's

    table = "\n".join(dctcp.lines())
    equal = [int(line.split("|")[8]) for line in table.splitlines()[4:]]
    whole = [line.split("|")[-2].strip() == "none" for line in table.splitlines()[4:]]
    assert len(equal) == 12 and min(equal) >= 1228 and sum(whole) >= 8
    said(page, "dctcp", table)


def test_acks_have_the_sizes_of_linuxs_options():
    """`tcp_synack_options` and `tcp_established_options` in net/ipv4/tcp_output.c."""
    receiver = {"stack": "linux", "sack_head_bytes": 4, "syn_options_bytes": 8}
    run = acklab.run({
        "stop": {"when": "flows-complete"},
        "record": {"packets": True},
        "link": [{"between": ["S", "R"], "rate": "10Mbps", "delay": "1ms", "loss": {"list": [6, 8]}}],
        "flow": [{"from": "S", "to": "R", "size": {"segments": 12}, "sender": {"stack": "linux"}, "receiver": receiver}],
    })  # fmt: skip
    import polars

    sent = polars.DataFrame(run.packets).filter((polars.col("event") == "enqueue") & (polars.col("link") == "R->S"))
    sizes = [(len(sack), size) for sack, size in zip(sent["sack"].to_list(), sent["size_bytes"].to_list())]
    assert sizes[0] == (0, 60)
    assert set(sizes[1:]) == {(0, 52), (1, 64), (2, 72)}


@pytest.mark.long
def test_the_page_has_the_effect_of_each_rule(page):
    said(page, "rules", page.rules.table())


def test_downloads_over_presets_take_as_long_as_on_linux(page):
    found = page.presets.judged()
    for (name, size, _), (theirs, ours) in found.items():
        if name in page.presets.ONCE:
            assert ours["completion_s"] == pytest.approx(theirs["completion_s"], rel=0.01), (name, size)
            assert ours["acks_sent"] == pytest.approx(theirs["acks_sent"], rel=0.04), (name, size)
    for side in (0, 1):
        lte = [pair[side]["completion_s"] for (name, *_), pair in found.items() if name == "lte-fdd"]
        assert max(lte) > 1.6 * min(lte)
    for (name, _, seed), (theirs, ours) in found.items():
        if name == "nr-tdd":
            assert ours["completion_s"] == pytest.approx(theirs["completion_s"], rel=0.02), seed


def test_the_twelve_paths_agree_in_virtual_time(page):
    import paths  # beside the fixture's

    rows = [line.strip("| ").split(" | ") for line in paths.lines() if re.match(r"\|.*\d", line)]
    assert len(rows) == 24
    for *name, kernel, linux, _, _, _, _, _, _, kernel_acks, linux_acks in rows:
        assert float(linux) == pytest.approx(float(kernel), abs=0.011), name
        assert int(linux_acks) == pytest.approx(int(kernel_acks), rel=0.006), name


@pytest.mark.parametrize(("stack", "packets"), [("linux", [60, 52, 1500]), ("rfc", [40, 1500, 1500])])
def test_linux_acknowledges_the_syns_answer_before_data(stack, packets):
    """`tcp_rcv_synsent_state_process` in net/ipv4/tcp_input.c; twenty bytes of options on the SYN (`tcp_syn_options`)."""
    run = acklab.run({
        "stop": {"when": "flows-complete"},
        "record": {"packets": True},
        "link": [{"between": ["S", "R"], "rate": "10Mbps", "delay": "1ms"}],
        "flow": [{"from": "S", "to": "R", "size": {"segments": 5}, "sender": {"stack": stack}}],
    })  # fmt: skip
    import polars

    sent = polars.DataFrame(run.packets).filter((polars.col("event") == "enqueue") & (polars.col("link") == "S->R"))
    assert sent["size_bytes"].to_list()[:3] == packets


def test_uploads_between_default_kernels_have_as_many_acks(page):
    import uploads  # beside the fixture's

    found = uploads.judged()
    table = "\n".join(uploads.lines(found))
    assert uploads.within(found) == len(found) >= 64
    assert uploads.within(found, 0.005) >= 0.98 * len(found)
    assert sum(same == len(theirs) == len(ours) for theirs, ours, same in found.values()) >= 47
    text = uploads.PAGE.read_text()
    assert uploads.filled(text, table) == text, "tests/oracle/kernel-rows/uploads.py --write"


def test_what_changed_between_kernels_is_on_the_page(page):
    import versions  # beside the fixture's

    text = versions.PAGE.read_text()
    assert versions.filled(text, versions.tables()) == text, "tests/oracle/kernel-rows/versions.py --write"


def test_linux_6_1_inside_one_kernel_is_on_the_page_and_the_rules_are_its(page):
    import inside  # beside the fixture's

    text, rows = inside.PAGE.read_text(), inside.kernels()
    assert inside.versions.filled(text, inside.tables()) == text, "tests/oracle/kernel-rows/inside.py --write"
    same, near = {name: [] for name in ("", *inside.REPLACED)}, 0
    for path in inside.paths(rows):
        theirs = rows["6.1", path]["acks"]
        for name, found in same.items():
            ours = inside.simulated(("6.1", path), rows["6.1", path], inside.REPLACED.get(name, {}))
            found.append(inside.same(theirs, ours))
            near += not name and abs(len(ours) / len(theirs) - 1) <= 0.01
    assert near >= 55 and len(same[""]) == 56
    # By the growth of 6.12 the seventeenth ACK is another; by its bursts a later one, and a later one still by the rules of 6.1.
    assert same["`growth`"].count(16) == 54 and min(same["`segmentation`"]) > 16
    assert sum(ours > theirs for ours, theirs in zip(same[""], same["`segmentation`"])) >= 40


def test_uploads_with_losses_and_slow_readers_are_on_the_page(page):
    import uploads
    import uploads_hard

    assert {path for _, path in uploads.read(uploads_hard.FILE)} == set(uploads_hard.drawn())
    assert "\n".join(uploads_hard.lines()) in uploads.PAGE.read_text(), (
        "tests/oracle/kernel-rows/uploads_hard.py --write"
    )


def test_without_bursts_or_memory_the_acks_of_uploads_are_others(page):
    import uploads  # beside the fixture's

    kept = uploads.read()
    for path, end, key, value in [
        (uploads.EIGHT[0], "sender", "segmentation", "off"),
        (uploads.EIGHT[7], "receiver", "ack", {"policy": "linux", "tick": "1ms"}),
    ]:
        row = kept["7.3", path]
        scenario = uploads.scenario("7.3", path, row)
        scenario["flow"][0][end][key] = value
        acks = acklab.run(scenario).summary()["flows"][0]["acks_sent"]
        assert abs(acks / len(row["acks"]) - 1) > 0.05, (key, acks, len(row["acks"]))


@pytest.mark.parametrize(
    ("end", "rules", "wrong"),
    [
        ("sender", {"stack": "rfc", "segmentation": "linux"}, "segmentation"),
        ("sender", {"stack": "linux", "segmentation": "linux", "pacing": {"kind": "spread"}}, "segmentation"),
        ("sender", {"stack": "linux", "segmentation": "linux", "control": "bbr"}, "segmentation"),
        ("receiver", {"stack": "rfc", "ack": {"policy": "linux", "memory": 131072}}, "ack.memory"),
    ],
)
def test_bursts_and_memory_go_with_what_they_need(end, rules, wrong):
    flow = {
        "name": "f",
        "from": "S",
        "to": "R",
        "sender": {"stack": "ns2-2.35"},
        "receiver": {"stack": "rfc"},
        end: rules,
    }
    path = {"between": ["S", "R"], "rate": "1Mbps", "delay": "1ms", "queue": {"kind": "drop-tail", "packets": 10}}
    with pytest.raises(acklab.ScenarioError, match=re.escape(wrong)):
        acklab.run({"stop": {"at": "1s"}, "link": [path], "flow": [flow]})
