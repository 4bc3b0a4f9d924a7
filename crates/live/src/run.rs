//! A live run: two namespaces, the path between them, sources and sinks, and a sample every 5 ms.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use acklab_packet::Time;
use nix::time::{ClockId, clock_getres};

use crate::clock::Clock;
use crate::endpoint::{Ends, Shared};
use crate::ignored::{Ignored, ticks};
use crate::lateness::LIMIT_S;
use crate::namespace::{Namespace, Trouble, set_up};
use crate::nodes::pair::Pair;
use crate::nodes::wall::{Card, Went, drive};
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::rows::{Seen, outcome};
use crate::sample::{self, Sample};
use crate::senders::Senders;
use crate::sys;
use crate::tape::Tape;
use crate::way::Way;

/// Time between two looks at the kernels.
pub(crate) const LOOK: Duration = Duration::from_millis(5);

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
    let carrier = thread::spawn(move || drive(pair, cards, clock, urgent, &mut || true));

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
    drop(close); // which ends the carrier
    let Went { network: Pair { ways, .. }, refused, lateness } =
        carrier.join().map_err(|_| Trouble::broken_thread())??;
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
        kernel: kernel(),
    };
    Ok(Some(outcome(plan, seen)))
}

/// Recoveries in the calling thread's namespace that duplicate ACKs or SACK began (`TCPRenoRecovery`, `TCPSackRecovery`).
pub(crate) fn recoveries() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/net/netstat").ok()?;
    let mut lines = text.lines().filter(|line| line.starts_with("TcpExt:"));
    let (names, counts) = (lines.next()?, lines.next()?);
    let of = |name: &str| {
        let (_, count) = names.split(' ').zip(counts.split(' ')).find(|(given, _)| *given == name)?;
        count.parse::<u64>().ok()
    };
    Some(of("TCPRenoRecovery")? + of("TCPSackRecovery")?)
}

/// Asks the kernel about every connection that is open.
pub(crate) fn look(shared: &[Arc<Shared>], clock: Clock, series: &mut Vec<Sample>) {
    for (flow, state) in (0..).zip(shared) {
        let Some(stream) = state.stream.get() else { continue };
        let mut info = [0; sample::BYTES];
        if let Ok(length) = sys::tcp_info(stream, &mut info) {
            series.extend(sample::read(&info[..length], flow, clock.now().secs()));
        }
    }
}

/// Writes what passed each side, as `sender.pcap` and `receiver.pcap`; `epoch_ns` is the run's start in nanoseconds since 1970.
pub(crate) fn write_captures(ways: &[Way; 2], directory: &Path, epoch_ns: u64) -> io::Result<()> {
    let [Some(there), Some(back)] = ways.each_ref().map(|way| way.tape.as_ref()) else { return Ok(()) };
    for (side, name) in ["sender.pcap", "receiver.pcap"].into_iter().enumerate() {
        let file = io::BufWriter::new(File::create(directory.join(name))?);
        Tape::write(&[there, back], side, epoch_ns, file)?;
    }
    Ok(())
}

/// The rules that this kernel did not follow, its clock's tick (1/HZ) among them.
pub(crate) fn ignored(plan: &Plan, taken: bool) -> Vec<Ignored> {
    let tick =
        clock_getres(ClockId::CLOCK_MONOTONIC_COARSE).map(|tick| Time::from_secs(Duration::from(tick).as_secs_f64()));
    let ticks = plan.scenario.flows.iter().flat_map(|spec| tick.map_or_else(|_| Vec::new(), |tick| ticks(spec, tick)));
    let mut found: Vec<_> = plan.ignored(taken).into_iter().chain(ticks).collect();
    found.sort_by(|a, b| a.key.cmp(&b.key));
    found
}

/// The running kernel's release.
pub fn kernel() -> String {
    fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned()
}
