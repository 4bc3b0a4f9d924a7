"""Scripts against the kernel that runs this: a TUN device for packets, system calls for the application.

Meant for the first process of a user-mode Linux in virtual time (``first.py``). Each script has a process and a network
namespace of its own.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import select
import socket
import struct
import subprocess
import threading
import time
import traceback
from collections import deque
from collections.abc import Mapping
from typing import Any

from . import info, wire
from .calls import LOCAL, LOCAL_6, REMOTE, REMOTE_6, Calls, libc
from .messages import clock_difference_ns
from .parser import parse
from .runner import Outcome, Unsupported, judged
from .script import Call, Packet, Script
from .sysctls import device, offloads, settings

#: linux/if_tun.h and unistd.h.
TUNSETIFF, TUNSETOFFLOAD, IFF_TUN, IFF_NO_PI, IFF_VNET_HDR = 0x400454CA, 0x400454D0, 1, 0x1000, 0x4000
CLONE_NEWNET, PR_SET_TIMERSLACK = 0x40000000, 29
#: The device takes segments of any length and sums them, as packetdrill's does: TUN_F_CSUM, TUN_F_TSO4, TUN_F_TSO6, TUN_F_TSO_ECN.
OFFLOADS = 15
#: linux/virtio_net.h: the head of each packet, of which type and size of segments matter; and VIRTIO_NET_HDR_GSO_TCPV4, _TCPV6.
HEAD, GSO_TCPV4, GSO_TCPV6 = "=BBHHHH", 1, 4
HEAD_SIZE = struct.calcsize(HEAD)
#: linux/sockios.h and linux/ethtool.h.
SIOCETHTOOL, ETHTOOL_SET = 0x8946, {"tso": 0x1F, "gso": 0x24, "gro": 0x2C}
#: Ports that peers connect from.
FIRST_PORT = 40_000
#: A call that should return at once has so long, in seconds.
AT_ONCE_S = 0.0005
#: Scripts begin at a whole multiple of this, in nanoseconds, so that the kernel's ticks fall alike.
BEGIN_NS = 1_000_000_000


class KernelHost:
    """The kernel, as a script sees it."""

    def __init__(self, script: Script) -> None:
        later = script.options.get("ip_version") == "ipv6"
        usual = (LOCAL_6, REMOTE_6) if later else (LOCAL, REMOTE)
        own, peer = (script.options.get(name, one) for name, one in zip(("local_ip", "remote_ip"), usual, strict=True))
        self.calls = Calls(
            (own, int(script.number("bind_port", 8080))), (peer, int(script.number("connect_port", 8080)))
        )
        try:
            self.addresses = tuple(
                socket.inet_pton(socket.AF_INET6 if later else socket.AF_INET, one) for one in (own, peer)
            )
        except OSError:
            raise ValueError(f"--local_ip={own} and --remote_ip={peer} are not both of this version of IP") from None
        self.gso = GSO_TCPV6 if later else GSO_TCPV4
        self.tun = _tun(int(script.number("mtu", 1500)), own, 0 if "strict_segments" in script.options else OFFLOADS)
        #: Size of the segments of which an arriving packet is made, as by GRO; 0 is one segment.
        self.segments = int(script.number("mss", 0))
        self.numbers: wire.Numbers | None = None
        self.port = FIRST_PORT
        #: The number of a SYN that arrived last: the same one again is of the same connection.
        self.opening: int | None = None
        #: Ports and first numbers of the connections that the script's sockets began.
        self.begun: set[tuple[int, int]] = set()
        self.waiting: deque[tuple[int, bytes]] = deque()
        self.thread: threading.Thread | None = None
        self.returned: tuple[int, str | None] | None = None
        self.refused: Unsupported | None = None
        begun = time.monotonic_ns()
        self.start = begun - begun % BEGIN_NS + BEGIN_NS
        time.sleep((self.start - begun) / 1e9)
        self.start = time.monotonic_ns() - (time.monotonic_ns() - self.start) % 1000
        self.calls.epoch_ns = self.start + clock_difference_ns()

    def now(self) -> int:
        return (time.monotonic_ns() - self.start) // 1000

    def _read(self, until: int) -> bool:
        """Keeps the packets that leave, with their times; true as soon as one has, false at `until`."""
        while True:
            left = max(0, self.start + until * 1000 - time.monotonic_ns()) / 1e9
            if not select.select([self.tun], [], [], left)[0]:
                return False
            self.waiting.append((self.now(), os.read(self.tun, 65_536 + HEAD_SIZE)[HEAD_SIZE:]))
            if wire.ports(self.waiting[-1][1]):
                return True
            self.waiting.pop()

    def wait(self, until: int) -> None:
        while self._read(until):
            pass

    def sniff(self, until: int) -> tuple[int, Packet] | None:
        while self.waiting or self._read(until):
            at, data = self.waiting.popleft()
            source, destination = wire.ports(data) or (0, 0)
            first = wire.first_number(data) if self._is_syn_of_ours(data) else 0
            begins = first > 0 and (source, first) not in self.begun
            if self.calls.connecting and not begins:
                continue  # an earlier connection's
            if self.numbers is None or begins:
                self.calls.connecting = False
                self.begun.add((source, first))
                local, remote = self.addresses
                self.numbers = wire.Numbers((local, source), (remote, destination), first)
            if (source, destination) != (self.numbers.local[1], self.numbers.remote[1]):
                continue  # another connection's
            packet = wire.decoded(data, self.numbers)
            if "S" in packet.flags:
                # Its own number is 0 in the script, whatever the kernel drew.
                first = wire.first_number(data)
                self.numbers = wire.Numbers(self.numbers.local, self.numbers.remote, first, self.numbers.remote_start)
                packet = wire.decoded(data, self.numbers)
                # What a SYN's answer acknowledges, a script writes as it is on the wire.
                ack = (packet.ack + self.numbers.remote_start) % 2**32 if "." in packet.flags else 0
                packet = Packet(**{**packet.__dict__, "ack": ack})
            return at, packet
        return None

    def _is_syn_of_ours(self, data: bytes) -> bool:
        return data[wire.start(data) + 13] & 18 == 2

    def inject(self, packet: Packet) -> None:
        opens = "S" in packet.flags and "." not in packet.flags
        again, self.opening = opens and self.opening == packet.seq, packet.seq if opens else None
        if opens and self.calls.listening and not again:
            local, remote = self.addresses
            self.numbers = wire.Numbers((local, self.calls.local[1]), (remote, self.port), 0, packet.seq)
            self.port += 1
        elif self.numbers is None:
            while self._read(self.now()):
                pass
            if not self.waiting:
                raise ValueError("a packet arrives before there is a connection")
            self.sniff_ahead()
        assert self.numbers is not None
        if "S" in packet.flags:
            self.numbers = wire.Numbers(self.numbers.local, self.numbers.remote, self.numbers.local_start, packet.seq)
        size = 0 if packet.icmp else self.segments
        os.write(
            self.tun, struct.pack(HEAD, 0, self.gso if size else 0, 0, size, 0, 0) + wire.encoded(packet, self.numbers)
        )

    def sniff_ahead(self) -> None:
        """Learns the connection from a packet that the script has not asked for yet."""
        kept = list(self.waiting)
        self.sniff(self.now())
        self.waiting = deque(kept)

    def call(self, call: Call, until: int | None) -> str | None:
        self.returned = self.refused = None

        def make() -> None:
            try:
                wrong = self.calls.make(call)
                self.returned = (self.now(), wrong)
            except Unsupported as cannot:
                self.refused = cannot
            except (struct.error, ValueError, OverflowError) as wrong:
                self.refused = Unsupported(f"{call.name}: {wrong}")

        self.thread = threading.Thread(target=make, daemon=True)
        self.thread.start()
        if until is not None:
            return None
        self.thread.join(AT_ONCE_S)
        if self.refused:
            raise self.refused
        return self.returned[1] if self.returned else "it blocks"

    def finish(self) -> tuple[int, str | None] | None:
        # The time at which it should return has its tolerance; later is told as such.
        for _ in range(1000):
            if self.thread is None or not self.thread.is_alive():
                break
            self.wait(self.now() + 10_000)
        if self.refused:
            raise self.refused
        return self.returned

    def command(self, text: str) -> list[str]:
        found, rest = settings(text)
        for name, value in found.items():
            try:
                with open(f"/proc/sys/net/ipv4/{name}", "w") as file:
                    file.write(value)
            except OSError as error:
                rest.append(f"net.ipv4.{name}={value} ({error.strerror})")
        # Words, no shell: at most the script's own device changes.
        return [
            line for line in rest if not (_switched(offloads(line)) or (words := device(line)) and not _failed(words))
        ]

    def info(self) -> Mapping[str, float]:
        buffer, room = ctypes.create_string_buffer(info.SIZE), ctypes.c_uint32(info.SIZE)
        if self.calls.tested is None or libc.getsockopt(self.calls.tested, 6, 11, buffer, ctypes.byref(room)) != 0:
            raise Unsupported("an assertion without a connection")
        found = info.fields(buffer.raw[: room.value])
        memory, size = ctypes.create_string_buffer(4 * len(info.MEMORY)), ctypes.c_uint32(4 * len(info.MEMORY))
        if libc.getsockopt(self.calls.tested, 1, info.SO_MEMINFO, memory, ctypes.byref(size)) == 0:
            found |= zip(info.MEMORY, struct.unpack(f"={len(info.MEMORY)}I", memory.raw), strict=True)
        return found


def _failed(words: list[str]) -> bool:
    return subprocess.run(words, capture_output=True).returncode != 0


def _switched(asked: list[tuple[str, bool]]) -> bool:
    """Switches offloads of the device; false if none is asked."""
    for name, on in asked:
        value = ctypes.create_string_buffer(struct.pack("=II", ETHTOOL_SET[name], on))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            fcntl.ioctl(control, SIOCETHTOOL, struct.pack("=16sQ16x", b"tun0", ctypes.addressof(value)))
    return bool(asked)


def _tun(mtu: int, own: str, offloads: int) -> int:
    """The device, up, with the usual addresses and a route to the peer."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"tun0", IFF_TUN | IFF_NO_PI | IFF_VNET_HDR))
    fcntl.ioctl(device, TUNSETOFFLOAD, offloads)
    version, rest = ("-6", "64 dev tun0 nodad") if ":" in own else ("-4", "16 dev tun0")
    orders = (
        f"link set lo up\nlink set tun0 mtu {mtu} up\naddr add {own}/{rest}\nroute add default dev tun0 src {own}\n"
    )
    done = subprocess.run(["ip", version, "-batch", "-"], input=orders, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"ip: {done.stderr.strip()}")
    return device


def _child(name: str, text: str) -> dict[str, Any]:
    libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    if libc.unshare(CLONE_NEWNET) != 0:
        raise OSError("no network namespace")
    script = parse(text, name)
    if script.unsupported:
        return Outcome(
            name, "unsupported", [], [f"{line}:{column}: {what}" for line, column, what in script.unsupported]
        ).told()
    return judged(script, KernelHost(script)).told()


def run(scripts: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Runs scripts, given by name and text, one after another; their outcomes as plain values."""
    found = []
    for name, text in scripts:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                told = _child(name, text)
            except Exception:
                told = Outcome(name, "failed", notes=[traceback.format_exc()]).told()
            with open(writing, "w") as file:
                json.dump(told, file)
            os._exit(0)
        os.close(writing)
        with open(reading) as file:
            found.append(json.loads(file.read() or "{}"))
        os.waitpid(child, 0)
    return found
