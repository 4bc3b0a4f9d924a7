"""The first process of a kernel with both ends of an upload in it: `both_ends.py RATE DELAY BYTES READS`, Mb/s and ms.

Each end is a network namespace with a card (TAP). This process is the path between the cards: a packet takes its IP bytes at the rate, then the
delay. It ends with the receiver's FIN, and writes what it saw to the console. The `inside.py` beside it boots it; that of
acklab, imported without its package, does the rest.
"""

import ctypes
import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "python" / "acklab" / "engines"))
import inside  # noqa: E402

#: linux/if_tun.h and netdevice(7).
TUNSETIFF, IFF_TAP, IFF_NO_PI, IFF_UP, IFF_NOARP = 0x400454CA, 2, 0x1000, 1, 0x80
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFHWADDR, SIOCSIFTXQLEN = 0x8914, 0x8916, 0x891C, 0x8924, 0x8943
CLONE_NEWNET, TFD_TIMER_ABSTIME = 0x40000000, 1
#: Both cards have one hardware address, and ask for none: so each takes what the other sends.
CARD = bytes.fromhex("020000000001")
S, R, PORT = "10.0.0.1", "10.0.0.2", 5000
#: Packets that wait for this process to look.
WAITING = 20_000
libc = ctypes.CDLL(None, use_errno=True)


def end(address):
    """A new network namespace, which this process is in then, and the descriptor of its card."""
    if libc.unshare(CLONE_NEWNET):
        raise OSError("no network namespace")
    card = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(card, TUNSETIFF, struct.pack("16sH22x", b"eth0", IFF_TAP | IFF_NO_PI))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:

        def ask(request, rest):
            fcntl.ioctl(control, request, struct.pack("16s24s", b"eth0", rest))

        ask(SIOCSIFHWADDR, struct.pack("H6s", 1, CARD))
        ask(SIOCSIFTXQLEN, struct.pack("i", WAITING))
        for request, text in ((SIOCSIFADDR, address), (SIOCSIFNETMASK, "255.0.0.0")):
            ask(request, struct.pack("HH4s", socket.AF_INET, 0, socket.inet_aton(text)))
        ask(SIOCSIFFLAGS, struct.pack("H", IFF_UP | IFF_NOARP))
    return card


def memory(card):
    """Bytes of memory that a packet of 1500 bytes takes which comes by this card (`SO_MEMINFO` of a socket that has one)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taker:
        taker.bind(("", 9))
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 1500, 0, 0, 64, 17, 0, socket.inet_aton(S), socket.inet_aton(R))
        total = sum(struct.unpack(">10H", ip)) % 0xFFFF
        ip = ip[:10] + struct.pack(">H", 0xFFFF - total) + ip[12:]
        os.write(card, CARD + CARD + b"\x08\x00" + ip + struct.pack(">HHHH", 9, 9, 1480, 0) + bytes(1472))
        return struct.unpack_from("=I", taker.getsockopt(socket.SOL_SOCKET, 55, 36))[0]


def wait(alarm, poll, due):
    """Waits until a card has a packet, or this instant has come. The timer is a descriptor's: a wait of poll(2) may be late by a thousandth."""
    libc.timerfd_settime(alarm, TFD_TIMER_ABSTIME, struct.pack("4q", 0, 0, *divmod(due, 10**9)), None)
    poll.poll()


def carried(cards, bits_per_s, delay_ns):
    """Carries packets between the cards until the receiver has sent its FIN: (sent by S, sent by R), TCP each."""
    free, lines, seen = [0, 0], (deque(), deque()), ([], [])
    alarm, poll = libc.timerfd_create(time.CLOCK_MONOTONIC, 0), select.poll()
    for descriptor in (alarm, *cards):
        poll.register(descriptor, select.POLLIN)
    while True:
        for side, card in enumerate(cards):
            while True:
                try:
                    frame = os.read(card, 2000)
                except BlockingIOError:
                    break
                if frame[12:14] != b"\x08\x00" or frame[23] != 6:
                    continue
                now = time.monotonic_ns()
                tcp = frame[34:]
                header = (tcp[12] >> 4) * 4
                at = next((n for n in range(20, header - 9) if tcp[n : n + 2] == b"\x08\x0a"), None)
                stamp = int.from_bytes(tcp[at + 2 : at + 6], "big") if at else 0
                number, ack = struct.unpack_from(">II", tcp, 4)
                payload = struct.unpack_from(">H", frame, 16)[0] - 20 - header
                seen[side].append((now, tcp[13], number, ack, payload, stamp))
                if side and tcp[13] & 1:
                    return seen
                free[side] = max(free[side], now) + (len(frame) - 14) * 8 * 10**9 // bits_per_s
                lines[1 - side].append((free[side] + delay_ns, frame))
        side = min((0, 1), key=lambda one: lines[one][0][0] if lines[one] else 1 << 63)
        if lines[side] and lines[side][0][0] <= time.monotonic_ns():
            os.write(cards[side], lines[side].popleft()[1])
        else:
            wait(alarm, poll, lines[side][0][0] if lines[side] else 0)


def upload():
    """What both ends send."""
    rate, delay, size, reads = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3], sys.argv[4:]
    program = [sys.executable, "-I", "-S", "-B", str(Path(__file__).with_name("upload.py"))]
    receiver = end(R)
    most = int(Path("/proc/sys/net/ipv4/tcp_rmem").read_text().split()[2])
    takes = memory(receiver)
    subprocess.Popen([*program, "sink", str(PORT), *reads])
    sender = end(S)
    time.sleep(1)
    subprocess.Popen([*program, "send", R, str(PORT), size])
    sent, answers = carried((sender, receiver), round(rate * 1e6), round(delay * 1e6))
    return {"sent": sent, "answers": answers, "most": most, "memory": takes}


if __name__ == "__main__":
    inside.run(upload)
