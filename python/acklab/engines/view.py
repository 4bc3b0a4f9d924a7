"""What programs at a node see of the machine: a root of their own, in a kernel of a node and in namespaces alike.

The root is memory. Folders of the machine are bound into it, read-only; what else the machine has is not there. Programs write to
memory only, and what they may do is bounded, so that none can mount, make a device or reach the root that was there before.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import re
import struct
import sys
from collections.abc import Iterable

#: The environment variable that names more folders, as PATH does.
VARIABLE = "ACKLAB_READ"
#: Folders and files of the machine that belong to no user.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
ETC = (
    *("alternatives", "crypto-policies", "gai.conf", "group", "host.conf", "iproute2", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"),
    *("localtime", "mime.types", "networks", "nsswitch.conf", "os-release", "passwd", "pki/ca-trust/extracted", "pki/tls/cert.pem"),
    *("pki/tls/certs", "pki/tls/openssl.cnf", "protocols", "rpc", "services", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "terminfo"),
    "timezone",
)  # fmt: skip
#: Memory of the node, and most bytes of each; the first is what programs are promised.
MEMORY = {"/tmp": "512m", "/run": "16m", "/var/tmp": "16m", "/var/log": "16m", "/dev/shm": "16m"}
#: An absolute path among a command's words.
WORD = r"(?<![^\s'\"=;|&(])/[^\s'\";|&<>()]+"
#: An empty folder in which the first process may mount what no program sees.
DOOR = "/.door"
#: Devices, with their numbers.
DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9), "tty": (5, 0)}
#: Where a machine counts its snapshots. If there is such a file aws-lc takes no numbers from the jitter of the processor's cycles, which no seed
#: gives: it asks the kernel (`use_opt_out_cpu_jitter_entropy`, entropy_sources.c).
GENERATION = "/dev/sysgenid"
#: Powers that programs of root keep (capabilities(7)): over their files, their processes, and their network.
KEPT = {0, 1, 3, 4, 5, 6, 7, 10, 12, 13}
#: mount(2), mount_setattr(2), umount2(2), prctl(2).
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC = 1, 2, 4, 8, 0x1000, 0x4000
AT_FDCWD, AT_RECURSIVE, SYS_MOUNT_SETATTR, MNT_DETACH = -100, 0x8000, 442, 2
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
#: Most parts of a path, those of its links among them; links may go round.
MAX_STEPS = 400

libc = ctypes.CDLL(None, use_errno=True)


def system() -> list[str]:
    """Returns what every program reads, there or not."""
    return [*SYSTEM, *(f"/etc/{name}" for name in ETC)]


def folders(commands: Iterable[str]) -> list[str]:
    """Returns what programs read besides the system: folders that VARIABLE names, this Python, and each command's own folder.

    A command's own folder is that of an executable file or of a Python script which it names by an absolute path; of a virtual
    environment, and of another Python, the whole. Where that folder is shared, the file alone is shown.
    """
    shown = [*filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)), sys.prefix, sys.base_prefix, sys.executable]
    for word in re.findall(WORD, "\n".join(commands)):
        if not (can_be_shown(word) and os.path.isfile(word) and (os.access(word, os.X_OK) or word.endswith(".py"))):
            continue
        is_python = re.fullmatch(r"(python|pypy)[0-9.]*", os.path.basename(os.path.realpath(word)))
        for file in (word, os.path.realpath(word)):
            folder, parent = os.path.dirname(file), os.path.dirname(os.path.dirname(file))
            if os.path.basename(folder) == "bin" and (is_python or os.path.isfile(f"{parent}/pyvenv.cfg")):
                folder = parent
            shown.append(file if is_shared(folder) else folder)
    return [path for path in dict.fromkeys(map(os.path.abspath, shown)) if can_be_shown(path)]


def hidden(commands: Iterable[str]) -> str | None:
    """Returns the first file or folder that a command names and the machine has, but the memory of a node in its place."""
    commands = list(commands)
    shown = folders(commands)
    for word in re.findall(WORD, "\n".join(commands)):
        own = any(_is_in(word, place) and word not in (place, f"{place}/") for place in MEMORY)
        if own and os.path.exists(word) and not any(_is_in(word, folder) for folder in shown):
            return str(word)
    return None


def can_be_shown(path: str) -> bool:
    """Returns whether a file or folder may be shown at all: not what a node has its own of."""
    own = r"/(etc(/hosts)?)?|/(dev(?!/shm/)|proc|sys)(/.*)?"
    return not (re.fullmatch(own, path) or re.fullmatch(own, os.path.realpath(path)))


def is_shared(folder: str) -> bool:
    """Returns whether the folder has more than one thing's files: a top one, one that holds someone's home, or a part of /etc."""
    real = os.path.realpath(folder)
    homes = {os.path.expanduser("~"), *(user.pw_dir for user in pwd.getpwall())}
    private = {os.path.realpath(home) for home in homes} | {*MEMORY}
    return real.count("/") < 2 or real.startswith("/etc/") or any(_is_in(path, real) for path in private)


def _is_in(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


def mount(what: str, where: str, kind: str, flags: int = 0, data: str | None = None) -> None:
    """mount(2).

    Raises:
        OSError: it failed.
    """
    if libc.mount(what.encode(), where.encode(), kind.encode(), flags, data.encode() if data else None) != 0:
        raise OSError(ctypes.get_errno(), f"cannot mount {where}: {os.strerror(ctypes.get_errno())}")


def read_only(where: str, recursive: int = 0) -> None:
    """Makes what is mounted there, and with AT_RECURSIVE below, read-only; nothing in it is a device, or gives its owner's powers."""
    attributes = struct.pack("4Q", MS_RDONLY | MS_NOSUID | (MS_NODEV if recursive else 0), 0, 0, 0)
    if libc.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, where.encode(), recursive, attributes, len(attributes)) != 0:
        error = os.strerror(ctypes.get_errno())
        raise OSError(ctypes.get_errno(), f"cannot make {where} read-only for programs: {error}; it needs Linux 5.12")


