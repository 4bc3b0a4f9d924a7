//! The same networks between namespaces of this machine, by its clock. What a node sends enters the network when it is read. It
//! leaves it for its node when the clock has come to the instant that the path says. How late that was is recorded.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use acklab_packet::Time;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl::set_timerslack;
use nix::sys::time::TimeSpec;

use super::frame;
use super::network::{Arrival, Network};
use super::run::{GRACE_NS, STOP};
use crate::clock::Clock;
use crate::lateness::{Lateness, Summary};
use crate::namespace::Trouble;
use crate::sys;

/// Frames read from a card in a row before what is due is looked after.
const BATCH: usize = 16;
/// Longest sleep: how soon an interrupt is noticed.
const NAP: Duration = Duration::from_millis(10);
/// With real-time priority, the end of a sleep is spent awake.
const AWAKE: Duration = Duration::from_micros(100);

/// A namespace's network card.
#[derive(Debug)]
pub struct Card {
    file: File,
    /// Bytes of the frames' headers that the device has not.
    lacks: usize,
    done: Option<OwnedFd>,
}

impl Card {
    /// A TAP device without headers of its own; `done` is readable or closed once the namespace's programs have ended.
    pub fn tap(card: OwnedFd, done: OwnedFd) -> Card {
        Card { file: File::from(card), lacks: 0, done: Some(done) }
    }

    /// The same of a TUN device, which has packets of IPv4 where a TAP device has frames.
    pub fn tun(file: File, done: OwnedFd) -> Card {
        Card { file, lacks: frame::ETHERNET, done: Some(done) }
    }
}

/// A run that is over.
#[derive(Debug)]
pub struct Went<N> {
    /// The network between the nodes.
    pub network: N,
    /// Packets that the kernel did not take from the path.
    pub refused: u64,
    /// How late packets left the path.
    pub lateness: Summary,
}

struct World<N> {
    network: N,
    cards: Vec<Card>,
    clock: Clock,
    lateness: Lateness,
    refused: u64,
    arrivals: Vec<Arrival>,
    buffer: Vec<u8>,
    /// Until when the nodes may go on once they were told to stop.
    stops: Option<Time>,
    urgent: bool,
}

