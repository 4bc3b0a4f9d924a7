//! One sender and one receiver, joined by a hostile network in virtual time.
//!
//! Every packet has a delay of its own (so packets overtake each other), may be lost, and may arrive twice. All randomness
//! comes from one seed: the same [`Pair`] run twice does the same, and a failure names the seed. What the endpoints do
//! is judged after each event by [`Judge`], which keeps books of its own and believes no endpoint.

mod judge;
mod tape;

pub use judge::Judge;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use acklab_packet::{Ace, Ack, ByteCounts, Ecn, Phase, Probe, Segment, Time};
use acklab_tcp::receiver::Receiver;
use acklab_tcp::rules::{PhaseSource, ReceiverRules, SenderRules};
use acklab_tcp::sender::{Sender, Supply};
use tape::Tape;

/// SplitMix64: a few lines, no dependency, and the same on every machine.
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// How the network treats packets; each direction alike, but for the losses.
#[derive(Clone, Copy, Debug)]
pub struct Hostility {
    pub loss: f64,
    pub ack_loss: f64,
    /// A packet arrives twice, each copy after a delay of its own.
    pub duplication: f64,
    /// A data packet that may be marked is (RFC 3168).
    pub marks: f64,
    /// Least one-way delay, in seconds.
    pub delay: f64,
    /// Up to this much is added to it, packet by packet.
    pub jitter: f64,
    pub seed: u64,
}

/// A second writing: about so many segments, so long after the first transfer was done.
#[derive(Clone, Copy, Debug)]
pub struct Later {
    pub segments: u64,
    pub think: f64,
}

/// What a driver counts of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub sent: u64,
    pub lost: u64,
    pub duplicated: u64,
    pub delivered: u64,
    pub in_flight: u64,
}

/// Something on its way.
#[derive(Clone, Copy, Debug)]
enum Load {
    Data(Segment),
    Ack(Ack),
    Probe(Probe),
}

/// An arrival: time, order of sending, place in `loads`.
type Arrival = Reverse<(Time, u64)>;

/// What happened in one step.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code)] // what is only printed
pub enum Step {
    Start,
    Data(Segment),
    Ack(Ack),
    Probe(Probe),
    SenderTimer,
    Pacer,
    ReceiverTimer,
    /// The application writes this many units more.
    Write(u64),
}

/// The conversation, and how far it has come.
pub struct Pair {
    pub sender: Sender,
    pub receiver: Receiver,
    pub now: Time,
    pub data: Traffic,
    pub acks: Traffic,
    pub out: Tape<Segment>,
    pub back: Tape<Ack>,
    /// Everything that happened, when, and the sender's (`snd_una`, `snd_nxt`, `cwnd`) after it: printed on failure.
    pub log: Vec<(Time, Step, [u64; 3])>,
    network: Hostility,
    rng: Rng,
    /// The phase a driver shares ([`PhaseSource::Shared`]).
    flag: Phase,
    arrivals: BinaryHeap<Arrival>,
    loads: Vec<Load>,
}

impl Pair {
    pub fn new(sender: SenderRules, receiver: ReceiverRules, supply: Supply, network: Hostility) -> Pair {
        Pair {
            sender: Sender::new(Arc::new(sender), supply),
            receiver: Receiver::new(Arc::new(receiver)),
            now: Time::ZERO,
            data: Traffic::default(),
            acks: Traffic::default(),
            out: Tape::default(),
            back: Tape::default(),
            log: Vec::new(),
            network,
            rng: Rng(network.seed),
            flag: Phase::SlowStart,
            arrivals: BinaryHeap::new(),
            loads: Vec::new(),
        }
    }

    /// Runs until the sender is done with everything, judged step by step; no wait may be longer than `patience`.
    pub fn run(&mut self, later: Option<Later>, judge: &mut Judge, patience: Time) -> Result<(), String> {
        self.sender.start(self.now, &mut self.out);
        self.settle(Step::Start, judge)?;
        self.finish(judge, self.now + patience)?;
        if let Some(Later { segments, think }) = later {
            let mss = u64::from(self.sender.core().seq.mss);
            let units = segments * mss - mss / 3;
            let resume = self.now + Time::from_secs(think);
            while self.next_due().is_some_and(|due| due < resume) {
                let step = self.next_step();
                self.settle(step, judge)?;
            }
            self.now = resume;
            self.sender.write(units, resume, &mut self.out);
            self.settle(Step::Write(units), judge)?;
            self.finish(judge, self.now + patience)?;
        }
        // What is still on its way, and the ACKs it causes, must not wake the dead.
        while !self.arrivals.is_empty() {
            let step = self.next_step();
            self.settle(step, judge)?;
        }
        judge.at_end(self)
    }

    fn finish(&mut self, judge: &mut Judge, until: Time) -> Result<(), String> {
        while !self.sender.done() {
            if self.next_due().is_none() {
                return Err(format!("nothing is due at {} s, and the transfer is not done", self.now.secs()));
            }
            let step = self.next_step();
            if self.now > until {
                return Err(format!("not done after {} s", until.secs()));
            }
            self.settle(step, judge)?;
        }
        judge.at_end(self)
    }

    fn next_due(&self) -> Option<Time> {
        let arrival = self.arrivals.peek().map(|entry| entry.0.0);
        [arrival, self.out.timer, self.out.pacer, self.back.timer].into_iter().flatten().min()
    }