def build(shown: Iterable[str], hosts: str, variables: dict[str, str]) -> None:
    """Makes the root and takes it; the root that was there before is gone from sight.

    ``hosts`` is the text of /etc/hosts. ``variables`` are the kernel's, below /proc/sys; afterwards those of the network can be written.
    """
    root, before = "/proc", os.umask(0o022)  # a place that each machine has, and that has nothing to be shown
    mount("tmpfs", root, "tmpfs", 0, "size=16m,mode=755")
    for folder in ("/proc", "/etc", "/dev", DOOR, *MEMORY):
        os.makedirs(root + folder)
    with open(root + "/etc/hosts", "w") as file:
        file.write(hosts)
    with open(root + GENERATION, "wb") as zeros:
        zeros.write(bytes(4))
    for name, numbers in DEVICES.items():
        os.mknod(f"{root}/dev/{name}", 0o20666, os.makedev(*numbers))
        os.chmod(f"{root}/dev/{name}", 0o666)
    for name, of in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{of}", f"{root}/dev/{name}")
    paths = [*system(), *shown]
    done: list[str] = []
    # A folder comes before what it holds, and the node's own memory lies over what is shown there.
    for path in sorted({*map(os.path.realpath, paths), *MEMORY}):
        if path in MEMORY:
            mount("tmpfs", root + path, "tmpfs", MS_NOSUID | MS_NODEV, f"size={MEMORY[path]}")
        elif os.path.exists(path) and path != "/" and not any(_is_in(path, other) for other in done):
            _bind(path, root + path)
            done.append(path)
    for path in paths:
        _link(root, path, done)
    mount("proc", root + "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    os.chdir(root)
    # Stacked on the same place, so that none is needed for the old one (pivot_root(2)).
    if libc.pivot_root(b".", b".") != 0 or libc.umount2(b".", MNT_DETACH) != 0:
        raise OSError(ctypes.get_errno(), f"cannot change the root: {os.strerror(ctypes.get_errno())}")
    os.chdir("/")
    for name, text in variables.items():
        try:
            with open(f"/proc/sys/{name}", "w") as variable:
                variable.write(text)
        except OSError:
            continue  # not every kernel has it
    mount("/proc/sys/net", "/proc/sys/net", "none", MS_BIND)
    read_only("/proc")
    read_only("/")
    os.umask(before)


def _bind(path: str, there: str) -> None:
    """Shows a file or folder, read-only."""
    if os.path.isdir(path):
        os.makedirs(there, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(there), exist_ok=True)
        os.close(os.open(there, os.O_CREAT, 0o644))
    mount(path, there, "none", MS_BIND | MS_REC)
    read_only(there, AT_RECURSIVE)


def _link(root: str, path: str, done: list[str]) -> None:
    """Makes the links on the way to a file or folder, but for those within what is shown."""
    at, rest = "/", path.split("/")
    for _ in range(MAX_STEPS):
        if not rest:
            return
        here = os.path.normpath(os.path.join(at, rest.pop(0)))
        if not os.path.islink(here):
            at = here
            continue
        target = os.readlink(here)
        if not any(_is_in(here, folder) for folder in done) and not os.path.lexists(root + here):
            os.makedirs(os.path.dirname(root + here), exist_ok=True)
            os.symlink(target, root + here)
        at, rest = "/" if target.startswith("/") else at, target.split("/") + rest


def bound() -> None:
    """Takes from this process's programs, whoever they run as, all powers but KEPT, for ever."""
    for power in range(64):
        if power not in KEPT:
            libc.prctl(PR_CAPBSET_DROP, power, 0, 0, 0)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
