//! What a capture's ACKs say.
//!
//! [`Analysis`] reads a capture packet by packet and keeps, for each connection and direction, what [`Connections`]'
//! columns tell: counts, distributions, and what follows from them about the receiver's policy. Memory grows with the
//! connections and with what is outstanding, not with the file, unless every packet's rows are asked for.
//!
//! Every number that decides what is said stands in `thresholds.rs`.

mod accusations;
mod acks;
#[cfg(test)]
mod alone_test;
mod answers;
mod bottleneck;
mod census;
mod clock;
mod connection;
mod copies;
mod cwnd;
mod direction;
mod ecn;
mod finding;
mod fragments;
mod frame;
mod gaps;
mod holds;
mod ip;
mod lacking;
mod limited;
mod limits;
mod numbers;
mod outstanding;
mod phases;
mod policy;
mod recovery;
mod rows;
mod rule;
mod segment;
mod series;
mod summary;
pub mod thresholds;
mod throughput;
mod timer;
mod tunnel;
mod vantage;

use std::collections::HashMap;
use std::io::Read;
use std::net::IpAddr;

pub use census::Census;
use clock::{Clock, Tick};
use connection::Connection;
pub use finding::NAMES as POLICIES;
use fragments::Joined;
use ip::Frame;
pub use limits::Limit;
pub use rows::{AckRow, LimitRow, Packets, SegmentRow, ThroughputRow};
pub use segment::Endpoint;
use segment::Seen;
pub use summary::ConnectionRow;
use thresholds::{MAX_CONNECTIONS, MAX_HOSTS, MAX_REMEMBERED};
pub use tunnel::Tunnel;
pub use vantage::Vantage;

use acklab_capture::{Block, ReadError, Reader, Record};

/// An analysis in progress, or done.
///
/// ```
/// use acklab_analyze::Analysis;
/// use acklab_capture::Reader;
/// use acklab_tap::{Capture, LinkEnd};
///
/// let text = r#"
///     link = [{ between = ["S", "R"], rate = "1Mbps", delay = "10ms" }]
///     flow = [{ from = "S", to = "R", size = { segments = 40 }, receiver = { ack = { policy = "every" } } }]
///     record = { packets = true }
/// "#;
/// let scenario = acklab_scenario::parse_toml(text, "example.toml")?;
/// let outcome = acklab_sim::Simulation::new(scenario.clone().into()).run();
/// let mut file = Vec::new();
/// Capture::new(&scenario, &outcome)?.write(LinkEnd::find(&outcome, "S->R@R")?, &mut file)?;
///
/// let mut analysis = Analysis::default();
/// analysis.read(&mut Reader::new(&file[..])?, |_| true)?;
/// let found = analysis.connections();
/// assert_eq!((found[0].policy.as_str(), found[0].new_acks), ("every", 40));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Analysis {
    census: Census,
    connections: Vec<Connection>,
    /// The latest connection between two ends, the lesser first; only looked up, never walked.
    latest: HashMap<(Endpoint, Endpoint), usize>,
    /// Numbers of hosts, and the identification of the last packet of each.
    hosts: HashMap<IpAddr, usize>,
    identifications: Vec<Option<u16>>,
    packets: Option<Packets>,
    fragments: fragments::Fragments,
    /// Segments, gaps and the like that all connections remember.
    remembered: usize,
    clock: Clock,
    /// Nanoseconds from the first packet after which nothing is read.
    until_ns: Option<i128>,
}

/// A packet whose time is doubted until the next one's is known.
struct Held {
    link_type: u32,
    data: Vec<u8>,
    length: u32,
    time_ns: i128,
}

impl Held {
    fn new(record: &Record) -> Held {
        let Record { link_type, length, time_ns, .. } = *record;
        Held { link_type, data: record.data.to_vec(), length, time_ns }
    }
}

/// Blocks between two questions whether to go on, and bytes.
const SLICE: u64 = 1 << 14;
const SLICE_BYTES: u64 = 1 << 24;

impl Analysis {
    /// An analysis that also keeps a row for each segment and each ACK.
    pub fn with_packets() -> Analysis {
        Analysis { packets: Some(Packets::default()), ..Analysis::default() }
    }

    /// The same analysis, which reads no packet later than `until_s` seconds after the first one.
    pub fn until(self, until_s: f64) -> Analysis {
        Analysis { until_ns: Some((until_s * 1e9) as i128), ..self }
    }

    /// True if a packet of this time comes too late.
    fn is_over(&self, time_ns: i128) -> bool {
        self.until_ns.zip(self.clock.start()).is_some_and(|(until, start)| time_ns - start > until)
    }