    /// Handles the earliest event, which must exist.
    fn next_step(&mut self) -> Step {
        let due = self.next_due().expect("asked for before");
        self.now = due;
        if self.arrivals.peek().is_some_and(|entry| entry.0.0 == due) {
            let Some(Reverse((_, index))) = self.arrivals.pop() else { unreachable!() };
            return match self.loads[index as usize] {
                Load::Data(mut segment) => {
                    if self.receiver.wants_phase(PhaseSource::Oracle) {
                        let slow = self.sender.core().in_slow_start();
                        segment.phase = if slow { Phase::SlowStart } else { Phase::CongestionAvoidance };
                    } else if self.receiver.wants_phase(PhaseSource::Growth) {
                        segment.phase = self.sender.last_growth();
                    } else if self.receiver.wants_phase(PhaseSource::Shared) {
                        let grown = self.sender.swap_growth(Phase::Unknown);
                        self.flag = if grown == Phase::Unknown { self.flag } else { grown };
                        segment.phase = self.flag;
                    }
                    self.data.in_flight -= 1;
                    self.data.delivered += 1;
                    self.receiver.on_segment(&segment, due, &mut self.back);
                    Step::Data(segment)
                }
                Load::Ack(ack) => {
                    self.acks.in_flight -= 1;
                    self.acks.delivered += 1;
                    self.sender.on_ack(&ack, due, &mut self.out);
                    Step::Ack(ack)
                }
                Load::Probe(probe) => {
                    if probe.reply {
                        self.receiver.on_reply(&probe, due, &mut self.back);
                    } else {
                        self.sender.on_probe(&probe, &mut self.out);
                    }
                    Step::Probe(probe)
                }
            };
        }
        if self.out.timer == Some(due) {
            self.out.timer = None;
            self.sender.on_timeout(due, &mut self.out);
            return Step::SenderTimer;
        }
        if self.out.pacer == Some(due) {
            self.out.pacer = None;
            self.sender.on_pacer(due, &mut self.out);
            return Step::Pacer;
        }
        self.back.timer = None;
        self.receiver.on_timer(due, &mut self.back);
        Step::ReceiverTimer
    }

    /// Lets the judge see what the step did, then hands what was sent to the network.
    fn settle(&mut self, step: Step, judge: &mut Judge) -> Result<(), String> {
        let core = self.sender.core();
        self.log.push((self.now, step, [core.seq.una, core.seq.nxt, core.cc.cwnd as u64]));
        judge.after(step, self)?;
        self.out.sizes.clear();
        for mut segment in std::mem::take(&mut self.out.sent) {
            if segment.ecn == Ecn::Ect && self.rng.uniform() < self.network.marks {
                segment.ecn = Ecn::Ce;
            }
            let copies = self.copies(self.network.loss, true);
            self.launch(copies, Load::Data(segment));
        }
        self.back.sizes.clear();
        for mut ack in std::mem::take(&mut self.back.sent) {
            self.falsify(&mut ack);
            let copies = self.copies(self.network.ack_loss, false);
            self.launch(copies, Load::Ack(ack));
        }
        // Counted as no traffic: the endpoints count none either.
        for (probes, loss) in [
            (std::mem::take(&mut self.out.probes), self.network.loss),
            (std::mem::take(&mut self.back.probes), self.network.ack_loss),
        ] {
            for probe in probes {
                if self.rng.uniform() >= loss {
                    self.launch(1, Load::Probe(probe));
                }
            }
        }
        judge.books(self)
    }

    /// Changes the counts of marks that some ACKs have, where the network marks at all.
    fn falsify(&mut self, ack: &mut Ack) {
        if self.network.marks == 0.0 || ack.ace.number().is_none() || self.rng.uniform() > 0.2 {
            return;
        }
        let mut draw = |most: u32| (self.rng.uniform() * f64::from(most)) as u32;
        ack.ace = if draw(8) == 0 { Ace::default() } else { Ace::of(draw(8).into()) };
        if ack.sack.strip_counts() || draw(4) == 0 {
            ack.sack.set_counts(ByteCounts { ect1: draw(2) == 0, ect: draw(u32::MAX), ce: draw(u32::MAX) });
        }
    }

    /// How many copies of a packet the network carries: 0, 1 or 2.
    fn copies(&mut self, loss: f64, data: bool) -> u64 {
        let lost = self.rng.uniform() < loss;
        let twice = self.rng.uniform() < self.network.duplication;
        let traffic = if data { &mut self.data } else { &mut self.acks };
        traffic.sent += 1;
        traffic.lost += u64::from(lost);
        traffic.duplicated += u64::from(twice && !lost);
        let copies = if lost { 0 } else { 1 + u64::from(twice) };
        traffic.in_flight += copies;
        copies
    }

    fn launch(&mut self, copies: u64, load: Load) {
        for _ in 0..copies {
            let delay = self.network.delay + self.network.jitter * self.rng.uniform();
            self.arrivals.push(Reverse((self.now + Time::from_secs(delay), self.loads.len() as u64)));
            self.loads.push(load);
        }
    }

    /// The last `n` steps, for a failure's message.
    pub fn tail(&self, n: usize) -> String {
        let lines = self.log.iter().rev().take(n).rev();
        lines.map(|(at, step, state)| format!("  {:>12.6} {step:?} -> una, nxt, cwnd {state:?}\n", at.secs())).collect()
    }
}
