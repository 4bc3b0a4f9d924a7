"""The kernel's ``struct tcp_info`` (linux/tcp.h) under the names that scripts use."""

from __future__ import annotations

import struct
import sys

#: Fields in the kernel's order, by their sizes: of a byte each; then, after two bytes of scales and flags, as `_FORMATS` says.
_BYTES = ("state", "ca_state", "retransmits", "probes", "backoff", "options")
_GROUPS = (
    (
        "I",
        "rto ato snd_mss rcv_mss unacked sacked lost retrans fackets last_data_sent last_ack_sent last_data_recv last_ack_recv pmtu",
    ),
    ("I", "rcv_ssthresh rtt rttvar snd_ssthresh snd_cwnd advmss reordering rcv_rtt rcv_space total_retrans"),
    ("Q", "pacing_rate max_pacing_rate bytes_acked bytes_received"),
    ("I", "segs_out segs_in notsent_bytes min_rtt data_segs_in data_segs_out"),
    ("Q", "delivery_rate busy_time rwnd_limited sndbuf_limited"),
    ("I", "delivered delivered_ce"),
    ("Q", "bytes_sent bytes_retrans"),
    ("I", "dsack_dups reord_seen rcv_ooopack snd_wnd rcv_wnd rehash"),
    ("H", "total_rto total_rto_recoveries"),
    (
        "I",
        "total_rto_time received_ce delivered_e1_bytes delivered_e0_bytes delivered_ce_bytes received_e1_bytes received_e0_bytes",
    ),
    ("I", "received_ce_bytes"),
)
_FIELDS = tuple((name, kind) for kind, names in _GROUPS for name in names.split())
#: Every name, with the prefix that scripts write.
NAMES = tuple(f"tcpi_{name}" for name in (*_BYTES, *(name for name, _ in _FIELDS), "snd_wscale", "rcv_wscale"))
#: The option that tells of a socket's memory, and its words (linux/sock_diag.h).
SO_MEMINFO = 55
MEMORY = tuple(
    f"SK_MEMINFO_{name}"
    for name in "RMEM_ALLOC RCVBUF WMEM_ALLOC SNDBUF FWD_ALLOC WMEM_QUEUED OPTMEM BACKLOG DROPS".split()
)
SIZE = struct.calcsize("=8B" + "".join(kind for _, kind in _FIELDS))


def fields(data: bytes) -> dict[str, int]:
    """The values; those that a shorter structure, of an older kernel, lacks are left out."""
    head = data[:8].ljust(8, b"\0")
    named = [*zip(_BYTES, head, strict=False), ("snd_wscale", head[6] & 15), ("rcv_wscale", head[6] >> 4)]
    at = 8
    for name, kind in _FIELDS:
        end = at + struct.calcsize("=" + kind)
        if end > len(data):
            break
        named.append((name, int.from_bytes(data[at:end], sys.byteorder)))
        at = end
    return {f"tcpi_{name}": value for name, value in named}
