"""The page as a file: it stands alone, and its data can be read back."""

import base64
import json
import re
import zlib

import numpy as np
import polars as pl
import pytest
import synthetic

from acklab import report
from acklab.plot import prep
from acklab.plot.runs import Run
from acklab.report import page
from acklab.report.encode import NANO, Blocks, coarse

BLOCK = re.compile(r'<script type="application/octet-stream" id="block-\d+">([^<]*)</script>')


@pytest.fixture(scope="module")
def html():
    return report.html([synthetic.run("every", segments=60), synthetic.run("delayed", segments=60, every=2)])


def read(blocks, about):
    """What codec.js does, said once more."""
    data = zlib.decompress(base64.b64decode(blocks[about["block"]]), 31)
    out, at, rows = {}, 0, about["rows"]
    for column in about["columns"]:
        planes = np.frombuffer(data, np.uint8, rows * column["planes"], at).reshape(column["planes"], rows)
        at += planes.size
        v = sum(plane.astype(np.int64) << (8 * i) for i, plane in enumerate(planes))
        if column.get("signed"):
            v = (v >> 1) ^ -(v & 1)
        if column.get("delta"):
            v = np.cumsum(v)
        scale = column.get("scale", 1)
        if column.get("nullable"):
            out[column["name"]] = [None if x == 0 else (x - 1) * scale for x in v.tolist()]
        else:
            out[column["name"]] = [x * scale for x in v.tolist()] if scale != 1 else v.tolist()
    assert at == len(data)
    return out


def test_nothing_outside_is_asked_for(html):
    text = BLOCK.sub("", html).replace("http://www.w3.org/2000/svg", "")  # the name of the language of saved charts
    # Neither a scheme nor a protocol-relative address in any attribute, import or url().
    assert not re.findall(
        r"""(?:https?:)?//[\w.-]+\.\w+""", re.sub(r"^\s*//.*$|\s//\s.*$", "", text, flags=re.MULTILINE)
    )
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!#)""", text)
    assert not re.findall(r"@import|\burl\((?!#)|\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon", text)
    assert "default-src 'none'" in text


def test_names_cannot_break_out_of_the_page():
    bad = "</script><script>alert(1)</script>"
    source = synthetic.run(bad, segments=10)
    text = report.html({**source, "title": bad})
    assert bad not in text
    assert text.count("<script>") == 1
    assert "&lt;/script&gt;" in text
    manifest = re.search(r'id="manifest">(.*?)</script>', text, re.DOTALL).group(1)
    assert json.loads(manifest)["title"] == bad


def test_the_same_run_gives_the_same_page():
    assert report.html(synthetic.run(segments=40)) == report.html(synthetic.run(segments=40))


def test_every_part_is_in_a_page():
    folder = page.resources.files("acklab.report").joinpath("assets")
    parts = {f.name for f in folder.iterdir() if not f.name.startswith((".", "_"))}
    entries = {"main.js", "static.js", "explorer.js", "explorer_worker.js"}
    text = "".join(map(page.script, sorted(entries)))
    others = {"report.html", "explorer.html", "explorer.css", "explorer.toml", "explorer.wasm.gz", "vega.min.js"}
    for name in parts - {*page.STYLES, *entries, *others}:
        own = re.findall(r"^export ((?:async )?(?:function|const|let|class) \w+)", page.asset(name), re.MULTILINE)
        assert own and all(f"\n{one}" in text for one in own), name


def test_the_data_reads_back(html):
    blocks = BLOCK.findall(html)
    manifest = json.loads(re.search(r'id="manifest">(.*?)</script>', html, re.DOTALL).group(1))
    run = Run.of(synthetic.run("delayed", segments=60, every=2))
    item = manifest["items"][1]
    ways = prep.journeys(run).filter(pl.col("kind") == "data")
    got = read(blocks, item["tables"]["data"])
    assert got["number"] == ways["seq"].to_list()
    assert got["sent_s"] == pytest.approx(ways["sent_s"].to_list(), abs=NANO)
    fates = [manifest["names"]["fates"][f >> 3] for f in got["flags"]]
    assert fates == ways["fate"].to_list()
    ended = [a + b if b is not None else None for a, b in zip(got["sent_s"], got["took_s"], strict=True)]
    assert ended == pytest.approx(ways["ended_s"].to_list(), abs=NANO)
    window = read(blocks, item["tables"]["window"])
    assert window["cwnd_segments"] == pytest.approx(prep.cwnd(run)["cwnd_segments"].to_list(), abs=0.0005)


@pytest.mark.parametrize(
    "values",
    [[], [0], [5, 5, 5], [-3, 2, -1], [None, 1, None, 0, 7], [2**40, 0, 2**40 + 1], [2**31 - 1, 0], [2**31, 1], list(range(1000))],
)  # fmt: skip
def test_columns_read_back(values):
    blocks = Blocks()
    frame = pl.DataFrame({"v": pl.Series(values, dtype=pl.Int64)})
    assert read(blocks.texts, blocks.add(frame))["v"] == values


def test_fractions_are_kept_to_their_resolution():
    blocks = Blocks()
    values = [0.0, 0.123456789, None, 99.5]
    about = blocks.add(pl.DataFrame({"v": values}), {"v": 1e-6})
    assert read(blocks.texts, about)["v"] == pytest.approx([0.0, 0.123457, None, 99.5], abs=1e-12)
    with pytest.raises(ValueError, match="coarser"):
        Blocks().add(pl.DataFrame({"v": [1e9]}), {"v": 1e-9})


def test_a_coarser_resolution_holds_what_a_fine_one_does_not():
    frame = pl.DataFrame({"time_s": [0.0, 3e5], "value": [4e9, 1.5], "small": [-0.25, 0.5]})
    found = coarse(frame, {"time_s": NANO, "value": 1e-6, "small": 1e-6})
    assert found == {"time_s": pytest.approx(1e-8), "value": pytest.approx(1e-4), "small": 1e-6}
    Blocks().add(frame, found)
    beyond = pl.DataFrame({"value": [0.0, 3e18]})  # bytes of a connection whose numbers jump
    assert coarse(beyond, {"value": 1e-6}) == {"value": pytest.approx(1e5)}
    Blocks().add(beyond, coarse(beyond, {"value": 1e-6}))
    empty = frame.clear()
    assert coarse(empty, {"value": 1e-6}) == {"value": 1e-6}


def test_write_leaves_the_page_and_charts_that_were_asked_for(tmp_path, monkeypatch):
    path = report.write(synthetic.run(segments=40), tmp_path / "out")
    assert path == tmp_path / "out" / "report.html" and not (tmp_path / "out" / "charts").exists()
    monkeypatch.setenv("ACKLAB_CHARTS", "svg")
    report.write(synthetic.run(segments=40), tmp_path / "out")
    charts = {f.name for f in (tmp_path / "out" / "charts").iterdir()}
    assert charts == {f"{c}.svg" for c in ("cwnd", "queue", "rtt", "throughput", "time_sequence", "timeline")}


def test_a_run_without_records_still_has_a_page(tmp_path):
    source = {**synthetic.run(segments=20), "series": None, "queue": None, "packets": None}
    report.write(source, tmp_path)
    assert (tmp_path / "report.html").exists()
    assert not (tmp_path / "charts").exists()
