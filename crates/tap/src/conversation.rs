//! How one flow's packets look on the wire: addresses, ports, numbers, what its SYN negotiates.

use acklab_packet::Seq;
use acklab_scenario::spec::FlowSpec;
use acklab_tcp::sender::{Sender, Supply};
use etherparse::{Ipv4Header, TcpHeader};

use crate::CaptureError;

/// Most payload bytes beside the longest headers.
pub const MAX_PAYLOAD: u16 = u16::MAX - Ipv4Header::MIN_LEN as u16 - TcpHeader::MAX_LEN as u16;
/// First of the sending ports, and how many there are. No protocol is registered for TCP ports 34981 to 44320.
const SENDER_PORTS: (u16, u64) = (35_000, 5_000);
/// First of the receiving ports, and how many there are.
const RECEIVER_PORTS: (u16, u64) = (40_000, 4_000);
/// The window a sender advertises: nothing comes back that could fill it.
pub const SENDER_WINDOW: u16 = 65_535;

/// A flow as its packets show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// The sender's address.
    pub sender: [u8; 4],
    /// The receiver's address.
    pub receiver: [u8; 4],
    /// Payload bytes of a sequence unit.
    pub unit: u32,
    /// Whether it opens with a SYN.
    pub syn: bool,
    /// Maximum segment size announced.
    pub mss: u16,
    /// Whether both sides send timestamps.
    pub timestamps: bool,
    /// Whether the sender's SYN permits SACK.
    pub sack_offered: bool,
    /// Whether the receiver's ACKs may carry SACK blocks.
    pub sack: bool,
    /// Whether both sides understand congestion marks.
    pub ecn: bool,
    /// Whether its SYN asks for accurate ECN (RFC 9768).
    pub accurate: bool,
    /// The receiver's window in bytes.
    window: u64,
    /// The receiver's window scale.
    pub scale: u8,
}

impl Conversation {
    /// How `flow` of `scenario` looks.
    ///
    /// # Errors
    /// [`CaptureError::TooLarge`] if its segments fit no IPv4 packet.
    pub fn new(flow: &FlowSpec) -> Result<Conversation, CaptureError> {
        let (sender, receiver) = (&flow.sender, &flow.receiver);
        if sender.packet > u32::from(MAX_PAYLOAD) {
            return Err(CaptureError::TooLarge { flow: flow.name.clone(), bytes: sender.packet, most: MAX_PAYLOAD });
        }
        let machine = Sender::new(sender.clone(), Supply::Unlimited);
        let unit = if sender.sequence.in_bytes() { 1 } else { sender.packet };
        let window = machine.core().seq.wnd.saturating_mul(u64::from(unit));
        let scale = if sender.syn { scale_for(window) } else { 0 };
        Ok(Conversation {
            sender: address(flow.from),
            receiver: address(flow.to),
            unit,
            syn: sender.syn,
            mss: sender.packet as u16,
            timestamps: sender.timestamps,
            sack_offered: sender.recovery.uses_sack() || receiver.sack,
            sack: receiver.sack,
            ecn: sender.ecn,
            accurate: sender.accurate_ecn,
            window,
            scale,
        })
    }

    /// The sequence number on the wire of unit `unit`, where `fin` is the unit of the FIN, if one was sent.
    pub fn number(&self, unit: Seq, fin: Option<Seq>) -> u32 {
        if self.syn && unit == 0 {
            return 0;
        }
        let past_fin = fin.filter(|&fin| unit > fin).map_or(0, |fin| unit - fin);
        let data = unit.wrapping_sub(past_fin).wrapping_sub(u64::from(self.syn));
        data.wrapping_mul(u64::from(self.unit)).wrapping_add(1 + past_fin) as u32
    }

    /// The receiver's window field; on a SYN-ACK it is not scaled (RFC 7323 section 2.2).
    pub fn window(&self, syn: bool) -> u16 {
        let scale = if syn { 0 } else { self.scale };
        (self.window.saturating_add((1 << scale) - 1) >> scale).min(65_535) as u16
    }
}

