//! A capture's bytes, counted on their way; Ctrl-C is heard even while none come.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;

/// What stands for standard input where a file is named.
pub(crate) const STANDARD_INPUT: &str = "-";

/// A file or standard input.
pub(crate) struct Input<'a> {
    from: Box<dyn Read + Send>,
    /// Bytes read so far.
    read: &'a AtomicU64,
    /// What a signal's handler raised while this waited for bytes.
    raised: &'a mut Option<PyErr>,
}

impl<'a> Input<'a> {
    pub(crate) fn open(path: &Path, read: &'a AtomicU64, raised: &'a mut Option<PyErr>) -> io::Result<Input<'a>> {
        let from: Box<dyn Read + Send> = match path.to_str() {
            Some(STANDARD_INPUT) => Box::new(io::stdin()),
            _ => Box::new(File::open(path)?),
        };
        Ok(Input { from, read, raised })
    }
}

impl Read for Input<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.from.read(out) {
                Ok(read) => {
                    self.read.fetch_add(read as u64, Ordering::Relaxed);
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    if let Err(raised) = Python::attach(|py| py.check_signals()) {
                        *self.raised = Some(raised);
                        return Err(io::Error::other("interrupted"));
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }
}
