//! Stages: middleboxes on a link direction that hold, make, rewrite or remove packets.
//!
//! A stage takes a packet or a wake-up and lets any number of packets go, and says when it wants to be woken. It owns no
//! clock. Stages stand at a direction's far end in the order of the scenario, each fed by the one before it. The exception
//! is [`compression`], whose two ends enclose the wire.
//!
//! To add one: a file here with its parameters ([`StageParams`]) and its rule ([`Stage`]), its `mod`, and its line in `stages!`
//! below. A program's own needs neither ([`StageSpec::Custom`]).

mod bleach;
mod choice;
pub mod compression;
mod custom;
mod duplicate;
mod gro;
mod jitter;
mod mark;
mod pause;
mod reconstruction;
mod reorder;
mod respacing;
mod spack;
mod split;
mod thin;

pub use compression::{Compression, CompressionParams};
pub use custom::{Custom, Leaves, Middlebox};
pub use jitter::{DelayDistribution, DelayOrder};

use std::fmt::Debug;
use std::mem::swap;
use std::ops::Range;

use acklab_packet::{Ace, AckNotice, Body, ByteCounts, Ecn, Packet, Tail, Time};
use dyn_clone::DynClone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::values::{Checked, kinds};
use crate::{Carried, Own};

/// A packet whose ACKs a stage can reissue.
pub trait Reissue: Carried + Clone + Debug + Send + Sync + 'static {
    /// The same plain ACK with another cumulative number, at most its own, and without SACK blocks.
    fn reissued(&self, number: u64) -> Self;
    /// The same plain ACK, by which its sender times no round trip; unchanged where its type cannot say so.
    fn untimed(self) -> Self {
        self
    }
    /// The sequence units of a segment, numbered like [`Carried::plain_ack`]; `None` for anything else.
    fn units(&self) -> Option<Range<u64>>;
    /// Departure from the sender, as its timestamp says.
    fn stamped(&self) -> Time {
        Time::ZERO
    }
    /// Whether it is the last of what its sender wrote (PSH, FIN).
    fn ends_write(&self) -> bool {
        false
    }
    /// Removes its congestion signals; only of packets whose type has them (the simulator's).
    fn bleach(&mut self, _: &BleachParams) {}
}

impl Reissue for Packet {
    fn reissued(&self, number: u64) -> Packet {
        let mut packet = *self;
        if let Body::Ack(ack) = &mut packet.body {
            ack.ack = number;
            ack.sack = Default::default();
        }
        packet
    }

    fn untimed(mut self) -> Packet {
        if let Body::Ack(ack) = &mut self.body
            && ack.ace == Ace::default()
        {
            ack.ace = Ace::UNTIMED;
        }
        self
    }

    fn units(&self) -> Option<Range<u64>> {
        match &self.body {
            Body::Data(segment) => Some(segment.seq..segment.end()),
            _ => None,
        }
    }

    fn stamped(&self) -> Time {
        if let Body::Data(segment) = &self.body { segment.ts_val } else { Time::ZERO }
    }

    fn ends_write(&self) -> bool {
        matches!(&self.body, Body::Data(segment) if segment.tail == Tail::Last || segment.fin)
    }

    fn bleach(&mut self, params: &BleachParams) {
        // Cleared flags are a number, 0, where they were one.
        let cleared = |ace: Ace| if ace.number().is_none() { Ace::default() } else { Ace::of(0) };
        match &mut self.body {
            Body::Data(segment) => {
                segment.ecn = match segment.ecn {
                    _ if params.field => Ecn::NotEct,
                    Ecn::Ect if params.remark => Ecn::Ect1,
                    Ecn::Ect1 if params.remark => Ecn::Ect,
                    other => other,
                };
                if params.flags {
                    segment.ace = cleared(segment.ace);
                }
                if params.request && segment.notice != AckNotice::MARKED {
                    segment.notice = AckNotice::default();
                }
            }
            Body::Ack(ack) => {
                if params.field {
                    ack.ecn = Ecn::NotEct;
                }
                if params.flags {
                    (ack.ece, ack.ace) = (false, cleared(ack.ace));
                }
                ack.sack.able &= !params.request;
                if params.option && ack.sack.strip_counts() {
                    self.size = self.size.saturating_sub(ByteCounts::SIZE).max(1);
                }
            }
            Body::Probe(_) | Body::Datagram(_) => {}
        }
    }
}

