//! What of a scenario a live run can do, and in plain words what it cannot.

use std::fmt;
use std::sync::Arc;

use acklab_path::direction::Direction;
use acklab_path::spec::LinkSpec;
use acklab_scenario::spec::{FlowSpec, Scenario, Size, Source, Stop, Writes};
use acklab_tcp::rules::{
    AckPolicyKind, DivideWhen, PhaseSource, ReceiverRules, RttSource, Variants, WindowSource, named,
};

use crate::bpf::rules::{Rules, counts_segments, stock};
use crate::hops::{Hops, Travelling};
use crate::ignored::{self, Ignored};
pub use crate::settings::{Choice, Options};
use crate::settings::{FIRST_PORT, MAX_FLOWS, Receiver, Settings};

/// Longest packets: what IPv4's length field says.
const MAX_MTU: u32 = 65535;
/// Shortest: below it Linux takes no segment.
const MIN_MTU: u32 = 128;

/// What a live run cannot do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    key: String,
    why: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: not in a live run: {}", self.key, self.why)
    }
}

impl std::error::Error for Refusal {}

fn refuse<T>(key: impl Into<String>, why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { key: key.into(), why: why.into() })
}

/// One flow.
#[derive(Clone, Debug)]
pub struct PlannedFlow {
    /// As in the simulator's table.
    pub name: String,
    /// Its nodes' names.
    pub nodes: [String; 2],
    /// When it begins, in seconds.
    pub start_s: f64,
    /// Side of its sender: 0, or 1 for a flow against the first one's direction.
    pub side: usize,
    /// Payload bytes; none is until the end of the run.
    pub bytes: Option<u64>,
    /// When they are written, if not all at the start.
    pub writes: Option<Writes>,
    /// The kernel's name of its congestion control.
    pub control: String,
    /// The rules it follows instead, as an eBPF congestion control.
    pub ours: Option<Rules>,
    /// The receiver's port.
    pub port: u16,
    /// The receiver's rules, if its policy chooses among the kernel's ACKs.
    pub shaped: Option<Arc<ReceiverRules>>,
    /// Whether its receiver is so beside others that acknowledge by themselves ([`Settings::apart`]).
    pub apart: bool,
}

/// One direction of the path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Its links, as indices into the scenario's.
    pub links: Vec<usize>,
    /// For each flow the links that its data or its ACKs cross, as indices into `links`.
    pub routes: Vec<Vec<usize>>,
}

/// A run that can be tried.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// Its flows, one by one.
    pub flows: Vec<PlannedFlow>,
    /// From side 0 to side 1, and back.
    pub courses: [Course; 2],
    /// What the kernels are told.
    pub settings: Settings,
    /// Latest end, in seconds, and whether it ends as soon as every flow has.
    pub end_s: f64,
    /// See `end_s`.
    pub until_complete: bool,
    /// Whether a kernel that does not take the scenario's sender is no kernel for this run.
    pub insist: bool,
    /// In what the kernels will differ from the scenario, in sentences.
    pub notes: Vec<String>,
    /// What was asked.
    options: Options,
}

