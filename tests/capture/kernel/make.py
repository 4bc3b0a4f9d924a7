#!/usr/bin/env python3
"""Makes the captures beside this file: real kernels, as root, with `ip` and `tcpdump`.

    make.py [NAME …]

Two network namespaces, each with a TUN device; between the two stands this program, which passes packets on after 10 ms,
and loses, repeats or filters what a case asks for. A case may have a third namespace between them, a router whose way on is narrow. Sender and receiver are the kernel's; those committed are of Linux 6.18, CUBIC.
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
DELAY_S = 0.010
SNAP = 96
#: Frames: whether it goes back, its number among those with payload (or among pure ACKs) that way; how often to pass it.
Rule = Callable[[bool, bool, int], int]


def pass_all(back: bool, payload: bool, number: int) -> int:
    return 1


def lose_some(back: bool, payload: bool, number: int) -> int:
    return 0 if payload and not back and number in (20, 45, 46, 70) else 1


def repeat_some(back: bool, payload: bool, number: int) -> int:
    return 2 if payload and not back and number in (10, 30, 50) else 1


def thin(back: bool, payload: bool, number: int) -> int:
    return 1 if payload or not back or number < 4 or number % 3 == 0 else 0


@dataclass
class Case:
    """What is done, and where it is captured."""

    ends: tuple[str, ...] = ("receiver",)
    rule: Rule = pass_all
    writes: tuple[int, int, float] = (1, 120_000, 0.0)  # how many, how large, seconds between
    offload: bool = False
    quickack: bool = False
    six: bool = False
    device: str = ""
    replies: int = 0
    asleep: bool = False
    narrow: int = 0  # bytes that the router's way on takes at once
    snap: int = SNAP


CASES = {
    "reading": Case(),
    "asleep": Case(ends=("receiver", "sender"), asleep=True),
    "quickack": Case(quickack=True),
    "lone": Case(ends=("receiver", "sender"), writes=(40, 400, 0.12), replies=3, asleep=True),
    "losses": Case(ends=("receiver", "sender"), rule=lose_some, asleep=True),
    "repeats": Case(rule=repeat_some, asleep=True),
    "thinned": Case(ends=("sender",), rule=thin, quickack=True),
    "offload": Case(ends=("sender",), offload=True, writes=(1, 400_000, 0.0), asleep=True),
    "six": Case(six=True, device="any", asleep=True),
    # Whole: tshark puts no packet together of which bytes are missing.
    "fragments": Case(writes=(1, 40_000, 0.0), asleep=True, narrow=576, snap=1600),
}


def sh(command: str) -> None:
    subprocess.run(command.split(), check=True, capture_output=True)


def tun(name: str, offload: bool) -> int:
    """A TUN device of the namespace; with `offload` the kernel hands over what it would leave to an interface to cut up."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    flags = 0x1001 | (0x4000 if offload else 0)  # IFF_TUN | IFF_NO_PI, IFF_VNET_HDR
    fcntl.ioctl(device, 0x400454CA, struct.pack("16sH22x", name.encode(), flags))  # TUNSETIFF
    if offload:
        fcntl.ioctl(device, 0x400454D0, 0x07)  # TUNSETOFFLOAD: checksums, TSO for IPv4 and IPv6
    return device


def enter(namespace: int) -> None:
    """What follows in this thread, and the threads and programs it starts, are in that network namespace."""
    if ctypes.CDLL(None, use_errno=True).setns(namespace, 0x40000000):
        raise OSError(ctypes.get_errno(), "setns")


def in_namespace(name: str) -> None:
    with open(f"/run/netns/{name}") as handle:
        enter(handle.fileno())


