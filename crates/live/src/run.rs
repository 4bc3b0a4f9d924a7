//! A live run: two namespaces, the path between them, sources and sinks, and a sample every 5 ms.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use acklab_packet::Time;

use crate::clock::Clock;
use crate::endpoint::{Ends, Shared};
use crate::kernel::{LOOK, ignored, look, recoveries, release};
use crate::lateness::LIMIT_S;
use crate::namespace::{Namespace, Trouble, set_up};
use crate::nodes::pair::Pair;
use crate::nodes::wall::{Card, Went, drive};
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::rows::{Seen, outcome};
use crate::senders::Senders;
use crate::way::write_captures;

/// What a run is asked besides its plan.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// A run is invalid if its 99th percentile of lateness is above this, in seconds.
    pub late_s: f64,
    /// Real-time priority, and the last moments of each sleep awake.
    pub urgent: bool,
    /// Where `sender.pcap` and `receiver.pcap` go, and the bytes to keep of each packet (0: all).
    pub captures: Option<(PathBuf, u32)>,
}

impl Default for Wishes {
    fn default() -> Wishes {
        Wishes { late_s: LIMIT_S, urgent: false, captures: None }
    }
}

/// Runs `plan`, asking `go_on` every few milliseconds. `None` if it said no; whatever happens, nothing is left behind.
///
/// # Errors
/// What the system refused, and what helps, in one line.
pub fn run(plan: &Plan, wishes: &Wishes, go_on: &mut dyn FnMut() -> bool) -> Result<Option<Outcome>, String> {
    let chosen = Senders::new(plan)?;
    let (near_side, near) = Namespace::make(|| set_up(0, &plan.settings))?;
    let (far_side, far) = Namespace::make(|| set_up(1, &plan.settings))?;
    let spaces = [near_side, far_side];
    let clock = Clock::start();
    let (open, close) = io::pipe()
        .and_then(|(open, close)| Ok(([open.try_clone()?, open], close)))
        .map_err(|error| Trouble::new("make a pipe", &error, ""))?;
    let pair = Pair::new(plan, wishes.captures.as_ref().map(|(_, snap)| *snap), Time::NEVER);
    let cards = [near, far].into_iter().zip(open).map(|(device, open)| Card::tun(device, open.into())).collect();
    let urgent = wishes.urgent;
    let thread = thread::spawn(move || drive(pair, cards, clock, urgent, &mut || true));
    let mut carrier = Carrier { close: Some(close), thread: Some(thread) };

    let (mut ends, states) = (Ends::default(), plan.flows.iter().map(|_| Arc::default()).collect::<Vec<Arc<Shared>>>());
    for ((flow, control), state) in plan.flows.iter().zip(&chosen.names).zip(&states) {
        spaces[1 - flow.side].within(|| ends.sink(flow, plan.settings.ample()))?;
        spaces[flow.side].within(|| {
            ends.source(flow, control, clock, state);
            Ok(())
        })?;
    }
    let (mut series, end) = (Vec::new(), Time::from_secs(plan.end_s));
    let went = loop {
        thread::sleep(LOOK.min(clock.until(end)));
        look(&states, clock, &mut series);
        ends.check()?;
        if !go_on() {
            break false;
        }
        let all_done = || states.iter().all(|state| state.done.load(Ordering::Relaxed));
        if clock.now() >= end || (plan.until_complete && all_done()) || carrier.is_finished() {
            break true;
        }
    };
    let ended = clock.now();
    let mut recovered = [None; 2];
    for (side, (space, told)) in spaces.iter().zip(&mut recovered).enumerate() {
        if plan.flows.iter().filter(|flow| flow.side == side).count() == 1 {
            *told = space.within(|| Ok(recoveries()))?;
        }
    }
    ends.stop();
    let Went { network: Pair { ways, .. }, refused, lateness } =
        carrier.end().ok_or_else(Trouble::broken_thread)?.map_err(|_| Trouble::broken_thread())??;
    ends.check()?;
    if !went {
        return Ok(None);
    }
    if let Some((directory, _)) = &wishes.captures {
        write_captures(&ways, directory, clock.epoch_ns)
            .map_err(|error| Trouble::new(format!("write captures to {}", directory.display()), &error, ""))?;
    }
    let seen = Seen {
        ways,
        series,
        end: ended,
        lateness,
        late_s: wishes.late_s,
        refused,
        recoveries: recovered,
        ignored: ignored(plan, chosen.taken),
        labels: chosen.labels.clone(),
        notes: chosen.notes.clone(),
        kernel: release(),
    };
    Ok(Some(outcome(plan, seen)))
}

/// The thread that carries packets, which ends with its pipe.
struct Carrier {
    close: Option<io::PipeWriter>,
    thread: Option<thread::JoinHandle<Result<Went<Pair>, String>>>,
}

impl Carrier {
    fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(thread::JoinHandle::is_finished)
    }

    /// Ends it; none if it has been.
    fn end(&mut self) -> Option<thread::Result<Result<Went<Pair>, String>>> {
        self.close = None;
        self.thread.take().map(thread::JoinHandle::join)
    }
}

impl Drop for Carrier {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
