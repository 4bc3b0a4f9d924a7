//! A constant rate.

use acklab_packet::{Rate, Time};

use super::{Server, Taken};

/// A server of constant rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant(pub Rate);

impl Server for Constant {
    fn take(&mut self, bytes: u32, _: Time) -> Taken {
        self.0.transmission(bytes).into()
    }

    #[inline]
    fn constant(&self) -> Option<Rate> {
        Some(self.0)
    }

    fn busy(&self, bytes: u64) -> f64 {
        8.0 * bytes as f64 / self.0.bps()
    }
}
