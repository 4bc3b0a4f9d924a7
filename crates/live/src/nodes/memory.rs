//! Memory that a kernel shares, never beyond what it told.
//!
//! What the kernel has written itself is read, and its rings are written, in a mapping of the file. Frames are written through the
//! file: they may need room on a disk that is full, which a mapping tells by a signal.

use std::fs::File;
use std::os::unix::fs::FileExt;

use vm_memory::{Bytes, FileOffset, MmapRegion, VolatileMemory};

/// What is wrong with what a kernel told its card.
pub type Fault = String;

/// Most regions of a vhost-user memory table.
pub const MAX_REGIONS: usize = 8;

/// A piece of a kernel's memory.
#[derive(Debug)]
pub struct Region {
    /// Its first address as descriptors name it, and as the places of rings do.
    pub guest: u64,
    /// The second of the two.
    pub user: u64,
    /// Its bytes.
    pub size: u64,
    /// Where it begins in the file.
    pub offset: u64,
    /// What backs it.
    pub file: File,
}

/// Which of the two addresses is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// That of descriptors.
    Guest,
    /// That of rings.
    User,
}

/// Mappings begin at pages of the file.
const PAGE: u64 = 4096;

/// A file from one of its pages on, which can be read and written like memory.
#[derive(Debug)]
pub struct Mapped {
    map: MmapRegion,
    /// Where in the mapping the first byte is.
    lead: usize,
}

impl Mapped {
    /// `size` bytes of a file, from `offset` on.
    ///
    /// # Errors
    /// It has not so many.
    pub fn new(file: &File, offset: u64, size: u64) -> Result<Mapped, Fault> {
        let end = offset.checked_add(size).ok_or("a region of memory that has no end")?;
        let length = file.metadata().map_err(|error| format!("its memory: {error}"))?.len();
        if end > length {
            return Err(format!("memory up to byte {end} of a file of {length}"));
        }
        let lead = offset % PAGE;
        let file = file.try_clone().map_err(|error| format!("its memory: {error}"))?;
        let map = MmapRegion::from_file(FileOffset::new(file, offset - lead), (lead + size) as usize);
        Ok(Mapped { map: map.map_err(|error| format!("its memory: {error}"))?, lead: lead as usize })
    }

    /// Fills `into` with what stands at `at`.
    ///
    /// # Errors
    /// It is beyond the mapping.
    pub fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Fault> {
        let slice = self.map.as_volatile_slice();
        slice.read_slice(into, self.lead + at as usize).map_err(|error| format!("memory at {at:#x}: {error}"))
    }

    /// Writes `bytes` to `at`.
    ///
    /// # Errors
    /// It is beyond the mapping.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Result<(), Fault> {
        let slice = self.map.as_volatile_slice();
        slice.write_slice(bytes, self.lead + at as usize).map_err(|error| format!("memory at {at:#x}: {error}"))
    }
}

/// All regions.
#[derive(Debug, Default)]
pub struct Memory(Vec<(Region, Mapped)>);

impl Memory {
    /// Memory of these regions.
    ///
    /// # Errors
    /// One of them reaches beyond 64 bits, or beyond its file.
    pub fn new(regions: Vec<Region>) -> Result<Memory, Fault> {
        let map = |region: Region| {
            let Region { guest, user, size, offset, file } = &region;
            if [guest, user].into_iter().any(|start| start.checked_add(*size).is_none()) {
                return Err("a region of memory that has no end".to_owned());
            }
            let mapped = Mapped::new(file, *offset, *size)?;
            Ok((region, mapped))
        };
        regions.into_iter().map(map).collect::<Result<_, _>>().map(Memory)
    }

    /// The region of `length` bytes at an address, and where in it they begin.
    fn place(&self, space: Space, address: u64, length: usize) -> Result<(&(Region, Mapped), u64), Fault> {
        let found = self.0.iter().find_map(|one| {
            let region = &one.0;
            let into = address.checked_sub(if space == Space::Guest { region.guest } else { region.user })?;
            let end = into.checked_add(length as u64)?;
            (end <= region.size).then_some((one, into))
        });
        found.ok_or_else(|| format!("{length} bytes at {address:#x}, which is no shared memory"))
    }

    /// Fills `into` with what stands at an address.
    ///
    /// # Errors
    /// There is no such memory.
    pub fn read(&self, space: Space, address: u64, into: &mut [u8]) -> Result<(), Fault> {
        let ((_, mapped), at) = self.place(space, address, into.len())?;
        mapped.read(at, into)
    }

    /// Writes `bytes` to an address.
    ///
    /// # Errors
    /// There is no such memory, or no room for it.
    pub fn write(&self, space: Space, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let ((region, mapped), at) = self.place(space, address, bytes.len())?;
        match space {
            Space::User => mapped.write(at, bytes),
            Space::Guest => region
                .file
                .write_all_at(bytes, region.offset + at)
                .map_err(|error| format!("memory at {address:#x}: {error}")),
        }
    }

    /// A 16-bit number.
    ///
    /// # Errors
    /// There is no such memory.
    pub fn word(&self, space: Space, address: u64) -> Result<u16, Fault> {
        let mut bytes = [0; 2];
        self.read(space, address, &mut bytes)?;
        Ok(u16::from_le_bytes(bytes))
    }
}

/// A file of so many zeros that has no name.
#[cfg(test)]
pub(super) fn file(bytes: u64) -> File {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("acklab-memory-{}-{number}", std::process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a new file");
    std::fs::remove_file(path).expect("it is there");
    file.set_len(bytes).expect("room");
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_beyond_a_region_is_touched() {
        let region = Region { guest: 0x1000, user: 0x8000, size: 0x100, offset: 0x10, file: file(0x1000) };
        let memory = Memory::new(vec![region]).expect("a region");
        memory.write(Space::Guest, 0x10fe, &[7, 9]).expect("its last two bytes");
        assert_eq!(memory.word(Space::User, 0x80fe), Ok(0x0907), "the same bytes by the other address");
        for (space, address, length) in [
            (Space::Guest, 0x10ff, 2),
            (Space::Guest, 0xfff, 1),
            (Space::User, 0x1000, 1),
            (Space::Guest, u64::MAX, 2),
            (Space::Guest, 0x1000, 0x101),
        ] {
            assert!(memory.read(space, address, &mut vec![0; length]).is_err(), "{length} at {address:#x}");
            assert!(memory.write(space, address, &vec![1; length]).is_err(), "{length} at {address:#x}");
        }
        let endless = Region { guest: u64::MAX - 5, user: 0, size: 10, offset: 0, file: file(0) };
        assert!(Memory::new(vec![endless]).is_err());
        let beyond = Region { guest: 0, user: 0, size: 0x100, offset: 0xf80, file: file(0x1000) };
        assert!(Memory::new(vec![beyond]).is_err(), "its file ends before");
    }
}
