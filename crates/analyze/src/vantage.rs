//! Where the capture was taken, between the ends of a direction.

use crate::direction::Direction;
use crate::thresholds::{NEAR_S, NEAR_SHARE};

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
    /// Not to be told: neither handshake nor timestamps.
    Unknown,
}

impl Vantage {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Vantage::Receiver => "receiver",
            Vantage::Sender => "sender",
            Vantage::Both => "both",
            Vantage::Between => "between",
            Vantage::Unknown => "unknown",
        }
    }
}

/// Seconds from the capture point to the receiver and back, and to the sender: the least that the handshake, ACKs and
/// echoed timestamps show.
pub fn legs(direction: &Direction) -> (Option<f64>, Option<f64>) {
    let least = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::min);
    let echoed = direction.eyes.to_sender().map(|(least, _)| least);
    (least(direction.legs.0, direction.acks.rtt.least()), least(direction.legs.1, echoed))
}

/// Where this direction was seen.
pub fn of(direction: &Direction) -> Vantage {
    let (Some(receiver), sender) = legs(direction) else { return Vantage::Unknown };
    let Some(sender) = sender else {
        return if receiver <= NEAR_S { Vantage::Receiver } else { Vantage::Unknown };
    };
    let near = |leg: f64| leg <= NEAR_S || leg <= NEAR_SHARE * (receiver + sender);
    match (near(receiver), near(sender)) {
        (true, true) => Vantage::Both,
        (true, false) => Vantage::Receiver,
        (false, true) => Vantage::Sender,
        (false, false) => Vantage::Between,
    }
}
