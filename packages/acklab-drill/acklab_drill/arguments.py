"""Arguments of a script's system calls: numbers, and the names of C that stand for numbers."""

from __future__ import annotations

import errno
import fcntl
import os
import select
import socket
from typing import Any

from .runner import Unsupported
from .script import shown

#: Constants that Python's modules lack.
MORE = {
    "SIOCINQ": 0x541B, "SIOCOUTQ": 0x5411, "SIOCOUTQNSD": 0x894B, "FIONREAD": 0x541B, "TCP_TIMESTAMP": 24,
    "TCP_NOTSENT_LOWAT": 25, "TCP_THIN_LINEAR_TIMEOUTS": 16, "TCP_THIN_DUPACK": 17, "TCP_USER_TIMEOUT": 18, "TCP_INQ": 36,
    "TCP_CONGESTION": 13, "SO_MAX_PACING_RATE": 47, "MSG_FASTOPEN": 0x20000000, "TCP_FASTOPEN": 23, "TCP_SAVE_SYN": 27,
    "TCP_TX_DELAY": 37, "SO_SNDBUFFORCE": 32, "SO_RCVBUFFORCE": 33, "TCP_NODELAY": 1, "TCP_CORK": 3, "TCP_FASTOPEN_CONNECT": 30,
    "TCP_FASTOPEN_KEY": 33, "TCP_FASTOPEN_NO_COOKIE": 34, "TCP_CM_INQ": 36, "SO_ZEROCOPY": 60, "MSG_ZEROCOPY": 0x4000000, "NULL": 0,
    "SO_TIMESTAMPING": 37, "SCM_TIMESTAMPING": 37, "SOF_TIMESTAMPING_TX_SOFTWARE": 2, "SOF_TIMESTAMPING_SOFTWARE": 16,
    "SOF_TIMESTAMPING_OPT_ID": 128, "SOF_TIMESTAMPING_TX_SCHED": 256, "SOF_TIMESTAMPING_TX_ACK": 512,
    "SOF_TIMESTAMPING_OPT_CMSG": 1024, "SOF_TIMESTAMPING_OPT_TSONLY": 2048, "SCM_TSTAMP_SND": 0, "SCM_TSTAMP_SCHED": 1,
    "SCM_TSTAMP_ACK": 2, "SO_EE_ORIGIN_TIMESTAMPING": 4, "SO_EE_ORIGIN_ZEROCOPY": 5, "SO_EE_CODE_ZEROCOPY_COPIED": 1,
    "IP_MTU_DISCOVER": 10, "IP_PMTUDISC_DONT": 0, "IP_FREEBIND": 15, "IP_RECVERR": 11, "IPV6_RECVERR": 25, "SOL_IPV6": 41, "EPOLL_CTL_ADD": 1, "EPOLL_CTL_DEL": 2, "EPOLL_CTL_MOD": 3,
}  # fmt: skip


def number(value: Any) -> int:
    """An integer argument."""
    if isinstance(value, int):
        return value
    if isinstance(value, tuple) and value[0] == "name":
        name = value[1]
        if name in MORE:
            return MORE[name]
        for module in (socket, fcntl, select, os, errno):
            found = getattr(module, name, None)
            if name.isupper() and isinstance(found, int):
                return int(found)
        raise Unsupported(f"the constant {name}")
    if isinstance(value, tuple) and value[0] == "or":
        total = 0
        for part in value[1]:
            total |= number(part)
        return total
    if isinstance(value, tuple) and value[0] == "call" and value[1] == "htons" and len(value[2]) == 1:
        return number(value[2][0])
    raise Unsupported(f"the argument {shown(value)}")


def only(value: Any) -> Any:
    """The one element of a list."""
    if isinstance(value, tuple) and value[0] == "list" and len(value[1]) == 1:
        return value[1][0]
    raise Unsupported(f"the argument {shown(value)}; a list of one, [...]")
