//! A run in virtual time.

mod branch;
mod build;
mod expect;
mod follow;
mod outside;
mod results;
mod watch;

pub use branch::NotABranch;
pub use outside::Opened;

use std::mem::take;
use std::sync::Arc;

use acklab_packet::{Body, Packet, Phase, Time};
use acklab_tcp::rules::PhaseSource;

use crate::error::CannotGoOn;
use crate::event::{Due, Event};
use crate::flow::Flow;
use crate::merged::{Arrived, Merged};
use crate::network::{AcksRemoved, Network};
use crate::outcome::{FlowRow, Outcome};
use crate::summary;
use acklab_scenario::spec::{Scenario, Stop};
use watch::Watch;

/// A simulation: a scenario, and how far it has come.
///
/// It can be cloned at any instant; the clone goes on to the same bytes. The same scenario gives the same outcome on
/// every machine.
///
/// ```
/// # let text = r#"
/// #   link = [{ between = ["S", "R"], rate = "1Mbps", delay = "10ms" }]
/// #   flow = [{ from = "S", to = "R", size = { segments = 100 } }]
/// # "#;
/// let scenario = acklab_scenario::parse_toml(text, "example.toml")?;
/// let mut warm = acklab_sim::Simulation::new(scenario.into());
/// warm.run_until(acklab_packet::Time::from_secs(0.5))?;
/// let mut branch = warm.clone();
/// assert_eq!(warm.run(), branch.run());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) net: Network,
    pub(crate) flows: Vec<Flow>,
    /// Streams of outside nodes; their packets' flows are numbered on from those.
    streams: Vec<outside::Stream>,
    /// Rows of finished repetitions, each with its place in the outcome.
    earlier: Vec<(u32, FlowRow)>,
    /// Flows with an end that have not reached it.
    unfinished: usize,
    /// Which flows follow which; none where no flow does.
    trees: Option<Box<follow::Trees>>,
    /// Rows given out so far: one a flow, one a repetition.
    transfers: u32,
    /// The flag of [`PhaseSource::Shared`], where a receiver reads it.
    shared_phase: Option<Phase>,
    ended: bool,
    /// Whether hops over plain links are decided ahead.
    ahead: bool,
    /// For each expectation of the scenario what was found at its time, once that has come.
    looked: Vec<Option<Option<expect::Found>>>,
    /// Packets of an aggregate on their way to their flows; empty between events.
    arrived: Vec<Arrived>,
    pub(crate) watch: Watch,
}

impl Simulation {
    /// A simulation at time 0. The scenario must be consistent, as [`acklab_scenario`] leaves it.
    ///
    /// # Panics
    /// If a flow's nodes are not connected, an index points nowhere, or [`Simulation::try_new`] fails.
    pub fn new(scenario: Arc<Scenario>) -> Simulation {
        Simulation::try_new(scenario).unwrap_or_else(|why| panic!("{why}"))
    }

    /// The same.
    ///
    /// # Errors
    /// The scenario has programs, its routes are too long in all, a flow lacks an algorithm that the program was to
    /// supply, or the recovery does not fit it.
    pub fn try_new(scenario: Arc<Scenario>) -> Result<Simulation, CannotGoOn> {
        if !scenario.programs.is_empty() {
            let what = "the scenario has programs, which run on kernels: `acklab run --virtual --allow-programs`";
            return Err(CannotGoOn::new(what.to_owned()));
        }
        for spec in &scenario.flows {
            if let Some(key) = spec.unsupplied() {
                let what = format!("flow `{}`: {key} names an algorithm that the program has not supplied", spec.name);
                return Err(CannotGoOn::new(what));
            }
            if let Some((key, what)) = spec.misfit() {
                return Err(CannotGoOn::new(format!("flow `{}`: sender.{key}: {what}", spec.name)));
            }
        }
        // A program's own algorithm may have effects outside the run, so the run must not begin again.
        let own = scenario.flows.iter().any(|spec| spec.custom.control.is_some() || spec.custom.policy.is_some());
        // What is read on the way must not lie ahead.
        let read = scenario.expect.iter().any(|expect| expect.at.is_some());
        Simulation::deciding(scenario, !own && !read)
    }

    /// The present time.
    pub fn now(&self) -> Time {
        self.net.now()
    }

