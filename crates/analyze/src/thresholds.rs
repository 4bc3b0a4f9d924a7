//! Every number that decides what an analysis says; nothing else in it is a matter of degree.

/// Seconds by which an ACK must be later than the quickest seen before it counts as held back, beside a share of the
/// quickest ([`HELD_SHARE`]). That is above the jitter of a busy host, below any delayed-ACK timer in use (Linux: 40 ms).
pub const HELD_S: f64 = 0.005;
/// The share, which matters where the path to the receiver is long.
pub const HELD_SHARE: f64 = 0.25;
/// The capture point is near an end if the path to it and back takes at most this share of the whole round trip.
pub const NEAR_SHARE: f64 = 0.2;
/// Or if it takes at most this many seconds, a thousandth part of what a path of any length takes.
pub const NEAR_S: f64 = 0.0003;
/// Fewest ACKs of one segment each that are no mere beginning: Linux begins with 16 quick ACKs, and more while its window grows.
pub const MIN_LONG: u64 = 64;
/// Fewest clean ACKs of new data from which a policy is named, and fewest outside quick phases from which one is named for these.
pub const MIN_ACKS: u64 = 12;
/// Least share that clean ACKs must be of those of new data.
pub const PLAIN_SHARE: f64 = 0.1;
/// Share of the ACKs that must follow a rule for it to be the policy.
pub const RULE_SHARE: f64 = 0.8;
/// An ACK counts for as many ACKs as it covers segments, but at most for this many.
pub const MAX_WEIGHT: u64 = 4;
/// What lies outside quick phases must be this share of all for a policy to be read from it.
pub const REST_SHARE: f64 = 0.1;
/// ACKs of other kinds in a quick phase: two in a row end it, or more than a fourth.
pub const QUICK_MISSES: usize = 2;
/// ACKs are periodic if the middle three fifths of the intervals between them differ by at most this share of the median.
pub const STEADY_SHARE: f64 = 0.4;
/// Share of the ACKs from which something unusual (dividing, acknowledging ahead, spoofing, thinning) is named.
pub const UNUSUAL_SHARE: f64 = 0.05;
/// Fewest such ACKs.
pub const MIN_UNUSUAL: u64 = 6;
/// Fewest held ACKs of a single segment that tell the timer.
pub const MIN_HELD: u64 = 5;
/// Share of them that must have waited within [`TIMER_WIDTH`] of the most frequent wait.
pub const TIMER_SHARE: f64 = 0.6;
/// The width, as a share of that wait.
pub const TIMER_WIDTH: f64 = 0.25;
/// Share of the ACKs that may cover fewer segments than the floor.
pub const FLOOR_SHARE: f64 = 0.05;
/// Fewest data segments beside which duplicate ACKs without a cause are taken for forged.
pub const MIN_SPOOFED: u64 = 30;
/// Seconds within which what an ACK covers must have come for it to be a batch,
pub const BATCH_S: f64 = 0.001;
/// and the share of the ACKs of more than two segments of which that must hold.
pub const BATCH_SHARE: f64 = 0.8;
/// A pause before what an ACK covers is longer than this,
pub const PAUSE_S: f64 = 50e-6;
/// and so many times the time between the segments that it covers.
pub const PAUSE_SHARE: f64 = 3.0;
/// A timer is named if the middle four fifths of the waits differ by at most this factor.
pub const TIMER_RANGE: f64 = 2.0;
/// Delays of data ACKs below this share of the handshake's leg show that something nearer than the far end acknowledges,
pub const SPLIT_SHARE: f64 = 0.1;
/// if that leg took at least this many seconds.
pub const SPLIT_S: f64 = 0.01;
/// A train of packets has at least so many segments,
pub const TRAIN_SEGMENTS: u64 = 16;
/// and takes at least so many seconds, longer than what interfaces and radio links hold back at a time.
pub const TRAIN_S: f64 = 0.010;
/// It ends before a pause of at least this share of its mean.
pub const TRAIN_END_SHARE: f64 = 0.9;
/// It met a queue if each of its round trips exceeds the least by more than so many seconds,
pub const QUEUE_S: f64 = 0.001;
/// and the time of so many of its segments.
pub const QUEUE_SEGMENTS: f64 = 4.0;
/// Fewest trains that met a queue from which a bottleneck's rate is named.
pub const MIN_TRAINS: usize = 8;
/// Trains that are kept of a direction; beyond, every second is forgotten.
pub const MAX_TRAINS: usize = 64;
/// The middle four fifths of their rates differ by at most this factor,
pub const RATE_RANGE: f64 = 1.25;
/// and the middle four fifths of their round trips differ by this share,
pub const TRIPS_SPREAD: f64 = 0.1;
/// and so many times as much as the rates.
pub const TRIPS_SHARE: f64 = 2.0;
/// Nanoseconds of the shortest bin of throughput over time.
pub const BIN_NS: i64 = 1_000_000;
/// Bins of a direction; beyond, each two become one.
pub const MAX_BINS: usize = 128;
/// Segments acknowledged one by one, without holding back, that make a quick phase.
pub const QUICK_RUN: u64 = 6;
/// An ACK is compressed if it follows the one before in less than this share of the time between the segments that
/// completed them,
pub const COMPRESSED_SHARE: f64 = 0.5;
/// and is at least the so-manieth in a row to do so.
pub const COMPRESSED_RUN: u32 = 2;
/// Share of the steps between IPv4 identifications, under ACKs that cover no more than usual, that may be unexplained where gaps
/// tell of lost ACKs,
pub const UNEXPLAINED_SHARE: f64 = 0.05;
/// the fewest steps of one, which show that the numbers count packets,
pub const MIN_NEXT: u64 = 1;
/// and the share of ACKs that cover more without a gap.
pub const STRETCH_SHARE: f64 = 0.2;
/// Seconds by which data must follow their ACK for it to have been ahead of them: captures have been seen to swap what passes
/// within 18 µs.
pub const AHEAD_S: f64 = 0.001;
/// Bytes beyond the last by which an ACK may be wrong for want of packets, whatever the windows say.
pub const MIN_WILD: u64 = 1 << 24;
/// Packets of an end among which a copy of one is looked for.
pub const COPY_DISTANCE: usize = 8;
/// Connections that are followed, in the order of their first packets.
pub const MAX_CONNECTIONS: usize = 100_000;
/// Nanoseconds by which a packet may be earlier than the one before and count as simultaneous; beyond, the clock was set.
pub const BACKWARD_NS: i128 = 1_000_000_000;
/// Nanoseconds between two packets from which the later one's time is held against that of the next.
pub const LEAP_NS: i128 = 60_000_000_000;
/// Nanoseconds of a tick from which a capture's clock is coarse: finer ones distinguish a wait from none ([`HELD_S`]).
pub const COARSE_NS: u128 = 1_000_000;
/// Fewest steps, each a multiple of a tick, that show it. That four instants in microseconds share a tick of 1 ms by chance has a
/// probability of 1 in 10^9.
pub const MIN_STEPS: u32 = 4;
/// Fewest packets that show a clock of one second, or one that stands still.
pub const MIN_TIMES: u64 = 12;
/// A span is stated if it is at least so many ticks of the clock: then it is right to a tenth.
pub const MIN_TICKS: f64 = 10.0;
/// Share of the acknowledged payload that the capture may lack for a policy and a goodput to be stated,
pub const MAX_LACKING: f64 = 0.05;
/// and for a bottleneck's rate,
pub const MAX_LACKING_RATE: f64 = 0.01;
/// and the fewest bytes of which it is said: a FIN that the capture lacks takes one number, and so does a probe.
pub const MIN_LACKING: u64 = 3;
/// Distance in bytes of two series of sequence numbers: beyond any window in use. Of two random series, 3 % are nearer.
pub const MIN_APART: u64 = 1 << 26;
/// Later round trips that usually take less than this share of the handshake's, and are shorter by [`SPLIT_S`], show that its
/// answer was late.
pub const LATE_SHARE: f64 = 0.5;
/// Fewest round trips that show without a handshake how far an end is, and fewest that show an answer in the handshake to be late.
pub const MIN_TRIPS: u64 = 3;
/// Fewest ACKs of a full number of segments, outside quick phases, that show this number.
pub const MIN_FULL: u64 = 6;
/// IPv4 hosts whose last identification is remembered.
pub const MAX_HOSTS: usize = 1 << 16;
/// Outstanding segments remembered for each direction, and gaps; beyond, the oldest are forgotten.
pub const MAX_OUTSTANDING: usize = 1 << 16;
/// The same of all directions together; beyond, a direction forgets its oldest for each new one.
pub const MAX_REMEMBERED: usize = 1 << 21;
/// Rows of the tables of ACKs and segments, both together.
pub const MAX_ROWS: usize = 1 << 22;
/// Duplicate ACKs that begin a recovery (RFC 5681 section 3.2).
pub const DUPLICATES: u64 = 3;
/// Seconds without data from which a retransmission counts as a timeout's: the least retransmission timeout in use (Linux).
pub const MIN_RTO_S: f64 = 0.2;
/// Outstanding segments that one packet may repeat, each for itself.
pub const MAX_MARKED: usize = 256;
/// Segments that one packet may stand for, where a sender's window is estimated.
pub const MAX_PIECES: u32 = 256;
/// Tunnels in a packet, one in another.
pub const MAX_TUNNELS: usize = 4;
/// Bytes of the largest packet that an interface hands over; Linux's `GSO_MAX_SIZE` is 524,280.
pub const LARGEST_PACKET: usize = 1 << 20;
/// Largest payload of a segment without a handshake that is taken for one packet (a jumbo frame's).
pub const LARGEST_PAYLOAD: u32 = 8_960;
/// Share of its round trip for which the first data segments count as the initial window.
pub const FIRST_WINDOW_SHARE: f64 = 0.9;
/// How long a packet may stay in parts, in nanoseconds: Linux's `ipfrag_time`, 30 s.
pub const FRAGMENTED_NS: i64 = 30_000_000_000;
/// Most packets that are in parts at a time; the oldest goes for another.
pub const MAX_FRAGMENTED: usize = 256;
/// Most gaps between the parts of one that have come; beyond, it is given up as if they overlapped.
pub const MAX_MISSING: usize = 64;
/// Segments an ACK from which one class counts them all.
pub const MANY: usize = 64;

