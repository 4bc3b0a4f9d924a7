//! A live run: two namespaces, two carriers, sources and sinks, and a sample every 5 ms.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use acklab_packet::Time;
use acklab_sim::outcome::LinkRow;
use nix::time::{ClockId, clock_getres};

use crate::carrier::{Carrier, Clock};
use crate::duty::{Duty, Inbox, Role, WindowCap};
use crate::edge::Edge;
use crate::endpoint::{self, Shared, Stop};
use crate::ignored::{Ignored, ticks};
use crate::lateness::{LIMIT_S, Lateness, refusal};
use crate::ledger::{Outgoing, Returning};
use crate::namespace::{Namespace, Trouble, set_up};
use crate::outcome::{FlowRow, Outcome, QueueRow};
use crate::plan::{Plan, PlannedFlow};
use crate::sample::{self, Sample};
use crate::senders::Senders;
use crate::sys;
use crate::tape::Tape;

/// Time between two looks at the kernels.
const LOOK: Duration = Duration::from_millis(5);

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
    for carrier in carriers(plan, wishes, [near, far], clock)? {
        let (mut carrier, stop, trouble, urgent) = (carrier, stop.clone(), trouble.clone(), wishes.urgent);
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
    if let Some((directory, _)) = &wishes.captures {
        write_captures(&carried, directory, epoch_ns)
            .map_err(|error| Trouble::new(format!("write captures to {}", directory.display()), &error, ""))?;
    }
    let mut outcome = outcome(plan, wishes.late_s, carried, series, ended, &chosen);
    for (row, flow) in outcome.flows.iter_mut().zip(&plan.flows) {
        row.fast_retransmits = recovered[flow.side];
    }
    Ok(Some(outcome))
}

