"""The first process of either kernel of a run between two: sources and sinks of a side, whose result is left in a directory of the host.

It is started without acklab's package and without site packages, which take longer to import than most runs.
"""

import ctypes
import fcntl
import importlib.util
import json
import os
import socket
import struct
import sys
from typing import Any

#: Memory for files.
SCRATCH = "/tmp"
#: Requests of linux/sockios.h and linux/ethtool.h.
SIOCETHTOOL, ETHTOOL_SGRO = 0x8946, 0x2C
#: reboot(2): LINUX_REBOOT_CMD_POWER_OFF.
POWER_OFF = 0x4321FEDC

libc = ctypes.CDLL(None, use_errno=True)


def load(path: str) -> Any:
    """acklab's extension."""
    spec = importlib.util.spec_from_file_location("acklab._core", path)
    assert spec and spec.loader
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)
    return core


def mount(kind: str, where: str, data: str | None = None) -> None:
    """mount(2).

    Raises:
        SystemExit: it failed.
    """
    if libc.mount(kind.encode(), where.encode(), kind.encode(), 0, data.encode() if data else None) != 0:
        raise SystemExit(f"cannot mount {where}: {os.strerror(ctypes.get_errno())}")


def keep_segments_apart() -> None:
    """Switches the card's GRO off: what arrives at one instant would be one segment to the receiver. TUN devices of live runs have none."""
    value = ctypes.create_string_buffer(struct.pack("=II", ETHTOOL_SGRO, 0))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCETHTOOL, struct.pack("=16sQ16x", b"eth0", ctypes.addressof(value)))


def main() -> None:
    """Mounts what a run needs, works, leaves the result, and switches off."""
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    plan = load(job["core"]).LivePlan(job["text"], **job["asked"])  # before anything is mounted over it
    mount("proc", "/proc")
    mount("tmpfs", SCRATCH)
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    keep_segments_apart()
    if any(flow["control"] == "dctcp" for flow in json.loads(plan.json())["flows"]):
        # Both ends' (RFC 8257): a listening socket has it from here, and its connections echo each mark.
        with open("/proc/sys/net/ipv4/tcp_congestion_control", "w", encoding="ascii") as file:
            file.write("dctcp")
    told = plan.play(job["side"], job["epoch_ns"])
    os.mkdir(SCRATCH + "/out")
    mount("hostfs", SCRATCH + "/out", job["directory"])
    with open(SCRATCH + "/out/result.json", "w", encoding="utf-8") as file:
        file.write(told)
    libc.reboot(ctypes.c_int(POWER_OFF))


if __name__ == "__main__":
    main()
