//! `[topology]`: common networks in a few words. Each expands to the links it stands for; flows then name the nodes.
//!
//! # `kind = "dumbbell"`
//! ```text
//!   S0 --+                      +-- R0
//!   S1 --+-- G1 ========== G2 --+-- R1        pairs = n, 1 if left out
//!   ..   |      bottleneck      |   ..
//!  Sn-1 -+                      +-- Rn-1
//!     access               access_right (as access if left out)
//! ```
//! # `kind = "parking-lot"`
//! ```text
//!   S -- G0 ===== G1 ===== G2 ... ===== Gn -- R         hops = n: the long path S to R crosses them all,
//!        |  hop  |  |     |             |               the cross pair Xk to Yk only hop k, from Gk to Gk+1
//!       X0      Y0  X1    Y1            Yn-1            access: all links drawn with a single line
//! ```
//! # `kind = "asymmetric"`
//! ```text
//!        server         down ->
//!   S ----------- A ============= C           a client C behind an access link of two unequal directions,
//!                       <- up                 a server S beyond it
//! ```
//! Forward is left to right, and for a cross pair's links as its data goes; `back` says otherwise for the return direction.

use acklab_packet::Time;
use acklab_path::spec::{LossSpec, QueueSpec, RateSpec};
use acklab_path::stage::StageSpec;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::error::Problem;
use super::link::{BackTable, LinkTable, once};

/// A network in a few words.
#[derive(Clone, Debug, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Topology {
    /// Senders S0, S1, ... and receivers R0, R1, ... on the two sides of one bottleneck, G1 to G2.
    Dumbbell {
        /// Senders, and receivers.
        #[serde(default = "one")]
        #[schemars(range(min = 1, max = 10_000))]
        pairs: u32,
        /// The link G1 to G2.
        bottleneck: Pipe,
        /// The links Sk to G1, and G2 to Rk.
        access: Pipe,
        /// The links G2 to Rk, where they differ.
        access_right: Option<Box<Pipe>>,
    },
    /// A chain of routers G0, G1, ... crossed as a whole from S to R, and hop by hop from Xk to Yk.
    ParkingLot {
        /// Links of the chain.
        #[schemars(range(min = 1, max = 10_000))]
        hops: u32,
        /// The links Gk to Gk+1.
        hop: Pipe,
        /// The links of the hosts.
        access: Pipe,
    },
    /// A server S, an access router A, and a client C whose access link is faster down than up.
    Asymmetric {
        /// The direction A to C.
        down: Direction,
        /// The direction C to A; delay and queue are those of `down` where left out.
        up: BackTable,
        /// The link S to A.
        server: Pipe,
    },
}

fn one() -> u32 {
    1
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Dumbbell,
    ParkingLot,
    Asymmetric,
}

/// The keys of all kinds. They are read one by one, and not as serde reads a tagged enum. So the readers of the
/// tables within stay strict: those of an enum within an enum take numbers for names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    kind: Kind,
    pairs: Option<u32>,
    bottleneck: Option<Pipe>,
    access: Option<Pipe>,
    access_right: Option<Box<Pipe>>,
    hops: Option<u32>,
    hop: Option<Pipe>,
    down: Option<Direction>,
    up: Option<BackTable>,
    server: Option<Pipe>,
}

impl<'de> Deserialize<'de> for Topology {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Topology, D::Error> {
        let Keys { kind, pairs, bottleneck, access, access_right, hops, hop, down, up, server } =
            Keys::deserialize(input)?;
        let dumbbell = pairs.is_some() || bottleneck.is_some() || access_right.is_some();
        let parking_lot = hops.is_some() || hop.is_some();
        let asymmetric = down.is_some() || up.is_some() || server.is_some();
        match (kind, bottleneck, access, hops, hop, down, up, server) {
            (Kind::Dumbbell, Some(bottleneck), Some(access), ..) if !parking_lot && !asymmetric => {
                Ok(Topology::Dumbbell { pairs: pairs.unwrap_or_else(one), bottleneck, access, access_right })
            }
            (Kind::ParkingLot, _, Some(access), Some(hops), Some(hop), ..) if !dumbbell && !asymmetric => {
                Ok(Topology::ParkingLot { hops, hop, access })
            }
            (Kind::Asymmetric, _, None, .., Some(down), Some(up), Some(server)) if !dumbbell && !parking_lot => {
                Ok(Topology::Asymmetric { down, up, server })
            }
            _ => Err(D::Error::custom("a key is missing, or of another kind")),
        }
    }
}

/// A link without its ends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pipe {
    /// Serialisation rate.
    rate: RateSpec,
    /// Propagation delay.
    delay: Time,
    /// Queue before the transmitter; drop-tail with 1000 packets where left out.
    queue: Option<QueueSpec>,
    /// Losses of the forward direction.
    loss: Option<LossSpec>,
    /// How often a packet passes it before it moves on (see a link's own key).
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 16))]
    crossings: u16,
    /// What stands at the forward direction's far end, in the order in which packets pass it, and header compression over its wire.
    #[serde(default)]
    stages: Vec<StageSpec>,
    /// In what the return direction differs.
    back: Option<BackTable>,
}

/// One direction of a link.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Direction {
    /// Serialisation rate.
    rate: RateSpec,
    /// Propagation delay.
    delay: Time,
    /// Queue before the transmitter; drop-tail with 1000 packets where left out.
    queue: Option<QueueSpec>,
    /// Losses of this direction.
    loss: Option<LossSpec>,
    /// What stands at its far end, in the order in which packets pass it, and header compression over its wire.
    #[serde(default)]
    stages: Vec<StageSpec>,
}