def relay(case: Case, devices: tuple[int, ...], stop: threading.Event) -> None:
    """Passes packets between each two devices."""
    head = 10 if case.offload else 0
    counts = {(back, payload): 0 for back in (False, True) for payload in (False, True)}
    waiting: list[tuple[float, int, int, bytes]] = []
    order = 0
    while not stop.is_set():
        pause = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 0.05
        ready, _, _ = select.select(devices, [], [], min(pause, 0.05))
        for device in ready:
            packet = os.read(device, 70_000)
            place = devices.index(device)
            back = place % 2 == 1
            copies = 1
            if packet[head + 9] == 6 and packet[head] >> 4 == 4:
                payload = len(packet) > 80
                counts[back, payload] += 1
                copies = case.rule(back, payload, counts[back, payload])
            for _ in range(copies):
                order += 1
                heapq.heappush(waiting, (time.monotonic() + DELAY_S, order, devices[place ^ 1], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            os.write(waiting[0][2], waiting[0][3])
            heapq.heappop(waiting)


def receive(listening: socket.socket, case: Case) -> None:
    """Reads everything; answers the first messages, after which the kernel takes the connection for a dialogue.

    A program that reads each segment as it comes makes the kernel acknowledge it; with a low-water mark it sleeps.
    """
    connection, _ = listening.accept()
    for _ in range(case.replies):
        connection.recv(1 << 16)
        connection.sendall(bytes(20))
    if case.asleep:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 60_000)
    while connection.recv(1 << 16):
        pass
    connection.close()


def router(namespace: str, narrow: int) -> tuple[int, int]:
    """A kernel that forwards, and cuts up what is too large for its way on; its device at the sender's side, and the other."""
    in_namespace(namespace)
    devices = (tun("ec", False), tun("ed", False))
    for device, address in (("ec", "10.9.0.254/24"), ("ed", "10.9.2.254/24")):
        sh(f"ip addr add {address} dev {device}")
        sh(f"ip link set {device} up")
    sh(f"ip link set ed mtu {narrow}")
    sh("sysctl -q -w net.ipv4.ip_forward=1")
    return devices


def make(name: str, case: Case) -> None:
    a, b, c = (f"acklab-{letter}{os.getpid()}" for letter in "abc")
    me = os.open("/proc/self/ns/net", os.O_RDONLY)
    for space in (a, b, c):
        sh(f"ip netns add {space}")
    try:
        devices = []
        # Behind a router the receiver is in another network.
        network, host = ("10.9.2", "10.9.2.2") if case.narrow else ("10.9.0", "10.9.0.2")
        for device, space, number, net in (("ea", a, 1, "10.9.0"), ("eb", b, 2, network)):
            in_namespace(space)
            devices.append(tun(device, case.offload))
            sh(f"ip addr add {net}.{number}/24 dev {device}")
            sh(f"ip -6 addr add fd00:9::{number}/64 dev {device} nodad")
            sh(f"ip link set {device} up")
            if case.quickack and number == 2:
                sh(f"ip route replace 10.9.0.0/24 dev {device} src 10.9.0.2 quickack 1")
            if case.narrow:
                sh(f"ip route add 10.9.{0 if number == 2 else 2}.0/24 dev {device}")
                sh("sysctl -q -w net.ipv4.ip_no_pmtu_disc=1")
        if case.narrow:
            near, far = router(c, case.narrow)
            devices = [devices[0], near, far, devices[1]]
        stop = threading.Event()
        passing = threading.Thread(target=relay, args=(case, tuple(devices), stop))
        passing.start()
        dumps = []
        for end in case.ends:
            in_namespace(a if end == "sender" else b)
            device = case.device or ("ea" if end == "sender" else "eb")
            file = HERE / f"{name}-{end}.pcap"
            command = [
                "tcpdump",
                "-i",
                device,
                "-n",
                "-s",
                str(case.snap),
                "--time-stamp-precision=nano",
                "--immediate-mode",
            ]
            command += ["-U", "-Z", "root", "-w", str(file), "tcp"]
            dumps.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        time.sleep(1)
        family, host = (socket.AF_INET6, "fd00:9::2") if case.six else (socket.AF_INET, host)
        in_namespace(b)
        listening = socket.socket(family)
        listening.bind((host, 5001))
        listening.listen()
        receiving = threading.Thread(target=receive, args=(listening, case))
        receiving.start()
        in_namespace(a)
        sending = socket.socket(family)
        sending.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic" if b"cubic" in AVAILABLE else b"reno")
        sending.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sending.connect((host, 5001))
        times, size, pause = case.writes
        for _ in range(times):
            sending.sendall(bytes(size))
            time.sleep(pause)
        sending.shutdown(socket.SHUT_WR)
        receiving.join(20)
        while sending.recv(1 << 16):
            pass
        sending.close()
        time.sleep(0.5)
        stop.set()
        passing.join()
        for dump in dumps:
            dump.send_signal(signal.SIGINT)
            dump.wait()
        listening.close()
        for handle in devices:
            os.close(handle)
    finally:
        enter(me)
        for space in (a, b, c):
            subprocess.run(["ip", "netns", "del", space], check=False)


AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_bytes()

if __name__ == "__main__":
    for chosen in sys.argv[1:] or CASES:
        make(chosen, CASES[chosen])
        print(chosen)