    /// Reads `reader` to its end, or until `go_on`, which hears now and then how far it is, says no; whether it came to the
    /// end.
    ///
    /// A file that ends within a packet, or is damaged behind its first, is read up to there ([`Census::broken_off`],
    /// [`Census::damaged`]).
    ///
    /// # Errors
    /// [`ReadError`]: it cannot be read, is no capture, or is damaged before its first packet.
    pub fn read<R: Read>(
        &mut self,
        reader: &mut Reader<R>,
        mut go_on: impl FnMut(&Census) -> bool,
    ) -> Result<bool, ReadError> {
        let (mut blocks, mut asked, mut held) = (0_u64, 0, None::<Held>);
        loop {
            let next = reader.next_block();
            if let (Ok(None) | Err(_), Some(doubted)) = (&next, held.take_if(|_| !matches!(next, Ok(Some(_))))) {
                self.settle(&doubted, doubted.time_ns);
            }
            match next {
                Ok(Some(Block::Packet(record))) if held.is_none() && self.is_over(record.time_ns) => return Ok(true),
                Ok(Some(Block::Packet(record))) => {
                    if let Some(doubted) = held.take() {
                        self.settle(&doubted, record.time_ns);
                    }
                    if self.clock.doubts(record.time_ns) {
                        held = Some(Held::new(&record));
                    } else {
                        self.on_packet(record.link_type, record.data, record.length, record.time_ns);
                    }
                }
                Ok(Some(Block::Untimed)) => self.census.untimed += 1,
                Ok(Some(Block::Other)) => {}
                Ok(None) => return Ok(true),
                Err(error @ ReadError::Io(_)) => return Err(error),
                Err(error) if self.census.packets == 0 => return Err(error),
                Err(error) => {
                    self.census.broken_off = error.is_truncation();
                    self.census.damaged = (!error.is_truncation()).then(|| error.to_string());
                    return Ok(true);
                }
            }
            blocks += 1;
            if blocks.is_multiple_of(SLICE) || reader.position() > asked + SLICE_BYTES {
                asked = reader.position();
                if !go_on(&self.census) {
                    return Ok(false);
                }
            }
        }
    }

    /// Takes in a packet whose time was doubted, now that the next one's is known.
    fn settle(&mut self, held: &Held, next_ns: i128) {
        let wild = self.clock.follows(next_ns) && next_ns != held.time_ns;
        self.census.wild_times += u64::from(wild);
        let time_ns = if wild { self.clock.last() } else { held.time_ns };
        self.on_packet(held.link_type, &held.data, held.length, time_ns);
    }

    /// Takes in a packet: `frame` was kept of its `length` bytes.
    pub fn on_packet(&mut self, link_type: u32, frame: &[u8], length: u32, time_ns: impl Into<i128>) {
        self.census.packets += 1;
        self.census.bytes += u64::from(length);
        if !frame::known(link_type) && !self.census.unknown_links.contains(&link_type) {
            self.census.unknown_links.push(link_type);
        }
        match self.clock.on_time(time_ns.into()) {
            Tick::Forward => {}
            Tick::Backward(by_ns) => {
                self.census.backward += 1;
                self.census.backward_max_ns = self.census.backward_max_ns.max(by_ns);
            }
            Tick::Step => self.census.clock_steps += 1,
        }
        self.census.resolution_ns = self.clock.resolution();
        let (tunnel, read) = ip::read(link_type, frame, length);
        if let Some(tunnel) = tunnel {
            *self.census.tunnels.entry(tunnel).or_default() += 1;
        }
        let seen = match read {
            Ok(Frame::Segment(seen)) => Ok(seen),
            Ok(Frame::Part(part)) => match self.join(&part) {
                Some(seen) => seen,
                None => return,
            },
            Err(other) => Err(other),
        };
        let seen = match seen {
            Ok(seen) => seen,
            Err(other) => return self.pass_over(other),
        };
        let (now, frame) = (self.clock.at(), self.census.packets + self.census.untimed);
        let Some(index) = self.find(&seen, now) else {
            self.census.unfollowed += 1;
            return;
        };
        self.census.tcp += 1;
        self.census.options_cut += u64::from(seen.cut);
        let beside = self.beside(index, &seen);
        let connection = &mut self.connections[index];
        let (before, lost) = connection.remembered();
        let passed = connection.on_packet(&seen, (now, frame), beside, self.remembered < MAX_REMEMBERED);
        let (after, forgotten) = connection.remembered();
        self.remembered = self.remembered + after - before;
        self.census.forgotten += forgotten - lost;
        if let Some(packets) = &mut self.packets {
            let left_out = packets.add(index, &self.connections[index], &seen, passed, frame);
            self.census.rows_left_out += left_out;
        }
    }

