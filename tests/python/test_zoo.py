"""The zoo: what its numbers mean, worked by hand; its page's tables; and, where a kernel and a member are there, a run."""

from __future__ import annotations

import argparse
import json
import re
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from acklab_zoo import output
from acklab_zoo.measure import measure
from acklab_zoo.members import MEMBERS
from acklab_zoo.packets import Download, download
from acklab_zoo.paths import PATHS
from acklab_zoo.run import Pair, row, rows
from acklab_zoo.tables import tables

ROOT = Path(__file__).parents[2]
ROWS = ROOT / "tests" / "oracle" / "zoo" / "rows.json"
sys.path.insert(0, str(ROWS.parent))

import drawn  # noqa: E402
import simulated  # noqa: E402


def seen(arrived: list[float], back: list[float], **more: list) -> Download:
    """A download of packets that arrive at these times, in order, unmarked, unless said otherwise."""
    count = len(arrived)
    return Download(
        sent_s=np.array(more.get("sent", arrived)),
        arrived_s=np.array(arrived),
        number=np.array(more.get("number", range(count))),
        ce=np.array(more.get("ce", [False] * count)),
        ect=np.array([True] * count),
        bytes=np.full(count, 1200),
        back_s=np.array(back),
        back_bytes=np.full(len(back), 60),
    )


@pytest.mark.parametrize("value", ["</script>", 1, None, [], {}, True, -1, 1e308, 10**400, 10**30])
@pytest.mark.parametrize(
    "key", ["sender", "receiver", "path", "error", "per_ack", "completion_s", "seed", "protocol", "held_p50_ms"]
)
def test_rows_that_are_damaged_are_refused_or_shown(tmp_path: Path, key: str, value: object) -> None:
    good = json.loads(ROWS.read_text())[0]
    file = tmp_path / "rows.json"
    for base in ({"sender": "a", "receiver": "a", "path": "plain", "per_ack": 2.0}, good, {**good, "receiver": "b"}):
        file.write_text(json.dumps([{**base, key: value}] * 2))
        try:
            read = output.read(file)
        except output.ZooError as error:
            assert key in str(error) or "lacks" in str(error)
        else:
            assert output.text(read) and output.page(read) and json.loads(output.plain(read))


def test_rows_that_are_nested_too_deep_are_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text(100_000 * "[")
    with pytest.raises(output.ZooError, match="no JSON"):
        output.read(tmp_path / "rows.json")


def test_packets_an_ack_and_how_long_they_are_held() -> None:
    # Three ACKs: of 2 packets, of 3 and of 1; the oldest waits 10, 20 and 5 ms.
    told = measure(seen([0.0, 0.01, 0.02, 0.03, 0.035, 0.1], [0.01, 0.04, 0.105]), PATHS["plain"])
    assert (told["packets"], told["acks"], told["per_ack"]) == (6, 3, 2.0)
    assert told["held_p50_ms"] == pytest.approx(10)
    assert told["held_max_ms"] == pytest.approx(20)


def test_answers_at_once() -> None:
    # Number 3 opens a gap and has its ACK within a millisecond; 2 comes late, and only a timer answers; the mark's ACK comes after more data.
    told = measure(
        seen(
            [0.0, 0.01, 0.02, 0.03, 0.04, 0.0405],
            [0.0201, 0.055],
            number=[0, 1, 3, 2, 4, 5],
            ce=[False, False, False, False, True, False],
        ),
        PATHS["plain"],
    )
    assert (told["gap_packets"], told["gap_at_once"]) == (1, 1.0)
    assert (told["late_packets"], told["late_at_once"]) == (1, 0.0)
    assert (told["ce_packets"], told["ce_at_once"]) == (1, 0.0)


def test_bursts_of_the_server() -> None:
    # Bursts of 2, 1 and 3 packets: the limit is 0.1 ms between two.
    told = measure(
        seen([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.2], sent=[0.0, 0.00005, 0.01, 0.02, 0.02005, 0.0201]), PATHS["plain"]
    )
    assert (told["burst_p50"], told["burst_max"]) == (2.0, 3.0)


