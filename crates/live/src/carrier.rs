//! Carries packets from one TUN device to the other, in real time: one direction of the path, one thread.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use acklab_packet::Time;
use acklab_path::queue::Removal;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl::set_timerslack;
use nix::sys::time::TimeSpec;

use crate::duty::Duty;
use crate::header::Header;
use crate::hops::Hops;
use crate::lateness::Lateness;
use crate::namespace::Trouble;
use crate::numbers::Numbers;
use crate::packet::WirePacket;
use crate::sys;
use crate::tape::Tape;

/// Packets read in a row before what is due is looked after.
const BATCH: usize = 16;
/// Longest sleep: how soon the end of the run is noticed.
const NAP: Duration = Duration::from_millis(10);
/// With real-time priority, the end of a sleep is spent awake.
const AWAKE: Duration = Duration::from_micros(100);

/// The run's clock: 0 is its start.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Starts it.
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    /// The time.
    pub fn now(&self) -> Time {
        Time::from_secs(self.0.elapsed().as_secs_f64())
    }

    /// How long it is until `at`; nothing if that has passed.
    pub fn until(&self, at: Time) -> Duration {
        Duration::try_from_secs_f64((at.secs() - self.0.elapsed().as_secs_f64()).max(0.0)).unwrap_or(Duration::MAX)
    }
}

/// One direction being carried, and what is known of it so far.
#[derive(Debug)]
pub struct Carrier {
    /// 0 from side 0, 1 from side 1.
    pub direction: usize,
    /// The links.
    pub hops: Hops<WirePacket>,
    /// What the ends of this direction have to do and to count.
    pub duty: Duty,
    /// How late packets were released.
    pub lateness: Lateness,
    /// Copies of passing packets, if they are wanted.
    pub tape: Option<Tape>,
    /// Packets that were not a flow's TCP, and so were not carried.
    pub foreign: u64,
    /// Packets that the far device would not take.
    pub refused: u64,
    numbers: Vec<Numbers>,
    devices: [File; 2],
    clock: Clock,
    gone: Vec<(WirePacket, Removal)>,
}

impl Carrier {
    /// From `devices[0]` to `devices[1]`.
    pub fn new(
        direction: usize,
        hops: Hops<WirePacket>,
        duty: Duty,
        tape: Option<Tape>,
        devices: [File; 2],
        clock: Clock,
    ) -> Carrier {
        let numbers = vec![Numbers::default(); duty.flows.len()];
        let (lateness, gone) = (Lateness::default(), Vec::new());
        Carrier { direction, hops, duty, lateness, tape, foreign: 0, refused: 0, numbers, devices, clock, gone }
    }

    /// Carries packets until `stop`. With `urgent` under real-time priority.
    ///
    /// # Errors
    /// Where a device breaks, or the priority is refused.
    pub fn carry(&mut self, stop: &AtomicBool, urgent: bool) -> Result<(), Trouble> {
        // Where there is no such thing, sleeps end a little later, which the lateness tells.
        let _ = set_timerslack(1);
        if urgent {
            let fix = "run as root or with CAP_SYS_NICE, or leave --realtime out";
            sys::run_first().map_err(|error| Trouble::new("take real-time priority", &error, fix))?;
        }
        let mut buffer = vec![0; 1 << 16];
        let (mut entering, mut arrived) = (Vec::new(), Vec::new());
        while !stop.load(Ordering::Relaxed) {
            let now = self.clock.now();
            self.duty.wake(now, &mut entering);
            self.enter(&mut entering, now);
            self.release(now, &mut arrived)?;
            let mut idle = false;
            for _ in 0..BATCH {
                let length = match self.devices[0].read(&mut buffer) {
                    Ok(length) => length,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        idle = true;
                        break;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => break,
                    Err(error) => return Err(Trouble::new("read from a TUN device", &error, "")),
                };
                let now = self.clock.now();
                if let Some(packet) = self.recognised(&buffer[..length]) {
                    self.duty.comes(packet, now, &mut entering);
                    self.enter(&mut entering, now);
                }
            }
            // What arrived while packets were read leaves first.
            if idle && !self.hops.holds() {
                self.sleep(urgent);
            }
        }
        Ok(())
    }

    /// The packet in `bytes`, if it belongs to a flow.
    fn recognised(&mut self, bytes: &[u8]) -> Option<WirePacket> {
        let known = Header::parse(bytes).ok().and_then(|header| {
            let flow = self.duty.flow_of(header.ports)?;
            let numbers = self.numbers.get_mut(flow as usize)?;
            Some(WirePacket::new(bytes.to_vec(), header, flow, numbers))
        });
        self.foreign += u64::from(known.is_none());
        known
    }

    /// Packets enter the path.
    fn enter(&mut self, entering: &mut Vec<WirePacket>, now: Time) {
        for packet in entering.drain(..) {
            self.duty.enters(&packet, now);
            if let Some(tape) = &mut self.tape {
                tape.keep(self.direction, now, &packet);
            }
            // What was due before has to happen first; it leaves with the next release.
            self.hops.advance(now, &mut self.gone);
            self.hops.offer(packet, now, &mut self.gone);
            self.forget();
        }
    }

    fn forget(&mut self) {
        for (packet, reason) in self.gone.drain(..) {
            self.duty.gone(&packet, reason);
        }
    }

    /// Hands over what has reached the end of the path.
    fn release(&mut self, now: Time, arrived: &mut Vec<(Time, WirePacket)>) -> Result<(), Trouble> {
        self.hops.advance(now, &mut self.gone);
        self.forget();
        self.hops.take_arrived(arrived);
        for (due, packet) in arrived.drain(..) {
            let left = self.clock.now();
            self.lateness.note(due.secs(), left.secs());
            self.duty.arrives(&packet, left);
            if let Some(tape) = &mut self.tape {
                tape.keep(1 - self.direction, left, &packet);
            }
            match self.devices[1].write(packet.bytes()) {
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::OutOfMemory) => {
                    self.refused += 1
                }
                Err(error) => return Err(Trouble::new("write to a TUN device", &error, "")),
            }
        }
        Ok(())
    }

    /// Until a packet comes or something is due.
    fn sleep(&self, urgent: bool) {
        let due = [self.hops.next(), self.duty.next()].into_iter().flatten().min();
        let wait = due.map_or(NAP, |due| self.clock.until(due).min(NAP));
        let wait = if urgent { wait.saturating_sub(AWAKE) } else { wait };
        if wait.is_zero() {
            return std::hint::spin_loop();
        }
        let mut waited = [PollFd::new(self.devices[0].as_fd(), PollFlags::POLLIN)];
        // A signal ends it early, which does no harm.
        let _ = ppoll(&mut waited, Some(TimeSpec::from_duration(wait)), None);
    }
}
