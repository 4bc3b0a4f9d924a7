//! A split virtqueue, from the device's side (Virtual I/O Device 1.2, section 2.7).

use super::memory::{Fault, Memory, Space};

/// Most entries of a ring (a power of two).
const MAX_ENTRIES: u32 = 1 << 15;

/// A descriptor goes on with another; its buffer is for the device to write; it is a table of descriptors.
const NEXT: u16 = 1;
const WRITE: u16 = 2;
const INDIRECT: u16 = 4;

/// Flags of the available and of the used ring: no interrupt is wanted, no notification is.
const NO_INTERRUPT: u16 = 1;
const NO_NOTIFY: u16 = 1;

/// Where a ring is, and how far both sides are with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ring {
    size: u16,
    places: Option<Places>,
    /// Entries of the available ring taken, and of the used ring given, counted as the ring does.
    taken: u16,
    given: u16,
}

/// Addresses of its parts.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The descriptors.
    pub descriptors: u64,
    /// What the driver offers.
    pub available: u64,
    /// What the device has done.
    pub used: u64,
}

/// Buffers that the driver has offered as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    head: u16,
    /// Address, length, and whether the device writes there.
    parts: Vec<(u64, u32, bool)>,
}

impl Ring {
    /// The driver says how many entries it has.
    ///
    /// # Errors
    /// No ring has so many.
    pub fn resize(&mut self, entries: u32) -> Result<(), Fault> {
        if !(1..=MAX_ENTRIES).contains(&entries) || !entries.is_power_of_two() {
            return Err(format!("a ring of {entries} entries"));
        }
        self.size = entries as u16;
        Ok(())
    }

    /// The driver says from which entry on it is used.
    pub fn begin(&mut self, entry: u32) {
        self.taken = entry as u16;
    }

    /// How many entries were taken.
    pub fn taken(&self) -> u16 {
        self.taken
    }

    /// The driver says where it is; `quiet`: the device asks not to be told of new entries.
    ///
    /// # Errors
    /// There is no memory.
    pub fn place(&mut self, places: Places, quiet: bool, memory: &Memory) -> Result<(), Fault> {
        self.given = memory.word(Space::User, places.used.saturating_add(2))?;
        if quiet {
            memory.write(Space::User, places.used, &NO_NOTIFY.to_le_bytes())?;
        }
        self.places = Some(places);
        Ok(())
    }

    /// Takes what the driver offered next, if it did.
    ///
    /// # Errors
    /// It makes no sense.
    pub fn take(&mut self, memory: &Memory) -> Result<Option<Chain>, Fault> {
        let Some(places) = self.places.filter(|_| self.size > 0) else { return Ok(None) };
        let offered = memory.word(Space::User, places.available.saturating_add(2))?.wrapping_sub(self.taken);
        if offered == 0 {
            return Ok(None);
        }
        if offered > self.size {
            return Err(format!("{offered} entries in a ring of {}", self.size));
        }
        let entry = u64::from(self.taken % self.size);
        let head = memory.word(Space::User, places.available.saturating_add(4 + 2 * entry))?;
        self.taken = self.taken.wrapping_add(1);
        let (mut parts, mut at) = (Vec::with_capacity(2), head);
        loop {
            if at >= self.size || parts.len() >= usize::from(self.size) {
                return Err(format!(
                    "descriptor {at}, the {}th of its chain, in a ring of {}",
                    parts.len() + 1,
                    self.size
                ));
            }
            let mut bytes = [0; 16];
            memory.read(Space::User, places.descriptors.saturating_add(16 * u64::from(at)), &mut bytes)?;
            let [a, b, c, d, e, f, g, h, length @ .., flags, more, next, last] = bytes;
            let (flags, following) = (u16::from_le_bytes([flags, more]), u16::from_le_bytes([next, last]));
            if flags & INDIRECT != 0 {
                return Err("a table of descriptors, which was not agreed on".to_owned());
            }
            let address = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
            parts.push((address, u32::from_le_bytes(length), flags & WRITE != 0));
            if flags & NEXT == 0 {
                return Ok(Some(Chain { head, parts }));
            }
            at = following;
        }
    }

    /// Gives a chain back, with as many bytes written.
    ///
    /// # Errors
    /// There is no memory.
    pub fn give(&mut self, chain: &Chain, written: u32, memory: &Memory) -> Result<(), Fault> {
        let Some(places) = self.places.filter(|_| self.size > 0) else { return Ok(()) };
        let entry = u64::from(self.given % self.size);
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&u32::from(chain.head).to_le_bytes());
        bytes[4..].copy_from_slice(&written.to_le_bytes());
        memory.write(Space::User, places.used.saturating_add(4 + 8 * entry), &bytes)?;
        self.given = self.given.wrapping_add(1);
        memory.write(Space::User, places.used.saturating_add(2), &self.given.to_le_bytes())
    }

    /// Whether the driver wants to be told of what was given back.
    ///
    /// # Errors
    /// There is no memory.
    pub fn wants_interrupt(&self, memory: &Memory) -> Result<bool, Fault> {
        let Some(places) = self.places else { return Ok(false) };
        Ok(memory.word(Space::User, places.available)? & NO_INTERRUPT == 0)
    }
}

