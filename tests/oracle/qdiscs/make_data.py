"""Linux's queueing disciplines in virtual time: what becomes of each of some thousand packets.

    python tests/oracle/qdiscs/make_data.py [CASE ...]

A kernel with ``kernel/judge.c`` in it (``ACKLAB_JUDGE`` names it; ``README.md`` says how it is built) gets the packets of each case
in ``cases.py`` and tells what its discipline did with each. ``data/CASE.txt.gz`` keeps that, for ``crates/path/tests/qdiscs.rs``.

DualPI2 needs no kernel: ``dualpi2/judge.c`` compiles the file of the discipline from the source tree that ``ACKLAB_LINUX`` names.
"""

import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from mrg32k3a import Mrg32k3a  # noqa: E402

#: Random numbers that a case may take; more are zeros, which the other side does not draw.
DRAWS = 60_000


def flow_hash(connection: int, perturbation: int) -> int:
    """As ``crates/path/src/queue/fair.rs`` hashes a connection."""
    mask = (1 << 64) - 1
    x = (connection + perturbation * 0x9E3779B97F4A7C15) & mask
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        x = (x ^ x >> 33) * factor & mask
    return (x ^ x >> 33) >> 32


def hosts(flow: int) -> tuple[int, int]:
    """Source and destination addresses of a flow."""
    return 0x0A000001 + flow % 3, 0x0A010001 + flow // 3 % 5


def header(packet: dict) -> bytes:
    """The IPv4 and TCP headers of a packet."""
    options = b""
    if "ts" in packet:
        options += b"\x01\x01\x08\x0a" + struct.pack(">II", 5, packet["ts"])
    if packet.get("sack"):
        blocks = packet["sack"]
        options += (
            b"\x01\x01\x05" + bytes([2 + 8 * len(blocks)]) + b"".join(struct.pack(">II", *block) for block in blocks)
        )
    source, destination = hosts(packet["flow"])
    tos = packet.get("dscp", 0) << 2 | packet.get("ecn", 0)
    ip = struct.pack(">BBHHHBBHII", 0x45, tos, packet["size"], 0, 0x4000, 64, 6, 0, source, destination)
    flags = 0x10 | (0x40 if packet.get("ece") else 0)
    length = (20 + len(options)) // 4 << 4
    return (
        ip
        + struct.pack(">HHIIBBHHH", 1000 + packet["flow"], 80, 1, packet.get("ack", 1), length, flags, 1000, 0, 0)
        + options
    )


def job(case: dict) -> bytes:
    """A case as ``judge.c`` reads it."""
    random = Mrg32k3a(12345)
    draw = lambda: int(random.u01() * 2**32)  # noqa: E731
    perturbation = draw() if case["hashes"] else 0
    draws = [draw() for _ in range(DRAWS * (10 if len({packet["flow"] for packet in case["packets"]}) > 100 else 1))]
    packets = b""
    for packet in case["packets"]:
        bytes_ = header(packet)
        assert packet["size"] >= len(bytes_), packet
        hashed = flow_hash(packet["flow"] << 16, perturbation)
        packets += struct.pack("<QIII84s", packet["at"], packet["size"], hashed, len(bytes_), bytes_)
    head = struct.pack("<16sQII", b"q0", case["rate"], len(case["packets"]), len(draws))
    return head + struct.pack(f"<{len(draws)}I", *draws) + packets


def inside(folder: str) -> None:
    """The first process of the kernel: makes a device with the discipline, and hands it the job."""
    import ctypes
    import fcntl

    libc = ctypes.CDLL(None)
    libc.mount(b"proc", b"/proc", b"proc", 0, None)
    libc.mount(b"sys", b"/sys", b"sysfs", 0, None)
    libc.mount(b"dev", b"/dev", b"devtmpfs", 0, None)
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH", b"q0", 0x1001))  # TUNSETIFF: IFF_TUN | IFF_NO_PI
    subprocess.run(["ip", "link", "set", "q0", "up"], check=True)
    tc = Path(folder, "tc").read_text().split()
    made = subprocess.run(["tc", "qdisc", "add", "dev", "q0", "root", *tc], capture_output=True, text=True)
    result = b""
    if made.returncode == 0:
        judge = os.open("/proc/judge", os.O_RDWR)
        os.write(judge, Path(folder, "job").read_bytes())
        while piece := os.read(judge, 1 << 16):
            result += piece
    Path(folder, "told").write_text(
        made.stderr + subprocess.run(["tc", "-s", "qdisc", "show", "dev", "q0"], capture_output=True, text=True).stdout
    )
    Path(folder, "result").write_bytes(result)
    libc.sync()
    libc.reboot(ctypes.c_int(0x4321FEDC))


