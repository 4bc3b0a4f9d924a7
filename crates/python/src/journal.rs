//! Results on disk as soon as they are there, in whatever order the runs end.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::PyErr;
use pyo3::exceptions::PyOSError;

/// A file of lines, each a run's number, the CRC-32 of number and result, and the result, with spaces between.
///
/// Each is appended by one write: a process that is killed leaves whole lines and at most one without its end.
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    trouble: Mutex<Option<io::Error>>,
}

impl Journal {
    /// Opens the journal at `path` to append to it, or begins it.
    pub(crate) fn open(path: PathBuf) -> io::Result<Journal> {
        let file = OpenOptions::new().append(true).create(true).open(&path)?;
        Ok(Journal { path, file: Mutex::new(file), trouble: Mutex::default() })
    }

    /// Appends a result.
    pub(crate) fn append(&self, number: &str, json: &[u8]) {
        let line = record(number, json);
        let written = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line);
        if let Err(error) = written {
            self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    /// Raises what went wrong since.
    pub(crate) fn check(&self) -> Result<(), PyErr> {
        match self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take() {
            None => Ok(()),
            Some(error) => {
                let said = error.to_string();
                let said = said.split(" (os error").next().unwrap_or_default().to_owned();
                Err(PyOSError::new_err((error.raw_os_error().unwrap_or(0), said, self.path.clone())))
            }
        }
    }
}

/// A run's line, as `acklab.engines.journal.record` makes it.
fn record(number: &str, json: &[u8]) -> Vec<u8> {
    let mut checksum = crc32fast::Hasher::new();
    for part in [number.as_bytes(), b" ", json] {
        checksum.update(part);
    }
    let checksum = format!(" {:08x} ", checksum.finalize());
    [number.as_bytes(), checksum.as_bytes(), json, b"\n"].concat()
}

/// The number and the scenario of a line that begins with its number.
pub(crate) fn numbered(line: &[u8]) -> (&str, &[u8]) {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = line.split_at(digits);
    (std::str::from_utf8(number).unwrap_or_default(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_checksum_of_number_and_result() {
        assert_eq!(record("7", b"{}"), b"7 968af458 {}\n");
    }

    #[test]
    fn a_line_is_cut_behind_its_number() {
        assert_eq!(numbered(b"12 {}"), ("12", &b" {}"[..]));
        assert_eq!(numbered(b"{}"), ("", &b"{}"[..]));
    }
}
