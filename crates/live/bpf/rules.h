/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What an ACK is worth, and what credit and losses do to the window: the rules of crates/tcp/src/sender/congestion/credit and
 * control, in bytes and without fractions, for a kernel's sender. Compiled twice: for the kernel by sender.c, for the
 * test that feeds both with the same ACKs by replay.c.
 *
 * The simulator counts bytes in doubles that hold whole numbers; sums, products and whole parts of quotients are the
 * same here to the last byte.
 */
#ifndef ACKLAB_RULES_H
#define ACKLAB_RULES_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef __bpf__
/* A number known when the program is loaded: a parameter, or where the kernel at hand keeps a field (STRUCT__FIELD). */
#define LINKED(name)                                                                                                   \
    ({                                                                                                                 \
        u64 number_;                                                                                                   \
        asm("%0 = " #name " ll" : "=r"(number_));                                                                      \
        number_;                                                                                                       \
    })
#else
#define LINKED(name) linked_##name
static u64 linked_credit, linked_limit, linked_limit_after_timeout, linked_growth, linked_control, linked_alpha,
    linked_beta, linked_per_rtt, linked_first_loss_half, linked_since_loss, linked_tick_us;
#endif

#define INLINE static inline __attribute__((always_inline))
#define NEVER 0xffffffffu
/* Parameters that are no whole numbers are given in this part of one: L in segments, alpha and beta. */
#define PARTS 256

/* The numbers of CREDITS, GROWTHS and CONTROLS in crates/live/src/bpf/rules.rs. */
enum { ACK_COUNTING, RFC5681, BYTE_COUNTING, ABC, FULL_SEGMENTS, COUNTER, SEGMENT_COUNTER };
enum { WHOLE, STEPS, ALL_THEN_ONE };
enum { RENO, VENO };

enum signal { LOSS, TIMEOUT, MARK };

/* A connection's, in the 104 bytes that a kernel has for it (icsk_ca_priv). Bytes, and microseconds. */
struct state {
    u64 cwnd;          /* congestion window */
    u64 heard;         /* cumulative ACK that has been counted */
    u64 recover;       /* what was outstanding when the timer last ran out ends here */
    u64 tag;           /* Veno: an ACK beyond this is judged next */
    u64 part;          /* what a credit rule has kept */
    u64 timed;         /* glue: cumulative ACK whose round trip has been heard */
    u32 count;         /* ACKs or segments counted towards the next segment of the window */
    u32 base_rtt;      /* Veno: least round trip; NEVER before the first */
    u32 window;        /* glue: the kernel's window, as it was left; 0 where the kernel is about to move it */
    u32 in_use;        /* glue: what of the window was used when its threshold was last asked for */
    u8 after_timeout;  /* the last reduction was a timeout's */
    u8 recovering;     /* a fast recovery is on */
    u8 judged;         /* Veno: the backlog was */
    u8 congested;      /* Veno: and exceeded alpha */
    u8 slowed;         /* Veno: and beta */
    u8 grew;           /* Veno: the last ACK in the slow branch grew the window */
    u8 held;           /* Veno: this ACK may not */
    u8 tagged;         /* Veno: there is a tag */
    u8 marked;         /* glue: the kernel reduces the window for a congestion mark */
    u8 ready;          /* glue: initialised */
    u8 asked;          /* glue: the threshold was, and the kernel has not said why */
};

/* first, then times parts of rest / times each; in PARTS of a byte, since L segments may be no whole bytes. */
struct worth {
    u64 first, rest, times;
};

INLINE u64 least(u64 a, u64 b) { return a < b ? a : b; }
INLINE u64 most(u64 a, u64 b) { return a < b ? b : a; }

INLINE u64 whole_segments(struct state *s, u64 acked, u64 mss)
{
    u64 units = s->part + acked, whole = units / mss * mss;

    s->part = units - whole;
    return whole;
}

INLINE struct worth worth(struct state *s, u64 acked, u64 mss, int slow_start, int after_timeout)
{
    u64 kind = LINKED(credit), cwnd = s->cwnd, limit = LINKED(limit), window, grown, units, count;
    u64 segment = mss * PARTS;
    struct worth w = {segment, 0, 0};

    if (kind == RFC5681 && slow_start) {
        w.first = least(acked, mss) * PARTS;
    } else if (kind == BYTE_COUNTING) {
        units = limit ? least(acked * PARTS, limit * mss) : acked * PARTS;
        w.first = units;
        if (LINKED(growth) == STEPS && units > segment) {
            w.first = segment;
            w.rest = units - segment;
            w.times = (units + segment - 1) / segment - 1;
        } else if (LINKED(growth) == ALL_THEN_ONE && units > segment && !slow_start) {
            w.first = units - segment;
            w.rest = segment;
            w.times = 1;
        }
    } else if (kind == ABC && slow_start) {
        s->part = 0;
        w.first = least(acked * PARTS, (after_timeout ? LINKED(limit_after_timeout) : limit) * mss);
    } else if (kind == ABC) {
        s->part += acked;
        w.first = 0;
        if (s->part >= cwnd) {
            s->part -= cwnd;
            w.first = cwnd * PARTS;
        }
    } else if (kind == FULL_SEGMENTS) {
        w.first = whole_segments(s, acked, mss) * PARTS;
    } else if (kind == COUNTER && slow_start) {
        s->count = 0;
    } else if (kind == COUNTER) {
        if (s->count * mss + mss <= cwnd) {
            s->count += 1;
            w.first = 0;
        } else {
            s->count = 0;
            w.first = cwnd * PARTS;
        }
    } else if (kind == SEGMENT_COUNTER) {
        units = whole_segments(s, acked, mss);
        w.first = units * PARTS;
        if (!slow_start) {
            window = most(cwnd / mss, 1);
            count = s->count;
            /* Counted for a window that was larger. */
            grown = count >= window;
            if (grown)
                count = 0;
            count += units / mss;
            grown += count / window;
            s->count = count % window;
            w.first = grown * cwnd * PARTS;
        }
    }
    return w;
}

/* Credit of units / parts bytes, by the law that holds now. */
INLINE void grow(struct state *s, u64 units, u64 parts, u64 mss, u64 ssthresh)
{
    int slow_start = s->cwnd < ssthresh;

    if (units == 0 || s->cwnd == 0 || (!slow_start && s->held))
        return;
    s->cwnd += most(slow_start ? units / parts : units * mss / (parts * s->cwnd), 1);
}

/* Veno: above beta every second ACK grows the window; anywhere else each does, and the count starts anew. */
INLINE void take_turn(struct state *s)
{
    s->held = s->slowed && s->grew;
    s->grew = s->slowed && !s->held;
}

/* An ACK that newly covers acked bytes, up to ack, outside of recoveries. */
INLINE void on_ack(struct state *s, u64 ack, u64 acked, u64 mss, u64 ssthresh)
{
    int slow_start = s->cwnd < ssthresh;
    struct worth w;

    if (LINKED(control) == VENO && !slow_start)
        take_turn(s);
    w = worth(s, acked, mss, slow_start, s->after_timeout && ack - acked < s->recover);
    grow(s, w.first, PARTS, mss, ssthresh);
    /* A large segment of 64 KiB has no more small ones. */
    for (u32 part = 0; part < 1024; part++) {
        if (part >= w.times)
            break;
        grow(s, w.rest, w.times * PARTS, mss, ssthresh);
    }
}

/* The newest segment that an ACK covers, up to ack, took rtt; end is one past the highest byte sent. */
INLINE void on_round_trip(struct state *s, u64 rtt, u64 now, u64 ack, u64 end, u64 mss, u64 ssthresh)
{
    u64 tick = LINKED(tick_us), excess;
    int due;

    if (LINKED(control) != VENO)
        return;
    /* Both instants are read off the clock. One tick at least: a round trip is not nothing. */
    if (tick)
        rtt = most(now / tick - (now - rtt) / tick, 1) * tick;
    if (rtt == 0 || rtt >= NEVER)
        return;
    if (rtt < s->base_rtt)
        s->base_rtt = rtt;
    if (s->cwnd < ssthresh || s->recovering)
        return;
    due = LINKED(per_rtt) ? s->tagged && ack > s->tag : 1;
    if (due) {
        /* N = cwnd / mss * (rtt - base) / rtt against alpha and beta, without a division. */
        excess = s->cwnd * (rtt - s->base_rtt);
        s->judged = 1;
        s->congested = excess > LINKED(alpha) * mss * rtt / PARTS;
        s->slowed = excess > LINKED(beta) * mss * rtt / PARTS;
    }
    if (due || !s->tagged) {
        s->tagged = 1;
        s->tag = end;
    }
}

/* The threshold after a signal of congestion, of a window of which in_use was used. */
INLINE u64 threshold(struct state *s, enum signal signal, u64 in_use, u64 mss)
{
    int congested = s->judged ? s->congested : LINKED(first_loss_half) != 0;
    u64 left = in_use / 2;

    if (LINKED(control) == VENO && signal == LOSS && !congested)
        left = in_use * 4 / 5;
    return most(left, 2 * mss);
}

/* What a signal makes void; end is one past the highest byte sent. */
INLINE void on_signal(struct state *s, enum signal signal, u64 end)
{
    u64 kind = LINKED(credit);

    s->after_timeout = signal == TIMEOUT;
    if (signal == TIMEOUT) {
        s->recover = end;
        s->part = 0;
        s->count = 0;
    } else if (signal == LOSS && kind == SEGMENT_COUNTER) {
        s->count = 0;
    }
    if (signal != MARK) {
        s->tagged = 0;
        if (LINKED(since_loss))
            s->base_rtt = NEVER;
    }
}

INLINE void begin(struct state *s, u64 cwnd, u64 heard)
{
    s->cwnd = cwnd;
    s->heard = heard;
    s->recover = 0;
    s->tag = 0;
    s->part = 0;
    s->timed = heard;
    s->count = 0;
    s->base_rtt = NEVER;
    s->in_use = 0;
    s->after_timeout = 0;
    s->recovering = 0;
    s->marked = 0;
    s->judged = 0;
    s->congested = 0;
    s->slowed = 0;
    s->grew = 0;
    s->held = 0;
    s->tagged = 0;
    s->asked = 0;
}

#endif