    /// Whether the run has reached its end.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Whether it decides hops over plain links ahead, as the order of its events has allowed so far. A run that is stopped on
    /// its way ([`Simulation::run_until`]) decides event by event from its beginning; the outcome is the same.
    pub fn decides_ahead(&self) -> bool {
        self.ahead
    }

    /// The scenario it runs.
    pub fn scenario(&self) -> &Arc<Scenario> {
        &self.scenario
    }

    /// Runs to the scenario's end and gives away what was recorded.
    ///
    /// # Panics
    /// If the run cannot go on; [`Simulation::run_some`] says why instead.
    pub fn run(&mut self) -> Outcome {
        self.run_some(usize::MAX).unwrap_or_else(|why| panic!("{why}"));
        self.give()
    }

    /// Handles everything due before `until`, or to the scenario's end if that comes first. A run that begins with it decides
    /// event by event, so that nothing it has counted or put on a wire lies behind `until`.
    ///
    /// # Errors
    /// The run cannot go on.
    pub fn run_until(&mut self, until: Time) -> Result<(), CannotGoOn> {
        self.approach(until, usize::MAX).map(|_| ())
    }

    /// Handles at most `events` events of those; whether none is left.
    ///
    /// # Errors
    /// The run cannot go on.
    pub fn approach(&mut self, until: Time, events: usize) -> Result<bool, CannotGoOn> {
        if self.ahead && self.net.current == Due::START {
            self.decide_event_by_event();
        }
        for _ in 0..events {
            if self.ended || self.net.peek().is_none_or(|due| due.time() >= until) {
                return Ok(true);
            }
            self.run_some(1)?;
        }
        Ok(false)
    }

    /// Handles at most `events` events; whether the run has reached its end.
    ///
    /// # Errors
    /// The run cannot go on: its clock stands still, or it holds too much.
    pub fn run_some(&mut self, mut events: usize) -> Result<bool, CannotGoOn> {
        while events > 0 && !self.ended {
            let some = events.min(self.watch.next_look);
            self.handle(some);
            events -= some;
            self.watch.next_look -= some.min(self.watch.next_look);
            if self.watch.next_look == 0 {
                self.look()?;
            }
        }
        Ok(self.ended)
    }

    /// Handles so many events, or those up to the end. The one loop over events, so that what handles the frequent ones is
    /// compiled into it.
    #[inline(never)]
    pub(crate) fn handle(&mut self, events: usize) {
        for _ in 0..events {
            let Some(lane) = self.net.next_lane() else {
                // Once the run has ended no lane is left.
                self.on_rare();
                if self.ended {
                    break;
                }
                continue;
            };
            self.net.enter(lane);
            if self.net.current.is_delivery() {
                let packet = self.net.on_deliver(lane);
                if !self.net.forward(&packet) {
                    self.arrive(&packet);
                }
            } else {
                self.net.on_free();
            }
        }
    }

    /// Decides event by event from here on, so that recorded rows may be given away before the end. What was decided
    /// ahead may turn out to be tied, and then the run begins again. It begins again here, too, if it has decided ahead
    /// so far.
    pub fn commit(&mut self) {
        if self.ahead && !self.ended {
            self.decide_event_by_event();
        }
    }

    /// Begins again, and decides nothing ahead.
    #[cold]
    fn decide_event_by_event(&mut self) {
        *self = Simulation::deciding(self.scenario.clone(), false).expect("it has been made before");
    }

    /// Handles an event that is in no lane.
    #[inline(never)]
    fn on_rare(&mut self) {
        let due = self.net.events.top();
        if due == Due::NEVER {
            if !self.ended {
                self.end();
            }
            return;
        }
        if self.net.tied() {
            return self.decide_event_by_event();
        }
        self.net.current = due;
        let net = &mut self.net;
        // A timer's entry leaves the events when the timer has been asked whether it is still meant.
        match due.event() {
            Event::Medium(id) => return self.on_arrivals(|net, arrived| net.on_medium(id, arrived)),
            Event::Stages(id) => return self.on_arrivals(|net, arrived| net.on_stages(id, arrived)),
            Event::SenderTimer(id) => return self.flows[id as usize].on_sender_timer(id, net),
            Event::Pacer(id) => return self.flows[id as usize].on_pacer(id, net),
            Event::ReceiverTimer(id) => return self.flows[id as usize].on_receiver_timer(id, net),
            _ => net.events.pop(),
        };
        match due.event() {
            Event::Start(id) => self.flows[id as usize].on_start(id, net),
            Event::Write(id) => self.flows[id as usize].on_write(id, net),
            Event::Look(id) => self.on_look(id),
            Event::Stop => self.end(),
            _ => {}
        }
    }

