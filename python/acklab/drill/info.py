"""The kernel's ``struct tcp_info`` (linux/tcp.h) under the names that scripts use."""

from __future__ import annotations

import struct

#: Fields after the first eight bytes: 32 bits each, from `tcpi_rto` on; then 64 bits, then 32 again, as the kernel has them.
_BYTES = ("state", "ca_state", "retransmits", "probes", "backoff", "options")
_WORDS = tuple(
    "rto ato snd_mss rcv_mss unacked sacked lost retrans fackets last_data_sent last_ack_sent last_data_recv last_ack_recv pmtu "
    "rcv_ssthresh rtt rttvar snd_ssthresh snd_cwnd advmss reordering rcv_rtt rcv_space total_retrans".split()
)
_LONGS = ("pacing_rate", "max_pacing_rate", "bytes_acked", "bytes_received")
_MORE = ("segs_out", "segs_in", "notsent_bytes", "min_rtt", "data_segs_in", "data_segs_out")
_LONGER = ("delivery_rate", "busy_time", "rwnd_limited", "sndbuf_limited")
_THEN = ("delivered", "delivered_ce")
_BYTE_COUNTS = ("bytes_sent", "bytes_retrans")
_LAST = ("dsack_dups", "reord_seen", "rcv_ooopack", "snd_wnd", "rcv_wnd", "rehash")
_FORMAT = "=6B2B24I4Q6I4Q2I2Q6I"
#: Every name, with the prefix that scripts write.
NAMES = tuple(
    f"tcpi_{name}" for name in (*_BYTES, *_WORDS, *_LONGS, *_MORE, *_LONGER, *_THEN, *_BYTE_COUNTS, *_LAST, "snd_wscale", "rcv_wscale")
)
SIZE = struct.calcsize(_FORMAT)


def fields(data: bytes) -> dict[str, int]:
    """The values; those that a shorter structure lacks are left out."""
    values = struct.unpack(_FORMAT, data[:SIZE].ljust(SIZE, b"\0"))
    head, scales, rest = values[:6], values[6], values[8:]
    named = [*zip(_BYTES, head, strict=True), ("snd_wscale", scales & 15), ("rcv_wscale", scales >> 4)]
    named += zip((*_WORDS, *_LONGS, *_MORE, *_LONGER, *_THEN, *_BYTE_COUNTS, *_LAST), rest, strict=True)
    return {f"tcpi_{name}": value for name, value in named}
