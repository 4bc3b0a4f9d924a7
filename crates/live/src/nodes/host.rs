//! One side of a plan, in the first process of its kernel: the sources and sinks of its flows.

use std::net::{SocketAddrV4, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use acklab_packet::Time;
use nix::sys::prctl::set_timerslack;
use serde::{Deserialize, Serialize};

use super::frame::{self, CONTROL, CONTROL_PORT};
use super::run::STOP;
use crate::clock::Clock;
use crate::endpoint::{Ends, Shared};
use crate::ignored::Ignored;
use crate::kernel::{LOOK, ignored, look, recoveries, release};
use crate::namespace::{Trouble, configure, ip};
use crate::plan::Plan;
use crate::sample::Sample;
use crate::senders::Senders;

/// Its word to the run: a flow of its own has ended, or something is broken.
pub const ENDED: &[u8] = b"ended";
/// See [`ENDED`].
pub const BROKE: &[u8] = b"broke";
/// The card.
const DEVICE: &str = "eth0";

/// Its results.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Told {
    /// Why it could not go on.
    pub trouble: Option<String>,
    /// States of its senders every 5 ms.
    pub series: Vec<Sample>,
    /// Recoveries that duplicate ACKs or SACK began, if it has one sender.
    pub recoveries: Option<u64>,
    /// Remarks on each flow's sender, for people.
    pub labels: Vec<String>,
    /// Differences from the plan, for people.
    pub notes: Vec<String>,
    /// The rules that were not followed.
    pub ignored: Vec<Ignored>,
    /// The kernel's release.
    pub kernel: String,
}

/// Does a side's work from `epoch_ns` of the system's clock on, until it is told to stop.
pub fn play(plan: &Plan, side: usize, epoch_ns: u64) -> Told {
    let link = UdpSocket::bind(("0.0.0.0", CONTROL_PORT));
    let tell = |what: &[u8]| {
        let to = SocketAddrV4::new(CONTROL.into(), CONTROL_PORT);
        let _ = link.as_ref().map(|link| link.send_to(what, to));
    };
    let found =
        link.as_ref().map_err(|error| Trouble::new("hear of the run's end", &std::io::Error::from(error.kind()), ""));
    found.and_then(|link| work(plan, side, epoch_ns, link, &tell)).unwrap_or_else(|trouble| {
        tell(BROKE);
        Told { trouble: Some(trouble.to_string()), ..Told::default() }
    })
}

fn work(plan: &Plan, side: usize, epoch_ns: u64, link: &UdpSocket, tell: &dyn Fn(&[u8])) -> Result<Told, Trouble> {
    // Threads have it from here: sleeps end when they should.
    let _ = set_timerslack(1);
    // No side asks for hardware addresses.
    let hardware = frame::hardware(side as u32).map(|part| format!("{part:02x}")).join(":");
    ip(&["link", "set", "dev", DEVICE, "address", &hardware, "arp", "off"])?;
    configure(DEVICE, side, &plan.settings)?;
    let control = CONTROL.map(|part| part.to_string()).join(".");
    ip(&["route", "add", &control, "dev", DEVICE])?;
    let chosen = Senders::new(plan)?;
    let mut ends = Ends::default();
    for flow in plan.flows.iter().filter(|flow| flow.side != side) {
        ends.sink(flow, plan.settings.ample())?;
    }
    let clock = Clock::start_at(epoch_ns);
    let shared: Vec<Arc<Shared>> = plan.flows.iter().map(|_| Arc::default()).collect();
    for ((flow, control), state) in plan.flows.iter().zip(&chosen.names).zip(&shared) {
        if flow.side == side {
            ends.source(flow, control, clock, state);
        }
    }
    let (mut series, mut told, mut number) = (Vec::new(), vec![false; shared.len()], 0_u32);
    loop {
        number += 1;
        let until = Time::from_secs(LOOK.as_secs_f64() * f64::from(number));
        if stopped(link, clock, until)? {
            break;
        }
        look(&shared, clock, &mut series);
        ends.check()?;
        for (known, state) in told.iter_mut().zip(&shared) {
            if state.done.load(Ordering::Relaxed) && !*known {
                *known = true;
                tell(ENDED);
            }
        }
    }
    let alone = plan.flows.iter().filter(|flow| flow.side == side).count() == 1;
    let recoveries = if alone { recoveries() } else { None };
    Ok(Told {
        trouble: None,
        series,
        recoveries,
        ignored: ignored(plan, chosen.taken),
        labels: chosen.labels.clone(),
        notes: chosen.notes.clone(),
        kernel: release(),
    })
}

/// Waits until then; whether the run's end was told meanwhile.
fn stopped(link: &UdpSocket, clock: Clock, until: Time) -> Result<bool, Trouble> {
    let broken = |error: std::io::Error| Trouble::new("hear of the run's end", &error, "");
    loop {
        let left = clock.until(until);
        if left.is_zero() {
            return Ok(false);
        }
        link.set_read_timeout(Some(left)).map_err(broken)?;
        let mut bytes = [0; 64];
        match link.recv(&mut bytes) {
            Ok(length) if &bytes[..length] == STOP => return Ok(true),
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut | std::io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(broken(error)),
        }
    }
}