def capture(path: Path, packets: list[tuple[float, int, int, bytes]]) -> Path:
    """A capture of UDP packets: time, source port, ECN, payload."""
    parts = [b"\x4d\x3c\xb2\xa1\x02\0\x04\0" + bytes(8) + b"\0\0\x04\0\x65\0\0\0"]
    for time, port, ecn, payload in packets:
        inside = struct.pack("!HHHH", port, 443 if port != 443 else 5000, 8 + len(payload), 0) + payload
        ip = struct.pack("!BBHHHBBH4s4s", 0x45, ecn, 20 + len(inside), 0, 0, 64, 17, 0, bytes(4), bytes(4)) + inside
        parts.append(struct.pack("<IIII", int(time), round(time % 1 * 1e9), len(ip), len(ip)) + ip)
    path.write_bytes(b"".join(parts))
    return path


def test_a_download_is_read_from_two_captures(tmp_path: Path) -> None:
    long, data = b"\xc0" + bytes(1199), [bytes([0x40, n]) + bytes(1198) for n in range(4)]
    ack, own = b"\x41" + bytes(30), b"\x42" + bytes(40)
    server = capture(
        tmp_path / "S.pcap",
        [(0.0, 443, 0, long), *((0.1 + n / 10, 443, 2, data[n]) for n in range(4)), (0.55, 443, 2, own)],
    )
    client = capture(tmp_path / "R.pcap", [
        (0.02, 443, 0, long), (0.05, 5000, 0, ack), (0.12, 443, 2, data[0]), (0.32, 443, 3, data[2]), (0.33, 5000, 0, ack),
        (0.35, 443, 2, data[1]), (0.36, 443, 2, own), (0.9, 5000, 0, ack),
    ])  # fmt: skip
    told = download(server, client)
    assert told.sent_s.tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4]), "neither the handshake nor the server's own ACK"
    assert told.number.tolist() == [0, 2, 1], "the fourth is lost"
    assert told.ce.tolist() == [False, True, False]
    assert told.back_s.tolist() == pytest.approx([0.33]), "between the first and the last data packet"
    assert told.back_bytes.tolist() == [20 + 8 + 31]


def test_another_file_is_no_capture(tmp_path: Path) -> None:
    (tmp_path / "R.pcap").write_bytes(b"something else, and long enough to have a header")
    with pytest.raises(ValueError, match="no capture"):
        download(tmp_path / "R.pcap", tmp_path / "R.pcap")


def test_versions_are_those_that_are_built() -> None:
    zoo = ROOT / "tools" / "zoo"
    for name, module in (("quic-go", "github.com/quic-go/quic-go"), ("x-net", "golang.org/x/net")):
        assert f"{module} v{MEMBERS[name].version}\n" in (zoo / "go.mod").read_text()
    assert f"gvisor.dev/gvisor v0.0.0-{MEMBERS['netstack'].version}" in (zoo / "go.mod").read_text()
    for name in ("quinn", "s2n-quic", "quiche", "smoltcp"):
        assert f'name = "{name}"\nversion = "{MEMBERS[name].version}"\n' in (zoo / name / "Cargo.lock").read_text()
    assert f"aioquic=={MEMBERS['aioquic'].version}\n" in (zoo / "aioquic" / "requirements.txt").read_text()


def test_rows_are_written_and_read(tmp_path: Path) -> None:
    rows = [{"sender": "a", "receiver": "a", "path": "lone", "per_ack": 1 / 3, "gap_at_once": None}]
    (tmp_path / "rows.json").write_text(output.plain(rows))
    assert output.read(tmp_path / "rows.json") == [
        {"sender": "a", "receiver": "a", "path": "lone", "per_ack": 0.3333333}
    ]
    for bad in ("{}", "[]", '[{"sender": 1}]', "no JSON"):
        (tmp_path / "bad.json").write_text(bad)
        with pytest.raises(output.ZooError):
            output.read(tmp_path / "bad.json")


def test_an_interrupt_keeps_the_runs_that_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second of three runs is interrupted: the first one's row is written, and the command says so."""
    from acklab_zoo import run
    from acklab_zoo import verb as zoo

    def one(pair: Pair, name: str, seed: int) -> dict[str, object]:
        if name == "plain":
            raise KeyboardInterrupt
        return {"sender": pair.sender, "receiver": pair.receiver, "path": name, "seed": seed, "error": "not done"}

    monkeypatch.setattr(run, "row", one)
    parser = argparse.ArgumentParser()
    zoo.add(parser.add_subparsers())
    out = tmp_path / "out"
    command = [
        "zoo",
        "--server",
        "mine",
        "--client",
        "mine",
        "--out",
        str(out),
        "--path",
        "lone",
        "--path",
        "plain",
        "--path",
        "fast",
    ]
    with pytest.raises(KeyboardInterrupt):
        zoo.act(parser.parse_args(command))
    assert [told["path"] for told in output.read(out / "rows.json")] == ["lone"]
    assert "interrupted; what 1 run gave is in" in capsys.readouterr().err


