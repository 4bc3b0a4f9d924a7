/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A congestion control for Linux (struct_ops) that follows rules.h. One program for each callback of tcp_congestion_ops,
 * in a section of its name. No maps, no calls, no relocations but LINKED numbers: tools/bpf.py makes sender.code of
 * it, crates/live/src/bpf loads that.
 *
 * Where the kernel moves the window itself (recovery, timeouts, its end of idleness) it is followed; where an ACK is
 * counted, the rules decide, and not cong_avoid, which is not called for ACKs that complete no segment.
 */
#include "rules.h"

#define PROGRAM(name) __attribute__((section("tcp/" #name), used)) u64 name
#define AT(type, of, field) (*(type *)((char *)(of) + LINKED(field)))

/* tcp_ca_state */
enum { CWR = 2, RECOVERY = 3, LOST = 4 };

INLINE struct state *state_of(void *sk)
{
    return (struct state *)((char *)sk + LINKED(inet_connection_sock__icsk_ca_priv));
}

INLINE u64 mss_of(void *sk) { return most(AT(u32, sk, tcp_sock__mss_cache), 1); }

/* One past the highest byte sent, counted as bytes_acked is. */
INLINE u64 end_of(void *sk)
{
    u32 out = AT(u32, sk, tcp_sock__snd_nxt) - AT(u32, sk, tcp_sock__snd_una);

    return AT(u64, sk, tcp_sock__bytes_acked) + out;
}

/* Takes over a window that the kernel has moved. */
INLINE void follow(struct state *s, void *sk, u64 mss)
{
    u32 window = AT(u32, sk, tcp_sock__snd_cwnd);

    if (window != s->window) {
        s->cwnd = window * mss;
        s->window = window;
    }
}

/* Whether the window is so much in use that ACKs may grow it (RFC 7661), where the scenario asks; the kernel keeps count. */
INLINE int in_use(struct state *s, void *sk, u64 ssthresh)
{
    u32 limited = AT(u8, sk, tcp_sock__is_cwnd_limited) >> LINKED(tcp_sock__is_cwnd_limited__bit) & 1;
    u64 out = AT(u32, sk, tcp_sock__max_packets_out);

    return !LINKED(validate) || limited || (s->cwnd < ssthresh && s->window < 2 * out);
}

PROGRAM(init)(u64 *arguments)
{
    void *sk = (void *)arguments[0];
    struct state *s = state_of(sk);
    u32 window = AT(u32, sk, tcp_sock__snd_cwnd);

    begin(s, window * mss_of(sk), AT(u64, sk, tcp_sock__bytes_acked));
    s->window = window;
    if (LINKED(initial_ssthresh))
        AT(u32, sk, tcp_sock__snd_ssthresh) = LINKED(initial_ssthresh);
    s->ready = 1;
    return 0;
}

PROGRAM(in_ack_event)(u64 *arguments)
{
    void *sk = (void *)arguments[0];
    struct state *s = state_of(sk);
    u64 ack = AT(u64, sk, tcp_sock__bytes_acked), acked = ack - s->heard, mss = mss_of(sk), window, ssthresh;

    if (!s->ready || acked == 0)
        return 0;
    s->heard = ack;
    /* The kernel reduces the window by itself. */
    if (s->recovering || s->marked)
        return 0;
    follow(s, sk, mss);
    ssthresh = AT(u32, sk, tcp_sock__snd_ssthresh) * mss;
    if (!in_use(s, sk, ssthresh))
        return 0;
    on_ack(s, ack, acked, mss, ssthresh);
    window = least(s->cwnd / mss, AT(u32, sk, tcp_sock__snd_cwnd_clamp));
    window = least(most(window, 1), 0x7fffffff);
    if (window != s->window) {
        AT(u32, sk, tcp_sock__snd_cwnd) = window;
        s->window = window;
    }
    return 0;
}

/* The kernel demands it; in_ack_event has done it. */
PROGRAM(cong_avoid)(u64 *arguments) { return 0; }

PROGRAM(pkts_acked)(u64 *arguments)
{
    void *sk = (void *)arguments[0];
    struct state *s = state_of(sk);
    u64 mss = mss_of(sk), ack = AT(u64, sk, tcp_sock__bytes_acked);
    u32 rtt = AT(u32, arguments[1], ack_sample__rtt_us);

    /*
     * The kernel also times what is only selectively acknowledged. The rules hear of what an ACK covers, and in a
     * recovery that was sent twice, or arrived long ago.
     */
    if (!s->ready || ack == s->timed)
        return 0;
    s->timed = ack;
    if (s->recovering)
        return 0;
    /* Negative: of a segment that was sent more than once. */
    if (rtt >= 0x80000000u)
        return 0;
    if (!s->marked)
        follow(s, sk, mss);
    on_round_trip(s, rtt, AT(u64, sk, tcp_sock__tcp_mstamp), ack, end_of(sk), mss,
                  AT(u32, sk, tcp_sock__snd_ssthresh) * mss);
    return 0;
}

/* Asked before the kernel says why (set_state): answered as for a loss. */
PROGRAM(ssthresh)(u64 *arguments)
{
    void *sk = (void *)arguments[0];
    struct state *s = state_of(sk);
    u64 mss = mss_of(sk), flight = end_of(sk) - AT(u64, sk, tcp_sock__bytes_acked), in_use;

    follow(s, sk, mss);
    /* FlightSize without what limited transmit added (RFC 5681 section 3.2), or the window itself. */
    in_use = LINKED(halve_cwnd) ? s->cwnd : least(flight, s->cwnd);
    s->in_use = least(in_use, NEVER);
    s->asked = 1;
    return threshold(s, LOSS, in_use, mss) / mss;
}

PROGRAM(set_state)(u64 *arguments)
{
    void *sk = (void *)arguments[0];
    struct state *s = state_of(sk);
    u8 state = arguments[1];
    u64 mss = mss_of(sk);

    if (state == RECOVERY)
        on_signal(s, LOSS, end_of(sk));
    if (state == LOST)
        on_signal(s, TIMEOUT, end_of(sk));
    if (state == CWR)
        on_signal(s, MARK, end_of(sk));
    if (s->asked && (state == LOST || state == CWR))
        AT(u32, sk, tcp_sock__snd_ssthresh) = threshold(s, state == LOST ? TIMEOUT : MARK, s->in_use, mss) / mss;
    s->asked = 0;
    s->recovering = state == RECOVERY;
    s->marked = state == CWR;
    if (state >= CWR)
        s->window = 0;
    return 0;
}

/* A reduction that was needless: what there was before it. */
PROGRAM(undo_cwnd)(u64 *arguments)
{
    void *sk = (void *)arguments[0];

    return most(AT(u32, sk, tcp_sock__snd_cwnd), AT(u32, sk, tcp_sock__prior_cwnd));
}
