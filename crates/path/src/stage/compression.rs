//! Header compression in the manner of RFC 1144: pure ACKs take a few bytes on one link's wire.
//!
//! Both ends keep a context for each connection, and a compressed ACK says only by how much its number grew. Other ACKs
//! go with their whole header, which also sets both contexts. These are the first ACK of a connection, ACKs whose
//! number grew by more than 65,535, and ACKs with options or congestion flags, which the RFC does not know. A duplicate
//! goes whole, too: its number did not grow, and RFC 1144 section 3.2.3 takes such a packet for a retransmission.
//! Segments are left alone: of 1500 bytes little is saved.
//!
//! A packet lost on the wire leaves the far end's context behind. Each further compressed ACK is then rebuilt wrong,
//! fails TCP's checksum and is as good as lost (RFC 1144 section 4.1), until a whole header comes. One comes by itself
//! after a duplicate. With `repair`, the far end asks for one at the first ACK that it could not read (RFC 2507 section
//! 10.2). That header comes one round trip of the link later.

use acklab_packet::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{StageParams, StageSpec};
use crate::Carried;
use crate::values::{Checked, bytes, is_default, must, number, quoted, within};

/// Pure ACKs take a few bytes on this link's wire (RFC 1144).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompressionParams {
    /// What a compressed pure ACK takes on the wire: 3 to 5 bytes with RFC 1144.
    #[serde(default = "bytes::<5>")]
    pub size: Bytes,
    /// Connections whose headers both ends remember, the latest used; any other begins with a whole header.
    #[serde(default = "number::<u32, 16>")]
    #[schemars(range(min = 1, max = 256))]
    pub slots: u32,
    /// What mends a context after a loss on the wire.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repair: Repair,
}

/// What mends a context after a loss on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// The next ACK that goes with its whole header anyway (RFC 1144).
    #[default]
    None,
    /// The far end asks for a whole header at the first ACK it cannot read (as in RFC 2507).
    Request,
}

impl StageParams for CompressionParams {
    fn check(&mut self) -> Checked {
        let size = (1..=40).contains(&self.size.get());
        must(size, "size", "must be from 1B to 40B, the whole header", quoted(self.size))?;
        within(1, 256, "slots", self.slots)
    }

    fn at_far_end(&self) -> bool {
        false
    }

    fn only_simulated(&self) -> Option<&'static str> {
        Some("compresses headers, which packets of kernels and programs keep")
    }
}

/// IPv4 and TCP headers without options, in bytes: an ACK longer than this carries options.
const BARE: u32 = 40;

/// How a packet crosses the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Bytes on the wire.
    pub bytes: u32,
    /// Whether the far end can rebuild it, should it arrive.
    pub readable: bool,
}

/// What both ends know of a connection: the number of the last ACK that went in, and of the last rebuilt.
#[derive(Clone, Debug)]
struct Context {
    connection: u64,
    sent: u64,
    held: Option<u64>,
    /// When the far end's request for a whole header arrives.
    asked: Time,
    /// `held` and `asked` before the last ACK, should that not arrive.
    before: (Option<u64>, Time),
}

/// Both ends of a wire that carries compressed ACKs.
#[derive(Clone, Debug)]
pub struct Compression {
    size: u32,
    slots: usize,
    /// From an unreadable ACK to the request it causes.
    round_trip: Option<Time>,
    /// Latest used first.
    contexts: Vec<Context>,
    /// Whether the last packet is in the first of them.
    compressible: bool,
}

impl Compression {
    /// No contexts. `round_trip` is that of the link.
    pub fn new(params: &CompressionParams, round_trip: Time) -> Compression {
        Compression {
            size: params.size.get() as u32,
            slots: params.slots as usize,
            round_trip: (params.repair == Repair::Request).then_some(round_trip),
            contexts: Vec::new(),
            compressible: false,
        }
    }

    /// That of the first stage among `stages` that compresses, if one does.
    pub(crate) fn of(stages: &[StageSpec], round_trip: Time) -> Option<Compression> {
        stages.iter().find_map(|stage| match stage {
            StageSpec::HeaderCompression(params) => Some(Compression::new(params, round_trip)),
            _ => None,
        })
    }

    /// A packet is put on the wire.
    pub fn cross(&mut self, packet: &impl Carried, now: Time) -> Crossing {
        let bytes = packet.wire_bytes();
        let plain = packet.plain_ack().filter(|_| bytes <= BARE && packet.congestion() == 0);
        let plain = plain.filter(|_| packet.sack_blocks().next().is_none() && !packet.unknown_options());
        self.compressible = plain.is_some();
        let Some(number) = plain else { return Crossing { bytes, readable: true } };
        let connection = packet.connection();
        let known = match self.contexts.iter().position(|context| context.connection == connection) {
            Some(place) => {
                self.contexts[..=place].rotate_right(1);
                true
            }
            None => {
                self.contexts.truncate(self.slots - 1);
                let new =
                    Context { connection, sent: number, held: None, asked: Time::NEVER, before: (None, Time::NEVER) };
                self.contexts.insert(0, new);
                false
            }
        };
        let context = &mut self.contexts[0];
        let grown = number.checked_sub(context.sent).filter(|grown| (1..=0xffff).contains(grown));
        let in_step = context.held == Some(context.sent);
        context.sent = number;
        context.before = (context.held, context.asked);
        if !known || grown.is_none() || now >= context.asked {
            (context.held, context.asked) = (Some(number), Time::NEVER);
            return Crossing { bytes, readable: true };
        }
        if in_step {
            context.held = Some(number);
        } else if let Some(round_trip) = self.round_trip
            && context.asked == Time::NEVER
        {
            context.asked = now + round_trip;
        }
        Crossing { bytes: self.size.min(bytes), readable: in_step }
    }

    /// The last packet was lost on the wire: the far end has not seen it, and nothing that it would have asked is asked.
    pub fn lose(&mut self) {
        if self.compressible
            && let Some(context) = self.contexts.first_mut()
        {
            (context.held, context.asked) = context.before;
        }
    }
}
