//! The last two packet sizes that a link served: mostly those of full segments and of ACKs.

use acklab_packet::Time;

use super::Totals;

/// What a packet's size determines.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Size {
    /// Bytes, doubled; one more of an ACK.
    key: u64,
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

    /// In bytes.
    #[inline]
    pub fn bytes(&self) -> u32 {
        (self.key >> 1) as u32
    }

    fn totals(&self) -> Totals {
        Totals::of(self.packets, self.bytes(), self.key & 1 == 1)
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
        let none = Size { key: u64::MAX, notes: [Size::NEW; 2], packets: 0, lasts: Time::ZERO, span: Time::ZERO };
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
        self.recent[0].bytes()
    }

    /// Counts a packet. `times` gives the service of a new size, and with propagation.
    #[inline(always)]
    pub fn take(&mut self, bytes: u32, ack: bool, times: impl FnOnce() -> (Time, Time)) -> Size {
        let key = u64::from(bytes) << 1 | u64::from(ack);
        if self.recent[0].key != key {
            self.look_up(key, times);
        }
        self.recent[0].packets += 1;
        self.recent[0]
    }

    /// Puts what belongs to a size first.
    #[inline(never)]
    fn look_up(&mut self, key: u64, times: impl FnOnce() -> (Time, Time)) {
        self.recent.swap(0, 1);
        if self.recent[0].key != key {
            self.others += self.recent[0].totals();
            let (lasts, span) = times();
            self.recent[0] = Size { key, notes: [Size::NEW; 2], packets: 0, lasts, span };
        }
    }

    /// Counts a packet that something else serves.
    pub fn count(&mut self, bytes: u32, ack: bool) {
        self.others += Totals::of(1, bytes, ack);
    }

    /// All that entered service, or are booked for it.
    pub fn totals(&self) -> Totals {
        let mut all = self.others;
        self.recent.iter().for_each(|size| all += size.totals());
        all
    }
}