/// A packet on its way through stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Passing<P> {
    /// The packet.
    pub packet: P,
    /// True if a stage created it.
    pub made: bool,
    /// True if the host has merged it with the packet that leaves next.
    pub merged: bool,
    /// True if a stage has removed it: it does not go on.
    pub removed: bool,
    /// How many came to the stages before it, if it came there itself.
    came: u64,
}

impl<P> Passing<P> {
    /// One that a stage has made.
    pub fn made(packet: P) -> Passing<P> {
        Passing { packet, made: true, merged: false, removed: false, came: 0 }
    }
}

/// One stage. Every packet that comes in goes out once, at once or later. The stage marks what it adds as made, and
/// what does not go on as removed.
pub trait Stage<P>: Debug + Send + Sync + DynClone {
    /// A packet arrives; what leaves now goes to `out`, in order.
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>);
    /// A packet arrives, which entered the wire at `sent`: what is due now, too, and was decided earlier goes before it.
    fn precede(&mut self, _sent: Time, _now: Time, _out: &mut Vec<Passing<P>>) {}
    /// A packet enters the other direction of the link.
    fn overhear(&mut self, _packet: &P, _now: Time) {}
    /// The time that [`Stage::next`] named has come.
    fn wake(&mut self, _now: Time, _out: &mut Vec<Passing<P>>) {}
    /// When it wants to be woken.
    fn next(&self) -> Option<Time> {
        None
    }
    /// How many packets it holds.
    fn held(&self) -> usize {
        0
    }
    /// How many copies of packets it has let go.
    fn duplicated(&self) -> u64 {
        0
    }
}

dyn_clone::clone_trait_object!(<P> Stage<P>);

/// A stage's parameters, as a scenario writes them.
pub trait StageParams {
    /// Says what is wrong with them, and completes them.
    fn check(&mut self) -> Checked {
        Ok(())
    }
    /// Returns how many packets the stage may make of one.
    fn copies(&self) -> f64 {
        1.0
    }
    /// Whether it stands at the direction's far end.
    fn at_far_end(&self) -> bool {
        true
    }
    /// Returns whether the stage is part of the host behind the link, and so the last one.
    fn is_last(&self) -> bool {
        false
    }
    /// Returns whether the stage reads the packets that enter the other direction of the link.
    fn listens(&self) -> bool {
        false
    }
    /// Why only simulated packets can pass it, if that is so.
    fn only_simulated(&self) -> Option<&'static str> {
        None
    }
}

/// Declares the stages: how a scenario writes them, in this order, and how each is made.
macro_rules! stages {
    ($($file:ident::$name:ident($params:ident))+) => {
        $(pub use $file::{$name, $params};)+

        kinds! {
            /// A stage, as written in the list `stages`.
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[schemars(extend("neutral" = { "by": "absent" }))]
            pub enum StageSpec as StageParams {
                HeaderCompression(CompressionParams),
                $($name($params),)+
            } or Own<dyn Middlebox>
        }

        impl StageSpec {
            /// Returns the name of its stream of random numbers: its file's.
            fn part(&self) -> &'static str {
                match self {
                    StageSpec::HeaderCompression(_) => "compression",
                    $(StageSpec::$name(_) => stringify!($file),)+
                    StageSpec::Custom(_) => "custom",
                }
            }

            /// Returns the stage, if it stands at the far end; `random` is its stream.
            fn stage<P: Reissue>(&self, random: impl FnOnce() -> Random) -> Option<Box<dyn Stage<P>>> {
                Some(match self {
                    StageSpec::HeaderCompression(_) => return None,
                    $(StageSpec::$name(params) => Box::new($name::new(params, random)),)+
                    StageSpec::Custom(own) => Box::new(Custom::new(own.clone())),
                })
            }
        }
    };
}

stages! {
    reconstruction::AckReconstruction(ReconstructionParams)
    respacing::AckRespacing(RespacingParams)
    split::Rbscp(RbscpParams)
    spack::Spack(SpackParams)
    reorder::Reorder(ReorderParams)
    jitter::Jitter(JitterParams)
    duplicate::Duplicate(DuplicateParams)
    pause::Pause(PauseParams)
    gro::Gro(GroParams)
    thin::Thin(ThinParams)
    mark::Mark(MarkParams)
    bleach::Bleach(BleachParams)
}

