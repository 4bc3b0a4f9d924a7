//! A live run: two namespaces, two carriers, sources and sinks, and a sample every 5 ms.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use acklab_packet::Time;
use nix::time::{ClockId, clock_getres};

use crate::carrier::{Carrier, Clock};
use crate::endpoint::{self, Shared, Stop};
use crate::ignored::{Ignored, ticks};
use crate::lateness::{LIMIT_S, Lateness};
use crate::namespace::{Namespace, Trouble, set_up};
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
/// [`Trouble`]: what the system refused, and what helps.
pub fn run(plan: &Plan, wishes: &Wishes, go_on: &mut dyn FnMut() -> bool) -> Result<Option<Outcome>, Trouble> {
    let chosen = Senders::new(plan)?;
    let (near_side, near) = Namespace::make(|| set_up(0, &plan.settings))?;
    let (far_side, far) = Namespace::make(|| set_up(1, &plan.settings))?;
    let spaces = [near_side, far_side];
    let stop: Stop = Arc::default();
    let clock = Clock::start();
    let epoch_ns = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let trouble: Arc<Mutex<Option<Trouble>>> = Arc::default();
    let told = |of: &Arc<Mutex<Option<Trouble>>>| of.lock().unwrap_or_else(PoisonError::into_inner).take();

    let mut threads = Threads { stop: stop.clone(), ends: Vec::new(), carriers: Vec::new() };
    let again = |file: &File| file.try_clone().map_err(|error| Trouble::new("copy a descriptor", &error, ""));
    let devices = [[again(&near)?, again(&far)?], [far, near]];
    let snap = wishes.captures.as_ref().map(|(_, snap)| *snap);
    for (way, devices) in Way::both(plan, snap).into_iter().zip(devices) {
        let mut carrier = Carrier::new(way, devices, clock);
        let (stop, trouble, urgent) = (stop.clone(), trouble.clone(), wishes.urgent);
        threads.carriers.push(thread::spawn(move || {
            if let Err(why) = carrier.carry(&stop, urgent) {
                report(&trouble, why);
            }
            carrier
        }));
    }
    let mut shared = Vec::new();
    for (flow, control) in plan.flows.iter().zip(&chosen.names) {
        let (side, state) = (flow.side, Arc::new(Shared::default()));
        let listener = within(&spaces[1 - side], || endpoint::listen(flow, plan.settings.ample()))?;
        let over = stop.clone();
        threads.ends.push(thread::spawn(move || endpoint::sink(&listener, &over)));
        let (at, over, trouble) = (Time::from_secs(flow.start_s), stop.clone(), trouble.clone());
        let (flow, control, its) = (flow.clone(), control.clone(), state.clone());
        let source = move || {
            endpoint::sleep_until(at, clock, &over);
            if let Err(why) = endpoint::source(&flow, &control, clock, &its, &over) {
                report(&trouble, why);
            }
        };
        threads.ends.push(spawn_within(&spaces[side], source)?);
        shared.push(state);
    }

    let (mut series, end) = (Vec::new(), Time::from_secs(plan.end_s));
    let went = loop {
        thread::sleep(LOOK.min(clock.until(end)));
        look(&shared, clock, &mut series);
        if let Some(why) = told(&trouble) {
            return Err(why);
        }
        if !go_on() {
            break false;
        }
        let all_done = || shared.iter().all(|state| state.done.load(Ordering::Relaxed));
        if clock.now() >= end || (plan.until_complete && all_done()) {
            break true;
        }
    };
    let ended = clock.now();
    let mut recovered = [None; 2];
    for (side, (space, told)) in spaces.iter().zip(&mut recovered).enumerate() {
        if plan.flows.iter().filter(|flow| flow.side == side).count() == 1 {
            *told = within(space, || Ok(recoveries()))?;
        }
    }
    let Some(carried) = threads.finish() else {
        return Err(Trouble {
            what: "go on".into(),
            why: "a thread broke down".into(),
            fix: "please report it".into(),
        });
    };
    if let Some(why) = told(&trouble) {
        return Err(why);
    }
    if !went {
        return Ok(None);
    }
    let (refused, mut lateness) = (carried.iter().map(|carrier| carrier.refused).sum(), Lateness::default());
    let ways = carried.map(|carrier| {
        lateness.join(carrier.lateness);
        carrier.way
    });
    if let Some((directory, _)) = &wishes.captures {
        write_captures(&ways, directory, epoch_ns)
            .map_err(|error| Trouble::new(format!("write captures to {}", directory.display()), &error, ""))?;
    }
    let seen = Seen {
        ways,
        series,
        end: ended,
        lateness: lateness.summary(),
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

/// The first trouble is the one to tell.
fn report(trouble: &Mutex<Option<Trouble>>, why: Trouble) {
    trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
}

/// Threads that end with the run, however it ends.
struct Threads {
    stop: Stop,
    ends: Vec<JoinHandle<()>>,
    carriers: Vec<JoinHandle<Carrier>>,
}

impl Threads {
    /// Ends them; the carriers, unless one broke down.
    fn finish(mut self) -> Option<[Carrier; 2]> {
        self.stop.store(true, Ordering::Relaxed);
        let carriers: Vec<_> = self.carriers.drain(..).filter_map(|thread| thread.join().ok()).collect();
        carriers.try_into().ok()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.carriers.drain(..) {
            let _ = thread.join();
        }
        for thread in self.ends.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Does `work` in a namespace.
fn within<T: Send>(space: &Namespace, work: impl FnOnce() -> Result<T, Trouble> + Send) -> Result<T, Trouble> {
    let moved = || space.enter().and_then(|()| work());
    thread::scope(|scope| scope.spawn(moved).join()).unwrap_or_else(|_| {
        Err(Trouble { what: "go on".into(), why: "a thread broke down".into(), fix: "please report it".into() })
    })
}

/// Starts a thread in a namespace: threads are born where their parent is.
fn spawn_within(space: &Namespace, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Trouble> {
    within(space, move || Ok(thread::spawn(work)))
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
