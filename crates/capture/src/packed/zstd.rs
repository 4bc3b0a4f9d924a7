//! A Zstandard frame.

use std::io::{self, Read};

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::Damage;
use super::source::Source;

/// The largest window accepted, in bytes: what `zstd -d` accepts unless told otherwise.
const MAX_WINDOW: u64 = 1 << 27;

/// A frame being unpacked, block by block.
pub struct Zstd<S> {
    frame: FrameDecoder,
    source: S,
    /// What is wrong, once everything before it is given out.
    fault: Option<FrameDecoderError>,
}

impl<R: Read> Zstd<Source<R>> {
    /// Reads the header of the frame that `source` begins with.
    pub fn new(mut source: Source<R>) -> io::Result<Zstd<Source<R>>> {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(MAX_WINDOW);
        frame.init(&mut source).map_err(|error| source.fault(&error))?;
        Ok(Zstd { frame, source, fault: None })
    }

    pub fn source(&mut self) -> &mut Source<R> {
        &mut self.source
    }

    /// The source behind a frame that was read to its end, and whose checksum was right if it has one.
    pub fn finish(self) -> io::Result<Source<R>> {
        let said = self.frame.get_checksum_from_data();
        if said.is_some() && said != self.frame.get_calculated_checksum() {
            return Err(io::Error::other(Damage::Corrupt("its checksum is wrong".to_owned())));
        }
        Ok(self.source)
    }

    /// Decodes a block. The decoder keeps a window of what it has, up to the frame's last block: if that does not come,
    /// an empty one in its place sets the rest free.
    fn block(&mut self) {
        const LAST: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];
        let Err(error) = self.frame.decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1)) else {
            return;
        };
        self.fault = Some(error);
        let _ = self.frame.decode_blocks(&LAST[..], BlockDecodingStrategy::UptoBlocks(1));
    }
}

impl<R: Read> Read for Zstd<Source<R>> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.frame.can_collect() == 0 {
            if let Some(fault) = self.fault.take() {
                return Err(io::Error::other(fault));
            }
            if self.frame.is_finished() {
                return Ok(0);
            }
            self.block();
        }
        self.frame.read(out)
    }
}
