//! Generic receive offload (GRO), after Linux's `dev_gro_receive`, `tcp_gro_receive` and `napi_complete_done`.
//!
//! Arriving packets wait until the network card interrupts: `coalesce` after the first of them, or with the
//! `frames`-th. A poll then takes all, `budget` at a time, in no time. Segments of one connection that follow each
//! other are merged. A run of merged segments ends before a segment that is not the next, is longer than the run's
//! first, or would exceed `bytes` or `segments`. It also ends before a segment with CWR, other congestion flags,
//! another timestamp or other options. It ends with a shorter segment, or one with PSH or FIN. The end of a poll ends
//! all runs; with `flush_timeout`, those of an earlier jiffy, and the others when the timer expires.
//!
//! Every packet goes on by itself. Those of a run are marked ([`Passing::merged`]), so that a receiver counts them as one
//! arrival, while routers, records and captures have the packets of the wire.

use std::collections::VecDeque;

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Passing, Reissue, Stage, StageParams};
use crate::random::Random;
use crate::values::{Checked, is_default, micros, number, within};

/// A host merges the segments that it receives between two polls (GRO).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroParams {
    /// Time from a packet's arrival to the interrupt (`ethtool -C rx-usecs`); 0s interrupts for each packet.
    #[serde(default = "micros::<50>")]
    pub coalesce: Time,
    /// Packets that cause an interrupt at once (`ethtool -C rx-frames`); 0 is no such number.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(max = 65535))]
    pub frames: u32,
    /// Packets that one poll takes (NAPI's weight); runs end after so many.
    #[serde(default = "number::<u32, 64>")]
    #[schemars(range(min = 1, max = 65535))]
    pub budget: u32,
    /// Time for which runs are held beyond a poll (`gro_flush_timeout`); 0s holds none.
    #[serde(default = "micros::<0>", skip_serializing_if = "is_default")]
    pub flush_timeout: Time,
    /// A run stays below so many bytes, one header included (`gro_max_size`).
    #[serde(default = "number::<u32, 65_536>")]
    #[schemars(range(min = 1, max = 524_280))]
    pub bytes: u32,
    /// Most segments in a run; any number if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub segments: Option<u32>,
    /// Clock of the senders' timestamps: segments of two ticks are not merged (TSval, RFC 7323). 0s: no timestamps.
    #[serde(default = "micros::<1000>")]
    pub timestamps: Time,
}

/// Lists in which runs are held, by connection, and most runs in one (`GRO_HASH_BUCKETS`, `MAX_GRO_SKBS`).
const BUCKETS: usize = 8;
const MOST_RUNS: usize = 8;
/// The kernel's jiffy with HZ = 250, in seconds.
const JIFFY: f64 = 0.004;
/// IPv4 and TCP headers without options, in bytes: what a segment that counts as one unit does not carry.
const HEADERS: u32 = 40;
/// The bit of CWR in [`Carried::congestion`](crate::Carried::congestion).
const CWR: u8 = 2;

/// Segments that are merged, at least one.
#[derive(Clone, Debug)]
struct Run<P> {
    connection: u64,
    packets: Vec<Passing<P>>,
    /// The unit that follows.
    end: u64,
    /// Payload of the first, and bytes of all with one header.
    full: u32,
    bytes: u32,
    congestion: u8,
    tick: u64,
    options: bool,
    /// The jiffy in which it began.
    jiffy: u64,
}

impl<P> Run<P> {
    /// Lets it go.
    fn end(mut self, out: &mut Vec<Passing<P>>) {
        let last = self.packets.len().saturating_sub(1);
        self.packets[..last].iter_mut().for_each(|passing| passing.merged = true);
        out.append(&mut self.packets);
    }
}

impl StageParams for GroParams {
    fn check(&mut self) -> Checked {
        within(0, 65_535, "frames", self.frames)?;
        within(1, 65_535, "budget", self.budget)?;
        within(1, 524_280, "bytes", self.bytes)?;
        within(1, 65_535, "segments", self.segments.unwrap_or(1))
    }

    fn is_last(&self) -> bool {
        true
    }

    fn only_simulated(&self) -> Option<&'static str> {
        Some("merges segments, which the receiving kernel does by itself, or not (`ethtool -K DEVICE gro on`)")
    }
}

/// The stage of [`GroParams`].
#[derive(Clone, Debug)]
pub struct Gro<P> {
    params: GroParams,
    /// Packets that wait for the interrupt, and when it comes.
    ring: VecDeque<Passing<P>>,
    interrupt: Option<Time>,
    runs: Vec<Vec<Run<P>>>,
    flush: Option<Time>,
}

