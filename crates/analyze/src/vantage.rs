//! Where the capture was taken, between the ends of a direction.

use crate::connection::Connection;
use crate::cwnd::Eyes;
use crate::numbers::Spread;
use crate::thresholds::{LATE_SHARE, MIN_ACKS, MIN_TRIPS, NEAR_S, NEAR_SHARE, SPLIT_S, SPLIT_SHARE};

/// Which end of a direction the capture point is near to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vantage {
    /// Where the data arrive and ACKs leave.
    Receiver,
    /// Where the data leave.
    Sender,
    /// Near both: the path is short.
    Both,
    /// Near neither.
    Between,
    /// Not to be told.
    Unknown,
}

acklab_table::words!(Vantage: "receiver", "sender", "both", "between", "unknown");

/// How far an end is: seconds from here to it and back, by the least that anything shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// The least.
    pub secs: f64,
    /// Only the handshake shows it, whose answer may have been late: the end is at most so far.
    pub at_most: bool,
    /// Bytes of payload of the packet from that end which ended the least.
    pub payload: u32,
}

/// How far the ends of a direction are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Legs {
    pub receiver: Option<Leg>,
    pub sender: Option<Leg>,
    /// Seconds after which the SYN was answered, or the answer, where that was much later than data usually are.
    pub late_answer: Option<f64>,
    pub late_ack: Option<f64>,
    /// Seconds of a tick of the capture's clock, if it is coarse.
    tick: f64,
}

/// Round trips from here to one end: to data by its ACKs, and to ACKs by the timestamps that its data echo.
struct Trips {
    least: Option<(f64, u32)>,
    usual: Option<f64>,
    count: u64,
}

impl Trips {
    fn of(acks: &Spread, echoes: &Eyes) -> Trips {
        let (to_data, to_acks) = (acks.quantile(0.5), echoes.to_sender());
        let usual = [
            to_data.filter(|_| acks.count() >= MIN_TRIPS),
            to_acks.map(|(_, smoothed)| smoothed).filter(|_| echoes.trips() >= MIN_TRIPS),
        ];
        let count = acks.count() + echoes.trips();
        let by_acks = acks.least().map(|least| (least, 0));
        let by_echoes = to_acks.map(|(least, _)| (least, echoes.nearest_payload()));
        let least = by_acks.into_iter().chain(by_echoes).reduce(shorter);
        Trips { least, usual: usual.into_iter().flatten().reduce(f64::min), count }
    }

    /// Whether an answer in the handshake was later than the path explains.
    fn shows_late(&self, took: f64, tick: f64) -> bool {
        self.usual.is_some_and(|usual| usual + tick < LATE_SHARE * took && took - usual >= SPLIT_S + tick)
    }

    /// With what the handshake showed, whose packet from that end had so much payload.
    fn leg(&self, handshake: Option<f64>, payload: u32) -> Option<Leg> {
        if handshake.is_none() && self.count < MIN_TRIPS {
            return None;
        }
        let shaken = handshake.map(|secs| (secs, payload));
        let (secs, payload) = self.least.into_iter().chain(shaken).reduce(shorter)?;
        Some(Leg { secs, at_most: self.count == 0, payload })
    }
}

/// The one of fewer seconds.
fn shorter(one: (f64, u32), other: (f64, u32)) -> (f64, u32) {
    if other.0 < one.0 { other } else { one }
}

impl Legs {
    /// Those of direction `index` of `connection`. What one direction shows of an end, the other's answers show, too.
    ///
    /// If an end answered late in the handshake, something nearer may have answered later, and how far the end is, is not known.
    pub fn of(connection: &Connection, index: usize, tick: f64) -> Legs {
        let (data, back) = (&connection.directions[index], &connection.directions[1 - index]);
        let to_receiver = Trips::of(&data.acks.rtt, &back.eyes);
        let to_sender = Trips::of(&back.acks.rtt, &data.eyes);
        let late = |trips: &Trips, handshake: Option<f64>| handshake.filter(|&took| trips.shows_late(took, tick));
        let (receiver, sender) = (late(&to_receiver, data.legs.0), late(&to_sender, data.legs.1));
        let (late_answer, late_ack) =
            if connection.opener() == index { (receiver, sender) } else { (sender, receiver) };
        Legs {
            receiver: to_receiver.leg(data.legs.0, back.shaken).filter(|_| receiver.is_none()),
            sender: to_sender.leg(data.legs.1, data.shaken).filter(|_| sender.is_none()),
            late_answer,
            late_ack,
            tick,
        }
    }

    /// Whether the handshake's round trip is the path's, as far as later ones show.
    pub fn is_prompt(&self) -> bool {
        self.late_answer.is_none() && self.late_ack.is_none()
    }

    /// Where the direction was seen.
    pub fn place(&self) -> Vantage {
        let near = |leg: Leg| leg.secs + self.tick <= NEAR_S;
        let (receiver, sender) = match (self.receiver, self.sender) {
            (Some(receiver), Some(sender)) => (receiver, sender),
            (Some(receiver), None) if near(receiver) => return Vantage::Receiver,
            (None, Some(sender)) if near(sender) => return Vantage::Sender,
            _ => return Vantage::Unknown,
        };
        // An end is near by its share if the other one is certainly far, as seen by a clock of such ticks.
        let far = |leg: Leg| if leg.at_most { 0.0 } else { (leg.secs - self.tick).max(0.0) };
        let beside = |leg: Leg, other: Leg| {
            let secs = leg.secs + self.tick;
            near(leg) || secs <= NEAR_SHARE * (secs + far(other))
        };
        let beyond = |leg: Leg, other: Leg| far(leg) > NEAR_S.max(NEAR_SHARE * (far(leg) + other.secs + self.tick));
        match (beside(receiver, sender), beside(sender, receiver)) {
            (true, true) => Vantage::Both,
            (true, false) => Vantage::Receiver,
            (false, true) => Vantage::Sender,
            (false, false) if beyond(receiver, sender) && beyond(sender, receiver) => Vantage::Between,
            (false, false) => Vantage::Unknown,
        }
    }

    /// The least round trip of the whole path.
    pub fn path(&self) -> Option<f64> {
        Some(self.receiver?.secs + self.sender?.secs)
    }
}

/// Seconds of the handshake's answer from a direction's receiver, if those to data come from nearer than that did.
pub fn nearer(connection: &Connection, index: usize, tick: f64) -> Option<f64> {
    let direction = &connection.directions[index];
    let (handshake, usual) = (direction.legs.0?, direction.acks.rtt.quantile(0.5)?);
    let enough = direction.acks.rtt.count() >= MIN_ACKS && handshake >= SPLIT_S;
    (enough && usual + tick < SPLIT_SHARE * (handshake - tick)).then_some(handshake)
}
