"""The first process at a node, a kernel's or a namespace's: it sets up the network, runs the node's programs, and hands their results back.

The first processes of a run send each other datagrams that say what is ready and what has ended. So each knows when to start its own
programs and when to end. They are started without acklab's package and without site packages.
"""

import base64
import contextlib
import ctypes
import fcntl
import importlib.util
import json
import os
import resource
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any

#: Where the first processes tell each other things, and the port of it.
CONTROL = ("10.255.255.254", 1)
#: The programs' own files: memory, and nothing of the host.
SCRATCH = "/tmp"
#: Most bytes kept of what one program prints, and most processes and threads of the node.
MOST_OUTPUT, MOST_TASKS = 4 << 20, 600
#: How long a program that is asked to end may take, and how long servers go on when all others have ended, in seconds.
GRACE_S, LINGER_S = 1.0, 2.0
#: How often it is looked whether a program is ready: at first, and at last.
LOOK_S, MOST_LOOK_S = 0.001, 0.064
#: reboot(2): LINUX_REBOOT_CMD_POWER_OFF.
POWER_OFF = 0x4321FEDC
#: Requests of netdevice(7).
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFHWADDR = 0x8914, 0x8916, 0x891C, 0x8924
IFF_UP, IFF_NOARP = 0x1, 0x80

libc = ctypes.CDLL(None, use_errno=True)