impl<P> Gro<P> {
    /// A card with nothing in its ring.
    pub fn new(params: &GroParams, _: impl FnOnce() -> Random) -> Gro<P> {
        let runs = (0..BUCKETS).map(|_| Vec::new()).collect();
        Gro { params: params.clone(), ring: VecDeque::new(), interrupt: None, runs, flush: None }
    }

    /// Ends the runs, in the order of their lists; `old` says which.
    fn end_runs(&mut self, old: impl Fn(&Run<P>) -> bool, out: &mut Vec<Passing<P>>) {
        for bucket in &mut self.runs {
            let (end, keep) = bucket.drain(..).partition::<Vec<_>, _>(&old);
            *bucket = keep;
            end.into_iter().for_each(|run| run.end(out));
        }
    }
}

impl<P: Reissue> Gro<P> {
    /// Takes all that waits.
    fn poll(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        (self.interrupt, self.flush) = (None, None);
        let mut work = 0;
        while let Some(passing) = self.ring.pop_front() {
            self.receive(passing, now, out);
            work += 1;
            if work == self.params.budget {
                work = 0;
                self.end_runs(|_| true, out);
            }
        }
        let present = jiffy(now);
        let hold = work > 0 && self.params.flush_timeout > Time::ZERO;
        self.end_runs(|run| !hold || run.jiffy != present, out);
        if self.runs.iter().any(|bucket| !bucket.is_empty()) {
            self.flush = Some(now + self.params.flush_timeout);
        }
    }

    /// A packet from the ring is merged, held, or let go.
    fn receive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        let packet = &passing.packet;
        let Some(units) = packet.units() else { return out.push(passing) };
        let connection = packet.connection();
        let wire = packet.wire_bytes();
        let payload = match units.end - units.start {
            _ if !packet.has_payload() => 0,
            1 => wire.saturating_sub(HEADERS),
            units => u32::try_from(units).unwrap_or(u32::MAX),
        };
        let tick = match self.params.timestamps {
            Time::ZERO => 0,
            clock => (packet.stamped().secs() / clock.secs()).floor() as u64,
        };
        let (congestion, closes) = (packet.congestion(), packet.ends_write());
        let options = packet.unknown_options() || packet.sack_blocks().next().is_some();
        // The flow's number, and its connection's.
        let bucket = &mut self.runs[((connection >> 16) ^ connection) as usize % BUCKETS];
        if let Some(at) = bucket.iter().position(|run| run.connection == connection) {
            let run = &mut bucket[at];
            let fits = units.start == run.end
                && (1..=run.full).contains(&payload)
                && congestion & CWR == 0
                && congestion == run.congestion & !CWR
                && tick == run.tick
                && !(options || run.options)
                && run.bytes.saturating_add(payload) < self.params.bytes
                && self.params.segments.is_none_or(|most| run.packets.len() < most as usize);
            if fits {
                run.end = units.end;
                run.bytes += payload;
                run.packets.push(passing);
                if payload < run.full || closes {
                    bucket.remove(at).end(out);
                }
                return;
            }
            bucket.remove(at).end(out);
        }
        if payload == 0 || closes {
            return out.push(passing);
        }
        if bucket.len() == MOST_RUNS {
            bucket.remove(0).end(out);
        }
        let (packets, end, jiffy) = (vec![passing], units.end, jiffy(now));
        bucket.push(Run { connection, packets, end, full: payload, bytes: wire, congestion, tick, options, jiffy });
    }
}

fn jiffy(now: Time) -> u64 {
    (now.secs() / JIFFY).floor() as u64
}

impl<P: Reissue> Stage<P> for Gro<P> {
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        self.ring.push_back(passing);
        let full = self.params.frames > 0 && self.ring.len() >= self.params.frames as usize;
        if full || self.params.coalesce == Time::ZERO {
            return self.poll(now, out);
        }
        self.interrupt.get_or_insert(now + self.params.coalesce);
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        self.poll(now, out);
    }

    fn held(&self) -> usize {
        self.ring.len() + self.runs.iter().flatten().map(|run| run.packets.len()).sum::<usize>()
    }

    fn next(&self) -> Option<Time> {
        match (self.interrupt, self.flush) {
            (Some(interrupt), Some(flush)) => Some(if flush < interrupt { flush } else { interrupt }),
            (one, other) => one.or(other),
        }
    }
}
