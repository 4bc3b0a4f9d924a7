//! Compressed bytes on their way to a decoder.

use std::io::{self, BufRead, BufReader, Read};

use super::Damage;

/// Compressed bytes; four can be put back. It remembers what decoders forget to tell: whether the input came to its end,
/// and its errors.
#[derive(Debug)]
pub struct Source<R> {
    input: BufReader<R>,
    again: [u8; 4],
    /// How many of `again` have been read.
    given: usize,
    ended: bool,
    failed: Option<io::Error>,
}

impl<R: Read> Source<R> {
    pub fn new(input: R) -> Source<R> {
        let input = BufReader::with_capacity(1 << 16, input);
        Source { input, again: [0; 4], given: 4, ended: false, failed: None }
    }

    /// Whether more was wanted than there is.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The next four bytes; None if there are not as many.
    pub fn four(&mut self) -> io::Result<Option<[u8; 4]>> {
        let mut bytes = [0; 4];
        match self.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if self.failed.is_some() => Err(self.fault(&error)),
            Err(_) => Ok(None),
        }
    }

    /// What [`Source::four`] gave will be given again.
    pub fn put_back(&mut self, bytes: [u8; 4]) {
        (self.again, self.given) = (bytes, 0);
    }

    /// Passes over a frame that says its own length.
    pub fn skip(&mut self) -> io::Result<()> {
        let length = self.four()?.map(u32::from_le_bytes).ok_or_else(|| io::Error::other(Damage::BreaksOff))?;
        let skipped = io::copy(&mut self.by_ref().take(length.into()), &mut io::sink());
        match skipped {
            Ok(skipped) if skipped == u64::from(length) => Ok(()),
            Ok(_) => Err(io::Error::other(Damage::BreaksOff)),
            Err(error) => Err(self.fault(&error)),
        }
    }

    /// Why a decoder failed that says `error`: the input's own error, or its end, or its contents.
    pub fn fault(&mut self, error: &dyn std::error::Error) -> io::Error {
        match self.failed.take() {
            Some(failed) => failed,
            None if self.ended => io::Error::other(Damage::BreaksOff),
            None => io::Error::other(Damage::Corrupt(error.to_string())),
        }
    }
}

impl<R: Read> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.given < 4 {
            return Ok(&self.again[self.given..]);
        }
        loop {
            match self.input.fill_buf() {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let told = io::Error::from(error.kind());
                    self.failed = Some(error);
                    return Err(told);
                }
            }
        }
        self.ended = self.input.buffer().is_empty();
        Ok(self.input.buffer())
    }

    fn consume(&mut self, amount: usize) {
        if self.given < 4 { self.given += amount } else { self.input.consume(amount) }
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let read = ready.len().min(out.len());
        out[..read].copy_from_slice(&ready[..read]);
        self.consume(read);
        Ok(read)
    }
}
