"""Scripts in packetdrill's language: the parser, the runner, and what the command says."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acklab import _core
from acklab.engines import kernel
from acklab_drill import code, wire
from acklab_drill.parser import parse
from acklab_drill.prepare import prepared
from acklab_drill.script import Option, Packet
from acklab_drill.sysctls import device, settings
from acklab_drill.verb import on_kernel, on_stack
from acklab_drill.words import ScriptError
from front import Acklab

SUITE = Path(__file__).parents[1] / "drill"
SCRIPTS = sorted(SUITE.glob("*.pkt"))
booted = pytest.mark.skipif(not kernel.place().is_file(), reason="no kernel: make kernel")

OPENED = """\
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,nop,nop,sackOK,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.05 < . 1:1(0) ack 1 win 1000
+0 accept(3, ..., ...) = 4
"""


def outcome(text: str, stack: str = "linux") -> dict[str, object]:
    (told,) = on_stack([("s", text)], stack)
    return told


def test_there_are_many_scripts_and_each_says_what_it_tests() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SCRIPTS]
    assert len(texts) >= 120
    assert all(text.startswith("// ") and text.splitlines()[0].endswith(".") for text in texts)
    assert not [path for path, text in zip(SCRIPTS, texts, strict=True) if parse(text).unsupported]


def test_the_kernels_first_process_loads_the_scripts_part_alone() -> None:
    """It has neither site packages nor acklab on its path."""
    import acklab_drill

    program = (
        "import importlib.util as util, sys; spec = util.spec_from_file_location('first', sys.argv[1]); "
        "first = util.module_from_spec(spec); spec.loader.exec_module(first); print(callable(first.drill().run), "
        "any(name.partition('.')[0] in ('acklab', 'acklab_drill') for name in sys.modules))"
    )
    first = Path(acklab_drill.__file__).with_name("first.py")
    words = [sys.executable, "-I", "-S", "-B", "-c", program, str(first)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"


def test_the_scoreboard_is_todays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SUITE))
    import scoreboard

    rerun = "python tests/drill/scoreboard.py"
    files = tuple(path.read_text(encoding="utf-8") for path in (scoreboard.PAGE, scoreboard.ROWS))
    assert scoreboard.page(scoreboard.kept()) == files, f"not up to date: {rerun}"
    assert set(scoreboard.kept().values()) == {"pass"}


@booted
def test_a_script_has_addresses_files_and_a_version_of_linux(acklab_command: Acklab, tmp_path: Path) -> None:
    script = tmp_path / "sendfile.pkt"
    file = "`/bin/dd bs=1 count=700 if=/dev/zero of=/tmp/zeros`\n"
    calls = '+0 open("/tmp/zeros", O_RDONLY) = 5\n+0 sendfile(4, 5, [0], 700) = 700\n+0 > P. 1:701(700) ack 1\n'
    script.write_text(f"--local_ip=192.168.0.2\n--remote_ip=10.248.0.2\n{file}{OPENED}{calls}")
    done = acklab_command("drill", str(script), "--virtual", "--linux", "6.12")
    assert done.returncode == 0, done.stdout + done.stderr
    assert acklab_command("drill", str(script), "--linux", "6.12").returncode == 2
    assert parse(f"--local_ip=fd::1 --remote_ip=fd3d:fa7b:d17d::1\n{OPENED}").options == {
        "local_ip": "fd::1",
        "remote_ip": "fd3d:fa7b:d17d::1",
    }
    script.write_text("--local_ip=here\n" + OPENED)
    assert "an address of IPv4 or IPv6 is" in acklab_command("drill", str(script)).stdout


SIX = """\
--ip_version=ipv6 --mtu=1520
`ethtool -K tun0 tso off`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1460,sackOK,nop,nop,nop,wscale 8>
+0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 7>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 1460) = 1460
+0 > P. 1:1461(1460) ack 1
+0 < icmp packet_too_big mtu 1280 [1:1461(1460)]
+0 > . 1:1221(1220) ack 1
+0 > P. 1221:1461(240) ack 1
"""


@booted
def test_scripts_run_over_ipv6_and_routers_say_what_is_too_big(acklab_command: Acklab, tmp_path: Path) -> None:
    (tmp_path / "six.pkt").write_text(SIX)
    done = acklab_command("drill", str(tmp_path / "six.pkt"), "--virtual", "--json")
    assert json.loads(done.stdout)["outcome"] == "passed", done.stdout + done.stderr
    assert "--ip_version=ipv6 on a simulated stack" in acklab_command("drill", str(tmp_path / "six.pkt")).stdout


def test_packets_of_ipv6_have_the_checksums_of_its_pseudo_header() -> None:
    """RFC 8200 section 8.1 and RFC 4443 section 2.3: with the pseudo header a packet sums up to 0."""
    numbers = wire.Numbers((bytes(range(16)), 80), (bytes(range(16, 32)), 90), 1000, 2000)
    for protocol, sent in (
        (6, Packet(True, frozenset("."), 1, 99, 1, 500, ecn="ce")),
        (58, Packet(True, frozenset(), 1, 1460, icmp=(0, 1280))),
    ):
        data = wire.encoded(sent, numbers)
        pseudo = data[8:40] + len(data[40:]).to_bytes(4, "big") + bytes([0, 0, 0, protocol])
        assert data[6] == protocol and wire.checksum(pseudo + data[40:]) == 0
        assert (wire.ports(data) == (90, 80)) == (protocol == 6)
        if protocol == 6:
            assert wire.decoded(data, numbers).ecn == "ce" and wire.decoded(data, numbers).length == 99


@booted
def test_the_kernel_passes_scripts_and_fails_a_wrong_one() -> None:
    some = [(path.stem, path.read_text(encoding="utf-8")) for path in SCRIPTS[::12]]
    wrong = ("wrong", OPENED + "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:901(900) ack 1\n")
    told = list(on_kernel([*some, wrong]))
    assert [one["script"] for one in told if one["outcome"] != "passed"] == ["wrong"]
    (line,) = (line for line in told[-1]["lines"] if line["outcome"] == "failed")
    assert line["line"] == 9 and line["actual"].endswith("> P. 1:1001(1000) ack 1")


@given(st.one_of(st.text(), st.binary().map(lambda data: data.decode(errors="replace"))))
def test_any_text_is_a_script_or_a_script_error(text: str) -> None:
    try:
        parse(text)
    except ScriptError as error:
        assert error.line >= 1 and error.column >= 1


WORDS = (
    OPENED
    + "+.1...0.2 %{ assert tcpi_x == 1 }% `sysctl -q a=b` <> [ce] SF. sack 1:2 TS val 1 ecr 2 {fd=4} -1 EAGAIN * ~"
).split()


@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_words_in_any_order_are_a_script_or_a_script_error(parts: list[str]) -> None:
    with contextlib.suppress(ScriptError):
        parse(" ".join(parts))


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("", "1:1", "no events"),
        ("0 < S 0:0(0) <mss 1000>", "1:3", "window"),
        ("0 < S 0:5(0) win 1", "1:3", "not 0 long"),
        ("0 > S 0:0(0) <mss 99999>", "1:19", "0 to 65535"),
        ("0 > X 0:0(0)", "1:5", "flags are of"),
        ("0 < . 0:0(0) win 1 <...>", "1:20", "packets that leave"),
        ("0 > . 0:0(0) <bogus>", "1:15", "options are"),
        ("\n\n0 socket(", "3:10", "expected"),
        ("0 `never ends", "1:3", "does not end"),
        ("+0~1 > . 0:0(0)", "1:4", "begin with +"),
        ("-1 > . 0:0(0)", "1:1", "seconds"),
        ("0 f(" + "[" * 40, "1:22", "deeply"),
        ("--tolerance_usecs=soon\n0 > . 0:0(0)", "1:1", "number"),
        ("100001.0 > . 0:0(0)", "1:1", "at most 100000 seconds"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, place: str, what: str) -> None:
    with pytest.raises(ScriptError) as caught:
        parse(text)
    assert str(caught.value).startswith(f"{place}: ") and what in str(caught.value)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("+0 > icmp unreachable", "icmp packets"),
        ("+0 < icmp unreachable host_unreachable [1:1001(1000)]", "icmp packet on a simulated stack"),
        ("+0 sendfile(4, 5) = 5", "system call sendfile"),
        ("+0 epoll_create(1) = 3", "system call epoll_create on a simulated stack"),
        ("+0 > S 0:0(0) <FO abcd>", "option FO"),
        ("+0 %{ import os }%", "import os"),
        ("+0 %{ assert open('x') }%", "open"),
        ("+0 %{ assert tcpi_rtt.real }%", "real"),
        ("+0 %{ assert [1 for x in y] }%", "for x in y"),
        ("+0 > [tos 0x3] . 1:1(0) ack 1", "tos"),
        ("+0 write(4, ..., 4294967295) = 4294967295", "at most 16777216"),
        ("+0 write(4, ..., -1) = -1", "-1 bytes"),
    ],
)
def test_what_is_not_supported_is_named_and_not_run(line: str, what: str) -> None:
    told = outcome(f"{OPENED}{line}\n")
    assert told["outcome"] == "unsupported"
    (named,) = told["unsupported"]  # type: ignore[misc]
    assert named.startswith("8:") and what in named


def test_shell_is_text_and_settings_of_tcp_alone_have_an_effect(tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    told = outcome(f"`sysctl -q net.ipv4.tcp_congestion_control=reno; touch {touched}`\n{OPENED}")
    assert told["outcome"] == "passed" and not touched.exists()
    assert told["notes"] == [f"1: not run: touch {touched}"]
    assert settings("sysctl -q net.ipv4.ip_forward=1") == ({}, ["sysctl -q net.ipv4.ip_forward=1"])
    assert settings("sysctl -w net.ipv4.tcp_x=$(id)") == ({}, ["sysctl -w net.ipv4.tcp_x=$(id)"])
    assert settings("sysctl -q net.ipv4.tcp_../../x=1")[0] == {}
    assert settings('sysctl -q net.ipv4.tcp_rmem="1 2 3"') == ({"tcp_rmem": "1 2 3"}, [])


def test_assertions_compare_and_print() -> None:
    block = "limit = 2 * 5; assert tcpi_snd_cwnd == limit and not tcpi_lost, tcpi_snd_cwnd; print(tcpi_snd_cwnd)"
    assert code.refusal(block, set()) is None
    assert code.run(block, {"tcpi_snd_cwnd": 10, "tcpi_lost": 0}, {}) == (None, ["10"])
    wrong, _ = code.run(block, {"tcpi_snd_cwnd": 9, "tcpi_lost": 0}, {})
    assert wrong is not None and "tcpi_snd_cwnd is 9" in wrong
    assert code.run("assert 1 / tcpi_lost", {"tcpi_lost": 0}, {})[0] is not None
    assert code.refusal("limit += 1", set()) is not None
    assert code.run("limit = 2; limit += 3; assert limit == 5", {}, {}) == (None, [])
    assert code.refusal("assert " + "(" * 9000 + "1" + ")" * 900, set()) is not None


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ("x = 9" + "; x = x * x" * 40, "more than 256 bits"),
        ("x = 'a' * 100000000000", "numbers only"),
        ("x = (1,) * 100000000000", "numbers only"),
        ("assert '%1000000000d' % 1", "numbers only"),
    ],
)
def test_a_block_of_code_takes_no_more_time_or_memory_than_its_length(block: str, why: str) -> None:
    assert code.refusal(block, set()) is None
    wrong, _ = code.run(block, {}, {})
    assert wrong is not None and why in wrong
    assert code.refusal(f"print(0x{'f' * 6000})", set()) is not None


def test_a_segment_has_room_for_data() -> None:
    told = outcome(OPENED.replace("mss 1000", "mss 0"))
    assert told["outcome"] == "unsupported" and "at least 48" in told["unsupported"][0]  # type: ignore[index]


def test_an_input_without_an_end_is_refused(acklab_command: Acklab) -> None:
    for verb in ("run", "sweep", "infer", "drill"):
        told = acklab_command(verb, "/dev/zero")
        assert told.returncode == 2 and "at most 32 MiB" in told.stderr, verb


PACKETS = st.builds(
    Packet,
    inbound=st.just(False),
    flags=st.frozensets(st.sampled_from("SFRPUEW.")),
    seq=st.integers(0, 2**32 - 1),
    length=st.integers(0, 2000),
    ack=st.just(0),
    window=st.integers(0, 65535),
    urgent=st.integers(0, 65535),
    options=st.sampled_from(
        [(), (Option("mss", (1460,)),), (Option("nop"), Option("nop"), Option("TS", (7, 2**32 - 1)))]
    ),
    ecn=st.sampled_from(wire.ECN),
)


@given(PACKETS)
def test_a_packet_survives_the_wire(packet: Packet) -> None:
    numbers = wire.Numbers((b"\1\2\3\4", 80), (b"\5\6\7\10", 90))
    data = wire.encoded(packet, numbers)
    assert wire.checksum(data[:20]) == 0 and wire.ports(data) == (90, 80)
    assert wire.decoded(data, numbers) == packet


def test_the_first_difference_is_shown_in_the_scripts_words() -> None:
    told = outcome(OPENED + "+0 write(4, ..., 2500) = 2500\n+.01 > P. 1:2501(2500) ack 1\n")
    lines = told["lines"]
    line = lines[-1]  # type: ignore[index]
    assert line["outcome"] == "failed" and line["actual"] == "0.05 > P. 1:2501(2500) ack 1"
    assert line["why"] == "time: 0.06 expected, 0.05 happened (tolerance 0.004)"


def test_an_option_without_effect_on_a_stack_is_named() -> None:
    assert outcome(f"--mtu=9000\n{OPENED}")["unsupported"] == ["1:1: --mtu=9000 on a simulated stack"]
    assert outcome(f"--mtu=1500\n{OPENED}")["outcome"] == "passed"


def test_a_tolerance_can_be_given() -> None:
    text = OPENED + "+0 write(4, ..., 2500) = 2500\n+.01 > P. 1:2501(2500) ack 1\n"
    assert outcome("--tolerance_usecs=20000\n" + text)["outcome"] == "passed"


def test_the_command_tells_and_exits_accordingly(acklab_command: Acklab, tmp_path: Path) -> None:
    good, bad, none = (tmp_path / name for name in ("good.pkt", "bad.pkt", "none.pkt"))
    good.write_text(OPENED)
    bad.write_text(OPENED + "+0 write(4, ..., 1000) = 999\n")
    none.write_text("what is this")
    told = acklab_command("drill", str(good))
    assert (told.returncode, told.stdout) == (0, f"passed      {good}  7 of 7 lines\n")
    told = acklab_command("drill", str(good), str(bad))
    assert told.returncode == 1 and "999 expected, 1000 returned" in told.stdout
    told = acklab_command("drill", str(none), str(good))
    assert told.returncode == 2 and f"{none}:1:1: " in told.stderr and "passed" in told.stdout
    told = acklab_command("drill", "--json", str(bad))
    assert [line["outcome"] for line in json.loads(told.stdout)["lines"]].count("failed") == 1
    assert acklab_command("drill", str(tmp_path / "absent.pkt")).returncode == 2
    assert acklab_command("drill", "--virtual", "--stack", "rfc", str(good)).returncode == 2


def test_without_a_kernel_the_command_says_what_builds_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kernel.VARIABLE, sys.executable + ".absent")
    with pytest.raises(_core.LiveError, match="make kernel"):
        list(on_kernel([("s", OPENED)]))


NUMBERS = wire.Numbers((bytes([192, 168, 0, 1]), 8080), (bytes([192, 0, 2, 1]), 40000), 1000, 2000)


def packet(line: str) -> Packet:
    """The packet of a line."""
    found = parse(f"0 {line}").events[0].what
    assert isinstance(found, Packet)
    return found


@pytest.mark.parametrize(
    ("text", "flags", "options"),
    [
        # RFC 9768: the counter is AE, CWR, ECE; the options 172 and 174 count in three bytes each, in either order.
        ("< EAP. 1:1(0) ack 1 win 9", 0x158, ""),
        ("< P5. 1:1(0) ack 1 win 9", 0x158, ""),
        ("< P.6 1:1(0) ack 1 win 9", 0x198, ""),
        ("< .1 1:1(0) ack 1 win 9", 0x050, ""),
        ("< . 1:1(0) ack 1 win 9 <ECN e1b 1 ceb 256 e0b 3,nop>", 0x10, "ae0b00000100010000000301"),
        ("< . 1:1(0) ack 1 win 9 <ECN e0b 1,nop,nop,nop>", 0x10, "ac05000001010101"),
        # RFC 7413, with its experimental form of appendix A; RFC 2385.
        ("< S 0:10(10) win 9 <FO 3021b9d889017eeb,nop,nop>", 0x02, "220a3021b9d889017eeb0101"),
        ("< S 0:0(0) win 9 <FO,nop,nop>", 0x02, "22020101"),
        ("< S 0:0(0) win 9 <FOEXP 3021b9d889017eeb>", 0x02, "fe0cf9893021b9d889017eeb"),
        (
            "< . 1:1(0) ack 1 win 9 <md5 000102030405060708090a0b0c0d0e0f,nop,nop>",
            0x10,
            "1312000102030405060708090a0b0c0d0e0f0101",
        ),
    ],
)
def test_accurate_ecn_and_cookies_are_as_their_rfcs_lay_them_out(text: str, flags: int, options: str) -> None:
    data = wire.encoded(packet(text), NUMBERS)
    found = int.from_bytes(data[32:34], "big") & 0x1FF
    assert (found, data[40 : 40 + len(options) // 2].hex()) == (flags, options)
    told = wire.decoded(data, wire.Numbers(NUMBERS.remote, NUMBERS.local, 2000, 1000))
    assert told.flags == packet(text).flags and told.options == packet(text).options


def test_an_icmp_message_quotes_the_segment_it_tells_of() -> None:
    data = wire.encoded(packet("< icmp unreachable frag_needed mtu 1200 [1:1461(1460)]"), NUMBERS)
    assert wire.checksum(data[:20]) == wire.checksum(data[20:]) == 0
    assert (data[9], data[20:22], int.from_bytes(data[26:28], "big")) == (1, b"\x03\x04", 1200)
    quoted = data[28:]
    assert wire.ports(quoted + bytes(12)) == (8080, 40000) and wire.first_number(quoted) == 1001


def test_definitions_and_the_settings_beside_a_script_are_put_in(tmp_path: Path) -> None:
    (tmp_path / "defaults.sh").write_text(
        '#!/bin/bash\nip tcp_metrics flush all\nsysctl -q net.ipv4.tcp_rmem="4096 540000 $((15*1024*1024))"\n'
    )
    text = "`./defaults.sh\nsysctl -q net.ipv4.tcp_ecn=3\n`\n0 < S 0:0(0) win 9 <FO COOKIE>\n// COOKIES\n"
    found = prepared(text, tmp_path, {"COOKIE": "0a0b"})
    assert found.count("\n") == text.count("\n") and "<FO 0a0b>" in found and "// COOKIES" in found
    told, rest = settings(found.split("`")[1])
    assert (told, rest) == ({"tcp_rmem": "4096 540000 15728640", "tcp_ecn": "3"}, [])


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("tc qdisc add dev tun0 root pfifo limit 0", True),
        ("tc qdisc delete dev tun0 root 2>/dev/null", True),
        ("ip link set dev tun0 mtu 9000", True),
        ("/bin/dd bs=1 count=5 if=/dev/zero of=/tmp/testfile status=none", True),
        ("/bin/rm -f /tmp/testfile", True),
        ("/bin/rm -f /tmp/../etc", False),
        ("/bin/dd bs=1 count=5 if=/dev/mem of=/tmp/testfile", False),
        ("ip tcp_metrics flush all > /dev/null 2>&1", True),
        ("ip tcp_metrics flush all; id", False),
        ("tc qdisc add dev eth0 root pfifo", False),
        ("tc qdisc add dev tun0 root pfifo limit 5 | sh", False),
        ("ip link set dev tun0 mtu 9000 up", False),
        ("ip route change 192.0.2.1 via 192.168.0.2 dev tun0 advmss 600 mtu lock 640 initcwnd 11", True),
        ("ip -6 route change fd3d:fa7b:d17d::1 via fd3d:a0b:17d6:8888::1 dev tun0 mtu 1280", True),
        ("ip route change 192.0.2.1 via 192.168.0.2 dev eth0 mtu 640", False),
        ("ip route change 192.0.2.1 via 192.168.0.2 dev tun0 table 5", False),
        ("tc qdisc add dev tun0 root $(id)", False),
    ],
)
def test_of_commands_only_the_devices_settings_and_files_of_zeros_are_run(line: str, runs: bool) -> None:
    assert (device(line) is not None) is runs
