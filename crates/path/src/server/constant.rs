//! A constant rate.

use acklab_packet::{Rate, Time};

use super::Server;

/// A server of constant rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant(pub Rate);

impl Constant {
    /// The time for which a packet of `bytes` is in service.
    #[inline]
    pub fn service(&self, bytes: u32) -> Time {
        self.0.transmission(bytes)
    }
}

impl Server for Constant {
    #[inline]
    fn offer(&mut self, bytes: u32, _: Time) -> Time {
        self.service(bytes)
    }

    fn busy(&self, bytes: u64) -> f64 {
        8.0 * bytes as f64 / self.0.bps()
    }
}
