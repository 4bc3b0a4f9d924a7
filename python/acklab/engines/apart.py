"""The first process of a node in real time: it makes namespaces of its own on this machine, then does as the first process of a kernel.

Its programs have a network, processes and a host name of their own, and the view of files that ``view.py`` makes. They run as who called sudo, or else as root with few of its powers. All of it is gone when this process ends,
and this process ends when the one that started it does, however that ends.

It gets a job by a socket, and gives the descriptor of its network card; it gets the scenario's first instant, and gives the results.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import errno
import fcntl
import importlib.util
import json
import os
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import Any

#: unshare(2): mounts, names, messages, processes, network.
SPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000
#: mount(2).
MS_REC, MS_PRIVATE = 0x4000, 0x40000
#: prctl(2).
PR_SET_PDEATHSIG = 1
#: tun(4): TUNSETIFF, IFF_TAP, IFF_NO_PI.
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
#: The number below which Linux hands out no process again, and most memory of a node's programs.
RESERVED_IDS, MOST_MEMORY = 300, 512 << 20
#: prctl(2) and seccomp(2): a filter, and what it answers.
PR_SET_SECCOMP, FILTER, ALLOW, REFUSE = 22, 2, 0x7FFF0000, 0x00050000
#: By machine its name for seccomp, and the numbers of socket, and of what the machine's kernel has one of for all namespaces: keys (add_key,
#: request_key, keyctl), and io_uring_setup, which makes sockets past any filter.
CALLS = {"x86_64": (0xC000003E, 41, (248, 249, 250, 425)), "aarch64": (0xC00000B7, 198, (217, 218, 219, 425))}
#: Sockets that are a namespace's own: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET. AF_VSOCK, for one, reaches the machine's host.
FAMILIES = (1, 2, 10, 16, 17)
#: What helps where something is not allowed.
PRIVILEGE = "run it as root (sudo), or take --virtual, which needs no privilege; acklab doctor lists what is missing"

libc = ctypes.CDLL(None, use_errno=True)


class Trouble(Exception):
    """Why a node cannot be, in one line."""


def called(result: int, what: str, fix: str = PRIVILEGE) -> int:
    """A system call's result.

    Raises:
        Trouble: it failed.
    """
    if result < 0:
        raise Trouble(f"cannot {what}: {os.strerror(ctypes.get_errno())}; {fix}")
    return result


def card() -> int:
    """The descriptor of a network card: what is written there arrives, what is sent can be read."""
    try:
        descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", b"eth0", IFF_TAP | IFF_NO_PI))
    except OSError as error:
        fix = (
            "modprobe tun; mkdir -p /dev/net; mknod /dev/net/tun c 10 200"
            if error.errno in (errno.ENOENT, errno.ENODEV)
            else PRIVILEGE
        )
        raise Trouble(f"cannot make a network card (/dev/net/tun): {error.strerror}; {fix}") from None
    return descriptor


def shut() -> None:
    """Refuses this process and its programs the calls that reach past namespaces, for ever; 32-bit programs have none at all."""
    machine = os.uname().machine
    if machine not in CALLS:
        raise Trouble(f"--live with programs knows no system calls of {machine}; take --virtual")
    name, make_socket, refused = CALLS[machine]
    allow, refuse, unknown = (
        (0x06, 0, 0, verdict) for verdict in (ALLOW, REFUSE | errno.EPERM, REFUSE | errno.EAFNOSUPPORT)
    )
    # Loads are of struct seccomp_data: the number at 0, the machine at 4, the first argument at 16. Those of x32 begin at 1 << 30.
    code = [(0x20, 0, 0, 4), (0x15, 1, 0, name), refuse, (0x20, 0, 0, 0), (0x35, 0, 1, 1 << 30), refuse]
    code += [each for number in refused for each in ((0x15, 0, 1, number), refuse)]
    code += [(0x15, 1, 0, make_socket), allow, (0x20, 0, 0, 16)]
    code += [each for family in FAMILIES for each in ((0x15, 0, 1, family), allow)]
    code += [unknown]
    packed = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(packed)))
    called(libc.prctl(PR_SET_SECCOMP, FILTER, program, 0, 0), "filter system calls")


def bounded(node: Any) -> None:
    """Ends the node if its programs take too many processes or too much memory."""
    resident, tasks, page = 0, 0, os.sysconf("SC_PAGE_SIZE")
    for name in os.listdir("/proc"):
        if name.isdigit() and name != "1":
            tasks += 1
            with contextlib.suppress(OSError), open(f"/proc/{name}/statm") as file:
                resident += int(file.read().split()[1]) * page
    why = f"more than {MOST_MEMORY >> 20} MiB of memory" if resident > MOST_MEMORY else ""
    why = why or (f"{tasks} processes" if tasks > node.MOST_TASKS else "")
    if why:
        os.kill(-1, signal.SIGKILL)
        raise Trouble(f"its programs took {why}, and were ended")


def send(link: socket.socket, told: object, descriptors: tuple[int, ...] = ()) -> None:
    """One message: its length, then JSON; descriptors go with the first byte."""
    packed = json.dumps(told).encode()
    head = struct.pack("!Q", len(packed))
    socket.send_fds(link, [head], list(descriptors)) if descriptors else link.sendall(head)
    link.sendall(packed)


def receive(link: socket.socket) -> Any:
    """One message without descriptors; None at the end."""
    file = link.makefile("rb")
    head = file.read(8)
    return json.loads(file.read(struct.unpack("!Q", head)[0])) if len(head) == 8 else None


def work(link: socket.socket, node: Any, job: dict[str, Any], files: int | None) -> None:
    """Sets up, works, and tells what became of it."""
    descriptor = card()
    called(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None), "have mounts of its own")
    release = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])
    # Before 6.14 it was the machine's.
    node.prepare(job, {"kernel/pid_max": str(RESERVED_IDS + node.MOST_TASKS)} if release >= (6, 14) else {})
    shut()
    user = job["user"]
    if user is not None:
        os.chown(node.SCRATCH + "/files", *user)
        os.chown(node.SCRATCH + "/files/qlog", *user)
        node.write("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0")
    send(link, {"ready": True}, (descriptor,))
    os.close(descriptor)
    began = receive(link)
    if began is None:
        return
    all_of_it = node.Node({**job, **began})

    all_of_it.look = lambda: bounded(node)
    for program in all_of_it.programs:
        program.user = user
    all_of_it.work()
    node.end_all()
    if files is not None:
        os.fchdir(files)
        node.copy_files("files")
    rows = [{**program.told(), "output": base64.b64encode(program.output).decode()} for program in all_of_it.programs]
    send(link, {"programs": rows})


def load(name: str) -> Any:
    """A file beside this one."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """The descriptor of the socket is the first word, that of a directory for files, if one is wanted, the second."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    link, node = socket.socket(fileno=int(sys.argv[1])), load("node")
    files = int(sys.argv[2]) if len(sys.argv) > 2 else None
    job = receive(link)
    if job is None:
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us says when to end
    try:
        called(libc.unshare(SPACES), "make namespaces")
        if (first := os.fork()) != 0:
            link.close()
            os.waitpid(first, 0)
            return
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        try:
            work(link, node, job, files)
        except OSError as error:
            raise Trouble(f"cannot set up its namespaces: {error}; {PRIVILEGE}") from None
    except Trouble as trouble:
        with contextlib.suppress(OSError):
            send(link, {"error": str(trouble)})
    except BaseException as error:  # the first process ends all the others: no other could tell
        with contextlib.suppress(OSError):
            send(link, {"error": f"{type(error).__name__}: {error}"})
    os._exit(0)


if __name__ == "__main__":
    main()