/// What the stages of a direction did to the packets that came to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Packets that left after one that had come later (RFC 4737 section 3.3).
    pub reordered: u64,
    /// Packets that left twice.
    pub duplicated: u64,
    /// ACKs that were removed.
    pub thinned: u64,
}

/// The stages at a direction's far end, each fed by the one before it.
#[derive(Clone, Debug)]
pub struct Chain<P> {
    stages: Vec<Box<dyn Stage<P>>>,
    /// What goes from stage to stage; empty between calls.
    into: Vec<Passing<P>>,
    from: Vec<Passing<P>>,
    came: u64,
    /// Of those that have left, the one that had come last.
    last: u64,
    reordered: u64,
    thinned: u64,
}

impl<P: Reissue> Chain<P> {
    /// The stages of the far end among `specs`; `None` if there are none. `random` gives their components streams: the first
    /// of a kind is called by its kind, the second `jitter2`, and so on.
    pub fn new(specs: &[StageSpec], random: impl Fn(&str) -> Random) -> Option<Chain<P>> {
        let name = |index: usize| {
            let part = specs[index].part();
            match specs[..=index].iter().filter(|spec| spec.part() == part).count() {
                1 => part.to_owned(),
                nth => format!("{part}{nth}"),
            }
        };
        let stage = |(index, spec): (usize, &StageSpec)| spec.stage(|| random(&name(index)));
        let stages: Vec<_> = specs.iter().enumerate().filter_map(stage).collect();
        let (into, from) = (Vec::new(), Vec::new());
        (!stages.is_empty()).then_some(Chain { stages, into, from, came: 0, last: 0, reordered: 0, thinned: 0 })
    }

    /// A packet is about to arrive that entered the wire at `sent`: what goes before it.
    pub fn precede(&mut self, sent: Time, now: Time, out: &mut Vec<Passing<P>>) {
        self.stages[0].precede(sent, now, &mut self.into);
        if !self.into.is_empty() {
            self.pass(1, now, out);
        }
    }

    /// A packet arrives; what leaves the last stage now goes to `out`, and what a stage removes.
    pub fn arrive(&mut self, packet: P, now: Time, out: &mut Vec<Passing<P>>) {
        self.came += 1;
        self.into.push(Passing { packet, made: false, merged: false, removed: false, came: self.came });
        self.pass(0, now, out);
    }

    /// A packet enters the other direction of the link.
    pub fn overhear(&mut self, packet: &P, now: Time) {
        self.stages.iter_mut().for_each(|stage| stage.overhear(packet, now));
    }

    /// Wakes the stages whose time has come.
    pub fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        for at in 0..self.stages.len() {
            if self.stages[at].next().is_some_and(|due| due <= now) {
                self.stages[at].wake(now, &mut self.into);
                self.pass(at + 1, now, out);
            }
        }
    }

    /// When one of them wants to be woken.
    pub fn next(&self) -> Option<Time> {
        self.stages.iter().filter_map(|stage| stage.next()).min()
    }

    /// How many packets they hold.
    pub fn held(&self) -> usize {
        self.stages.iter().map(|stage| stage.held()).sum()
    }

    /// What they have done so far.
    pub fn done(&self) -> Done {
        let duplicated = self.stages.iter().map(|stage| stage.duplicated()).sum();
        Done { reordered: self.reordered, duplicated, thinned: self.thinned }
    }

    fn pass(&mut self, first: usize, now: Time, out: &mut Vec<Passing<P>>) {
        for stage in &mut self.stages[first..] {
            swap(&mut self.into, &mut self.from);
            for mut passing in self.from.drain(..) {
                passing.merged = false;
                if passing.removed {
                    self.into.push(passing);
                } else {
                    stage.arrive(passing, now, &mut self.into);
                }
            }
        }
        self.thinned += self.into.iter().filter(|passing| passing.removed).count() as u64;
        for passing in self.into.iter().filter(|passing| !passing.made && !passing.removed) {
            self.reordered += u64::from(passing.came < self.last);
            self.last = self.last.max(passing.came);
        }
        out.append(&mut self.into);
    }
}