    /// The segment that a part completes, as it came with that.
    fn join(&mut self, part: &fragments::Part) -> Option<Result<Seen, frame::Other>> {
        self.census.fragments += 1;
        match self.fragments.join(part, self.clock.now()) {
            Joined::Waiting => None,
            Joined::Refused => {
                self.census.overlapping += 1;
                None
            }
            Joined::Whole(seen) => {
                self.census.reassembled += 1;
                Some(seen)
            }
        }
    }

    fn pass_over(&mut self, other: frame::Other) {
        let census = &mut self.census;
        census.udp += u64::from(matches!(other, frame::Other::Udp | frame::Other::Quic));
        census.quic += u64::from(other == frame::Other::Quic);
        *match other {
            frame::Other::NotIp => &mut census.not_ip,
            frame::Other::NotTcp | frame::Other::Udp | frame::Other::Quic => &mut census.not_tcp,
            frame::Other::Fragment => &mut census.fragments,
            frame::Other::Cut => &mut census.cut,
            frame::Other::Malformed => &mut census.malformed,
        } += 1;
    }

    /// The identification of the last packet that a segment's host sent; the segment's is remembered instead.
    fn beside(&mut self, index: usize, seen: &Seen) -> Option<u16> {
        let connection = &self.connections[index];
        let host = connection.hosts[usize::from(seen.from != connection.ends[0])]?;
        self.identifications.get_mut(host)?.replace(seen.identification?)
    }

    /// The number of a host, unless there are too many.
    fn host(&mut self, address: IpAddr) -> Option<usize> {
        if self.hosts.len() == MAX_HOSTS && !self.hosts.contains_key(&address) {
            return None;
        }
        let next = self.hosts.len();
        let host = *self.hosts.entry(address).or_insert(next);
        self.identifications.resize(self.hosts.len(), None);
        Some(host)
    }

    /// The connection of a segment, which it may open; none if there are too many.
    fn find(&mut self, seen: &Seen, now: i64) -> Option<usize> {
        let key = (seen.from.min(seen.to), seen.from.max(seen.to));
        if let Some(&index) = self.latest.get(&key)
            && !self.connections[index].is_over(seen)
        {
            return Some(index);
        }
        if self.connections.len() == MAX_CONNECTIONS {
            return None;
        }
        let mut connection = Connection::new(seen, now);
        connection.hosts = connection.ends.map(|end| self.host(end.address));
        self.connections.push(connection);
        self.latest.insert(key, self.connections.len() - 1);
        Some(self.connections.len() - 1)
    }

    /// Segments, gaps and the like that are remembered until later packets settle them.
    pub fn remembered(&self) -> usize {
        self.remembered
    }

    /// What became of the packets so far.
    pub fn census(&self) -> &Census {
        &self.census
    }

    /// Seconds since 1970 of the first packet, if there was one.
    pub fn start_s(&self) -> Option<f64> {
        self.clock.start().map(|ns| ns as f64 * 1e-9)
    }

    /// Seconds from the first packet to the last.
    pub fn length_s(&self) -> f64 {
        self.clock.now() as f64 * 1e-9
    }

    /// Seconds of a step of the capture's clock, if that is coarse.
    fn tick_s(&self) -> f64 {
        self.census.resolution_ns.map_or(0.0, |ns| ns as f64 * 1e-9)
    }

    /// A row for each direction that carried data, or whose ACKs say so, or for a connection's first if none did.
    pub fn connections(&self) -> Vec<ConnectionRow> {
        let tick_s = self.tick_s();
        let rows = self.connections.iter().enumerate().flat_map(|(index, connection)| {
            let carried = |direction: usize| connection.directions[direction].carried();
            let directions: Vec<usize> =
                (0..2).filter(|&direction| carried(direction) || direction == 0 && !carried(1)).collect();
            directions
                .into_iter()
                .map(move |direction| summary::row(index, connection, direction, tick_s))
                .collect::<Vec<_>>()
        });
        rows.collect()
    }

    /// A row for each bin of each direction that carried data.
    pub fn throughput(&self) -> Vec<ThroughputRow> {
        self.connections
            .iter()
            .enumerate()
            .flat_map(|(index, connection)| rows::throughput(index, connection))
            .collect()
    }

    /// A row for each span of time with one cause, of each direction that carried data.
    pub fn limits(&self) -> Vec<LimitRow> {
        let tick_s = self.tick_s();
        let all = self.connections.iter().enumerate();
        all.flat_map(|(index, connection)| rows::limits(index, connection, tick_s)).collect()
    }

    /// The rows of every packet, if they were kept.
    pub fn packets(&self) -> Option<&Packets> {
        self.packets.as_ref()
    }
}
