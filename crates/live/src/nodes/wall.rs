//! The same network between namespaces of this machine, by its clock. What a node sends enters the simulation when it is read. It
//! leaves it for its node when the clock has come to the instant that the path says. How late that was is recorded.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use acklab_packet::Time;
use acklab_scenario::spec::Scenario;
use acklab_sim::outcome::Outcome;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl::set_timerslack;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

use super::frame;
use super::network::{Arrival, Network};
use super::run::{GRACE_NS, STOP};
use super::streams::StreamRow;
use super::traffic::Traffic;
use crate::lateness::{Lateness, Summary};
use crate::namespace::Trouble;
use crate::sys;

/// Frames read from a card in a row before what is due is looked after.
const BATCH: usize = 16;
/// Longest sleep: how soon an interrupt is noticed.
const NAP: Duration = Duration::from_millis(10);
/// With real-time priority, the end of a sleep is spent awake.
const AWAKE: Duration = Duration::from_micros(100);

/// A node: a namespace of this machine.
#[derive(Debug)]
pub struct Place {
    /// The scenario's node.
    pub node: u32,
    /// Its network card: a TAP device without headers of its own.
    pub card: OwnedFd,
    /// Readable or closed once its programs have ended.
    pub done: OwnedFd,
}

/// What is asked of a run.
#[derive(Debug)]
pub struct Asked {
    /// The network, and the simulated flows in it.
    pub scenario: Arc<Scenario>,
    /// The nodes outside.
    pub places: Vec<Place>,
    /// Where each node's packets go, as NODE.pcap.
    pub captures: Option<PathBuf>,
    /// The scenario's first instant, in nanoseconds of the monotonic clock.
    pub begin_ns: u64,
    /// With real-time priority.
    pub urgent: bool,
}

/// What a run told.
#[derive(Debug)]
pub struct Finished {
    /// As of [`super::run::Finished`].
    pub outcome: Outcome,
    /// See `outcome`.
    pub streams: Vec<StreamRow>,
    /// See `outcome`.
    pub astray: u64,
    /// Packets that the kernel did not take from the path.
    pub refused: u64,
    /// How late packets left the path.
    pub lateness: Summary,
}

struct World {
    traffic: Traffic,
    cards: Vec<File>,
    done: Vec<Option<OwnedFd>>,
    begin_ns: u64,
    /// What is to be added to the monotonic clock for the time of day.
    of_day_ns: u64,
    lateness: Lateness,
    refused: u64,
    arrivals: Vec<Arrival>,
    buffer: Vec<u8>,
    told: Option<Time>,
    urgent: bool,
}

fn clock_ns(clock: ClockId) -> Result<u64, String> {
    let now = clock_gettime(clock).map_err(|error| format!("cannot read the clock: {error}"))?;
    Ok(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64)
}

/// Runs the scenario between its nodes until their programs have ended, or a while after its latest end. `go_on` says no to stop it.
///
/// # Errors
/// Why it could not be, or broke off, in one line.
pub fn run(asked: Asked, go_on: &mut dyn FnMut() -> bool) -> Result<Finished, String> {
    let Asked { scenario, places, captures, begin_ns, urgent } = asked;
    // Where there is no such thing, sleeps end a little later, which the lateness tells.
    let _ = set_timerslack(1);
    if urgent {
        let fix = "run as root or with CAP_SYS_NICE, or leave --realtime out";
        sys::run_first().map_err(|error| Trouble::new("take real-time priority", &error, fix).to_string())?;
    }
    let nodes = places.iter().map(|place| place.node).collect();
    let (cards, done) = places.into_iter().map(|place| (File::from(place.card), Some(place.done))).unzip();
    let mut world = World {
        traffic: Traffic::new(&scenario, nodes, captures.as_deref())?,
        cards,
        done,
        begin_ns,
        of_day_ns: clock_ns(ClockId::CLOCK_REALTIME)?.saturating_sub(clock_ns(ClockId::CLOCK_MONOTONIC)?),
        lateness: Lateness::default(),
        refused: 0,
        arrivals: Vec::new(),
        buffer: vec![0; 1 << 16],
        told: None,
        urgent,
    };
    world.go(go_on)?;
    let World { traffic, lateness, refused, .. } = world;
    let astray = traffic.astray;
    let (outcome, streams) = traffic.finish();
    Ok(Finished { outcome, streams, astray, refused, lateness: lateness.summary() })
}

