//! A kernel's network card: the device's side of vhost-user (the protocol of QEMU's docs/interop/vhost-user), notifications
//! in band.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use super::memory::{Fault, MAX_REGIONS, Memory, Region};
use super::ring::{Places, Ring};
use crate::sys;

#[allow(missing_docs)]
mod request {
    pub const GET_FEATURES: u32 = 1;
    pub const SET_MEM_TABLE: u32 = 5;
    pub const SET_VRING_NUM: u32 = 8;
    pub const SET_VRING_ADDR: u32 = 9;
    pub const SET_VRING_BASE: u32 = 10;
    pub const GET_VRING_BASE: u32 = 11;
    pub const GET_PROTOCOL_FEATURES: u32 = 15;
    pub const SET_BACK_CHANNEL: u32 = 21;
    pub const VRING_KICK: u32 = 35;
    /// On the back channel.
    pub const VRING_CALL: u32 = 4;
}

/// Flags of a message: its version, that it is an answer, that it wants one.
const VERSION: u32 = 1;
const REPLY: u32 = 4;
const NEED_REPLY: u32 = 8;

/// `VIRTIO_F_VERSION_1`, and that there are features of the protocol: no offloads, so every packet is as it goes over a wire.
const FEATURES: u64 = 1 << 32 | 1 << 30;
/// Answers, the back channel, notifications in band.
const PROTOCOL_FEATURES: u64 = 1 << 3 | 1 << 5 | 1 << 14;

const HEADER: usize = 12;
/// Longest body of a message.
const MAX_BODY: usize = 8 + 32 * MAX_REGIONS;

/// The rings of a network card.
pub const RECEIVE: usize = 0;
/// See [`RECEIVE`].
pub const TRANSMIT: usize = 1;

/// `struct virtio_net_hdr_v1`, which says nothing here but that a packet is in one buffer.
const PREFIX: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0];
/// Longest frame.
const MAX_FRAME: usize = PREFIX.len() + 65_550;

/// What a message asks of the one who has the clock.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// Nothing.
    Nothing,
    /// The kernel has closed the channel.
    Closed,
    /// The kernel sends these frames, and waits for [`Card::answer`]; `interrupt`: it wants to be told that they are gone.
    Frames {
        /// Ethernet frames.
        frames: Vec<Vec<u8>>,
        /// See [`Heard::Frames`].
        interrupt: bool,
    },
}

/// The card of one kernel.
#[derive(Debug, Default)]
pub struct Card {
    channel: Option<UnixStream>,
    back: Option<UnixStream>,
    memory: Memory,
    rings: [Ring; 2],
    /// The request to be answered.
    unanswered: Option<u32>,
    /// Frames for which the kernel has no buffer yet: a path may deliver many at one instant, and no kernel runs in between.
    waiting: VecDeque<Vec<u8>>,
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(number(bytes, at)) | u64::from(number(bytes, at + 4)) << 32
}

/// A message with a number.
fn message(request: u32, flag: u32, value: u64) -> [u8; HEADER + 8] {
    let mut bytes = [0; HEADER + 8];
    let words = [request, VERSION | flag, 8, value as u32, (value >> 32) as u32];
    bytes.chunks_exact_mut(4).zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
    bytes
}

fn failed(error: io::Error) -> Fault {
    format!("its channel: {error}")
}

impl Card {
    /// The kernel has connected.
    pub fn connect(&mut self, channel: UnixStream) {
        self.channel = Some(channel);
    }

    /// The channel on which the kernel makes requests.
    pub fn channel(&self) -> Option<&UnixStream> {
        self.channel.as_ref()
    }

