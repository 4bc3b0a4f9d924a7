//! A direction in one row.

use acklab_table::{Value, table};

use crate::connection::Connection;
use crate::direction::Direction;
use crate::ecn::Agreed;
use crate::finding::View;
use crate::limited::Limited;
use crate::limits::Limit;
use crate::numbers::span_s;
use crate::thresholds::{HELD_S, MANY, MAX_LACKING, MIN_RTO_S, MIN_TICKS};
use crate::vantage::{Legs, Vantage};
use crate::{policy, vantage};

table! {
    /// One direction of a connection.
    pub struct ConnectionRow {
        /// Number, from 0, in the order of their first packets.
        pub connection: u64,
        /// 0: data of the end that opened the connection (or was seen first); 1: the other's.
        pub direction: u64,
        /// Address and port that send the data.
        pub from: String,
        /// Address and port that acknowledge them.
        pub to: String,
        /// When its first packet passed, from the first of the capture.
        pub start_s: f64,
        /// From its first packet to its last.
        pub duration_s: f64,
        /// Both SYNs passed.
        pub handshake: bool,
        /// A RST passed.
        pub reset: bool,
        /// From the SYN to the pure ACK that ends the handshake, where each passed once and, by later round trips, none was late.
        pub handshake_rtt_s: Option<f64>,
        /// Maximum segment size that the data's receiver announced, or their sender if that is less.
        pub mss: Option<u64>,
        /// Window scale of the receiver; null without both SYNs.
        pub window_scale: Option<u64>,
        /// Other options that both SYNs offer: `sack`, `timestamps`, `ecn` (RFC 3168).
        pub options: String,
        /// Payload that passed within 0.9 round trips of the first: the initial window, if the sender had enough to send; null without a handshake.
        pub initial_window_bytes: Option<u64>,
        /// Packets with payload, SYN or FIN.
        pub data_packets: u64,
        /// Segments in them; more than packets where an interface put several into one.
        pub segments: u64,
        /// Payload that passed, with what was resent.
        pub bytes: u64,
        /// Payload of a full segment.
        pub segment_bytes: u64,
        /// Packets with more payload than a full segment (TSO, GRO).
        pub offloaded: u64,
        /// Packets of which something had passed before.
        pub resent: u64,
        /// Their payload.
        pub resent_bytes: u64,
        /// Packets that fill a gap: overtaken, or lost before they came here.
        pub late: u64,
        /// Recoveries that three duplicate ACKs or SACK blocks began.
        pub fast_recoveries: u64,
        /// Segments resent after 0.2 s without data, when no duplicate ACK had asked for them; null if the capture's clock is too coarse.
        pub timeouts: Option<u64>,
        /// Keep-alives and window probes of the data's sender.
        pub keep_alives: u64,
        /// Packets with an acknowledgment number.
        pub acks: u64,
        /// Those without payload, SYN and FIN.
        pub pure_acks: u64,
        /// Those that acknowledge payload for the first time.
        pub new_acks: u64,
        /// Pure ones that repeat number and window of the one before.
        pub duplicate_acks: u64,
        /// Those of them that came although every segment had been answered.
        pub unprompted_duplicates: u64,
        /// Pure ones that repeat the number with another window.
        pub window_updates: u64,
        /// Keep-alives of the receiver, and its answers to them.
        pub probes: u64,
        /// Those that acknowledge less than one before.
        pub old_acks: u64,
        /// Those with SACK blocks.
        pub sack_acks: u64,
        /// Those that report something that came twice (RFC 2883).
        pub dsack_acks: u64,
        /// Segments other than SYN and FIN that advertise a window of 0.
        pub zero_window: u64,
        /// For how long it was closed.
        pub zero_window_s: f64,
        /// Payload acknowledged for the first time.
        pub acked_bytes: u64,
        /// Bytes of it that the capture lacks. Above 5 %, no policy and no goodput follows.
        pub lacking_bytes: u64,
        /// Mean over `new_acks`.
        pub bytes_per_ack: Option<f64>,
        /// Mean over `new_acks`; null where neither data nor a SYN tell a segment's size.
        pub segments_per_ack: Option<f64>,
        /// Plain ACKs: pure, of new data that passed once and in order, while no gap was open; only they show a policy.
        pub plain_acks: u64,
        /// Those of one segment.
        pub acks_of_one: u64,
        /// Of two.
        pub acks_of_two: u64,
        /// Of more: stretch ACKs.
        pub acks_of_more: u64,
        /// ACKs that end inside a segment.
        pub divided_acks: u64,
        /// Segments that passed once and were acknowledged in parts, where a segment's size is certain.
        pub split_segments: u64,
        /// ACKs at least third in a row that follow each other in less than half the time their segments did; null if the capture's clock is coarse.
        pub compressed_acks: Option<u64>,
        /// ACKs of numbers that no window allowed, left out: of an older connection, or forged.
        pub wild_acks: u64,
        /// ACKs of what had not passed.
        pub acks_of_unseen: u64,
        /// Those whose data passed more than 1 ms later: optimistic; null if the capture's clock is coarse.
        pub optimistic_acks: Option<u64>,
        /// ACKs that are missing between those that passed, at least; null where the receiver's IPv4 identifications do not count the connection's packets.
        pub missing_acks: Option<u64>,
        /// ACKs that echo the timestamp of a later segment than the first they cover: ACKs before them are missing.
        pub later_echoes: u64,
        /// Those of them that echo the last segment they cover, as some receivers always do.
        pub last_echoes: u64,
        /// ACKs that echo an earlier one: they acknowledge what had not arrived.
        pub earlier_echoes: u64,
        /// Segments acknowledged one by one and at once at the start; null if the capture's clock is too coarse.
        pub quick_segments: Option<u64>,
        /// Plain ACKs that waited (`thresholds`); null if the capture's clock is too coarse.
        pub held_acks: Option<u64>,
        /// Delay of plain ACKs since what they cover was complete: least.
        pub delay_min_s: Option<f64>,
        /// Median, to 4 %.
        pub delay_median_s: Option<f64>,
        /// 95th of 100, to 4 %.
        pub delay_p95_s: Option<f64>,
        /// Greatest.
        pub delay_max_s: Option<f64>,
        /// Time about which most lone segments waited for their ACK, beyond `delay_min_s`, to 4 %; null where fewer than 5 waited, or they did not wait alike.
        pub timer_s: Option<f64>,
        /// Nine tenths of them waited at least this long.
        pub timer_low_s: Option<f64>,
        /// And nine tenths at most this long.
        pub timer_high_s: Option<f64>,
        /// Data packets that may be marked (ECT).
        pub ect: u64,
        /// Data packets marked (CE).
        pub ce: u64,
        /// ACKs with the bit ECE, which echoes a mark if ECN was negotiated.
        pub ece: u64,
        /// Data packets that say a mark was answered (CWR).
        pub cwr: u64,
        /// ECN that was agreed on: `classic` (RFC 3168), `accurate` (RFC 9768), `none`, `unknown`.
        pub ecn: String,
        /// Packets that came marked by accurate ECN's counter in the ACKs, at least: each step counts 0 to 7. Null without the counter.
        pub ace_marks: Option<u64>,
        /// Bytes that came marked by accurate ECN's option; null without it.
        pub ace_bytes: Option<u64>,
        /// Pure ACKs that may be marked, or are.
        pub ect_acks: u64,
        /// Round trips timed from here to the receiver and back (Karn's rule, or timestamps); near the receiver these are its own delays.
        pub rtt_samples: u64,
        /// Those of segments that passed more than once, which timestamps distinguish.
        pub rtt_stamped: u64,
        /// Least.
        pub rtt_min_s: Option<f64>,
        /// Mean.
        pub rtt_mean_s: Option<f64>,
        /// Median, to 4 %.
        pub rtt_median_s: Option<f64>,
        /// 95th of 100, to 4 %.
        pub rtt_p95_s: Option<f64>,
        /// Greatest.
        pub rtt_max_s: Option<f64>,
        /// Median delay of full segments from the sender to here, less the shortest, by their timestamps; to 4 %.
        pub data_late_median_s: Option<f64>,
        /// 95th of 100.
        pub data_late_p95_s: Option<f64>,
        /// The same of the plain ACKs, from the receiver.
        pub acks_late_median_s: Option<f64>,
        /// 95th of 100.
        pub acks_late_p95_s: Option<f64>,
        /// Least from here to the sender and back: handshake, or echoed timestamps.
        pub sender_rtt_min_s: Option<f64>,
        /// Payload of the packet that ended it: a large one takes longer to send over a slow link than an empty one.
        pub sender_rtt_payload_bytes: Option<u64>,
        /// Least round trip of the whole path: from here to both ends and back; null where the capture's place is not known.
        pub path_rtt_min_s: Option<f64>,
        /// Packets of both ends that had passed shortly before, the same to identification or timestamps: captured twice, or repeated by the network.
        pub copies: u64,
        /// Most that was sent and not acknowledged; 0 where no ACK passed.
        pub max_flight_bytes: u64,
        /// Payload bits acknowledged a second, from the first segment to the last ACK; null if the capture lacks more than 5 % of them.
        pub goodput_bps: Option<f64>,
        /// Rate of the path's bottleneck in bits of IP packets a second. It is the median over trains of packets that met a queue; null where fewer than 8 did, or their rates differ.
        pub bottleneck_bps: Option<f64>,
        /// Nine tenths of the trains had at least this rate.
        pub bottleneck_low_bps: Option<f64>,
        /// And nine tenths at most this rate.
        pub bottleneck_high_bps: Option<f64>,
        /// Trains that met a queue, where a rate follows from them.
        pub bottleneck_trains: Option<u64>,
        /// Trains of what: `data`, behind the bottleneck; `acks`, before it; empty without a rate.
        pub bottleneck_from: String,
        /// What limits the rate: one of the causes below with more than half of the time, as in the table `limits`; `mixed`, `short` (too few data), `unknown`.
        pub limit: String,
        /// From the first data to their last ACK: the sum of the ten causes below.
        pub limits_s: f64,
        /// The sending application had nothing to send.
        pub application_limited_s: Option<f64>,
        /// The receiver's window was used up, and no queue stood on the path.
        pub window_limited_s: Option<f64>,
        /// The receiver's window was 0, and there was more to send.
        pub closed_limited_s: Option<f64>,
        /// Lost segments were repaired, or a timeout awaited.
        pub recovery_limited_s: Option<f64>,
        /// Slow start: flight and rate grew by a fifth or more from round trip to round trip.
        pub slow_start_limited_s: Option<f64>,
        /// The path's rate: a queue stood, or the data filled the link.
        pub path_limited_s: Option<f64>,
        /// A queue of ACKs stood, and none of data.
        pub ack_path_limited_s: Option<f64>,
        /// The congestion window was used up, and no queue stood.
        pub cwnd_limited_s: Option<f64>,
        /// The flight stayed the same for more than 4 round trips, below the receiver's window, and no queue stood: the sender's buffer, or another limit of its own.
        pub sender_window_limited_s: Option<f64>,
        /// The path or the congestion window; the capture does not distinguish them.
        pub network_limited_s: Option<f64>,
        /// Silence before retransmissions by timeout; a part of `recovery_limited_s`.
        pub timeout_wait_s: Option<f64>,
        /// Waits of the sender for ACKs that the receiver held 20 ms or longer beyond its least delay.
        pub delayed_ack_wait_s: Option<f64>,
        /// Why an `unknown` limit is unknown, else empty. What did not pass: `no-acks`, `no-data`, `lacks-data`, `lacks-acks` (data go beyond every window). How far the sender is: `no-distance`, or `distance-late` where only the other direction shows it. Also `two-series`, `coarse-clock`.
        pub limit_why: String,
        /// A part of `path_limited_s`: no queue stood, and the rate was the link's.
        pub path_filled_s: Option<f64>,
        /// Least receiver's window that stopped the sender; null without, and without both SYNs.
        pub window_limit_min_bytes: Option<u64>,
        /// And the largest.
        pub window_limit_max_bytes: Option<u64>,
        /// Where the capture was taken: near the `receiver`, the `sender`, `both`, `between` them, or `unknown`.
        pub vantage: String,
        /// ACK policy as far as the capture shows it: `every`, `delayed`, `quick-then-delayed`, `by-phase`, `periodic`, `varying`, `divided`, `spoofed`, `optimistic`, `thinned`, `undecided`.
        pub policy: String,
        /// Segments it waits for, where they are a fixed number.
        pub ack_every: Option<u64>,
        /// What shows the policy: `ahead`, `echoes`, `identifications`, `waits`, `batches`, `beginning`, `coarse-clock`. Or why it is `undecided`, by the capture: `two-series`, `lacks-data`, `acks-missing`, `unexplained-duplicates`, `partial-acks`. By too few ACKs: `few-acks`, `few-plain-acks`, `few-outside-quick`. By what they cover: `as-it-comes`, `others`. Empty where the policy says it.
        pub policy_why: String,
        /// ACKs that are its evidence (bytes for `lacks-data`, missing ACKs for `identifications`, segments for `divided`).
        pub policy_evidence: u64,
        /// Of so many; the fewest needed for `few-acks` and `few-outside-quick`.
        pub policy_of: u64,
        /// From ACK to ACK of a periodic policy.
        pub ack_period_s: Option<f64>,
        /// Quick phases after the first, with an ACK for each segment at once.
        pub quick_again: u64,
        /// Segments in them.
        pub quick_again_segments: u64,
        /// Those of the phases that follow a loss.
        pub quick_after_loss: u64,
        /// Lone segments whose ACK waited.
        pub lone_held: u64,
        /// Least time from here to the receiver and back, whatever shows it.
        pub receiver_rtt_min_s: Option<f64>,
        /// Only the handshake shows it: the receiver is at most so far.
        pub receiver_rtt_at_most: bool,
        /// The same of `sender_rtt_min_s`.
        pub sender_rtt_at_most: bool,
        /// After which the SYN was answered, where that was late by later round trips.
        pub late_answer_s: Option<f64>,
        /// After which the handshake's last ACK came, where that was late.
        pub late_ack_s: Option<f64>,
        /// After which the handshake was answered, where something nearer than the far end acknowledges (a proxy), or the answer was held up.
        pub split_answer_s: Option<f64>,
        /// Changes between two series of sequence numbers: captured on both sides of a device that rewrites them, or two connections; null without.
        pub series_returns: Option<u64>,
        /// Accurate ECN was asked for, and less agreed on.
        pub ecn_fell_back: bool,
    }
}

