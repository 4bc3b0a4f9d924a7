//! The key of a conversation, by which packets are counted together.

use crate::ip::Ip;

/// The properties that packets of one conversation share, one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// IP's number of the protocol.
    pub protocol: u8,
    /// True for version 6.
    pub v6: bool,
    /// The code point of DiffServ.
    pub dscp: u8,
    /// The node it comes from, and the one it goes to.
    pub nodes: [u32; 2],
    /// Their ports; zeros where there are none.
    pub ports: [u16; 2],
}

impl Key {
    /// Of a packet as [`packet`](super::frame::packet) leaves it.
    pub fn of(packet: &[u8], from: u32, to: u32) -> Option<Key> {
        let ip = Ip::read(packet)?;
        let (protocol, v6, dscp, ports) = (ip.protocol, ip.v6, ip.dscp(), ip.ports(packet));
        Some(Key { protocol, v6, dscp, nodes: [from, to], ports })
    }

    /// Its name: `tcp S:5201>R:40000`, with version 6 `tcp6`, with a code point of DiffServ ` dscp 46` at the end.
    pub fn name(&self, nodes: &[String]) -> String {
        let mut protocol = match self.protocol {
            1 | 58 => "icmp".to_owned(),
            6 => "tcp".to_owned(),
            17 => "udp".to_owned(),
            other => format!("ip-{other}"),
        };
        if self.v6 {
            protocol.push('6');
        }
        let end = |side: usize| {
            let node = nodes.get(self.nodes[side] as usize).map_or("?", String::as_str);
            if self.ports == [0, 0] { node.to_owned() } else { format!("{node}:{}", self.ports[side]) }
        };
        let class = if self.dscp > 0 { format!(" dscp {}", self.dscp) } else { String::new() };
        format!("{protocol} {}>{}{class}", end(0), end(1))
    }
}