impl World {
    fn go(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<(), String> {
        while self.done.iter().any(Option::is_some) {
            if !go_on() {
                return Err("interrupted".to_owned());
            }
            let now = self.now()?;
            self.advance(now)?;
            if self.told.is_some_and(|until| now > until) {
                return Ok(());
            }
            let mut idle = true;
            for card in 0..self.cards.len() {
                idle &= self.read(card)?;
            }
            if idle {
                self.sleep()?;
            }
        }
        Ok(())
    }

    /// Seconds of the scenario; 0 before it begins.
    fn now(&self) -> Result<Time, String> {
        let since = clock_ns(ClockId::CLOCK_MONOTONIC)?.saturating_sub(self.begin_ns);
        Ok(Time::from_secs(since as f64 / 1e9))
    }

    fn of_day(&self) -> Result<u64, String> {
        Ok(clock_ns(ClockId::CLOCK_MONOTONIC)? + self.of_day_ns)
    }

    /// Everything in the network that was due until `now` happens, and what has arrived goes to its node.
    fn advance(&mut self, now: Time) -> Result<(), String> {
        while self.traffic.due().is_some_and(|due| due <= now) {
            self.traffic.step()?;
            self.deliver()?;
        }
        if self.traffic.ended() && self.told.is_none() {
            self.told = Some(now + Time::from_secs(GRACE_NS as f64 / 1e9));
            for node in 0..self.cards.len() {
                self.tell(node, STOP)?;
            }
        }
        Ok(())
    }

    fn deliver(&mut self) -> Result<(), String> {
        let mut all = std::mem::take(&mut self.arrivals);
        self.traffic.arrivals(&mut all);
        for Arrival { node, at, bytes } in all.drain(..) {
            self.lateness.note(at.secs(), self.now()?.secs());
            self.traffic.capture(node, &bytes, self.of_day()?)?;
            self.refused += u64::from(!self.write(node, &frame::frame(&bytes, self.traffic.nodes[node]))?);
        }
        self.arrivals = all;
        Ok(())
    }

    fn tell(&mut self, node: usize, payload: &[u8]) -> Result<(), String> {
        let told = frame::told(self.traffic.nodes[node], payload);
        self.write(node, &frame::frame(&told, self.traffic.nodes[node])).map(|_| ())
    }

    /// Whether the kernel has taken it.
    fn write(&mut self, node: usize, frame: &[u8]) -> Result<bool, String> {
        match self.cards[node].write(frame) {
            Ok(_) => Ok(true),
            // A namespace that has ended has no card.
            Err(error) if self.gone(node, &error) => Ok(true),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::OutOfMemory) => Ok(false),
            Err(error) => Err(self.trouble(node, "write to", &error)),
        }
    }

    /// Whether a card says so because its namespace has ended.
    fn gone(&self, node: usize, error: &io::Error) -> bool {
        self.done[node].is_none() || matches!(error.raw_os_error(), Some(libc::EBADFD | libc::EIO))
    }

    fn trouble(&self, node: usize, what: &str, error: &io::Error) -> String {
        Trouble::new(format!("{what} the card of {}", self.traffic.name(node)), error, "").to_string()
    }

    /// What a node sends enters the network; whether there is no more.
    fn read(&mut self, node: usize) -> Result<bool, String> {
        for _ in 0..BATCH {
            let length = match self.cards[node].read(&mut self.buffer) {
                Ok(length) => length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(false),
                Err(error) if self.gone(node, &error) => {
                    return Ok(true);
                }
                Err(error) => return Err(self.trouble(node, "read from", &error)),
            };
            let now = self.now()?;
            // What was due before has to happen first.
            self.advance(now)?;
            let (frame, time_ns) = (std::mem::take(&mut self.buffer), self.of_day()?);
            let told = self.traffic.sent(node, &frame[..length], Some(now), time_ns)?;
            self.buffer = frame;
            match told {
                Some(payload) => {
                    for other in (0..self.cards.len()).filter(|&other| other != node) {
                        self.tell(other, &payload)?;
                    }
                }
                None => self.deliver()?,
            }
        }
        Ok(false)
    }

    /// Until a frame comes, a node's programs have ended, or something is due.
    fn sleep(&mut self) -> Result<(), String> {
        let until = self.traffic.due().map(|due| self.begin_ns + (due.secs() * 1e9).min(1e18) as u64);
        let now = clock_ns(ClockId::CLOCK_MONOTONIC)?;
        let wait = until.map_or(NAP, |until| Duration::from_nanos(until.saturating_sub(now)).min(NAP));
        let wait = if self.urgent { wait.saturating_sub(AWAKE) } else { wait };
        if wait.is_zero() {
            std::hint::spin_loop();
            return Ok(());
        }
        let open: Vec<usize> = (0..self.done.len()).filter(|&node| self.done[node].is_some()).collect();
        let ends = open.iter().filter_map(|&node| self.done[node].as_ref());
        let mut waited: Vec<PollFd<'_>> = ends.map(|end| PollFd::new(end.as_fd(), PollFlags::POLLIN)).collect();
        waited.extend(open.iter().map(|&node| PollFd::new(self.cards[node].as_fd(), PollFlags::POLLIN)));
        // A signal ends it early, which does no harm.
        let _ = ppoll(&mut waited, Some(TimeSpec::from_duration(wait)), None);
        let ended = |at: usize| waited[at].revents().is_some_and(|events| !events.is_empty());
        let ended: Vec<usize> = (0..open.len()).filter(|&at| ended(at)).map(|at| open[at]).collect();
        for node in ended {
            self.done[node] = None;
        }
        Ok(())
    }
}
