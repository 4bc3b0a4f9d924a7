"""A script's system calls as those of the machine, through the C library: only the calls and arguments named here."""

from __future__ import annotations

import ctypes
import errno
import os
import re
import socket
import struct
from typing import Any

from .arguments import MORE, number, only
from .messages import Messages
from .runner import Unsupported
from .script import Call, shown

libc = ctypes.CDLL(None, use_errno=True)
#: Where scripts mean "the usual address" by `...`.
LOCAL, REMOTE, PORT = "192.168.0.1", "192.0.2.1", 8080
LOCAL_6, REMOTE_6 = "fd3d:a0b:17d6::1", "fd3d:fa7b:d17d::1"
#: Names of errors that are one number on Linux.
_SAME = {"ENOTSUP": "EOPNOTSUPP", "EWOULDBLOCK": "EAGAIN", "EDEADLOCK": "EDEADLK"}
#: Files that scripts may open.
_FILES = re.compile(r"/tmp/[a-z0-9_]{1,40}")
MSG_FASTOPEN = MORE["MSG_FASTOPEN"]
#: Most bytes of a read or write.
MOST = 1 << 26


def address(value: Any, usual: tuple[str, int]) -> bytes:
    """A ``sockaddr_in``, or a ``sockaddr_in6`` where the usual address is one of IPv6."""
    host, port = usual
    if value == ("name", "AF_UNSPEC"):
        return bytes(16)
    if isinstance(value, tuple) and value[0] == "table":
        table = value[1]
        given = table.get("sin_addr")
        if (
            number(table.get("sa_family", 0)) != socket.AF_INET
            or not isinstance(given, tuple)
            or given[:2] != ("call", "inet_addr")
        ):
            raise Unsupported(f"the address {shown(value)}")
        host, port = str(given[2][0]), number(table.get("sin_port", 0))
    elif value != ("...",):
        raise Unsupported(f"the address {shown(value)}")
    if ":" in host:
        return struct.pack("=H", socket.AF_INET6) + struct.pack(
            "!HI16sI", port & 0xFFFF, 0, socket.inet_pton(socket.AF_INET6, host), 0
        )
    try:
        return struct.pack("=H", socket.AF_INET) + struct.pack("!H", port & 0xFFFF) + socket.inet_aton(host) + bytes(8)
    except OSError:
        raise Unsupported(f"the address {host}") from None


def _int(value: int) -> bytes:
    """An ``int`` of C; 0xffffffff is -1."""
    return struct.pack("=I", value & 0xFFFFFFFF)