/// Recoveries in the calling thread's namespace that duplicate ACKs or SACK began (`TCPRenoRecovery`, `TCPSackRecovery`).
fn recoveries() -> Option<u64> {
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

/// One for each direction.
fn carriers(plan: &Plan, wishes: &Wishes, [near, far]: [File; 2], clock: Clock) -> Result<[Carrier; 2], Trouble> {
    let again = |file: &File| file.try_clone().map_err(|error| Trouble::new("copy a descriptor", &error, ""));
    let [inbox, other] = [Inbox::default(), Inbox::default()];
    let duty = |direction: usize, tells: &Inbox, hears: &Inbox| {
        let role = |flow: &PlannedFlow| match &flow.shaped {
            shaped if flow.side == direction => Role::Data { sent: Outgoing::default(), shaped: shaped.is_some() },
            shaped => Role::Acks {
                got: Returning::new(flow.bytes),
                edge: shaped.as_deref().map(Edge::new).map(Box::new),
                cap: WindowCap::new(plan.settings.window),
            },
        };
        Duty { flows: plan.flows.iter().map(role).collect(), tells: tells.clone(), hears: hears.clone() }
    };
    let tape = || wishes.captures.as_ref().map(|(_, snap)| Tape::new(*snap));
    let devices = [again(&near)?, again(&far)?];
    Ok([
        Carrier::new(0, plan.hops(0), duty(0, &inbox, &other), tape(), devices, clock),
        Carrier::new(1, plan.hops(1), duty(1, &other, &inbox), tape(), [far, near], clock),
    ])
}

/// Asks the kernel about every connection that is open.
fn look(shared: &[Arc<Shared>], clock: Clock, series: &mut Vec<Sample>) {
    for (flow, state) in (0..).zip(shared) {
        let Some(stream) = state.stream.get() else { continue };
        let mut info = [0; sample::BYTES];
        if let Ok(length) = sys::tcp_info(stream, &mut info) {
            series.extend(sample::read(&info[..length], flow, clock.now().secs()));
        }
    }
}

fn write_captures(carried: &[Carrier; 2], directory: &Path, epoch_ns: u64) -> io::Result<()> {
    let [Some(there), Some(back)] = carried.each_ref().map(|carrier| carrier.tape.as_ref()) else { return Ok(()) };
    for (side, name) in ["sender.pcap", "receiver.pcap"].into_iter().enumerate() {
        let file = io::BufWriter::new(File::create(directory.join(name))?);
        Tape::write(&[there, back], side, epoch_ns, file)?;
    }
    Ok(())
}

/// The rows.
fn outcome(
    plan: &Plan,
    late_s: f64,
    carried: [Carrier; 2],
    series: Vec<Sample>,
    end: Time,
    senders: &Senders,
) -> Outcome {
    let mut why = Vec::new();
    let missed: u64 = carried.iter().filter_map(|carrier| carrier.tape.as_ref()).map(|tape| tape.missed).sum();
    if missed > 0 {
        why.push(format!("the captures lack {missed} packets for which there was no memory"));
    }
    let [there, back] = carried;
    let (foreign, refused) = (there.foreign + back.foreign, there.refused + back.refused);
    if foreign > 0 {
        why.push(format!("{foreign} packets that belong to no flow were not carried"));
    }
    let mut flows = flow_rows(plan, [&there, &back], &series, end);
    flows.iter_mut().zip(&senders.labels).for_each(|(row, label)| row.control.clone_from(label));
    let (mut links, mut queue, mut lateness) = (Vec::new(), Vec::new(), Lateness::default());
    for (mut carrier, course) in [there, back].into_iter().zip(&plan.courses) {
        for (place, &index) in course.links.iter().enumerate() {
            let row = links.len() as u32;
            queue.extend(
                carrier.hops.links_mut()[place].take_lengths().into_iter().map(|length| QueueRow { link: row, length }),
            );
            links.push(link_row(plan, index, &carrier, place, end));
        }
        lateness.join(carrier.lateness);
    }
    queue.sort_by(|a: &QueueRow, b| a.length.time_s.total_cmp(&b.length.time_s));
    let lateness = lateness.summary();
    let wrong: Vec<_> = [lateness.too_late(late_s), refusal(refused)].into_iter().flatten().collect();
    let valid = wrong.is_empty();
    why.extend(wrong);
    Outcome {
        title: plan.scenario.title.clone(),
        seed: plan.scenario.seed,
        end_s: end.secs(),
        valid,
        why,
        lateness,
        kernel: kernel(),
        notes: plan.notes.iter().chain(&senders.notes).cloned().collect(),
        ignored: ignored(plan, senders.taken),
        flows,
        links,
        series,
        queue,
    }
}

/// The rules that this kernel did not follow, its clock's tick (1/HZ) among them.
fn ignored(plan: &Plan, taken: bool) -> Vec<Ignored> {
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

fn flow_rows(plan: &Plan, carried: [&Carrier; 2], series: &[Sample], end: Time) -> Vec<FlowRow> {
    let row = |(index, flow): (usize, &PlannedFlow)| {
        let [data, acks] = [carried[flow.side], carried[1 - flow.side]];
        let (Role::Data { sent, .. }, Role::Acks { got, edge, .. }) =
            (&data.duty.flows[index], &acks.duty.flows[index])
        else {
            return None;
        };
        let shaper = edge.as_deref().map(Edge::counts);
        let samples = || series.iter().filter(|sample| sample.flow as usize == index);
        let last = samples().next_back();
        let rtts: Vec<f64> = samples().filter_map(|sample| sample.srtt_s).collect();
        let bytes = got.bytes(sent.payload_end());
        let since = |at: Option<Time>| Some((at? - sent.first_data?).secs());
        let seconds = since(Some(got.finished.unwrap_or(end)));
        Some(FlowRow {
            name: flow.name.clone(),
            from: flow.nodes[0].clone(),
            to: flow.nodes[1].clone(),
            completed: got.finished.is_some(),
            start_s: flow.start_s,
            first_data_s: sent.first_data.map(Time::secs),
            finished_s: got.finished.map(Time::secs),
            completion_s: since(got.finished),
            last_data_s: since(sent.last_progress),
            bytes,
            goodput_bps: seconds.filter(|&s| s > 0.0).map_or(0.0, |s| 8.0 * bytes as f64 / s),
            segments_sent: sent.segments_sent,
            syns_sent: sent.syns_sent,
            retransmits: sent.retransmits,
            timeouts: last.and_then(|sample| sample.timeouts),
            fast_retransmits: None,
            acks_sent: got.acks_sent,
            acks_received: got.acks_received,
            acks_dropped: got.acks_dropped,
            acks_filtered: got.acks_filtered,
            acks_created: acks.hops.acks_created()[index],
            cwnd_segments: last.map(|sample| sample.cwnd_segments),
            ssthresh_segments: last.and_then(|sample| sample.ssthresh_segments),
            mean_srtt_s: (!rtts.is_empty()).then(|| rtts.iter().sum::<f64>() / rtts.len() as f64),
            min_rtt_s: last.and_then(|sample| sample.min_rtt_s),
            control: flow.control.clone(),
            segment_bytes: plan.settings.payload(),
            acks_offered: shaper.map(|shaper| shaper.offered),
            acks_thinned: shaper.map(|shaper| shaper.thinned),
            acks_made: shaper.map(|shaper| shaper.made),
        })
    };
    plan.flows.iter().enumerate().filter_map(row).collect()
}

fn link_row(plan: &Plan, index: usize, carrier: &Carrier, place: usize, end: Time) -> LinkRow {
    let spec = &plan.scenario.links[index];
    let link = &carrier.hops.links()[place];
    let (counts, totals, done) = (link.link().counts, link.totals(), link.done());
    let node = |node: u32| plan.scenario.nodes[node as usize].clone();
    LinkRow {
        from: node(spec.from),
        to: node(spec.to),
        rate_bps: spec.rate.bps(),
        delay_s: spec.delay.secs(),
        packets: totals.packets,
        bytes: totals.bytes,
        ack_packets: totals.ack_packets,
        ack_bytes: totals.ack_bytes,
        drops: counts.drops,
        lost: counts.lost,
        filtered: counts.filtered,
        reordered: done.reordered,
        duplicated: done.duplicated,
        thinned: done.thinned,
        mean_queue_packets: link.mean_queue(end),
        max_queue_packets: counts.queue_max,
        sent_wait_s: counts.sent_wait,
        removed_wait_s: counts.removed_wait,
        utilisation: link.utilisation(end),
        ..LinkRow::default()
    }
}