impl Plan {
    /// What `scenario` asks for.
    ///
    /// # Errors
    /// [`Refusal`]: the first thing that cannot be done, by its key.
    pub fn new(scenario: Arc<Scenario>, options: &Options) -> Result<Plan, Refusal> {
        if let Some(medium) = scenario.media.first() {
            return refuse(
                format!("wlan {}", medium.name),
                "kernels have no 802.11 medium, and a link cannot stand for air that both directions share; use links, or run it simulated",
            );
        }
        let (end_s, until_complete) = match scenario.stop {
            Stop::FlowsComplete { at_most } => (at_most.secs(), true),
            Stop::At(at) => (at.secs(), false),
        };
        let total: usize = scenario.flows.iter().map(|spec| spec.count as usize).sum();
        if total > MAX_FLOWS {
            return refuse("flow", format!("{total} flows; at most {MAX_FLOWS}"));
        }
        let (mut flows, mut all, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (index, spec) in scenario.flows.iter().enumerate() {
            let key = format!("flow[{index}]");
            refuse_sources(&key, spec)?;
            // A kernel's receiver is what that policy describes.
            let own = matches!(spec.receiver.ack, AckPolicyKind::Linux { .. });
            let shaped = !options.kernel_acks && !own;
            if let Some(why) = cannot_shape(&spec.receiver.ack).filter(|_| shaped) {
                return refuse(format!("{key}.receiver.ack"), why);
            }
            let kernels = named("linux");
            let policy = if options.kernel_acks && !own { &kernels } else { &spec.receiver.ack };
            let settings = Settings::of(&spec.sender, &spec.receiver, policy, options.in_virtual_time);
            if !(MIN_MTU..=MAX_MTU).contains(&settings.mtu) {
                let why = format!("makes packets of {} bytes; from {MIN_MTU} to {MAX_MTU}", settings.mtu);
                return refuse(format!("{key}.sender.packet"), why);
            }
            if let Some((n, name)) =
                (0..).zip(&all).find_map(|(n, other): (usize, &Settings)| Some((n, other.difference(&settings)?)))
            {
                let why = format!("differs from flow[{n}]'s; all flows share two kernels, which have one value");
                return refuse(format!("{key}.{name}"), why);
            }
            all.push(settings);
            // Scenarios call them as Linux does.
            let control = options.control.clone().unwrap_or_else(|| spec.sender.control.name().to_owned());
            let ours = ours(&key, spec, options)?;
            notes.extend(differences(spec, &settings, options, ours.is_some()));
            let writes = match spec.source {
                Some(Source::Writes(writes)) => Some(writes),
                _ => None,
            };
            for member in 0..spec.count {
                flows.push(PlannedFlow {
                    name: if spec.count > 1 { format!("{}{member}", spec.name) } else { spec.name.clone() },
                    nodes: [spec.from, spec.to].map(|node| scenario.nodes[node as usize].clone()),
                    start_s: spec.start.secs() + f64::from(member) * spec.stagger.secs(),
                    side: 0,
                    bytes: match (writes, spec.size) {
                        (Some(writes), _) => Some(writes.write.get() * u64::from(writes.times)),
                        (None, Size::Segments(n)) => Some(n.saturating_mul(u64::from(settings.payload()))),
                        (None, Size::Bytes(bytes)) => Some(bytes),
                        (None, Size::Uniform { .. } | Size::Pareto { .. } | Size::Unlimited) => None,
                    },
                    writes,
                    control: control.clone(),
                    ours: ours.clone(),
                    port: FIRST_PORT + flows.len() as u16,
                    shaped: shaped.then(|| spec.receiver.clone()),
                    apart: false,
                });
            }
        }
        let Some(first) = all.first() else { return refuse("flow", "there is none") };
        let mut settings = first.shared(all.iter().map(|settings| settings.receiver));
        flows.iter_mut().for_each(|flow: &mut PlannedFlow| flow.apart = settings.apart && flow.shaped.is_some());
        notes.sort();
        notes.dedup();
        let (courses, sides) = courses(&scenario)?;
        settings.both_ways = sides.contains(&1);
        flows.iter_mut().zip(sides).for_each(|(flow, side)| flow.side = side);
        let insist = options.sender == Choice::Scenario;
        Ok(Plan { scenario, flows, courses, settings, end_s, until_complete, insist, notes, options: options.clone() })
    }

    /// The rules that kernels do not follow, key by key; `taken`: they take the scenario's senders, where a flow brings one.
    pub fn ignored(&self, taken: bool) -> Vec<Ignored> {
        let brings = |spec: &FlowSpec| ours("", spec, &self.options).is_ok_and(|rules| rules.is_some());
        let of = |spec: &FlowSpec| ignored::of(spec, &self.settings, &self.options, taken && brings(spec));
        self.scenario.flows.iter().flat_map(of).collect()
    }

    /// The links of one direction (0 from side 0, 1 from side 1), their random streams those of a simulation.
    pub fn hops<P: Travelling>(&self, direction: usize) -> Hops<P> {
        let course = &self.courses[direction];
        let link = |&index: &usize| {
            let spec: &LinkSpec = &self.scenario.links[index];
            Direction::new(spec, |part| self.scenario.link_stream(spec, part))
        };
        Hops::new(course.links.iter().map(link).collect(), course.routes.clone())
    }
}

fn refuse_sources(key: &str, spec: &FlowSpec) -> Result<(), Refusal> {
    if !matches!(spec.source, None | Some(Source::Writes(_))) {
        return refuse(format!("{key}.source"), "only `writes`, and bulk transfers by `size`");
    }
    if spec.repeat.is_some() {
        return refuse(format!("{key}.repeat"), "a transfer runs once; use `count` and `stagger`");
    }
    if spec.after.is_some() {
        return refuse(format!("{key}.after"), "a transfer starts at its own time; use `start`");
    }
    if spec.size.drawn().is_some() {
        return refuse(format!("{key}.size"), "a drawn size; give one number");
    }
    if spec.sender.skip > 0 {
        return refuse(format!("{key}.sender.skip"), "no kernel leaves segments out");
    }
    Ok(())
}

/// Why the edge cannot follow this policy; it sees packets, and makes none but parts of ACKs.
fn cannot_shape(policy: &AckPolicyKind) -> Option<&'static str> {
    let told = |phase: PhaseSource| {
        (phase != PhaseSource::Heuristic)
            .then_some("no real segment tells the sender's phase; use phase = \"heuristic\"")
    };
    let timed = |rtt: RttSource| {
        (rtt != RttSource::Timestamps)
            .then_some("the edge sends no keep-alives and is told nothing; use rtt = \"timestamps\"")
    };
    match *policy {
        AckPolicyKind::Every {} | AckPolicyKind::Delayed { .. } | AckPolicyKind::Linux { .. } => None,
        AckPolicyKind::Daass { phase, .. } => told(phase),
        AckPolicyKind::Divide { when: DivideWhen::Always, .. } => None,
        AckPolicyKind::Divide { phase, .. } => told(phase),
        AckPolicyKind::Periodic { rtt, .. } => timed(rtt),
        AckPolicyKind::Quic { rtt_share: 0.0, .. } => None,
        AckPolicyKind::Quic { .. } => Some("no real segment tells the sender's round trip; use rtt_share = 0"),
        AckPolicyKind::Smart { window: WindowSource::Sender, .. } => {
            Some("no real segment tells the sender's window; use window = \"estimate\"")
        }
        AckPolicyKind::Smart { rtt, .. } => timed(rtt),
        AckPolicyKind::Requested { .. } => Some("no kernel sends requests; use \"delayed\""),
        AckPolicyKind::Python { .. } => Some("a policy in Python runs in the simulator only"),
        AckPolicyKind::Spoof { .. } => Some("duplicates of ACKs are not made on a real path"),
        AckPolicyKind::Optimistic { .. } => Some("an ACK of what the receiver has not got would lose data"),
        AckPolicyKind::Restore { .. }
        | AckPolicyKind::Acc { .. }
        | AckPolicyKind::AccDelivered { .. }
        | AckPolicyKind::AccNs2 { .. } => Some("no real segment tells the sender's window"),
    }
}