def load(name: str) -> Any:
    """Loads a file beside this one."""
    spec = importlib.util.spec_from_file_location(name, os.path.join(os.path.dirname(__file__), f"{name}.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


view = load("view")


def network(address: str, address6: str, hardware: str) -> None:
    """Brings up the loopback and the card. Every other node is on the link. The card asks for no hardware addresses."""
    for name, value in (
        ("accept_ra", 0),
        ("autoconf", 0),
        ("router_solicitations", 0),
        ("dad_transmits", 0),
        ("addr_gen_mode", 1),
    ):
        write(f"/proc/sys/net/ipv6/conf/eth0/{name}", str(value))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:

        def ask(request: int, name: bytes, rest: bytes) -> None:
            fcntl.ioctl(control, request, struct.pack("16s24s", name, rest))

        def inet(text: str) -> bytes:
            return struct.pack("HH4s", socket.AF_INET, 0, socket.inet_aton(text))

        ask(SIOCSIFFLAGS, b"lo", struct.pack("H", IFF_UP))
        if "eth0" not in [name for _, name in socket.if_nameindex()]:
            raise SystemExit("it has no network card; `make kernel` builds one that has")
        ask(SIOCSIFHWADDR, b"eth0", struct.pack("H6s", 1, bytes.fromhex(hardware.replace(":", ""))))
        ask(SIOCSIFADDR, b"eth0", inet(address))
        ask(SIOCSIFNETMASK, b"eth0", inet("255.0.0.0"))
        ask(SIOCSIFFLAGS, b"eth0", struct.pack("H", IFF_UP | IFF_NOARP))
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as control:
            request = socket.inet_pton(socket.AF_INET6, address6) + struct.pack("Ii", 64, socket.if_nametoindex("eth0"))
            fcntl.ioctl(control, SIOCSIFADDR, request)
    except OSError:
        return  # a kernel without IPv6


def write(path: str, text: str) -> None:
    """Writes a variable of the kernel, if the kernel has it."""
    with contextlib.suppress(OSError), open(path, "w") as file:
        file.write(text)


def listening(port: int | None) -> bool:
    """Whether a process listens at a port of TCP or UDP; without a port, at any but that of the nodes' own datagrams."""
    for name, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        try:
            with open(f"/proc/net/{name}") as file:
                rows = [line.split() for line in file][1:]
        except OSError:
            continue
        ports = [int(row[1].rsplit(":", 1)[1], 16) for row in rows if row[3] == state]
        if any(found != CONTROL[1] and port in (None, found) for found in ports):
            return True
    return False


class Program:
    """One program."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.number: int = told["number"]
        self.run: str = told["run"]
        self.start_s: float = told["start_s"]
        self.stop_s: float | None = told["stop_s"]
        self.ready: Any = told["ready"]
        self.environment: dict[str, str] = told["environment"]
        self.process: subprocess.Popen[bytes] | None = None
        self.output, self.printed = b"", 0
        self.is_ready = self.ended = False
        self.killed_at: float | None = None
        self.times: dict[str, float | None] = {"started_s": None, "ready_s": None, "ended_s": None}
        self.status: int | None = None
        self.stopped = False
        self.look_s = LOOK_S
        #: Who runs it, user and group; None: the first process's own.
        self.user: tuple[int, int] | None = None

    def begin(self, now: float) -> None:
        """Starts it, as the leader of a group of its own, with what it prints on a pipe of ours."""
        self.times["started_s"] = now
        environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": SCRATCH + "/files",
            "LANG": "C.UTF-8",
            "QLOGDIR": SCRATCH + "/files/qlog",
        }
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", self.run],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**environment, **self.environment},
            cwd=SCRATCH + "/files",
            start_new_session=True,
            bufsize=0,
            user=self.user[0] if self.user else None,
            group=self.user[1] if self.user else None,
            extra_groups=[] if self.user else None,
        )
        os.set_blocking(self.process.stdout.fileno(), False)  # type: ignore[union-attr]

    def read(self) -> bool:
        """Takes what it has printed; False at the end."""
        try:
            more = os.read(self.process.stdout.fileno(), 1 << 16)  # type: ignore[union-attr]
        except BlockingIOError:
            return True
        self.printed += len(more)
        self.output += more[: max(0, MOST_OUTPUT - len(self.output))]
        return bool(more)

    def end(self, hard: bool, now: float) -> None:
        """Asks it and its children to end, or ends them."""
        if self.process is not None and not self.ended:
            self.stopped = True
            self.killed_at = now
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL if hard else signal.SIGTERM)

    def looks_ready(self) -> bool:
        """Whether what it said of itself holds."""
        if self.ready == "listens":
            return listening(None)
        if "port" in self.ready:
            return listening(self.ready["port"])
        return any(self.ready["line"].encode() in line for line in self.output.splitlines())

    def told(self) -> dict[str, Any]:
        """What the result has of it, but for its output."""
        return {
            "number": self.number,
            "is_server": self.ready is not None,
            **self.times,
            "status": self.status,
            "stopped": self.stopped,
            "printed_bytes": self.printed,
        }


class Node:
    """All programs of this node, and what is known of the others'."""

    def __init__(self, job: dict[str, Any]) -> None:
        #: The clock, and its nanoseconds at the scenario's first instant.
        self.clock: int = job["clock"]
        self.epoch_ns: int = job["epoch_ns"]
        self.programs = [Program(program) for program in job["programs"]]
        #: Numbers of all programs of the run that others wait for, and of those that end by themselves; what is left of both.
        self.unready, self.unended = set(job["servers"]), set(job["others"])
        self.present = set(job["servers"]) | set(job["others"])
        self.done_at: float | None = None
        #: Whether the run ends before its time is up: when those have ended.
        self.ends = bool(self.unended)
        self.link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.link.bind(("", CONTROL[1]))
        self.link.setblocking(False)
        self.over = False
        #: What is done between the waits, which are then short.
        self.look: Callable[[], None] | None = None

    def now(self) -> float:
        """Seconds since the scenario's first instant."""
        return (time.clock_gettime_ns(self.clock) - self.epoch_ns) / 1e9

    def tell(self, what: str, number: int) -> None:
        """Notes it, and tells the other first processes."""
        self.note(what, number)
        with contextlib.suppress(OSError):
            self.link.sendto(f"{what} {number}".encode(), CONTROL)

    def note(self, what: str, number: int) -> None:
        """A program is ready, or has ended."""
        self.unready.discard(number)  # one that has ended will not be ready any more
        if what == "ended":
            self.unended.discard(number)
            self.present.discard(number)

    def hear(self) -> None:
        """What the others tell."""
        while True:
            try:
                words = self.link.recv(64).decode(errors="replace").split()  # a program could send anything here
            except OSError:
                return
            if words == ["stop"]:
                self.over = True
            elif len(words) == 2 and words[1].isdecimal():
                self.note(words[0], int(words[1]))

    def step(self) -> float | None:
        """Does what is due; the seconds until something else will be, as far as this node knows."""
        now, waits = self.now(), []
        if self.ends and not self.unended and self.done_at is None:
            self.done_at = now
        lingers = None if self.done_at is None else self.done_at + LINGER_S
        all_done = self.over or (lingers is not None and now >= lingers)
        if lingers is not None and not all_done:
            waits.append(lingers - now)
        for program in self.programs:
            if program.ended:
                continue
            if program.process is None:
                if all_done:
                    program.ended = True
                    self.tell("ended", program.number)
                elif not any(number < program.number for number in self.unready):
                    if now >= program.start_s:
                        program.begin(now)
                    else:
                        waits.append(program.start_s - now)
            if program.process is None:
                continue
            if program.ready is not None and not program.is_ready:
                if program.looks_ready():
                    program.is_ready, program.times["ready_s"] = True, now
                    self.tell("ready", program.number)
                else:
                    waits.append(program.look_s)
                    program.look_s = min(2 * program.look_s, MOST_LOOK_S)
            due = all_done or (program.stop_s is not None and now >= program.stop_s)
            if program.killed_at is not None:
                if now >= program.killed_at + GRACE_S:
                    program.end(True, now)
                waits.append(GRACE_S)
            elif due:
                program.end(False, now)
                waits.append(GRACE_S)
            elif program.stop_s is not None:
                waits.append(program.stop_s - now)
        return min(waits) if waits else None

    def reap(self) -> None:
        """Notes what has ended; as the first process we also get orphans."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for program in self.programs:
                if program.process is not None and program.process.pid == pid and not program.ended:
                    program.status = os.waitstatus_to_exitcode(status)
                    program.ended, program.times["ended_s"] = True, self.now()
                    while select.select([program.process.stdout], [], [], 0)[0] and program.read():  # type: ignore[type-var]
                        pass
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(pid, signal.SIGKILL)  # what it has left behind
                    self.tell("ended", program.number)

    def work(self) -> None:
        """Runs everything to its end."""
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        os.set_blocking(wake_read, False)
        signal.set_wakeup_fd(wake_write)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        time.sleep(max(0.0, -self.now()))
        closed: set[int] = set()
        while self.present:
            wait = self.step()
            if self.look is not None:
                self.look()
                wait = LOOK_S * 100 if wait is None else min(wait, LOOK_S * 100)
            if self.over and all(program.ended for program in self.programs):
                break
            if not self.present:
                break
            open_ones = [program for program in self.programs if program.process and program.number not in closed]
            pipes = {program.process.stdout: program for program in open_ones}  # type: ignore[union-attr]
            for ready in select.select([self.link, wake_read, *pipes], [], [], wait)[0]:  # type: ignore[type-var]
                if ready is self.link:
                    self.hear()
                elif ready == wake_read:
                    os.read(wake_read, 4096)
                elif not pipes[ready].read():
                    closed.add(pipes[ready].number)
            self.reap()


def end_all() -> None:
    """Ends every process but this one, which is the first, and waits for it: what is left cannot be changed any more."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def hand_back(job: dict[str, Any], node: Node) -> None:
    """Leaves results and files where the host finds them."""
    end_all()
    out = view.DOOR
    view.mount("none", out, "hostfs", 0, job["directory"])
    for program in node.programs:
        with open(f"{out}/{program.number}.output", "wb") as file:
            file.write(program.output)
    copy_files(out + "/files")
    with open(out + "/result.json", "w") as file:
        json.dump([program.told() for program in node.programs], file)


def copy_files(to: str) -> None:
    """Copies what programs wrote to their working directory."""
    with contextlib.suppress(OSError):
        os.rmdir(SCRATCH + "/files/qlog")  # where no log was written
    shutil.copytree(SCRATCH + "/files", to, dirs_exist_ok=True, ignore=_special, copy_function=shutil.copyfile)


def _special(folder: str, names: list[str]) -> list[str]:
    """Returns the links, sockets, pipes and devices, which no host wants, what of the host is shown there, and what would grow as a copy.

    Files with holes and of several names may take a disk's room though the node's memory holds them.
    """
    memory = os.stat(SCRATCH).st_dev

    def is_kept(status: os.stat_result) -> bool:
        is_plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
        is_full = status.st_size <= 512 * status.st_blocks
        return status.st_dev == memory and (is_plain and is_full or stat.S_ISDIR(status.st_mode))

    return [name for name in names if not is_kept(os.lstat(os.path.join(folder, name)))]


def prepare(job: dict[str, Any], variables: dict[str, str]) -> None:
    """Gives programs their view of the machine's files, sets the kernel's variables, and sets up name and network."""
    lines = [
        "127.0.0.1 localhost",
        "::1 localhost",
        *(f"{address} {name}" for name, *both in job["nodes"] for address in both),
    ]
    view.build(job["shown"], "".join(f"{line}\n" for line in lines), variables)
    os.makedirs(SCRATCH + "/files/qlog")
    write("/proc/sys/net/ipv4/ping_group_range", "0 2147483647")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, lambda *_: None)  # a program may send it; a handler, unlike SIG_IGN, is not inherited
    socket.sethostname(job["name"])
    network(job["address"], job["address6"], job["hardware"])
    view.bound()


def main() -> None:
    """Sets up, works, and switches off."""
    job = json.loads(zlib.decompress(base64.b64decode(sys.argv[1])))
    # What the kernel itself starts, such as a handler of core dumps, would have every power.
    helpers = {f"kernel/usermodehelper/{name}": "0 0" for name in ("bset", "inheritable")}
    prepare(job, {"kernel/threads-max": str(MOST_TASKS), **helpers})
    node = Node(job)
    node.work()
    hand_back(job, node)
    sys.stdout.flush()
    libc.reboot(ctypes.c_int(POWER_OFF))


if __name__ == "__main__":
    main()
