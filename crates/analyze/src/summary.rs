//! A direction in one row.

use crate::connection::Connection;
use crate::holds::MANY;
use crate::numbers::span_s;
use crate::rows::{Sink, table};
use crate::{policy, vantage, words};

table! {
    /// One direction of a connection.
    ConnectionRow {
        /// number, from 0, in the order of their first packets
        connection: counts,
        /// 0: data of the end that opened the connection (or was seen first); 1: the other's
        way: counts,
        /// address and port that send the data
        from: texts,
        /// address and port that acknowledge them
        to: texts,
        /// when its first packet passed, from the first of the capture
        start_s: numbers,
        /// from its first packet to its last
        duration_s: numbers,
        /// both SYNs passed
        handshake: truths,
        /// a RST passed
        reset: truths,
        /// from the SYN to the ACK that ends the handshake, where each passed once
        handshake_rtt_s: maybe_numbers,
        /// maximum segment size that the data's receiver announced, or their sender if that is less
        mss: maybe_counts,
        /// window scale of the receiver; null without both SYNs
        window_scale: maybe_counts,
        /// what both SYNs offer beside: `sack`, `timestamps`, `ecn`
        options: texts,
        /// payload that passed within 0.9 round trips of the first: the initial window, if the sender had enough to send; null without a handshake
        initial_window_bytes: maybe_counts,
        /// packets with payload, SYN or FIN
        data_packets: counts,
        /// segments in them; more than packets where an interface put several into one
        segments: counts,
        /// payload that passed, with what was resent
        bytes: counts,
        /// payload of a full segment
        segment_bytes: counts,
        /// packets with more payload than a full segment (TSO, GRO)
        offloaded: counts,
        /// packets of which something had passed before
        resent: counts,
        /// their payload
        resent_bytes: counts,
        /// packets that fill a gap: overtaken, or lost before they came here
        late: counts,
        /// recoveries that three duplicate ACKs or SACK blocks began
        fast_recoveries: counts,
        /// segments resent after 0.2 s without data, when no duplicate ACK had asked for them
        timeouts: counts,
        /// keep-alives and window probes of the data's sender
        keep_alives: counts,
        /// packets with an acknowledgment number
        acks: counts,
        /// those without payload, SYN and FIN
        pure_acks: counts,
        /// those that acknowledge payload for the first time
        new_acks: counts,
        /// pure ones that repeat number and window of the one before
        duplicate_acks: counts,
        /// those of them that came although every segment had been answered
        unprompted_duplicates: counts,
        /// pure ones that repeat the number with another window
        window_updates: counts,
        /// keep-alives of the receiver, and its answers to them
        probes: counts,
        /// those that acknowledge less than one before
        old_acks: counts,
        /// those with SACK blocks
        sack_acks: counts,
        /// those that report something that came twice (RFC 2883)
        dsack_acks: counts,
        /// pure ones that close the window
        zero_window: counts,
        /// for how long it was closed
        zero_window_s: numbers,
        /// payload acknowledged for the first time
        acked_bytes: counts,
        /// mean over `new_acks`
        bytes_per_ack: maybe_numbers,
        /// mean over `new_acks`; null where neither data nor a SYN tell a segment's size
        segments_per_ack: maybe_numbers,
        /// plain ACKs: pure, of new data that passed once and in order, while no gap was open; only they tell a policy
        plain_acks: counts,
        /// those of one segment
        acks_of_one: counts,
        /// of two
        acks_of_two: counts,
        /// of more: stretch ACKs
        acks_of_more: counts,
        /// ACKs that end inside a segment
        divided_acks: counts,
        /// segments that passed once and were acknowledged in parts, where a segment's size is certain
        split_segments: counts,
        /// ACKs at least third in a row that follow each other in less than half the time their segments did
        compressed_acks: counts,
        /// ACKs of numbers that no window allowed, left out: of an older connection, or forged
        wild_acks: counts,
        /// ACKs of what had not passed
        acks_of_unseen: counts,
        /// those whose data passed more than 1 ms later: optimistic
        optimistic_acks: counts,
        /// ACKs that are missing between those that passed, at least; null where the receiver's IPv4 identifications do not count the connection's packets
        missing_acks: maybe_counts,
        /// ACKs that echo the timestamp of a later segment than the first they cover: ACKs before them are missing
        later_echoes: counts,
        /// those of them that echo the last segment they cover, as some receivers always do
        last_echoes: counts,
        /// ACKs that echo an earlier one: they acknowledge what had not arrived
        earlier_echoes: counts,
        /// segments acknowledged one by one and at once at the start
        quick_segments: counts,
        /// plain ACKs that waited (`thresholds`)
        held_acks: counts,
        /// delay of plain ACKs since what they cover was complete: least
        delay_min_s: maybe_numbers,
        /// median, to 4 %
        delay_median_s: maybe_numbers,
        /// 95th of 100, to 4 %
        delay_p95_s: maybe_numbers,
        /// greatest
        delay_max_s: maybe_numbers,
        /// time about which most lone segments waited for their ACK, beyond `delay_min_s`, to 4 %; null where fewer than 5 waited, or they did not wait alike
        timer_s: maybe_numbers,
        /// nine tenths of them waited at least this long
        timer_low_s: maybe_numbers,
        /// and nine tenths at most this long
        timer_high_s: maybe_numbers,
        /// data packets that may be marked (ECT)
        ect: counts,
        /// data packets marked (CE)
        ce: counts,
        /// ACKs that echo a mark (ECE)
        ece: counts,
        /// data packets that say a mark was answered (CWR)
        cwr: counts,
        /// pure ACKs that may be marked, or are
        ect_acks: counts,
        /// round trips timed from here to the receiver and back (Karn's rule, or timestamps)
        rtt_samples: counts,
        /// those of segments that passed more than once, which timestamps tell apart
        rtt_stamped: counts,
        /// least
        rtt_min_s: maybe_numbers,
        /// mean
        rtt_mean_s: maybe_numbers,
        /// median, to 4 %
        rtt_median_s: maybe_numbers,
        /// 95th of 100, to 4 %
        rtt_p95_s: maybe_numbers,
        /// greatest
        rtt_max_s: maybe_numbers,
        /// least from here to the sender and back: handshake, or echoed timestamps
        sender_rtt_min_s: maybe_numbers,
        /// packets of both ends that had passed shortly before, the same to identification or timestamps: captured twice, or repeated by the network
        copies: counts,
        /// most that was sent and not acknowledged; 0 where no ACK passed
        max_flight_bytes: counts,
        /// payload bits acknowledged a second, from the first segment to the last ACK
        goodput_bps: maybe_numbers,
        /// where the capture was taken: near the `receiver`, the `sender`, `both`, `between` them, or `unknown`
        vantage: texts,
        /// what the ACKs amount to: `every`, `delayed`, `quick-then-delayed`, `by-phase`, `periodic`, `varying`, `divided`, `spoofed`, `optimistic`, `thinned`, `undecided`
        policy: texts,
        /// segments it waits for, where they are a fixed number
        ack_every: maybe_counts,
        /// the same in words, with the evidence
        finding: texts,
    }
}