/// A departure of data follows the ACK that allowed it within so many seconds,
pub const PROMPT_S: f64 = 0.001;
/// or this share of the path's round trip; later, the sending application was idle.
pub const PROMPT_SHARE: f64 = 0.25;
/// Data that end in a part of a segment show an empty send buffer if they leave less than the so-manieth part of the largest
/// flight of two round trips.
pub const SMALL_FLIGHT: u64 = 2;
/// Bytes in flight that every congestion window allows, the least maximum segment size in use (RFC 9293 section 3.7.1): with fewer, the
/// sender had nothing more to send.
pub const MIN_FLIGHT: u64 = 536;
/// Seconds beyond the least by which an ACK is late that a delayed-ACK timer held.
pub const WAITED_S: f64 = 0.02;
/// Round trips of silence that show a timeout, beside [`MIN_RTO_S`].
pub const SILENT_TRIPS: f64 = 1.5;
/// Share of the least round trip by which others are longer without a queue; a queue stands through a round trip if each exceeds
/// that by [`QUEUE_S`], too.
pub const JITTER_SHARE: f64 = 0.1;
/// Longest trip from the capture to the sender and back that is taken for one, in seconds.
pub const LONGEST_LEG_S: f64 = 10.0;
/// Seconds beyond the least that ACKs are late where they stand in a queue: longer than a request for a grant takes on cable and mobile
/// uplinks.
pub const QUEUE_ACKS_S: f64 = 0.02;
/// Seconds of a tick of the timestamps that tell delays: those of Linux, Windows and the BSDs.
pub const CLOCK_TICK_S: f64 = 0.001;
/// Seconds after which the ticks are counted,
pub const CLOCK_S: f64 = 0.2;
/// and by how much two clocks may differ.
pub const CLOCK_DRIFT: f64 = 1e-4;
/// Growth of rate and flight from round trip to round trip that shows slow start; an ACK for two segments gives 1.5.
pub const GROWTH: f64 = 1.2;
/// Segments in flight from which congestion avoidance grows by less than that.
pub const MIN_GROWN: u64 = 8;
/// Share of the link's rate from which it is full, though no queue stands,
pub const FULL_SHARE: f64 = 0.9;
/// and from which it is so busy that the congestion window is not named as the limit.
pub const BUSY_SHARE: f64 = 0.65;
/// Share of the time in which a queue has to stand for the rate of that time to be the link's.
pub const MIN_QUEUED: f64 = 0.05;
/// Seconds of the shortest round trip whose waits are distinguished: hosts take as long to answer.
pub const MIN_PATH_S: f64 = 1e-4;
/// Round trips in a row with the same flight from which it is a limit of the sender.
pub const FLAT_ROUNDS: u64 = 4;
/// Spans of time with one cause that are kept of a direction; beyond, each two become one.
pub const MAX_SPANS: usize = 128;
/// Seconds of a connection from which a cause is named,
pub const MIN_LIMITED_S: f64 = 0.001;
/// and its segments.
pub const MIN_LIMITED: u64 = 10;
/// Share of the time from which one cause is the limit.
pub const LIMIT_SHARE: f64 = 0.5;

/// So many that they matter.
pub fn many(n: u64, of: u64) -> bool {
    n >= MIN_UNUSUAL && n as f64 >= UNUSUAL_SHARE * of as f64
}
