//! A capture's bytes, counted on their way; Ctrl-C is heard even while none come.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

/// What stands for standard input where a file is named.
pub(crate) const STANDARD_INPUT: &str = "-";

/// How long a signal waits for attention while a named pipe has no writer.
const PATIENCE: Duration = Duration::from_millis(50);

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
            _ if is_pipe(path)? => Box::new(open_pipe(path, raised)?),
            _ => Box::new(File::open(path)?),
        };
        Ok(Input { from, read, raised })
    }
}

/// Whether `path` is a named pipe.
#[cfg(unix)]
fn is_pipe(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::FileTypeExt;
    Ok(path.metadata()?.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Opens a named pipe. The system lets no one read before there is a writer, and goes back to waiting after a signal, so another
/// thread waits.
fn open_pipe(path: &Path, raised: &mut Option<PyErr>) -> io::Result<File> {
    let (opened, open) = mpsc::channel();
    let path = path.to_path_buf();
    thread::spawn(move || opened.send(File::open(path)));
    loop {
        match open.recv_timeout(PATIENCE) {
            Ok(file) => return file,
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("the pipe cannot be opened")),
            Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()).map_err(|error| {
                *raised = Some(error);
                io::Error::other("interrupted")
            })?,
        }
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