    /// The run ends here: nothing is pending any more.
    fn end(&mut self) {
        self.ended = true;
        self.net.settle();
        if self.net.tied() {
            return self.decide_event_by_event();
        }
        self.net.silence();
    }

    /// A packet has reached its destination.
    #[inline(always)]
    fn arrive(&mut self, packet: &Packet) {
        let id = packet.flow;
        let Some(flow) = self.flows.get_mut(id as usize) else { return self.net.leave(packet, None) };
        let complete = match &mut self.shared_phase {
            None => flow.on_packet(id, packet, &mut self.net),
            Some(phase) => on_packet_sharing(phase, flow, id, *packet, &mut self.net),
        };
        if complete {
            self.transfer_finished(id);
        }
    }

    /// A shared medium decides, or stages do; several packets may arrive at once.
    #[cold]
    fn on_arrivals(&mut self, act: impl FnOnce(&mut Network, &mut Vec<Arrived>)) {
        let mut arrived = take(&mut self.arrived);
        act(&mut self.net, &mut arrived);
        let mut run: Option<Merged> = None;
        for (packet, merged) in arrived.drain(..) {
            let takes_merged = || self.flows.get(packet.flow as usize).is_some_and(|flow| flow.receiver.takes_merged());
            if run.is_none() && !(merged && takes_merged()) {
                self.arrive_unless_ended(&packet);
                continue;
            }
            let whole = Merged::after(run.take(), packet);
            if merged {
                run = Some(whole);
                continue;
            }
            self.flows[packet.flow as usize].receiver.set_merged(whole.further, whole.piece);
            self.arrive_unless_ended(&whole.packet);
            self.flows[packet.flow as usize].receiver.set_merged(0, 0);
        }
        self.arrived = arrived;
    }

    fn arrive_unless_ended(&mut self, packet: &Packet) {
        if !self.ended {
            self.arrive(packet);
        }
    }

    /// A flow's present transfer is complete: others follow it, and it is repeated, or the flow is done.
    fn transfer_finished(&mut self, id: u32) {
        let complete = self.follow(id);
        let flow = &self.flows[id as usize];
        let spec = &self.scenario.flows[flow.spec as usize];
        if let Some(repeat) = spec.repeat
            && u32::from(flow.connection) + 1 < repeat.times
        {
            if let Some(first) = complete {
                let start = self.net.now() + self.flows[first as usize].pause(&repeat);
                self.reopen(first, start);
                self.net.schedule(start, Event::Start(first));
            }
            return;
        }
        self.unfinished -= 1;
        if self.unfinished == 0 && matches!(self.scenario.stop, Stop::FlowsComplete { .. }) {
            self.end();
        }
    }

    /// Keeps the row of a flow's present transfer, and opens a new connection for the next, due at `start`.
    fn reopen(&mut self, id: u32, start: Time) {
        let flow = &mut self.flows[id as usize];
        self.earlier.push((flow.transfer, summary::flow_row(&self.scenario, flow, id as usize, &self.net)));
        flow.reopen(&self.scenario.flows[flow.spec as usize], start);
        self.net.acks_removed[id as usize] = AcksRemoved { connection: flow.connection, ..AcksRemoved::default() };
        flow.transfer = self.transfers;
        self.net.recorder.next_transfer(id, self.transfers);
        self.transfers += 1;
    }
}

/// A packet reaches its destination where receivers read one flag for all senders. A segment shows the flag as it is
/// now, and an ACK that grows its sender's window sets it. This is the paper's one global variable, if the paper means
/// one (ledger allman1998.m.daass).
#[cold]
fn on_packet_sharing(phase: &mut Phase, flow: &mut Flow, id: u32, mut packet: Packet, net: &mut Network) -> bool {
    if let Body::Data(segment) = &mut packet.body {
        if flow.receiver.wants_phase(PhaseSource::Shared) {
            segment.phase = *phase;
        }
        return flow.on_packet(id, &packet, net);
    }
    let before = flow.sender.swap_growth(Phase::Unknown);
    let complete = flow.on_packet(id, &packet, net);
    match flow.sender.last_growth() {
        Phase::Unknown => _ = flow.sender.swap_growth(before),
        grown_in => *phase = grown_in,
    }
    complete
}
