//! A capture file's bytes, compressed or not.

use std::io::{self, BufReader, Read};

use crate::packed::{Damage, Packing, Unpack, foreign};
use crate::read_error::ReadError;

/// Where a capture comes from.
#[derive(Debug)]
pub enum Input<R: Read> {
    /// As it stands.
    Plain(R),
    /// Through a decoder.
    Packed(BufReader<Unpack<R>>),
}

impl<R: Read> Input<R> {
    /// Looks at the first four bytes of a file; unpacks it if they say that it is compressed. Also gives the first four
    /// bytes of what it holds then.
    pub fn open(mut input: R) -> Result<(Input<R>, [u8; 4]), ReadError> {
        let magic = first(&mut input).map_err(ReadError::Io).and_then(known)?;
        if let Some(program) = foreign(magic) {
            return Err(ReadError::Foreign(program));
        }
        let Some(packing) = Packing::of(magic) else { return Ok((Input::Plain(input), magic)) };
        let mut inside = Unpack::new(packing, magic, input).map_err(|error| told(error, packing, 0))?;
        let magic = first(&mut inside).map_err(|error| told(error, packing, 0)).and_then(known);
        magic.map(|magic| (Input::Packed(inside), magic)).map_err(|error| error.within(Some(packing)))
    }

    /// What it is compressed with.
    pub fn packing(&self) -> Option<Packing> {
        match self {
            Input::Plain(_) => None,
            Input::Packed(input) => Some(input.get_ref().packing),
        }
    }

    /// Adds up to `length` bytes to `block`, fewer only at the end; how many.
    pub fn append(&mut self, length: u32, block: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            // Not through `Read for Input`, which would clear the memory first.
            Input::Plain(input) => input.by_ref().take(length.into()).read_to_end(block),
            Input::Packed(input) => input.by_ref().take(length.into()).read_to_end(block),
        }
    }

    /// What an error of this input, after `at` bytes of what it holds, means for a capture.
    pub fn fault(&self, error: io::Error, at: u64) -> ReadError {
        match self.packing() {
            Some(packing) => told(error, packing, at),
            None => ReadError::Io(error),
        }
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Plain(input) => input.read(out),
            Input::Packed(input) => input.read(out),
        }
    }
}

fn told(error: io::Error, packing: Packing, at: u64) -> ReadError {
    match error.downcast::<Damage>() {
        Ok(Damage::BreaksOff) => ReadError::Truncated { at },
        Ok(Damage::Corrupt(why)) => ReadError::Damaged { at, packing, why },
        Err(error) => ReadError::Io(error),
    }
}

/// The first four bytes, or as many as there are.
fn first(input: &mut impl Read) -> io::Result<([u8; 4], usize)> {
    let (mut bytes, mut have) = ([0; 4], 0);
    while have < bytes.len() {
        match input.read(&mut bytes[have..]) {
            Ok(0) => break,
            Ok(read) => have += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok((bytes, have))
}

/// Those of a file that has four.
fn known((bytes, have): ([u8; 4], usize)) -> Result<[u8; 4], ReadError> {
    match have {
        0 => Err(ReadError::Empty),
        4 => Ok(bytes),
        _ => Err(ReadError::Unknown),
    }
}