impl Chain {
    /// What the driver wrote into it, if that is not more than `most` bytes.
    ///
    /// # Errors
    /// It is, or there is no memory.
    pub fn read(&self, memory: &Memory, most: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        for &(address, length, _) in self.parts.iter().filter(|(_, _, write)| !write) {
            let begin = bytes.len();
            if begin + length as usize > most {
                return Err(format!("a packet of {} bytes or more", begin + length as usize));
            }
            bytes.resize(begin + length as usize, 0);
            memory.read(Space::Guest, address, &mut bytes[begin..])?;
        }
        Ok(bytes)
    }

    /// Writes `bytes` into it; how many found room.
    ///
    /// # Errors
    /// There is no memory.
    pub fn write(&self, memory: &Memory, bytes: &[u8]) -> Result<u32, Fault> {
        let mut rest = bytes;
        for &(address, length, _) in self.parts.iter().filter(|(_, _, write)| *write) {
            let (part, more) = rest.split_at(rest.len().min(length as usize));
            memory.write(Space::Guest, address, part)?;
            rest = more;
        }
        Ok((bytes.len() - rest.len()) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::{Region, file};
    use super::*;

    const PLACES: Places = Places { descriptors: 0, available: 0x100, used: 0x200 };

    /// A ring of eight entries in a memory of 4 KiB.
    fn ring() -> (Ring, Memory) {
        let region = Region { guest: 0, user: 0, size: 0x1000, offset: 0, file: file(0x1000) };
        let (memory, mut ring) = (Memory::new(vec![region]).expect("memory"), Ring::default());
        ring.resize(8).expect("a size");
        ring.place(PLACES, false, &memory).expect("a place");
        (ring, memory)
    }

    fn describe(memory: &Memory, at: u64, address: u64, length: u32, flags: u16, next: u16) {
        let mut bytes = address.to_le_bytes().to_vec();
        bytes.extend(length.to_le_bytes());
        bytes.extend(flags.to_le_bytes());
        bytes.extend(next.to_le_bytes());
        memory.write(Space::User, 16 * at, &bytes).expect("the table");
    }

    fn offer(memory: &Memory, index: u16, head: u16) {
        memory.write(Space::User, 0x104 + 2 * u64::from((index - 1) % 8), &head.to_le_bytes()).expect("an entry");
        memory.write(Space::User, 0x102, &index.to_le_bytes()).expect("the index");
    }

    #[test]
    fn a_chain_is_read_in_order_and_given_back() {
        let (mut ring, memory) = ring();
        memory.write(Space::Guest, 0x400, b"head").expect("memory");
        memory.write(Space::Guest, 0x500, b"body").expect("memory");
        describe(&memory, 3, 0x400, 4, NEXT, 5);
        describe(&memory, 5, 0x500, 4, 0, 0);
        assert_eq!(ring.take(&memory), Ok(None));
        offer(&memory, 1, 3);
        let chain = ring.take(&memory).expect("it makes sense").expect("an entry");
        assert_eq!(chain.read(&memory, 100).expect("memory"), b"headbody");
        assert!(chain.read(&memory, 7).is_err(), "too long");
        ring.give(&chain, 0, &memory).expect("memory");
        assert_eq!((memory.word(Space::User, 0x202), memory.word(Space::User, 0x204)), (Ok(1), Ok(3)));
        assert_eq!(ring.take(&memory), Ok(None));
    }

    #[test]
    fn what_is_written_is_cut_to_the_room_there_is() {
        let (mut ring, memory) = ring();
        describe(&memory, 0, 0x400, 3, WRITE | NEXT, 1);
        describe(&memory, 1, 0x500, 3, WRITE, 0);
        offer(&memory, 1, 0);
        let chain = ring.take(&memory).expect("it makes sense").expect("an entry");
        assert_eq!(chain.write(&memory, b"abcdefgh"), Ok(6));
        let mut found = [0; 3];
        memory.read(Space::Guest, 0x500, &mut found).expect("memory");
        assert_eq!(&found, b"def");
    }

    #[test]
    fn nonsense_is_refused() {
        let broken = |describe: &dyn Fn(&Memory), head: u16, index: u16| {
            let (mut ring, memory) = ring();
            describe(&memory);
            memory.write(Space::User, 0x104, &head.to_le_bytes()).expect("an entry");
            memory.write(Space::User, 0x102, &index.to_le_bytes()).expect("the index");
            ring.take(&memory).is_err()
        };
        assert!(broken(&|_| (), 0, 9), "more than the ring holds");
        assert!(broken(&|_| (), 8, 1), "no such descriptor");
        assert!(broken(&|memory| describe(memory, 0, 0, 1, NEXT, 0), 0, 1), "a chain that is a circle");
        assert!(broken(&|memory| describe(memory, 0, 0, 1, INDIRECT, 0), 0, 1), "a table");
        let mut ring = Ring::default();
        assert!([0, 3, 1 << 16].into_iter().all(|size| ring.resize(size).is_err()));
        assert!(ring.place(Places { descriptors: 0, available: 0, used: u64::MAX }, true, &Memory::default()).is_err());
    }
}