def boot(case: dict) -> list[tuple]:
    """What the kernel did: its records."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "job").write_bytes(job(case))
        Path(folder, "tc").write_text(case["tc"])
        command = [
            *(
                os.environ["ACKLAB_JUDGE"],
                "mem=512M",
                "root=/dev/root",
                "rootfstype=hostfs",
                "rootflags=/",
                "rw",
                "quiet",
            ),
            *(
                "time-travel=inf-cpu",
                "con=null",
                "con0=null,fd:1",
                f"init={sys.executable}",
                "--",
                "-B",
                __file__,
                "--inside",
                folder,
            ),
        ]
        console = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300).stdout
        result = Path(folder, "result")
        records = result.read_bytes() if result.exists() else b""
        told = Path(folder, "told").read_text() if Path(folder, "told").exists() else console.decode(errors="replace")
    if not records:
        raise SystemExit(f"{case['name']}: {told}")
    return list(struct.iter_unpack("<QIIII", records))


#: Attributes of DualPI2 (linux/pkt_sched.h), in the kernel's units.
DUALPI2 = {"limit": 1, "target": 3, "tupdate": 4, "alpha": 5, "beta": 6, "step": 8, "coupling": 10, "protection": 13}
#: Headers of the kernel for which shim.h stands.
HEADERS = (
    "linux/hrtimer",
    "linux/if_vlan",
    "linux/kernel",
    "linux/limits",
    "linux/module",
    "linux/skbuff",
    "linux/types",
    "net/gso",
    "net/inet_ecn",
    "net/pkt_cls",
    "net/pkt_sched",
)


def compiled(case: dict) -> list[tuple]:
    """What the discipline's own source does, compiled for this machine: its records."""
    tree, words = Path(os.environ["ACKLAB_LINUX"]), case["tc"].split()[1:]
    with tempfile.TemporaryDirectory() as folder:
        for header in (*HEADERS, "uapi/linux/pkt_sched"):
            file = Path(folder, f"{header}.h")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
        Path(folder, "uapi/linux/pkt_sched.h").write_bytes((tree / "include/uapi/linux/pkt_sched.h").read_bytes())
        source = f'-DSOURCE="{tree.resolve()}/net/sched/sch_dualpi2.c"'
        places = [f"-I{place}" for place in (HERE / "dualpi2", folder, f"{folder}/uapi")]
        subprocess.run(
            ["gcc", "-O1", "-w", *places, source, "-o", f"{folder}/judge", HERE / "dualpi2/judge.c"], check=True
        )
        given = [
            word for name, value in zip(words[::2], words[1::2], strict=True) for word in (str(DUALPI2[name]), value)
        ]
        done = subprocess.run(
            [f"{folder}/judge", *given], input=job(case), capture_output=True, timeout=300, check=True
        )
    return list(struct.iter_unpack("<QIIII", done.stdout))


def lines(case: dict, records: list[tuple]) -> list[str]:
    """Records as text, each time counted from the one before, and the first from the kernel's start."""
    timers = [record[0] for record in records if chr(record[1]) == "T"]
    told = {"queue": case["queue"], "rate": case["rate"]}
    if case["server"]:
        told["server"] = case["server"]
    if timers:  # Linux's timers of 15 ms fire every 16 ms where a jiffy is one
        told["update_first"] = timers[0]
        told["queue"] = told["queue"] | {"update": f"{(timers[1] - timers[0]) / 1e6:g}ms"}
    text, last, drops = [json.dumps(told)], 0, ""
    for time, what, number, extra, _ in records:
        match chr(what):
            case "A":
                packet = case["packets"][number - 1]
                rest = f"{packet['flow']} {packet['size']} {packet.get('ecn', 0)} {packet.get('dscp', 0)}"
                if packet.get("pure"):
                    rest += f" {packet['ack']} {int(packet.get('ece', 0))} {packet.get('ts', 0)}"
                    rest += "".join(f" {start} {end}" for start, end in packet["sack"])
                text.append(f"A {time - last} {rest}")
            case "D":
                text.append(f"D {time - last} {number} {int(extra & 3 == 3)}{drops}")
                drops = ""
            case "N":
                text.append(f"{'N' if extra else 'I'} {time - last} 0 0{drops}")
                drops = ""
            case "X":
                text[-1] += f" x {number}"
                continue
            case "Y":
                drops += f" x {number}"
                continue
            case _:
                continue
        last = time
    return text


def main() -> None:
    import cases

    (HERE / "data").mkdir(exist_ok=True)
    for case in cases.all_cases():
        if sys.argv[1:] and not any(name in case["name"] for name in sys.argv[1:]):
            continue
        records = compiled(case) if case["tc"].startswith("dualpi2") else boot(case)
        print(case["name"], len(records), flush=True)
        text = "\n".join(lines(case, records)) + "\n"
        (HERE / "data" / f"{case['name']}.txt.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2])
    else:
        sys.path.insert(0, str(HERE))
        main()
