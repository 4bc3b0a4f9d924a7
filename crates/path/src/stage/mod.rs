//! Stages: boxes on a link direction that hold, make or rewrite packets.
//!
//! A stage takes a packet or a wake-up and lets any number of packets go, and says when it wants to be woken. It owns no
//! clock. Stages stand at a direction's far end in the order of the scenario, each fed by the one before it. The exception
//! is [`compression`], whose two ends enclose the wire.
//!
//! To add one: a file here with its rule, a variant of [`StageSpec`], and a line in `stages!` below.

pub mod compression;
mod reconstruction;
mod spack;
mod split;

pub use compression::{Compression, CompressionParams};
pub use reconstruction::{Reconstruction, ReconstructionParams};
pub use spack::{Spack, SpackParams};
pub use split::{Rbscp, RbscpParams};

use std::mem::swap;
use std::ops::Range;

use acklab_packet::{Body, Packet, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Carried;

/// A packet whose ACKs a stage can issue anew.
pub trait Reissue: Carried + Clone {
    /// The same plain ACK with another cumulative number, at most its own, and without SACK blocks.
    fn reissued(&self, number: u64) -> Self;
    /// The sequence units of a segment, numbered like [`Carried::plain_ack`]; `None` for anything else.
    fn units(&self) -> Option<Range<u64>>;
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

    fn units(&self) -> Option<Range<u64>> {
        match &self.body {
            Body::Data(segment) => Some(segment.seq..segment.end()),
            _ => None,
        }
    }
}

/// A packet on its way through stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Passing<P> {
    /// The packet.
    pub packet: P,
    /// Whether a stage made it.
    pub made: bool,
}

/// One box. Every packet that comes in goes out once, at once or later; what a stage adds it marks as made.
pub trait Stage<P> {
    /// A packet arrives; what leaves now goes to `out`, in order.
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>);
    /// A packet enters the other direction of the link.
    fn overhear(&mut self, _packet: &P, _now: Time) {}
    /// The time that [`Stage::next`] named has come.
    fn wake(&mut self, _now: Time, _out: &mut Vec<Passing<P>>) {}
    /// When it wants to be woken.
    fn next(&self) -> Option<Time> {
        None
    }
}

/// A stage, as written in the list `stages`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum StageSpec {
    /// Pure ACKs take a few bytes on this link's wire (RFC 1144).
    HeaderCompression(CompressionParams),
    /// An ACK for many segments becomes ACKs for few, spaced in time (RFC 3449 section 5.3.2).
    AckReconstruction(ReconstructionParams),
    /// Each ACK that acknowledges something new is split (ledger divack.m.rbscp).
    Rbscp(RbscpParams),
    /// A base station splits the ACK of what a timeout has retransmitted (ledger divack.m.spack).
    Spack(SpackParams),
}

impl StageSpec {
    /// Whether it has to hear what enters the other direction of the link.
    pub fn listens(&self) -> bool {
        matches!(self, StageSpec::Spack(_))
    }
}

/// One of the stages at a far end, chosen by the scenario.
macro_rules! stages {
    ($($name:ident = $spec:ident),* $(,)?) => {
        /// One stage at a direction's far end.
        #[derive(Clone, Debug)]
        pub enum AnyStage<P> {
            $(#[allow(missing_docs)] $name($name<P>),)*
        }

        impl<P: Reissue> AnyStage<P> {
            /// The stage that `spec` describes; `None` if it is none of the far end.
            pub fn new(spec: &StageSpec) -> Option<AnyStage<P>> {
                match spec {
                    StageSpec::HeaderCompression(_) => None,
                    $(StageSpec::$spec(params) => Some(AnyStage::$name($name::new(params)))),*
                }
            }
        }

        impl<P: Reissue> Stage<P> for AnyStage<P> {
            fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
                match self { $(AnyStage::$name(stage) => stage.arrive(passing, now, out)),* }
            }
            fn overhear(&mut self, packet: &P, now: Time) {
                match self { $(AnyStage::$name(stage) => stage.overhear(packet, now)),* }
            }
            fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
                match self { $(AnyStage::$name(stage) => stage.wake(now, out)),* }
            }
            fn next(&self) -> Option<Time> {
                match self { $(AnyStage::$name(stage) => stage.next()),* }
            }
        }
    };
}

stages!(Reconstruction = AckReconstruction, Rbscp = Rbscp, Spack = Spack);

/// The stages at a direction's far end, each fed by the one before it.
#[derive(Clone, Debug)]
pub struct Chain<P> {
    stages: Vec<AnyStage<P>>,
    /// What goes from stage to stage; empty between calls.
    into: Vec<Passing<P>>,
    from: Vec<Passing<P>>,
}

impl<P: Reissue> Chain<P> {
    /// The stages of the far end among `specs`; `None` if there are none.
    pub fn new(specs: &[StageSpec]) -> Option<Chain<P>> {
        let stages: Vec<_> = specs.iter().filter_map(AnyStage::new).collect();
        (!stages.is_empty()).then_some(Chain { stages, into: Vec::new(), from: Vec::new() })
    }

    /// A packet arrives; what leaves the last stage now goes to `out`.
    pub fn arrive(&mut self, packet: P, now: Time, out: &mut Vec<Passing<P>>) {
        self.into.push(Passing { packet, made: false });
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
        self.stages.iter().filter_map(Stage::next).min()
    }

    fn pass(&mut self, first: usize, now: Time, out: &mut Vec<Passing<P>>) {
        for stage in &mut self.stages[first..] {
            swap(&mut self.into, &mut self.from);
            for passing in self.from.drain(..) {
                stage.arrive(passing, now, &mut self.into);
            }
        }
        out.append(&mut self.into);
    }
}