    /// Hears one message.
    ///
    /// # Errors
    /// It makes no sense.
    pub fn hear(&mut self) -> Result<Heard, Fault> {
        let Some(channel) = &mut self.channel else { return Ok(Heard::Closed) };
        let mut head = [0; HEADER];
        let (got, files) = sys::receive(channel, &mut head).map_err(failed)?;
        if got == 0 {
            (self.channel, self.back) = (None, None);
            return Ok(Heard::Closed);
        }
        channel.read_exact(&mut head[got..]).map_err(failed)?;
        let (request, flags, length) = (number(&head, 0), number(&head, 4), number(&head, 8) as usize);
        if length > MAX_BODY {
            return Err(format!("a message of {length} bytes"));
        }
        let mut body = [0; MAX_BODY];
        channel.read_exact(&mut body[..length]).map_err(failed)?;
        self.unanswered = (flags & NEED_REPLY != 0).then_some(request);
        let body = &body[..length];
        match request {
            request::GET_FEATURES => self.reply(request, FEATURES)?,
            request::GET_PROTOCOL_FEATURES => self.reply(request, PROTOCOL_FEATURES)?,
            request::SET_MEM_TABLE => self.memory = memory(body, files)?,
            request::SET_BACK_CHANNEL => self.back = files.into_iter().next().map(UnixStream::from),
            request::SET_VRING_NUM => self.ring(body)?.resize(number(body, 4))?,
            request::SET_VRING_BASE => self.ring(body)?.begin(number(body, 4)),
            request::GET_VRING_BASE => {
                let taken = self.ring(body)?.taken();
                self.reply(request, u64::from(number(body, 0)) | u64::from(taken) << 32)?;
            }
            request::SET_VRING_ADDR => {
                let places = Places { descriptors: long(body, 8), used: long(body, 16), available: long(body, 24) };
                let ring = number(body, 0) as usize;
                self.ring(body)?;
                // The driver does not say when it has new buffers: see Card::fill.
                self.rings[ring].place(places, ring == RECEIVE, &self.memory)?;
            }
            request::VRING_KICK if number(body, 0) as usize == TRANSMIT => {
                let (frames, interrupt) = self.sent()?;
                return Ok(Heard::Frames { frames, interrupt });
            }
            _ => {}
        }
        self.answer()?;
        Ok(Heard::Nothing)
    }

    fn ring(&mut self, body: &[u8]) -> Result<&mut Ring, Fault> {
        let index = number(body, 0) as usize;
        self.rings.get_mut(index).ok_or_else(|| format!("ring {index} of two"))
    }

    fn reply(&mut self, request: u32, value: u64) -> Result<(), Fault> {
        self.unanswered = None;
        let Some(channel) = &mut self.channel else { return Ok(()) };
        channel.write_all(&message(request, REPLY, value)).map_err(failed)
    }

    /// Answers the request that waits for it, if one does.
    ///
    /// # Errors
    /// The channel is broken.
    pub fn answer(&mut self) -> Result<(), Fault> {
        self.unanswered.take().map_or(Ok(()), |request| self.reply(request, 0))
    }

    /// The frames that the kernel has put into its ring, and whether it wants to be told that they are gone.
    fn sent(&mut self) -> Result<(Vec<Vec<u8>>, bool), Fault> {
        let (ring, mut frames) = (&mut self.rings[TRANSMIT], Vec::new());
        while let Some(chain) = ring.take(&self.memory)? {
            let mut bytes = chain.read(&self.memory, MAX_FRAME)?;
            ring.give(&chain, 0, &self.memory)?;
            if bytes.len() >= PREFIX.len() {
                bytes.drain(..PREFIX.len());
                frames.push(bytes);
            }
        }
        let interrupt = !frames.is_empty() && ring.wants_interrupt(&self.memory)?;
        Ok((frames, interrupt))
    }

    /// Takes a frame for the kernel, after those that wait.
    pub fn receive(&mut self, frame: &[u8]) {
        self.waiting.push_back([&PREFIX[..], frame].concat());
    }

    /// How many frames wait for buffers.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Puts frames into the kernel's memory while it has buffers; whether the kernel is to be interrupted.
    ///
    /// # Errors
    /// Its ring makes no sense.
    pub fn fill(&mut self) -> Result<bool, Fault> {
        let (ring, before) = (&mut self.rings[RECEIVE], self.waiting.len());
        while let Some(bytes) = self.waiting.front()
            && let Some(chain) = ring.take(&self.memory)?
        {
            let written = chain.write(&self.memory, bytes)?;
            ring.give(&chain, written, &self.memory)?;
            self.waiting.pop_front();
        }
        Ok(self.waiting.len() < before && ring.wants_interrupt(&self.memory)?)
    }