/// Least window scale with which `window` can be said, at most 14 (RFC 7323 section 2.3).
fn scale_for(window: u64) -> u8 {
    (0..14).find(|scale| window.saturating_add((1 << scale) - 1) >> scale <= 65_535).unwrap_or(14)
}

/// A node's address.
pub fn address(node: u32) -> [u8; 4] {
    (0x0a00_0001 + (node & 0x00ff_ffff)).to_be_bytes()
}

/// The ports of the `connection`-th connection of flow number `flow` among `flows`, sender's first.
pub fn ports(flow: u32, connection: u16, flows: u64) -> (u16, u16) {
    let index = u64::from(connection) * flows + u64::from(flow);
    let (sender, receiver) = (index % SENDER_PORTS.1, index / SENDER_PORTS.1 % RECEIVER_PORTS.1);
    (SENDER_PORTS.0 + sender as u16, RECEIVER_PORTS.0 + receiver as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_scenario::parse_toml;

    fn first(flow: &str) -> Conversation {
        let link = "link = [{ between = ['S', 'R'], rate = '1Mbps', delay = '10ms' }]";
        let scenario = parse_toml(&format!("{link}\nflow = [{{ from = 'S', to = 'R', {flow} }}]"), "test").unwrap();
        Conversation::new(&scenario.flows[0]).unwrap()
    }

    #[test]
    fn bytes_are_numbered_from_the_syn() {
        let c = first("size = { bytes = '3kB' }");
        assert_eq!([0, 1, 2, 3001, 3002].map(|unit| c.number(unit, Some(3001))), [0, 1, 2, 3001, 3002]);
        assert_eq!(c.number((1 << 32) + 5, None), 5);
    }

    #[test]
    fn segments_move_whole_packets_and_a_fin_moves_one() {
        let ns = "stack = 'ns2-2.35', packet = 1000";
        let c = first(&format!("size = {{ segments = 3 }}, sender = {{ {ns} }}"));
        assert_eq!([0, 1, 2, 4, 5].map(|unit| c.number(unit, Some(4))), [0, 1, 1001, 3001, 3002]);
        let c = first("size = { segments = 3 }, sender = { stack = 'ns2-1998', packet = 1000 }");
        assert_eq!([0, 1, 3].map(|unit| c.number(unit, None)), [1, 1001, 3001]);
    }

    #[test]
    fn windows_are_rounded_up_to_what_the_scale_can_say() {
        let c = first("size = { segments = 1 }, sender = { window = '100001B' }");
        assert_eq!((c.scale, c.window(true), c.window(false)), (1, 65_535, 50_001));
        let c = first("size = { segments = 1 }, sender = { stack = 'ns2-1998', packet = 1000, window = 100 }");
        assert_eq!((c.scale, c.window(false)), (0, 65_535), "no SYN, no scale");
        let c = first("size = { segments = 1 }, sender = { window = '2GB' }");
        assert_eq!((c.scale, c.window(false)), (14, 65_535));
    }

    #[test]
    fn ports_differ_between_connections() {
        assert_eq!(ports(2, 0, 3), (35_002, 40_000));
        assert_eq!(ports(0, 1, 3), (35_003, 40_000));
        assert_eq!(ports(1, 5000, 1), (35_001, 40_001));
    }

    #[test]
    fn what_no_ipv4_packet_holds_is_refused() {
        let link = "link = [{ between = ['S', 'R'], rate = '1Mbps', delay = '10ms' }]";
        let flow =
            "flow = [{ name = 'big', from = 'S', to = 'R', size = { segments = 1 }, sender = { packet = 70000 } }]";
        let scenario = parse_toml(&format!("{link}\n{flow}"), "test").unwrap();
        let error = Conversation::new(&scenario.flows[0]).unwrap_err().to_string();
        assert!(error.contains("`big` sends 70000 bytes"), "{error}");
    }
}
