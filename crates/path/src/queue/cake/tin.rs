//! One of CAKE's classes of traffic: its flows' queues, and the lists in which they are served (as in Linux, sch_cake.c).

use super::super::cobalt::control::Rules;
use super::super::fair::draw;
use super::flow::Flow;
use super::params::{CakeQueueParams, Isolation};
use super::places::{Places, QUEUES};
use super::shaper::Pace;
use super::tins::TinMode;
use crate::Carried;
use crate::random::Random;
use crate::waiting::links::{Links, List};

/// The lists of a tin, in the order in which they are served.
pub(super) const DECAYING: usize = 0;
pub(super) const NEW: usize = 1;
pub(super) const OLD: usize = 2;

/// A class of traffic.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tin<P> {
    pub flows: Vec<Flow<P>>,
    pub places: Places,
    lists: [List; 3],
    links: Links,
    /// Flows that are sparse or bulk.
    pub active: u32,
    pub packets: usize,
    pub rules: Rules,
    pub pace: Pace,
    pub next: i64,
    /// Bytes of a turn: of a flow, and of the tin where no shaper paces it.
    pub flow_quantum: u64,
    pub quantum: i64,
    pub deficit: i64,
}

impl<P: Carried> Tin<P> {
    /// An empty one, of the rate shifted by `share`.
    pub fn new(params: &CakeQueueParams, share: u32) -> Tin<P> {
        let pace = Pace::new(Pace::of(params.bandwidth).bytes_per_second >> share);
        let rate = pace.bytes_per_second;
        let fair = match params.isolation {
            Isolation::Flows => [false, false],
            Isolation::DualSrchost => [true, false],
            Isolation::DualDsthost => [false, true],
            Isolation::TripleIsolate => [true, true],
        };
        let packet = pace.lasts(params.max_packet.get() as u32) as u64;
        let rtt = (params.rtt.secs() * 1e9).round() as u64;
        let target = (packet * 3 / 2).max(rtt / 20);
        Tin {
            flows: (0..QUEUES).map(|_| Flow::default()).collect(),
            places: Places::new(fair),
            lists: Default::default(),
            links: Links::with(QUEUES),
            active: 0,
            packets: 0,
            rules: Rules { interval: (rtt + target - rtt / 20).max(2 * target), target, packet, ecn: true },
            pace,
            next: 0,
            flow_quantum: if rate > 0 { (rate >> 12).clamp(300, 1514) } else { 1514 },
            quantum: if params.tins == TinMode::Besteffort { 65_535 } else { 1024 >> share },
            deficit: 0,
        }
    }

    /// Bytes that a flow may send in its turn; the fraction of a byte is rounded up or down by a draw.
    pub fn quantum_of(&self, flow: usize, random: &mut Random) -> i64 {
        let part = 65_535 / u64::from(self.places.load(&self.flows[flow]));
        ((self.flow_quantum * part + u64::from(draw(random) >> 16)) >> 16) as i64
    }

    /// The first flow of a list.
    #[inline]
    pub fn front(&self, list: usize) -> Option<usize> {
        self.lists[list].head().map(|flow| flow as usize)
    }

    /// Puts a flow at the end of a list.
    #[inline]
    pub fn append(&mut self, list: usize, flow: usize) {
        self.links.push_back(&mut self.lists[list], flow as u32);
    }

    /// Takes a flow out of the list in which it is.
    #[inline]
    pub fn leave(&mut self, list: usize, flow: usize) {
        self.links.unlink(&mut self.lists[list], flow as u32);
    }
}
