//! The last two packet sizes that a link served: mostly those of full segments and of ACKs.

use acklab_packet::Time;

use super::Totals;
use crate::Carried;

/// A packet's size, and whether it is an ACK: bytes, doubled; one more of an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load(u64);

impl Load {
    /// No packet's.
    const NONE: Load = Load(u64::MAX);

    /// Of a packet.
    #[inline(always)]
    pub fn of(packet: &impl Carried) -> Load {
        Load::new(packet.wire_bytes(), packet.is_ack())
    }

    /// Of so many bytes.
    #[inline(always)]
    pub fn new(bytes: u32, ack: bool) -> Load {
        Load(u64::from(bytes) << 1 | u64::from(ack))
    }

    /// Its size in bytes.
    #[inline(always)]
    pub fn bytes(self) -> u32 {
        (self.0 >> 1) as u32
    }

    /// So many packets of it.
    pub fn totals(self, packets: u64) -> Totals {
        Totals::of(packets, self.bytes(), self.0 & 1 == 1)
    }
}

/// What a packet's size determines.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Size {
    load: Load,
    /// Two numbers of the driver's own; [`Size::NEW`] when the size is new.
    pub notes: [u32; 2],
    /// Packets of it that entered service, or are booked for it.
    packets: u64,
    /// Time in service.
    pub lasts: Time,
    /// Service and propagation.
    pub span: Time,
}

impl Size {
    /// What the driver's numbers are of a new size.
    pub const NEW: u32 = u32::MAX;

    fn totals(&self) -> Totals {
        self.load.totals(self.packets)
    }
}

/// Sizes served, the last first.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Sizes {
    recent: [Size; 2],
    /// Those of other sizes.
    others: Totals,
}

impl Default for Sizes {
    fn default() -> Sizes {
        let none = Size { load: Load::NONE, notes: [Size::NEW; 2], packets: 0, lasts: Time::ZERO, span: Time::ZERO };
        Sizes { recent: [none; 2], others: Totals::default() }
    }
}

impl Sizes {
    /// The last.
    #[inline(always)]
    pub fn last(&mut self) -> &mut Size {
        &mut self.recent[0]
    }

    /// Both.
    pub fn both(&mut self) -> &mut [Size; 2] {
        &mut self.recent
    }

    /// Size of the packet in service, or of the last one, in bytes.
    #[inline]
    pub fn in_service(&self) -> u32 {
        self.recent[0].load.bytes()
    }

    /// True if the last packet had this load.
    #[inline(always)]
    pub fn repeats(&self, load: Load) -> bool {
        self.recent[0].load == load
    }

    /// Puts what belongs to `load` first. `times` gives the service of a new size, and with propagation.
    pub fn look_up(&mut self, load: Load, times: impl FnOnce() -> (Time, Time)) {
        self.recent.swap(0, 1);
        if self.recent[0].load != load {
            self.others += self.recent[0].totals();
            let (lasts, span) = times();
            self.recent[0] = Size { load, notes: [Size::NEW; 2], packets: 0, lasts, span };
        }
    }

    /// Counts another packet like the last.
    #[inline(always)]
    pub fn count_last(&mut self) -> Size {
        self.recent[0].packets += 1;
        self.recent[0]
    }

    /// All that entered service, or are booked for it.
    pub fn totals(&self) -> Totals {
        let mut all = self.others;
        self.recent.iter().for_each(|size| all += size.totals());
        all
    }
}
