//! Packets with everything a filter may look at, for tests.
#![allow(dead_code)]

use acklab_path::Carried;

/// A TCP packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Tcp {
    pub connection: u64,
    /// `None` carries data (or SYN, FIN, RST).
    pub ack: Option<u64>,
    pub size: u32,
    pub sack: Vec<(u64, u64)>,
    pub stamps: (u64, u64),
    pub congestion: u8,
    pub unknown_options: bool,
    /// PSH.
    pub pushed: bool,
    /// Tells packets apart.
    pub id: u64,
}

/// An ACK of 40 bytes.
pub fn ack(connection: u64, number: u64) -> Tcp {
    Tcp {
        connection,
        ack: Some(number),
        size: 40,
        sack: Vec::new(),
        stamps: (0, 0),
        congestion: 0,
        unknown_options: false,
        pushed: false,
        id: 0,
    }
}

/// A segment of 1000 bytes.
pub fn data(connection: u64, id: u64) -> Tcp {
    Tcp { ack: None, size: 1000, id, ..ack(connection, 0) }
}

impl Carried for Tcp {
    fn wire_bytes(&self) -> u32 {
        self.size
    }
    fn is_ack(&self) -> bool {
        self.ack.is_some()
    }
    fn has_payload(&self) -> bool {
        self.ack.is_none()
    }
    fn mark(&mut self) -> bool {
        false
    }
    fn connection(&self) -> u64 {
        self.connection
    }
    fn plain_ack(&self) -> Option<u64> {
        self.ack
    }
    fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.sack.iter().copied()
    }
    fn timestamps(&self) -> (u64, u64) {
        self.stamps
    }
    fn low_latency(&self) -> bool {
        self.congestion & 4 > 0
    }
    fn congestion(&self) -> u8 {
        self.congestion
    }
    fn unknown_options(&self) -> bool {
        self.unknown_options
    }
}
