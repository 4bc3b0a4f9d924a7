//! A network between kernels, as the clock sees it.

use acklab_packet::Time;

/// Kernels with programs boot in the second before the scenario's first instant.
pub const BOOT_NS: u64 = 1_000_000_000;

/// A packet that has arrived at a node outside.
#[derive(Debug)]
pub struct Arrival {
    /// Counted among the nodes outside.
    pub node: usize,
    /// When it was due.
    pub at: Time,
    /// From the header of IP on.
    pub bytes: Vec<u8>,
}

/// A network between nodes outside, with a time of its own.
pub trait Network {
    /// The name of a node outside, in a sentence.
    fn name(&self, node: usize) -> String;

    /// Its number, of which its addresses are made.
    fn number(&self, node: usize) -> u32;

    /// How long before the first instant the kernels begin to boot.
    fn boot_ns(&self) -> u64 {
        BOOT_NS
    }

    /// When something happens next by itself; `None` if nothing does.
    fn due(&mut self) -> Option<Time>;

    /// Lets that happen at `now`, which is not before.
    ///
    /// # Errors
    /// It cannot go on.
    fn step(&mut self, now: Time) -> Result<(), String>;

    /// True if its time is up.
    fn ended(&self) -> bool;

    /// A node sends a frame at `at` in the scenario, before whose beginning there is no network, and at `time_ns` since 1970. What it
    /// tells the other first processes, if that is what it is.
    ///
    /// # Errors
    /// A capture cannot be written, or a stream cannot be.
    fn sent(&mut self, node: usize, frame: &[u8], at: Option<Time>, time_ns: u64) -> Result<Option<Vec<u8>>, String>;

    /// What has arrived since the last call.
    fn arrivals(&mut self, into: &mut Vec<Arrival>);

    /// A packet is handed to a node.
    ///
    /// # Errors
    /// A capture cannot be written.
    fn capture(&mut self, node: usize, bytes: &[u8], time_ns: u64) -> Result<(), String>;
}