def test_each_protocol_has_a_matrix_of_its_own() -> None:
    """Two programs of QUIC and two of TCP, each pair once; the third of QUIC is met by one other only."""
    pairs = [("a", "b"), ("b", "a"), ("x", "y"), ("y", "x"), ("c", "a")]
    made = tables(
        [{"sender": by, "receiver": to, "path": "plain", "per_ack": 1.0, "completion_s": 2.0} for by, to in pairs]
    )
    shown = {table.name: (table.heads[1:], table.cells) for table in made if table.name.startswith("matrix")}
    one = "1.00 / 2.00"
    assert shown == {
        "matrix-plain": (["to x", "to y"], [["from x", "", one], ["from y", one, ""]]),
        "matrix-plain-2": (
            ["to a", "to b", "to c"],
            [["from a", "", one, ""], ["from b", one, "", ""], ["from c", one, "", ""]],
        ),
    }


def test_named_receivers_acknowledge_as_recorded() -> None:
    """Packets an ACK without drops; the bounds are what was found, rounded up."""
    rows = {(each["receiver"], each["path"]): each for each in output.read(ROWS) if each["sender"] == each["receiver"]}
    for name, most in (("quic-go", 1.5), ("quinn", 1), ("s2n-quic", 1), ("x-net", 4), ("quiche", 1)):
        for path in ("plain", "fast", "geo"):
            real, ours = simulated.of(rows[name, path]), simulated.simulated(name, PATHS[path])
            assert abs(simulated.differ(ours.per_ack, real.per_ack)) < most, (name, path)


def test_drawn_paths_are_those_of_the_seed() -> None:
    recorded = {each["path"]: each for each in output.read(drawn.FILE)}
    for name, path in drawn.paths():
        assert recorded[path.about]["receiver"] == name
    assert len(recorded) == drawn.COUNT


def test_a_handshake_takes_as_long_as_recorded() -> None:
    """First data of quic-go at 85.6 ms with 10 Mb/s both ways, and at 411.5 ms where the way back has 100 kb/s."""
    for path, recorded_s in (("plain", 0.08561), ("slow-back", 0.41146)):
        data_s = simulated.HANDSHAKES["quic-go"].data_s(PATHS[path]) + PATHS[path].rtt_s / 2 + 8 * 1308 / 1e7
        assert data_s == pytest.approx(recorded_s, abs=0.0005)


def test_recorded_rows_are_whole() -> None:
    for told in output.read(ROWS):
        assert told["path"] in PATHS and told["receiver"] in MEMBERS
        assert "error" in told or re.fullmatch("[0-9a-f]{64}", told["sha256"])


def test_a_member_runs_as_recorded() -> None:
    """A lone packet each 200 ms to x-net: each ACK after 24 ms, and the same packets at the client as recorded."""
    if not MEMBERS["x-net"].is_there() or not MEMBERS["linux-7.3"].is_there():
        pytest.skip("make zoo and LINUX=7.3 make kernel build what this needs")
    one = MEMBERS["x-net"]
    told = row(Pair("x-net", "x-net", one.server(), one.client(), ("7.3", "7.3")), "lone")
    assert "error" not in told, json.dumps(told)
    assert told["lone_p50_ms"] == pytest.approx(24.1, abs=0.01)
    recorded = [
        each
        for each in output.read(ROWS)
        if (each["sender"], each["receiver"], each["path"]) == ("x-net", "x-net", "lone")
    ]
    assert recorded
    for each in recorded:
        assert told["packets"] == each["packets"] and told["acks"] == each["acks"]


def test_boots_of_stacks_that_ask_the_processor_are_the_same() -> None:
    """aws-lc (s2n-quic) seeds itself by RDRAND and by jitter: in virtual time it finds neither, and two boots have the same bytes."""
    if not MEMBERS["s2n-quic"].is_there() or not MEMBERS["linux-7.3"].is_there():
        pytest.skip("make zoo and LINUX=7.3 make kernel build what this needs")
    one = MEMBERS["s2n-quic"]
    (told,) = rows([Pair("s2n-quic", "s2n-quic", one.server(), one.client(), ("7.3", "7.3"))], ["lone"], boots=2)
    assert "error" not in told, json.dumps(told)
    assert told["same"]