/// Lets namespaces run with a network between them, until their programs have ended, or a while after its end; `urgent` with
/// real-time priority. `go_on` says no to stop it.
///
/// # Errors
/// Why it could not be, or broke off, in one line.
pub fn drive<N: Network>(
    network: N,
    cards: Vec<Card>,
    clock: Clock,
    urgent: bool,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Went<N>, String> {
    // Where there is no such thing, sleeps end a little later, which the lateness tells.
    let _ = set_timerslack(1);
    if urgent {
        let fix = "run as root or with CAP_SYS_NICE, or leave --realtime out";
        sys::run_first().map_err(|error| Trouble::new("take real-time priority", &error, fix))?;
    }
    let (arrivals, buffer) = (Vec::new(), vec![0; 1 << 16]);
    let (lateness, refused) = (Lateness::default(), 0);
    let mut world = World { network, cards, clock, lateness, refused, arrivals, buffer, stops: None, urgent };
    world.go(go_on)?;
    Ok(Went { network: world.network, refused: world.refused, lateness: world.lateness.summary() })
}

impl<N: Network> World<N> {
    fn go(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<(), String> {
        while self.cards.iter().any(|card| card.done.is_some()) {
            if !go_on() {
                return Err("interrupted".to_owned());
            }
            let now = self.clock.now();
            self.advance(now)?;
            if self.stops.is_some_and(|until| now > until) {
                return Ok(());
            }
            let mut idle = true;
            for card in 0..self.cards.len() {
                idle &= self.read(card)?;
            }
            if idle {
                self.sleep();
            }
        }
        Ok(())
    }

    /// Everything in the network that was due until `now` happens, and what has arrived goes to its node.
    fn advance(&mut self, now: Time) -> Result<(), String> {
        while self.network.due().is_some_and(|due| due <= now) {
            self.network.step(now)?;
            self.deliver()?;
        }
        if self.network.ended() && self.stops.is_none() {
            self.stops = Some(now + Time::from_secs(GRACE_NS as f64 / 1e9));
            for node in 0..self.cards.len() {
                self.tell(node, STOP)?;
            }
        }
        Ok(())
    }

    fn deliver(&mut self) -> Result<(), String> {
        let mut all = std::mem::take(&mut self.arrivals);
        self.network.arrivals(&mut all);
        for Arrival { node, at, bytes } in all.drain(..) {
            self.lateness.note(at.secs(), self.clock.now().secs());
            self.network.capture(node, &bytes, self.clock.time_ns())?;
            self.refused += u64::from(!self.write(node, &bytes)?);
        }
        self.arrivals = all;
        Ok(())
    }

    fn tell(&mut self, node: usize, payload: &[u8]) -> Result<(), String> {
        self.write(node, &frame::told(self.network.number(node), payload)).map(|_| ())
    }

    /// Whether the kernel has taken it.
    fn write(&mut self, node: usize, packet: &[u8]) -> Result<bool, String> {
        let (frame, card) = (frame::frame(packet, self.network.number(node)), &mut self.cards[node]);
        match card.file.write(&frame[card.lacks..]) {
            Ok(_) => Ok(true),
            // A namespace that has ended has no card.
            Err(error) if self.gone(node, &error) => Ok(true),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::OutOfMemory) => Ok(false),
            Err(error) => Err(self.trouble(node, "write to", &error)),
        }
    }

    /// Whether a card says so because its namespace has ended.
    fn gone(&self, node: usize, error: &io::Error) -> bool {
        self.cards[node].done.is_none() || matches!(error.raw_os_error(), Some(libc::EBADFD | libc::EIO))
    }

    fn trouble(&self, node: usize, what: &str, error: &io::Error) -> String {
        Trouble::new(format!("{what} the card of {}", self.network.name(node)), error, "").to_string()
    }

    /// What a node sends enters the network; whether there is no more.
    fn read(&mut self, node: usize) -> Result<bool, String> {
        for _ in 0..BATCH {
            let mut frame = std::mem::take(&mut self.buffer);
            frame[..frame::ETHERNET].copy_from_slice(&frame::HEAD);
            let lacks = self.cards[node].lacks;
            let read = self.cards[node].file.read(&mut frame[lacks..]);
            let empty = match read {
                Ok(length) => self.sent(node, &frame[..lacks + length]).map(|()| None),
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(Some(true)),
                Err(error) if error.kind() == ErrorKind::Interrupted => Ok(Some(false)),
                Err(error) if self.gone(node, &error) => Ok(Some(true)),
                Err(error) => Err(self.trouble(node, "read from", &error)),
            };
            self.buffer = frame;
            if let Some(empty) = empty? {
                return Ok(empty);
            }
        }
        Ok(false)
    }

    fn sent(&mut self, node: usize, frame: &[u8]) -> Result<(), String> {
        let now = self.clock.now();
        // What was due before has to happen first.
        self.advance(now)?;
        match self.network.sent(node, frame, Some(now), self.clock.time_ns())? {
            Some(payload) => {
                for other in (0..self.cards.len()).filter(|&other| other != node) {
                    self.tell(other, &payload)?;
                }
                Ok(())
            }
            None => self.deliver(),
        }
    }

    /// Until a frame comes, a node's programs have ended, or something is due.
    fn sleep(&mut self) {
        let wait = self.network.due().map_or(NAP, |due| self.clock.until(due).min(NAP));
        let wait = if self.urgent { wait.saturating_sub(AWAKE) } else { wait };
        if wait.is_zero() {
            return std::hint::spin_loop();
        }
        let open: Vec<usize> = (0..self.cards.len()).filter(|&node| self.cards[node].done.is_some()).collect();
        let ends = open.iter().filter_map(|&node| self.cards[node].done.as_ref());
        let mut waited: Vec<PollFd<'_>> = ends.map(|end| PollFd::new(end.as_fd(), PollFlags::POLLIN)).collect();
        waited.extend(open.iter().map(|&node| PollFd::new(self.cards[node].file.as_fd(), PollFlags::POLLIN)));
        // A signal ends it early, which does no harm.
        let _ = ppoll(&mut waited, Some(TimeSpec::from_duration(wait)), None);
        let ended = |at: usize| waited[at].revents().is_some_and(|events| !events.is_empty());
        let ended: Vec<usize> = (0..open.len()).filter(|&at| ended(at)).map(|at| open[at]).collect();
        for node in ended {
            self.cards[node].done = None;
        }
    }
}
