//! What the calendar and the kernels tell each other (include/uapi/linux/um_timetravel.h): a schedule in shared memory, and
//! messages where one side has to wait.
//!
//! The schedule is a file that every kernel maps. It says who runs, what time it is, and until when the one that runs may go on
//! by itself; each kernel writes there when it wants to run next.

use std::fs::File;

use super::memory::{Fault, Mapped};

/// The kind of a message.
#[allow(missing_docs)]
pub mod op {
    pub const ACK: u32 = 0;
    pub const START: u32 = 1;
    pub const WAIT: u32 = 3;
    pub const GET: u32 = 4;
    pub const RUN: u32 = 6;
    pub const GET_TOD: u32 = 8;
}

/// Bytes of a message.
pub const MESSAGE: usize = 16;

/// A message between calendar and kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// See [`op`].
    pub op: u32,
    /// Its number, which the answer repeats.
    pub number: u32,
    /// Nanoseconds, or what else the kind says.
    pub time: u64,
}

impl Message {
    /// From its bytes.
    pub fn read(bytes: &[u8; MESSAGE]) -> Message {
        let [a, b, c, d, e, f, g, h, time @ ..] = *bytes;
        let number = u32::from_ne_bytes([e, f, g, h]);
        Message { op: u32::from_ne_bytes([a, b, c, d]), number, time: u64::from_ne_bytes(time) }
    }

    /// As bytes.
    pub fn bytes(self) -> [u8; MESSAGE] {
        let mut bytes = [0; MESSAGE];
        bytes[..4].copy_from_slice(&self.op.to_ne_bytes());
        bytes[4..8].copy_from_slice(&self.number.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.time.to_ne_bytes());
        bytes
    }
}

/// No instant: later than all of them.
pub const NEVER: u64 = i64::MAX as u64;

/// `struct um_timetravel_schedshm`: a page of its own, then the parties.
const VERSION: u32 = 2;
const HEADER: u64 = 4096;
const PARTY: u64 = 128;
const FREE_UNTIL: u64 = 8;
const CURRENT: u64 = 16;
const RUNNING: u64 = 24;
/// Within a party: what it can, what it wants, when it wants to run.
const CAPABILITIES: u64 = 0;
const FLAGS: u64 = 4;
const REQUEST: u64 = 8;
/// It can share time by this memory; it wants to run.
const SHARES: u32 = 1;
const WANTS: u32 = 1;

/// The shared schedule. Party 0 is the calendar itself; the k-th kernel is party k + 1.
#[derive(Debug)]
pub struct Schedule {
    file: File,
    map: Mapped,
    kernels: u16,
}

impl Schedule {
    /// A schedule for so many kernels, in a new and empty file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(file: File, kernels: u16) -> Result<Schedule, Fault> {
        let length = HEADER + PARTY * (u64::from(kernels) + 1);
        file.set_len(length).map_err(|error| error.to_string())?;
        let map = Mapped::new(&file, 0, length)?;
        map.write(0, &VERSION.to_ne_bytes())?;
        map.write(4, &(length as u32).to_ne_bytes())?;
        map.write(RUNNING + 2, &(kernels + 1).to_ne_bytes())?;
        map.write(HEADER + CAPABILITIES, &SHARES.to_ne_bytes())?;
        Ok(Schedule { file, map, kernels })
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    fn party(&self, kernel: u16) -> u64 {
        debug_assert!(kernel < self.kernels);
        HEADER + PARTY * (u64::from(kernel) + 1)
    }

    /// From now on `kernel` runs, or none; it is `now`, and it may go on up to `free_until` without asking.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn runs(&self, kernel: Option<u16>, now: u64, free_until: u64) -> Result<(), Fault> {
        let mut bytes = [0; 18];
        bytes[..8].copy_from_slice(&free_until.to_ne_bytes());
        bytes[8..16].copy_from_slice(&now.to_ne_bytes());
        bytes[16..].copy_from_slice(&kernel.map_or(0, |kernel| kernel + 1).to_ne_bytes());
        self.map.write(FREE_UNTIL, &bytes)
    }

    /// The kernel that runs has to ask from `until` on.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn free_until(&self, until: u64) -> Result<(), Fault> {
        self.map.write(FREE_UNTIL, &until.to_ne_bytes())
    }

    fn number(&self, at: u64) -> Result<u64, Fault> {
        let mut bytes = [0; 8];
        self.map.read(at, &mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// The time, as the kernel that runs last told it.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn now(&self) -> Result<u64, Fault> {
        self.number(CURRENT)
    }

    /// Whether a kernel knows of the schedule.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn knows(&self, kernel: u16) -> Result<bool, Fault> {
        Ok(self.number(self.party(kernel) + CAPABILITIES)? as u32 & SHARES != 0)
    }

    /// When a kernel that waits wants to run; [`NEVER`] if it does not.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn wanted(&self, kernel: u16) -> Result<u64, Fault> {
        let party = self.party(kernel);
        let flags = (self.number(party + CAPABILITIES)? >> (8 * FLAGS)) as u32;
        Ok(if flags & WANTS == 0 { NEVER } else { self.number(party + REQUEST)?.min(NEVER) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::file;
    use super::*;

    #[test]
    fn the_schedule_has_the_layout_of_the_kernels_header() {
        let schedule = Schedule::new(file(0), 2).expect("room");
        schedule.runs(Some(1), 77, 99).expect("room");
        let mut head = [0; 28];
        schedule.map.read(0, &mut head).expect("the header");
        let words: Vec<u32> = head.chunks(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect();
        // version, length, free_until, current_time, running_id with max_clients above it.
        assert_eq!(words, [2, 4096 + 3 * 128, 99, 0, 77, 0, 2 | 3 << 16]);
        assert_eq!(schedule.now().expect("the time"), 77);
        assert_eq!((schedule.knows(1).expect("flags"), schedule.wanted(1).expect("flags")), (false, NEVER));
        // The second kernel says that it can, and wants to run at 123.
        schedule.map.write(4096 + 256, &[1, 0, 0, 0, 1, 0, 0, 0, 123]).expect("its place");
        assert_eq!((schedule.knows(1).expect("flags"), schedule.wanted(1).expect("flags")), (true, 123));
        assert_eq!(schedule.wanted(0).expect("flags"), NEVER);
    }

    #[test]
    fn a_message_survives_its_bytes() {
        let message = Message { op: op::RUN, number: 9, time: 1 << 40 };
        assert_eq!(Message::read(&message.bytes()), message);
    }
}