/// The rules that a flow's sender brings to the kernel; none where the kernel's own will do, or is wanted.
fn ours(key: &str, spec: &FlowSpec, options: &Options) -> Result<Option<Rules>, Refusal> {
    let insist = options.sender == Choice::Scenario;
    if let Some(name) = options.control.as_ref().filter(|_| insist) {
        return refuse(format!("{key}.sender"), format!("--control {name} is a kernel's; leave out one of the two"));
    }
    if options.sender == Choice::Kernel || options.control.is_some() || stock(&spec.sender) {
        return Ok(None);
    }
    let rules = Rules::of(&spec.sender);
    if rules.is_none() && insist {
        let why = "no eBPF congestion control has it: that knows reno and veno with any credit, and no hystart++";
        return refuse(format!("{key}.sender"), why);
    }
    Ok(rules)
}

/// What an ACK is worth to a kernel's own sender.
pub fn kernel_credit() -> String {
    "Linux grows its window by the segments an ACK covers, whatever `credit` says; to simulate that, \
     credit = { kind = \"full-segments\" }"
        .to_owned()
}

/// In what a kernel does not do what the scenario says; `ours`: its sender is the scenario's.
fn differences(spec: &FlowSpec, settings: &Settings, options: &Options, ours: bool) -> Vec<String> {
    let sender = &spec.sender;
    let mut notes = vec![
        "retransmission, its timer and recovery are Linux's own (RACK, PRR, CUBIC's HyStart); `recovery` only decides \
         on SACK"
            .to_owned(),
    ];
    if !ours && !counts_segments(&sender.credit) {
        notes.push(kernel_credit());
    }
    if let Receiver::Own { window, .. } = settings.receiver {
        let first = u64::from(window) * u64::from(settings.payload());
        if first < settings.window {
            notes.push(format!(
                "the kernel's receiver opens with a window of {first} B, which grows to `window`, {} B; a simulated sender has \
                 all of that from the start",
                settings.window
            ));
            if !settings.sack {
                notes.push(
                    "without SACK, Linux takes a duplicate ACK for none if its window has changed, as a growing one does"
                        .to_owned(),
                );
            }
        }
        if options.kernel_acks && !matches!(spec.receiver.ack, AckPolicyKind::Linux { .. }) {
            notes.push("the kernel's receiver acknowledges by itself, with Linux's default buffer".to_owned());
        }
    }
    notes
}

