"""``recvmsg``, ``sendmsg`` and ``epoll`` for scripts: the calls whose arguments are structures."""

from __future__ import annotations

import ctypes
import socket
import struct
import time
from typing import Any

from .arguments import MORE, number, only
from .runner import Unsupported
from .script import TOLERANCE_US, Call, shown

#: Room for a message's control data, in bytes.
CONTROL = 4096
#: Most bytes of a message.
MOST = 1 << 26
#: Fields of ``struct sock_extended_err`` (linux/errqueue.h), and its layout.
ERROR_FIELDS, ERROR = ("ee_errno", "ee_origin", "ee_type", "ee_code", "ee_pad", "ee_info", "ee_data"), "=IBBBBII"
libc = ctypes.CDLL(None, use_errno=True)


def _table(value: Any, *keys: str) -> dict[str, Any]:
    """A structure that has these fields.

    Raises:
        Unsupported: it is another kind of argument, or lacks a field.
    """
    if not isinstance(value, tuple) or value[0] != "table" or not set(keys) <= set(value[1]):
        raise Unsupported(f"the argument {shown(value)}")
    found: dict[str, Any] = value[1]
    return found


def _sizes(message: dict[str, Any]) -> list[int]:
    """The sizes of a message's buffers: ``msg_iov(2)=[{..., 10}, {..., 20}]``."""
    given = message["msg_iov"]
    if not isinstance(given, tuple) or given[0] != "list":
        raise Unsupported(f"the argument {shown(given)}")
    sizes = [number(_table(part, "1")["1"]) for part in given[1]]
    if not 0 <= sum(sizes) <= MOST or any(size < 0 for size in sizes):
        raise Unsupported(f"a message of {sum(sizes)} bytes")
    return sizes


class Messages:
    """The part of :class:`calls.Calls` with these calls."""

    live: dict[int, int]
    #: The time of day at the script's start, in nanoseconds.
    epoch_ns: int = 0

    def descriptor(self, value: Any) -> int:
        """The machine's number of a descriptor."""
        raise NotImplementedError

    def connects(self, live: int) -> None:
        """A socket begins a connection."""
        raise NotImplementedError

    def peer(self) -> tuple[str, int]:
        """The address that `...` names as the peer's."""
        raise NotImplementedError

    def _over(self, fd: Any) -> socket.socket:
        """The socket; the caller detaches it."""
        return socket.socket(fileno=self.descriptor(fd))

    def _sendmsg(self, call: Call, fd: Any, message: Any, flags: Any) -> tuple[int, None]:
        parts = [bytes(size) for size in _sizes(_table(message, "msg_iov"))]
        over, to = self._over(fd), None
        if number(flags) & MORE["MSG_FASTOPEN"]:
            # `msg_name(...)=...` names the usual peer.
            if message[1].get("msg_name") not in (None, ("...",)):
                raise Unsupported(f"the argument {shown(message[1]['msg_name'])}")
            to = self.peer()
            self.connects(over.fileno())
        try:
            return over.sendmsg(parts, [], number(flags) | socket.MSG_NOSIGNAL, *([to] if to else [])), None
        except OSError as error:
            ctypes.set_errno(error.errno or 0)
            return -1, None
        finally:
            over.detach()

    def _recvmsg(self, call: Call, fd: Any, message: Any, flags: Any) -> tuple[int, str | None]:
        wanted = _table(message, "msg_iov")
        over = self._over(fd)
        try:
            data, control, said, _ = over.recvmsg(sum(_sizes(wanted)), CONTROL, number(flags))
        except OSError as error:
            ctypes.set_errno(error.errno or 0)
            return -1, None
        finally:
            over.detach()
        if "msg_flags" in wanted and said != number(wanted["msg_flags"]):
            return len(data), f"msg_flags {number(wanted['msg_flags']):#x} expected, {said:#x} found"
        if "msg_control" not in wanted:
            return len(data), None
        asked = wanted["msg_control"][1] if isinstance(wanted["msg_control"], tuple) else []
        if len(asked) != len(control):
            kinds = [kind for _, kind, _ in control]
            return len(data), f"{len(asked)} control messages expected, {len(control)} found (of types {kinds})"
        wrong = (self._differs(one, *found) for one, found in zip(asked, control, strict=True))
        return len(data), next((why for why in wrong if why), None)

    def _differs(self, asked: Any, level: int, kind: int, data: bytes) -> str | None:
        """In what a control message is another one."""
        table = _table(asked, "cmsg_level", "cmsg_type", "cmsg_data")
        wanted = (number(table["cmsg_level"]), number(table["cmsg_type"]))
        if wanted != (level, kind):
            return f"a control message of level and type {wanted} expected, {(level, kind)} found"
        given = table["cmsg_data"]
        if not isinstance(given, tuple) or given[0] != "table":
            (value,) = struct.unpack_from("=i", data)
            return None if value == number(given) else f"cmsg_data {number(given)} expected, {value} found"
        if "scm_sec" in given[1]:
            due = number(given[1]["scm_sec"]) * 1e6 + number(given[1].get("scm_nsec", 0)) / 1e3
            seconds, nanoseconds = struct.unpack_from("=qq", data)
            at = (seconds * 10**9 + nanoseconds - self.epoch_ns) / 1e3
            return None if abs(at - due) <= TOLERANCE_US else f"a timestamp of {due / 1e6} s expected, {at / 1e6} found"
        found = dict(zip(ERROR_FIELDS, struct.unpack_from(ERROR, data), strict=True))
        for name, value in given[1].items():
            if name not in found:
                raise Unsupported(f"the field {name}")
            if found[name] != number(value):
                return f"{name} {number(value)} expected, {found[name]} found"
        return None

    def _epoll_create(self, call: Call, size: Any) -> tuple[int, None]:
        return libc.epoll_create(number(size)), None

    def _epoll_ctl(self, call: Call, fd: Any, order: Any, target: Any, event: Any) -> tuple[int, None]:
        events = number(_table(event, "events")["events"]) & 0xFFFFFFFF
        # Packed on x86-64; the script's own number comes back with each event.
        packed = ctypes.create_string_buffer(struct.pack("=IQ", events, number(target)), 12)
        return libc.epoll_ctl(self.descriptor(fd), number(order), self.descriptor(target), packed), None

    def _epoll_wait(self, call: Call, fd: Any, event: Any, most: Any, timeout: Any) -> tuple[int, str | None]:
        wanted = _table(only(event) if event[0] == "list" else event, "events")
        count = max(1, min(number(most), 64))
        room = ctypes.create_string_buffer(12 * count)
        got = libc.epoll_wait(self.descriptor(fd), room, count, number(timeout))
        if got < 1:
            return got, None
        events, who = struct.unpack_from("=IQ", room)
        if events != number(wanted["events"]) & 0xFFFFFFFF:
            return got, f"events {number(wanted['events']):#x} expected, {events:#x} found"
        return got, None if "fd" not in wanted or who == number(
            wanted["fd"]
        ) else f"fd {number(wanted['fd'])} expected, {who} found"


def clock_difference_ns() -> int:
    """The time of day less the monotonic clock, in nanoseconds."""
    return time.time_ns() - time.monotonic_ns()