    /// Interrupts the kernel for a ring, and waits until it has noted so: until then the clock stands.
    ///
    /// # Errors
    /// It does not answer.
    pub fn interrupt(&mut self, ring: usize) -> Result<(), Fault> {
        let Some(back) = &mut self.back else { return Ok(()) };
        let mut bytes = message(request::VRING_CALL, NEED_REPLY, ring as u64);
        back.write_all(&bytes).and_then(|()| back.read_exact(&mut bytes)).map_err(failed)
    }

    /// The back channel gives up on an answer after `patience`.
    pub fn limit(&mut self, patience: std::time::Duration) {
        if let Some(back) = &self.back {
            let _ = back.set_read_timeout(Some(patience));
        }
    }
}

/// A table of memory, with a file for each region.
fn memory(body: &[u8], files: Vec<OwnedFd>) -> Result<Memory, Fault> {
    let count = number(body, 0) as usize;
    if count != files.len() || count > MAX_REGIONS || body.len() < 8 + 32 * count {
        return Err(format!("{count} regions of memory with {} files in {} bytes", files.len(), body.len()));
    }
    let region = |(index, file): (usize, OwnedFd)| {
        let [guest, size, user, offset] = [0, 8, 16, 24].map(|field| long(body, 8 + 32 * index + field));
        Region { guest, user, size, offset, file: File::from(file) }
    };
    Memory::new(files.into_iter().enumerate().map(region).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A card, and the kernel's end of its channel.
    fn card() -> (Card, UnixStream) {
        let (ours, theirs) = UnixStream::pair().expect("two sockets");
        let mut card = Card::default();
        card.connect(ours);
        (card, theirs)
    }

    fn message(request: u32, flags: u32, body: &[u32]) -> Vec<u8> {
        [&[request, VERSION | flags, 4 * body.len() as u32], body]
            .concat()
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    #[test]
    fn it_offers_packets_as_on_a_wire_and_notifications_in_band() {
        let (mut card, mut kernel) = card();
        kernel.write_all(&message(request::GET_FEATURES, 0, &[])).expect("room");
        assert_eq!(card.hear(), Ok(Heard::Nothing));
        let mut answer = [0; 20];
        kernel.read_exact(&mut answer).expect("an answer");
        assert_eq!((number(&answer, 4), long(&answer, 12)), (VERSION | REPLY, 1 << 32 | 1 << 30));
    }

    #[test]
    fn a_kick_is_answered_when_the_clock_says_so() {
        let (mut card, mut kernel) = card();
        kernel.write_all(&message(request::VRING_KICK, NEED_REPLY, &[1, 0])).expect("room");
        assert_eq!(card.hear(), Ok(Heard::Frames { frames: Vec::new(), interrupt: false }));
        kernel.set_nonblocking(true).expect("a socket");
        assert!(kernel.read(&mut [0; 20]).is_err(), "nothing yet");
        card.answer().expect("a channel");
        assert_eq!(kernel.read(&mut [0; 20]).expect("an answer"), 20);
        drop(kernel);
        assert_eq!(card.hear(), Ok(Heard::Closed));
    }

    #[test]
    fn nonsense_is_an_error() {
        let long = [request::GET_FEATURES, VERSION, 1 << 20].map(u32::to_le_bytes).concat();
        let cases: [(&str, Vec<u8>); 5] = [
            ("a body of a mebibyte", long),
            ("a third ring", message(request::SET_VRING_NUM, 0, &[2, 8])),
            ("a ring of three", message(request::SET_VRING_NUM, 0, &[0, 3])),
            ("memory without files", message(request::SET_MEM_TABLE, 0, &[1, 0, 0, 0, 1, 0, 0, 0, 0, 0])),
            ("a ring that is nowhere", message(request::SET_VRING_ADDR, 0, &[0, 0, 0, 0, 9, 9, 9, 9, 0, 0])),
        ];
        for (what, bytes) in cases {
            let (mut card, mut kernel) = card();
            kernel.write_all(&bytes).expect("room");
            assert!(card.hear().is_err(), "{what}");
        }
    }
}