/// The links each direction crosses, and each flow's side. A link carries packets of one side only: data of the flows that
/// it sends, and ACKs of those that it receives.
fn courses(scenario: &Scenario) -> Result<([Course; 2], Vec<usize>), Refusal> {
    let (mut courses, mut sides) = ([Course::default(), Course::default()], Vec::new());
    for (index, spec) in scenario.flows.iter().enumerate() {
        let found =
            [(spec.from, spec.to), (spec.to, spec.from)].map(|(from, to)| acklab_sim::route(scenario, from, to));
        let [Some(there), Some(back)] = found else {
            return refuse(format!("flow[{index}]"), "its nodes are not connected");
        };
        // The first link that the other side uses, if this flow's sender is on `side`.
        let taken = |side: usize| {
            let other = |links: &[u32], side: usize| {
                links.iter().map(|&link| link as usize).find(|link| courses[1 - side].links.contains(link))
            };
            other(&there, side).or(other(&back, 1 - side))
        };
        let side = match (taken(0), taken(1)) {
            (None, _) => 0,
            (_, None) => 1,
            (Some(link), Some(_)) => {
                let why = "would carry packets of both sides of the run, which are two kernels; let flows that share \
                           links go from one end to the other, or back";
                return refuse(format!("link {}", link_name(scenario, link)), why);
            }
        };
        for (direction, links) in [(side, there), (1 - side, back)] {
            let course = &mut courses[direction];
            let mut route = Vec::with_capacity(links.len());
            for link in links {
                let link = link as usize;
                let place = course.links.iter().position(|&known| known == link);
                route.push(place.unwrap_or_else(|| {
                    course.links.push(link);
                    course.links.len() - 1
                }));
            }
            course.routes.extend((0..spec.count).map(|_| route.clone()));
        }
        sides.extend((0..spec.count).map(|_| side));
    }
    let [there, back] = &courses;
    for &link in there.links.iter().chain(&back.links) {
        if let Some(why) = scenario.links[link].stages.iter().find_map(|stage| stage.only_simulated()) {
            return refuse(format!("link {}", link_name(scenario, link)), why);
        }
    }
    Ok((courses, sides))
}

fn link_name(scenario: &Scenario, link: usize) -> String {
    let spec = &scenario.links[link];
    [spec.from, spec.to].map(|node| scenario.nodes[node as usize].as_str()).join("->")
}
