//! Lanes: packets on the wires, in the order in which they arrive.
//!
//! Whatever a link takes into service at `now` arrives at `now + (serialisation + delay)`. Time only goes forward, so
//! packets for which that span is the same arrive in the order in which they were taken into service, whichever links
//! they are on. All of them queue in one *lane*, first in first out, and only its front is a pending event. A network has
//! far fewer spans than links: a hundred like access links make one lane for full segments and one for ACKs.

use std::collections::{BTreeMap, VecDeque};

use acklab_packet::{Packet, Time};

use crate::event::Due;

/// Most lanes that links share; past that a link's packets of further sizes have a lane of the link's own.
const MOST_SHARED: usize = 4096;

/// A packet on a link's wire.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// When it arrives.
    pub arrival: Due,
    /// The link.
    pub link: u32,
    /// The packet.
    pub packet: Packet,
}

/// All packets on wires.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    lanes: Vec<VecDeque<Flight>>,
    /// The shared lane of each span, by the span's bits.
    shared: BTreeMap<u64, u32>,
    /// Lanes of single links.
    own: BTreeMap<u32, u32>,
}

impl Lanes {
    /// The lane for packets that `link` delivers after `span`.
    pub fn find(&mut self, span: Time, link: u32) -> u32 {
        let next = self.lanes.len() as u32;
        let lane = match self.shared.get(&span.bits()) {
            Some(&lane) => return lane,
            None if self.shared.len() < MOST_SHARED => self.shared.entry(span.bits()).or_insert(next),
            // Packets arrive from one link in the order in which it serves them, whatever their sizes.
            None => self.own.entry(link).or_insert(next),
        };
        if *lane == next {
            self.lanes.push(VecDeque::new());
        }
        *lane
    }

    /// Adds a packet to a lane; whether it is alone there.
    #[inline]
    pub fn push(&mut self, lane: u32, flight: Flight) -> bool {
        let lane = &mut self.lanes[lane as usize];
        debug_assert!(lane.back().is_none_or(|before| before.arrival < flight.arrival));
        let alone = lane.is_empty();
        lane.push_back(flight);
        alone
    }

    /// Takes a lane's front packet, and says when the next arrives.
    #[inline]
    pub fn pop(&mut self, lane: u32) -> (Option<Flight>, Option<Due>) {
        let lane = &mut self.lanes[lane as usize];
        (lane.pop_front(), lane.front().map(|next| next.arrival))
    }
}
