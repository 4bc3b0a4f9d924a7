//! As the CAKE queue discipline filters ACKs: what most operators who filter at all run today.
//!
//! An arrival erases one ACK at most, the oldest that may be erased. Unless aggressive, it does so only if another ACK
//! that may be erased is behind that one, so that two stay. An ACK may be erased if its number is not above the
//! arrival's, its timestamps are not newer, and it carries no option besides. The arrival must also repeat its SACK
//! blocks, and add some or have a higher number. An ACK that says something else about congestion than what follows it
//! stays.
//!
//! Towards accurate ECN (RFC 9768) this means: an ACK with AE set, or with an AccECN option, is never erased. Of the three bits
//! of ACE it compares two.

use acklab_packet::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AckFilter, Decision, Destroys, FilterParams};
use crate::waiting::Waiting;
use crate::{AE, Carried};

/// As the CAKE queue discipline does: erases one ACK an arrival, and none whose news would be lost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CakeParams {
    /// Whether one ACK may go with none like it behind it (CAKE's `ack-filter-aggressive`).
    #[serde(default)]
    pub aggressive: bool,
}

impl FilterParams for CakeParams {}

/// The CAKE-style filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Cake {
    aggressive: bool,
}

/// The bits of what a packet says about congestion that CAKE compares: ECE and CWR, not a mark of its own.
const ECHOES: u8 = 3;

/// How an older ACK's SACK blocks compare with a newer one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sack {
    /// It has some that the newer one does not repeat.
    Lost,
    /// The newer one has the same.
    Same,
    /// The newer one has them all, and covers more.
    Added,
}

fn compare<P: Carried>(old: &P, new: &P) -> Sack {
    let own = old.plain_ack().unwrap_or(0);
    let covered = |packet: &P| packet.sack_blocks().map(|(start, end)| end.wrapping_sub(start)).sum::<u64>();
    let repeated = old.sack_blocks().all(|(start, end)| {
        // Below its own number a block reports a duplicate (RFC 2883).
        start >= own && new.sack_blocks().any(|(from, to)| from <= start && end <= to)
    });
    match repeated {
        false => Sack::Lost,
        true if covered(new) > covered(old) => Sack::Added,
        true => Sack::Same,
    }
}

fn may_go<P: Carried>(old: &P, new: &P) -> bool {
    let (stamps, newer) = (old.timestamps(), new.timestamps());
    // A flag that was reserved keeps an ACK: AE of accurate ECN is one (`cake_tcph_may_drop`).
    if old.plain_ack().is_none()
        || old.congestion() & AE != 0
        || old.unknown_options()
        || stamps.0 > newer.0
        || stamps.1 > newer.1
        || old.plain_ack() > new.plain_ack()
    {
        return false;
    }
    match compare(old, new) {
        Sack::Lost => false,
        Sack::Same => old.plain_ack() < new.plain_ack(),
        Sack::Added => true,
    }
}

/// Which of the packets of a queue, the oldest first, `arrival` makes superfluous, if any.
pub(crate) fn superfluous<'a, P: Carried + 'a, H: Copy>(
    queue: impl Iterator<Item = (H, &'a P)>,
    arrival: &P,
    aggressive: bool,
) -> Option<H> {
    let echoes = |packet: &P| packet.congestion() & ECHOES;
    let mut eligible: Option<(H, u8)> = None;
    let mut is_last = false;
    for (handle, packet) in queue {
        is_last = false;
        if packet.connection() != arrival.connection() {
            continue;
        }
        // What follows the eligible one must echo the same, or a change would be lost.
        eligible = eligible.filter(|&(_, said)| said == echoes(packet));
        if !may_go(packet, arrival) {
            continue;
        }
        if let Some((first, _)) = eligible {
            return Some(first);
        }
        (eligible, is_last) = (Some((handle, echoes(packet))), true);
    }
    // A single one: only the last before the arrival, and only if both echo the same.
    eligible.filter(|&(_, said)| aggressive && is_last && said == echoes(arrival)).map(|(only, _)| only)
}

impl Cake {
    /// The filter with these parameters.
    pub fn new(params: &CakeParams, _: Rate) -> Cake {
        Cake { aggressive: params.aggressive }
    }
}

impl<P: Carried> AckFilter<P> for Cake {
    fn on_ack(&mut self, packet: &P, flow: u32, waiting: &Waiting<P>, decision: &mut Decision) {
        let queue = std::iter::successors(waiting.first_of(flow), |&handle| waiting.follower(handle));
        let queue = queue.map(|handle| (handle, waiting.packet(handle)));
        decision.erase.extend(superfluous(queue, packet, self.aggressive));
    }

    fn may_destroy(&self) -> Destroys {
        Destroys { duplicate_counts: true, ..Destroys::default() }
    }
}