/// A link, and the key it comes from.
pub(super) type Expanded = (&'static str, LinkTable);

/// Most pairs or hops: a packet counts its hops in 16 bits, and routes are kept per node.
const MOST: u32 = 10_000;

impl Topology {
    /// The links it stands for.
    pub fn expand(self) -> Result<Vec<Expanded>, Problem> {
        match self {
            Topology::Dumbbell { pairs, bottleneck, access, access_right } => {
                within("pairs", pairs)?;
                let (right_key, right) = match &access_right {
                    Some(right) => ("topology.access_right", &**right),
                    None => ("topology.access", &access),
                };
                let mut links = Vec::with_capacity(2 * pairs as usize + 1);
                links.extend((0..pairs).map(|k| ("topology.access", access.link(format!("S{k}"), "G1"))));
                links.push(("topology.bottleneck", bottleneck.link("G1", "G2")));
                links.extend((0..pairs).map(|k| (right_key, right.link("G2", format!("R{k}")))));
                Ok(links)
            }
            Topology::ParkingLot { hops, hop, access } => {
                within("hops", hops)?;
                let router = |k: u32| format!("G{k}");
                let mut links = Vec::with_capacity(3 * hops as usize + 2);
                links.push(("topology.access", access.link("S", router(0))));
                links.extend((0..hops).map(|k| ("topology.hop", hop.link(router(k), router(k + 1)))));
                links.push(("topology.access", access.link(router(hops), "R")));
                for k in 0..hops {
                    links.push(("topology.access", access.link(format!("X{k}"), router(k))));
                    links.push(("topology.access", access.link(router(k + 1), format!("Y{k}"))));
                }
                Ok(links)
            }
            Topology::Asymmetric { down, up, server } => {
                if up.rate.is_none() {
                    return Err(Problem::at(
                        "topology.up.rate",
                        "missing; write the rate up, such as rate = \"128kbps\"",
                    ));
                }
                let Direction { rate, delay, queue, loss, stages } = down;
                let last_mile = Pipe { rate, delay, queue, loss, crossings: once(), stages, back: Some(up) };
                Ok(vec![("topology.server", server.link("S", "A")), ("topology.down", last_mile.link("A", "C"))])
            }
        }
    }
}

impl Pipe {
    fn link(&self, from: impl Into<String>, to: impl Into<String>) -> LinkTable {
        let Pipe { rate, delay, queue, loss, crossings, stages, back } = self.clone();
        LinkTable { between: [from.into(), to.into()], rate, delay, queue, loss, crossings, stages, back }
    }
}

fn within(key: &str, number: u32) -> Result<(), Problem> {
    if (1..=MOST).contains(&number) {
        return Ok(());
    }
    Err(Problem::at(format_args!("topology.{key}"), format!("must be from 1 to {MOST}")).given(number))
}

#[cfg(test)]
mod tests {
    use crate::parse_toml;

    /// The links of a scenario with this topology, as "A-B", and whether a flow from `from` to `to` is possible.
    fn links(topology: &str, from: &str, to: &str) -> String {
        let text =
            format!("stop = {{ at = '1s' }}\ntopology = {{ {topology} }}\n[[flow]]\nfrom = '{from}'\nto = '{to}'");
        let scenario = parse_toml(&text, "t").unwrap();
        let name = |node: u32| scenario.nodes[node as usize].as_str();
        let forward = scenario.links.iter().step_by(2);
        forward.map(|link| format!("{}-{}", name(link.from), name(link.to))).collect::<Vec<_>>().join(" ")
    }

    const PIPE: &str = "{ rate = '10Mbps', delay = '1ms' }";

    #[test]
    fn a_dumbbell_has_a_bottleneck_between_its_pairs() {
        let topology = format!("kind = 'dumbbell', pairs = 2, bottleneck = {PIPE}, access = {PIPE}");
        assert_eq!(links(&topology, "S0", "R1"), "S0-G1 S1-G1 G1-G2 G2-R0 G2-R1");
    }

    #[test]
    fn a_parking_lot_has_a_long_path_and_a_cross_pair_each_hop() {
        let topology = format!("kind = 'parking-lot', hops = 2, hop = {PIPE}, access = {PIPE}");
        assert_eq!(links(&topology, "X1", "Y1"), "S-G0 G0-G1 G1-G2 G2-R X0-G0 G1-Y0 X1-G1 G2-Y1");
    }

    #[test]
    fn an_asymmetric_access_takes_from_down_what_up_leaves_out() {
        let topology = format!(
            "kind = 'asymmetric', down = {{ rate = '8Mbps', delay = '5ms', queue = {{ kind = 'drop-tail', packets = 9 }} }}, \
             up = {{ rate = '128kbps' }}, server = {PIPE}"
        );
        assert_eq!(links(&topology, "S", "C"), "S-A A-C");
        let text = format!("stop.at = '1s'\ntopology = {{ {topology} }}\n[[flow]]\nfrom = 'C'\nto = 'S'");
        let scenario = parse_toml(&text, "t").unwrap();
        let (down, up) = (&scenario.links[2], &scenario.links[3]);
        assert_eq!((down.rate.bps(), up.rate.bps()), (8e6, 128e3));
        assert_eq!((up.delay, &up.queue), (down.delay, &down.queue));
    }
}