/// Direction `index` of `connection` when all of it has passed, and how far its ends are.
pub fn finished(connection: &Connection, index: usize, tick: f64) -> (Direction, Legs) {
    let mut direction = connection.directions[index].clone();
    direction.acks.holds.phases.finish();
    let link = policy::link(&direction, connection.ends[0].address.is_ipv6(), tick);
    let legs = if connection.two_series().is_some() { Legs::default() } else { Legs::of(connection, index, tick) };
    direction.limits.finish(direction.acks.counts.last_ns, link, legs.path());
    (direction, legs)
}

/// The row of `connection`'s direction `index`, by a clock of so many seconds a tick (0 if it is fine).
pub fn row(number: usize, connection: &Connection, index: usize, tick: f64) -> ConnectionRow {
    let (mut direction, legs) = finished(connection, index, tick);
    let two_series = connection.two_series();
    if legs.is_prompt() {
        direction.acks.syn_trip.inspect(|&trip| direction.acks.rtt.add(trip));
    }
    let (data, acks, holds) = (&direction.counts, &direction.acks.counts, &direction.acks.holds);
    let mean = |sum: u64| (acks.new > 0).then(|| sum as f64 / acks.new as f64);
    let nearer = vantage::nearer(connection, index, tick);
    let place = if nearer.is_some() { Vantage::Unknown } else { legs.place() };
    let view = View { place, copies: connection.copies, two_series, tick };
    let found = policy::of(&direction, &view);
    // A span of few ticks does not count, and one between two series of numbers means nothing.
    let known = |span: Option<f64>| span.filter(|span| *span >= MIN_TICKS * tick && two_series.is_none());
    let counted = |n: u64, least: f64| (least >= MIN_TICKS * tick && two_series.is_none()).then_some(n);
    let round_trip = known(connection.handshake_s()).filter(|_| legs.is_prompt());
    let bottleneck = policy::bottleneck(&direction, tick).filter(|_| two_series.is_none());
    let limited = Limited::of(&direction, tick, two_series.is_some(), known(legs.path()));
    let windows = direction.limits.windows.limiting.filter(|_| direction.acks.scaled);
    let end = |end: usize| connection.ends[end].to_string();
    let span = known(data.first_ns.zip(acks.last_ns).map(|(first, last)| span_s(first, last)));
    let span = span.filter(|span| *span > 0.0 && !policy::lacks(&direction, MAX_LACKING));
    ConnectionRow {
        connection: number as u64,
        direction: index as u64,
        from: end(index),
        to: end(1 - index),
        start_s: connection.first_ns as f64 * 1e-9,
        duration_s: span_s(connection.first_ns, connection.last_ns),
        handshake: connection.opened,
        reset: connection.reset,
        handshake_rtt_s: round_trip,
        mss: direction.mss.map(u64::from),
        window_scale: connection.opened.then_some(direction.acks.scale.into()),
        options: connection.options(),
        initial_window_bytes: round_trip.map(|_| direction.recovery.first_window),
        data_packets: data.packets,
        segments: data.segments,
        bytes: data.bytes,
        segment_bytes: direction.unit().into(),
        offloaded: data.offloaded,
        resent: data.resent,
        resent_bytes: data.resent_bytes,
        late: data.late,
        fast_recoveries: direction.recovery.fast,
        timeouts: counted(direction.recovery.timeouts, MIN_RTO_S),
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
        zero_window_s: direction.recovery.closed_ns as f64 * 1e-9,
        acked_bytes: acks.acked_bytes,
        lacking_bytes: direction.lacking.bytes,
        bytes_per_ack: mean(acks.acked_bytes),
        segments_per_ack: mean(acks.acked_segments).filter(|_| direction.has_unit()),
        plain_acks: holds.count(),
        acks_of_one: holds.of(1..=1),
        acks_of_two: holds.of(2..=2),
        acks_of_more: holds.of(3..=MANY),
        divided_acks: acks.divided,
        split_segments: acks.split,
        compressed_acks: counted(acks.compressed, 0.0),
        wild_acks: acks.wild,
        acks_of_unseen: acks.of_unseen,
        optimistic_acks: counted(acks.ahead, 0.0),
        missing_acks: direction.acks.missing(),
        later_echoes: acks.later_echoes,
        last_echoes: acks.last_echoes,
        earlier_echoes: acks.earlier_echoes,
        quick_segments: counted(holds.phases.lead, HELD_S),
        held_acks: counted(holds.all.all_held(), HELD_S),
        delay_min_s: known(holds.delay.least()),
        delay_median_s: known(holds.delay.quantile(0.5)),
        delay_p95_s: known(holds.delay.quantile(0.95)),
        delay_max_s: known(holds.delay.most()),
        timer_s: found.timer.map(|timer| timer.mode),
        timer_low_s: found.timer.map(|timer| timer.low),
        timer_high_s: found.timer.map(|timer| timer.high),
        ect: data.ect,
        ce: data.ce,
        ece: acks.ece,
        cwr: data.cwr,
        ecn: connection.ecn().word().to_owned(),
        ace_marks: direction.counters.packets().filter(|_| connection.ecn() == Agreed::Accurate),
        ace_bytes: direction.counters.bytes().filter(|_| connection.ecn() == Agreed::Accurate),
        ect_acks: acks.ect,
        rtt_samples: direction.acks.rtt.count(),
        rtt_stamped: acks.stamped_rtts,
        rtt_min_s: known(direction.acks.rtt.least()),
        rtt_mean_s: known(direction.acks.rtt.mean()),
        rtt_median_s: known(direction.acks.rtt.quantile(0.5)),
        rtt_p95_s: known(direction.acks.rtt.quantile(0.95)),
        data_late_median_s: known(direction.limits.lateness.0.quantile(0.5)),
        data_late_p95_s: known(direction.limits.lateness.0.quantile(0.95)),
        acks_late_median_s: known(direction.limits.lateness.1.quantile(0.5)),
        acks_late_p95_s: known(direction.limits.lateness.1.quantile(0.95)),
        rtt_max_s: known(direction.acks.rtt.most()),
        sender_rtt_min_s: known(legs.sender.map(|leg| leg.secs)),
        sender_rtt_payload_bytes: known(legs.sender.map(|leg| leg.secs))
            .and(legs.sender.map(|leg| u64::from(leg.payload))),
        path_rtt_min_s: known(legs.path()).filter(|_| place != Vantage::Unknown),
        copies: connection.copies,
        max_flight_bytes: if acks.packets > 0 { data.most_flight } else { 0 },
        goodput_bps: span.map(|span| 8.0 * acks.acked_bytes as f64 / span),
        bottleneck_bps: bottleneck.map(|(rate, _)| rate.median),
        bottleneck_low_bps: bottleneck.map(|(rate, _)| rate.low),
        bottleneck_high_bps: bottleneck.map(|(rate, _)| rate.high),
        bottleneck_trains: bottleneck.map(|(rate, _)| rate.trains),
        bottleneck_from: bottleneck.map_or("", |(_, from)| from).to_owned(),
        limit: limited.name().to_owned(),
        limits_s: direction.limits.spans.total() as f64 * 1e-9,
        application_limited_s: limited.seconds(Limit::Application),
        window_limited_s: limited.seconds(Limit::Window),
        closed_limited_s: limited.seconds(Limit::Closed),
        recovery_limited_s: limited.seconds(Limit::Recovery),
        slow_start_limited_s: limited.seconds(Limit::SlowStart),
        path_limited_s: limited.seconds(Limit::Path),
        ack_path_limited_s: limited.seconds(Limit::AckPath),
        cwnd_limited_s: limited.seconds(Limit::Cwnd),
        sender_window_limited_s: limited.seconds(Limit::SenderWindow),
        network_limited_s: limited.seconds(Limit::Network),
        timeout_wait_s: limited.known(direction.limits.timeout_ns),
        delayed_ack_wait_s: limited.known(direction.limits.held_ns),
        limit_why: limited.why().to_owned(),
        path_filled_s: limited.known(direction.limits.filled),
        window_limit_min_bytes: windows.map(|(least, _)| least),
        window_limit_max_bytes: windows.map(|(_, most)| most),
        vantage: place.word().to_owned(),
        policy: found.name.to_owned(),
        ack_every: found.every,
        policy_why: found.why.to_owned(),
        policy_evidence: found.evidence.0,
        policy_of: found.evidence.1,
        ack_period_s: found.period,
        quick_again: holds.phases.again,
        quick_again_segments: holds.phases.later,
        quick_after_loss: holds.phases.after_disorder,
        lone_held: holds.held_single.count(),
        receiver_rtt_min_s: known(legs.receiver.map(|leg| leg.secs)),
        receiver_rtt_at_most: legs.receiver.is_some_and(|leg| leg.at_most),
        sender_rtt_at_most: legs.sender.is_some_and(|leg| leg.at_most),
        late_answer_s: legs.late_answer,
        late_ack_s: legs.late_ack,
        split_answer_s: nearer,
        series_returns: two_series,
        ecn_fell_back: connection.fell_back(),
    }
}
