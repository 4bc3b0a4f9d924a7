//! A program's own server.

use acklab_packet::Rate;

use super::{Server, ServerParams, check_rate};
use crate::Own;
use crate::values::Checked;

/// A server that a link begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnServer {
    /// The one number of a link's row, by which buffers written as times are counted, too.
    rate: Rate,
    pub(super) server: Own<dyn Server>,
}

impl OwnServer {
    /// `server`, of that rate in links' rows and for buffers that are times.
    pub fn new(rate: Rate, server: impl Server + 'static) -> OwnServer {
        OwnServer { rate, server: Own(Box::new(server)) }
    }
}

impl ServerParams for OwnServer {
    fn rate(&self) -> Rate {
        self.rate
    }

    fn check(&mut self) -> Checked {
        check_rate("rate", self.rate)
    }
}