class Calls(Messages):
    """System calls with the script's descriptors."""

    def __init__(self, local: tuple[str, int] = (LOCAL, PORT), remote: tuple[str, int] = (REMOTE, PORT)) -> None:
        self.live: dict[int, int] = {}
        self.local, self.remote = local, remote
        self.listening = False
        #: The socket that assertions ask about, and whether it was told to connect and its SYN has not been seen.
        self.tested: int | None = None
        self.connecting = False
        self._connected: int | None = None

    def descriptor(self, value: Any) -> int:
        """The machine's number of a descriptor; one that was never opened stays as it is."""
        script = number(value)
        return self.live.get(script, script if script < 0 else 1000 + script)

    def make(self, call: Call) -> str | None:
        """Calls; what is wrong with the outcome.

        Raises:
            Unsupported: the call or an argument is not known here.
        """
        try:
            method = getattr(self, f"_{call.name}", self._transfer)
            got, wrong = method(call, *call.arguments)
        except TypeError:
            raise Unsupported(f"{call.name} with {len(call.arguments)} arguments") from None
        error = _SAME.get(name := errno.errorcode.get(ctypes.get_errno(), ""), name) if got == -1 else None
        if error not in (None, "EINPROGRESS"):
            self.connecting = False
        wanted = call.result
        if (
            call.name in ("socket", "accept", "epoll_create", "open")
            and got >= 0
            and wanted.value is not None
            and wanted.value >= 0
        ):
            self.live[wanted.value] = got
            if call.name == "accept" or call.name == "socket" and self.tested is None:
                self.tested = got
            return None
        if (
            wanted.value is not None
            and got != wanted.value
            or got == -1
            and wanted.error
            and error != _SAME.get(wanted.error, wanted.error)
        ):
            return f"{wanted} expected, {got}{f' {error}' if error else ''} returned"
        return wrong

    def _socket(self, call: Call, domain: Any, kind: Any, protocol: Any) -> tuple[int, None]:
        family = (socket.AF_INET6 if ":" in self.local[0] else socket.AF_INET) if domain == ("...",) else number(domain)
        return libc.socket(family, number(kind), number(protocol)), None

    def _bind(self, call: Call, fd: Any, where: Any, size: Any) -> tuple[int, None]:
        place = address(where, self.local)
        return libc.bind(self.descriptor(fd), place, len(place)), None

    def _connect(self, call: Call, fd: Any, where: Any, size: Any) -> tuple[int, None]:
        place = address(where, self.remote)
        if where != ("name", "AF_UNSPEC"):  # which ends a connection, with a reset that the script may expect
            self.connects(self.descriptor(fd))
        return libc.connect(self.descriptor(fd), place, len(place)), None

    def peer(self) -> tuple[str, int]:
        """The address that `...` names as the peer's."""
        return self.remote

    def connects(self, live: int) -> None:
        """A socket begins a connection: from here on the script's packets are those of this one."""
        if self._connected != live:
            self.tested = self._connected = live
            self.connecting = True

    def _listen(self, call: Call, fd: Any, backlog: Any) -> tuple[int, None]:
        got = libc.listen(self.descriptor(fd), number(backlog))
        self.listening |= got == 0
        return got, None

    def _accept(self, call: Call, fd: Any, *_: Any) -> tuple[int, None]:
        return libc.accept(self.descriptor(fd), None, None), None

    def _close(self, call: Call, fd: Any) -> tuple[int, None]:
        live = self.descriptor(fd)
        if self.tested == live:
            self.tested = None
        if self._connected == live:
            self._connected = None
        self.live.pop(number(fd), None)
        return libc.close(live), None

    def _pipe(self, call: Call, ends: Any) -> tuple[int, None]:
        if not isinstance(ends, tuple) or ends[0] != "list" or len(ends[1]) != 2:
            raise Unsupported(f"the argument {shown(ends)}")
        self.live |= zip(map(number, ends[1]), os.pipe(), strict=True)
        return 0, None

    def _splice(
        self, call: Call, source: Any, begin: Any, target: Any, end: Any, size: Any, flags: Any
    ) -> tuple[int, None]:
        if number(begin) or number(end):
            raise Unsupported(f"the argument {shown(begin)}")
        return libc.splice(
            self.descriptor(source), None, self.descriptor(target), None, number(size), number(flags)
        ), None

    def _open(self, call: Call, path: Any, flags: Any) -> tuple[int, None]:
        if not isinstance(path, str) or not _FILES.fullmatch(path) or number(flags) != os.O_RDONLY:
            raise Unsupported(f"the argument {shown(path)}")
        return libc.open(path.encode(), os.O_RDONLY), None

    def _sendfile(self, call: Call, target: Any, source: Any, begin: Any, size: Any) -> tuple[int, None]:
        place = ctypes.c_long(number(only(begin)))
        return libc.sendfile(
            self.descriptor(target), self.descriptor(source), ctypes.byref(place), ctypes.c_size_t(number(size))
        ), None

    def _shutdown(self, call: Call, fd: Any, how: Any) -> tuple[int, None]:
        return libc.shutdown(self.descriptor(fd), number(how)), None

    def _transfer(self, call: Call, fd: Any, data: Any, size: Any, flags: Any = 0, *_: Any) -> tuple[int, None]:
        if call.name not in ("write", "send", "sendto", "read", "recv", "recvfrom") or len(call.arguments) < 3:
            raise Unsupported(f"the system call {call.name}")
        count = number(size)
        if not 0 <= count <= MOST:
            raise Unsupported(f"{call.name} of {count} bytes")
        live, buffer = (
            self.descriptor(fd),
            None if data == ("name", "NULL") else ctypes.create_string_buffer(count or 1),
        )
        if isinstance(data, str):
            raise Unsupported("data that a script spells out")
        to = None
        if number(flags) & MSG_FASTOPEN and call.name == "sendto":
            self.connects(live)
        if call.name == "sendto" and len(call.arguments) > 4:
            # `...` and a size of `...` name the usual peer; a connected socket takes 0, 0.
            where = call.arguments[4]
            to = None if where in (0, ("name", "NULL")) else address(where, self.remote)
        if call.name in ("write", "send", "sendto"):
            return libc.sendto(live, buffer, count, number(flags) | socket.MSG_NOSIGNAL, to, len(to) if to else 0), None
        return libc.recv(live, buffer, count, number(flags)), None

    def _setsockopt(self, call: Call, fd: Any, level: Any, option: Any, value: Any, size: Any) -> tuple[int, None]:
        if isinstance(value, str):
            # As C reads it: `\\xa1` is one byte.
            data = value.encode("latin-1", "replace").decode("unicode_escape").encode("latin-1", "replace")
        else:
            inner = only(value) if isinstance(value, tuple) and value[0] == "list" else value
            if isinstance(inner, tuple) and inner[0] == "table":
                data = b"".join(_int(number(part)) for part in inner[1].values())
            elif isinstance(inner, str):
                data = inner.encode()
            else:
                data = _int(number(inner))
        return libc.setsockopt(self.descriptor(fd), number(level), number(option), data, len(data)), None

    def _getsockopt(
        self, call: Call, fd: Any, level: Any, option: Any, value: Any, size: Any
    ) -> tuple[int, str | None]:
        buffer, room = ctypes.create_string_buffer(64), ctypes.c_uint32(64)
        got = libc.getsockopt(self.descriptor(fd), number(level), number(option), buffer, ctypes.byref(room))
        inner = only(value) if isinstance(value, tuple) and value[0] == "list" else value
        if got == -1 or inner == ("...",):
            return got, None
        if isinstance(inner, str):
            said: Any = buffer.value.decode(errors="replace")
            return got, None if said == inner else f'"{inner}" expected, "{said}" found'
        (said,) = struct.unpack("=i", buffer.raw[:4])
        return got, None if _int(said) == _int(number(inner)) else f"{number(inner)} expected, {said} found"

    def _fcntl(self, call: Call, fd: Any, what: Any, value: Any = 0) -> tuple[int, None]:
        got = libc.fcntl(self.descriptor(fd), number(what), ctypes.c_long(number(value)))
        return got, None

    def _ioctl(self, call: Call, fd: Any, what: Any, value: Any) -> tuple[int, str | None]:
        told, wanted = ctypes.c_int(0), number(only(value))
        got = libc.ioctl(self.descriptor(fd), ctypes.c_ulong(number(what)), ctypes.byref(told))
        return got, None if got == -1 or told.value == wanted else f"[{wanted}] expected, [{told.value}] found"

    def _poll(self, call: Call, asked: Any, count: Any, timeout: Any) -> tuple[int, str | None]:
        table = only(asked)
        if not isinstance(table, tuple) or table[0] != "table" or not {"fd", "events"} <= set(table[1]):
            raise Unsupported(f"the argument {shown(asked)}")
        entry = ctypes.create_string_buffer(
            struct.pack("=ihh", self.descriptor(table[1]["fd"]), number(table[1]["events"]), 0)
        )
        got = libc.poll(entry, 1, number(timeout))
        (said,) = struct.unpack("=h", entry.raw[6:8])
        wanted = number(table[1].get("revents", 0))
        return got, None if said == wanted else f"revents {wanted:#x} expected, {said:#x} found"