/// The row of `connection`'s direction `index`.
pub fn row(number: usize, connection: &Connection, index: usize) -> ConnectionRow {
    let mut way = connection.ways[index].clone();
    way.acks.holds.finish();
    let (data, acks, holds) = (&way.counts, &way.acks.counts, &way.acks.holds);
    let mean = |sum: u64| (acks.new > 0).then(|| sum as f64 / acks.new as f64);
    let place = vantage::of(&way);
    let found = policy::of(&way, connection.copies, place);
    let round_trip = way.legs.0.zip(way.legs.1).map(|(one, other)| one + other);
    let end = |end: usize| connection.ends[end].to_string();
    let span = data.first_ns.zip(acks.last_ns).map(|(first, last)| span_s(first, last)).filter(|span| *span > 0.0);
    ConnectionRow {
        connection: number as u64,
        way: index as u64,
        from: end(index),
        to: end(1 - index),
        start_s: span_s(0, connection.first_ns),
        duration_s: span_s(connection.first_ns, connection.last_ns),
        handshake: connection.opened,
        reset: connection.reset,
        handshake_rtt_s: round_trip,
        mss: way.mss.map(u64::from),
        window_scale: connection.opened.then_some(way.acks.scale.into()),
        options: connection.options(),
        initial_window_bytes: round_trip.map(|_| way.recovery.first_window),
        data_packets: data.packets,
        segments: data.segments,
        bytes: data.bytes,
        segment_bytes: way.unit().into(),
        offloaded: data.offloaded,
        resent: data.resent,
        resent_bytes: data.resent_bytes,
        late: data.late,
        fast_recoveries: way.recovery.fast,
        timeouts: way.recovery.timeouts,
        keep_alives: data.keep_alives,
        acks: acks.packets,
        pure_acks: acks.pure,
        new_acks: acks.new,
        duplicate_acks: acks.duplicates,
        unprompted_duplicates: acks.unprompted,
        window_updates: acks.window_updates,
        probes: acks.probes,
        old_acks: acks.old,
        sack_acks: acks.sacks,
        dsack_acks: acks.dsacks,
        zero_window: acks.zero_window,
        zero_window_s: way.recovery.closed_ns as f64 * 1e-9,
        acked_bytes: acks.acked_bytes,
        bytes_per_ack: mean(acks.acked_bytes),
        segments_per_ack: mean(acks.acked_segments).filter(|_| way.has_unit()),
        plain_acks: holds.count(),
        acks_of_one: holds.of(1..=1),
        acks_of_two: holds.of(2..=2),
        acks_of_more: holds.of(3..=MANY),
        divided_acks: acks.divided,
        split_segments: acks.split,
        compressed_acks: acks.compressed,
        wild_acks: acks.wild,
        acks_of_unseen: acks.of_unseen,
        optimistic_acks: acks.ahead,
        missing_acks: policy::missing(&way.acks),
        later_echoes: acks.later_echoes,
        last_echoes: acks.last_echoes,
        earlier_echoes: acks.earlier_echoes,
        quick_segments: holds.lead,
        held_acks: holds.held.iter().sum(),
        delay_min_s: holds.delay.least(),
        delay_median_s: holds.delay.quantile(0.5),
        delay_p95_s: holds.delay.quantile(0.95),
        delay_max_s: holds.delay.most(),
        timer_s: found.timer.map(|timer| timer.mode),
        timer_low_s: found.timer.map(|timer| timer.low),
        timer_high_s: found.timer.map(|timer| timer.high),
        ect: data.ect,
        ce: data.ce,
        ece: acks.ece,
        cwr: data.cwr,
        ect_acks: acks.ect,
        rtt_samples: way.acks.rtt.count(),
        rtt_stamped: acks.stamped_rtts,
        rtt_min_s: way.acks.rtt.least(),
        rtt_mean_s: way.acks.rtt.mean(),
        rtt_median_s: way.acks.rtt.quantile(0.5),
        rtt_p95_s: way.acks.rtt.quantile(0.95),
        rtt_max_s: way.acks.rtt.most(),
        sender_rtt_min_s: vantage::legs(&way).1,
        copies: connection.copies,
        max_flight_bytes: if acks.packets > 0 { data.most_flight } else { 0 },
        goodput_bps: span.map(|span| 8.0 * acks.acked_bytes as f64 / span),
        vantage: place.name().to_owned(),
        policy: found.name.to_owned(),
        ack_every: found.every,
        finding: words::finding(connection, &way, &found, place),
    }
}
