//! Carries packets from one TUN device to the other, in real time: one direction of the path, one thread.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use acklab_packet::Time;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl::set_timerslack;
use nix::sys::time::TimeSpec;

use crate::lateness::Lateness;
use crate::namespace::Trouble;
use crate::packet::WirePacket;
use crate::sys;
use crate::way::Way;

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

    /// Starts it at an instant of the system's clock, in nanoseconds since 1970, for which it waits.
    pub fn start_at(epoch_ns: u64) -> Clock {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let begins = Instant::now() + Duration::from_nanos(epoch_ns).saturating_sub(now);
        thread::sleep(begins.saturating_duration_since(Instant::now()));
        Clock(begins)
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

/// One direction being carried.
#[derive(Debug)]
pub struct Carrier {
    /// The path, and the work at its ends.
    pub way: Way,
    /// How late packets were released.
    pub lateness: Lateness,
    /// Packets that the far device would not take.
    pub refused: u64,
    devices: [File; 2],
    clock: Clock,
}

impl Carrier {
    /// From `devices[0]` to `devices[1]`.
    pub fn new(way: Way, devices: [File; 2], clock: Clock) -> Carrier {
        Carrier { way, lateness: Lateness::default(), refused: 0, devices, clock }
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
        let mut arrived = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let now = self.clock.now();
            self.way.wake(now);
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
                self.way.comes(&buffer[..length], self.clock.now());
            }
            // What arrived while packets were read leaves first.
            if idle && !self.way.hops.holds() {
                self.sleep(urgent);
            }
        }
        Ok(())
    }

    /// Hands over what has reached the end of the path.
    fn release(&mut self, now: Time, arrived: &mut Vec<(Time, WirePacket)>) -> Result<(), Trouble> {
        self.way.advance(now, arrived);
        for (due, packet) in arrived.drain(..) {
            let left = self.clock.now();
            self.lateness.note(due.secs(), left.secs());
            self.way.arrives(&packet, left);
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
        let wait = self.way.next().map_or(NAP, |due| self.clock.until(due).min(NAP));
        let wait = if urgent { wait.saturating_sub(AWAKE) } else { wait };
        if wait.is_zero() {
            return std::hint::spin_loop();
        }
        let mut waited = [PollFd::new(self.devices[0].as_fd(), PollFlags::POLLIN)];
        // A signal ends it early, which does no harm.
        let _ = ppoll(&mut waited, Some(TimeSpec::from_duration(wait)), None);
    }
}
