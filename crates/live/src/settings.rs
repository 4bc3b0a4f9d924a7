//! What the kernels of a live run are told, inside their fresh namespaces only.

use acklab_tcp::rules::{ReceiverRules, SenderRules, Window};

/// Bytes of an IPv4 and a TCP header without options.
const HEADERS: u32 = 40;
/// Bytes of the timestamp option, padded.
const TIMESTAMPS: u32 = 12;
/// A kernel's own window, where the scenario's is no smaller: about what Linux lets a receiver grow to.
const LARGE_WINDOW: u64 = 6_291_456;

/// The addresses of the sender's and the receiver's namespace.
pub const ADDRESSES: [[u8; 4]; 2] = [[10, 0, 0, 1], [10, 0, 0, 2]];
/// The receiver's port of the first flow; the others' follow.
pub const FIRST_PORT: u16 = 40000;
/// Most flows of a run: each has two threads.
pub const MOST_FLOWS: usize = 64;
/// The device's name in either.
pub const DEVICE: &str = "acklab0";

/// What all flows of a run share, because it belongs to a namespace or to the route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of the largest packet.
    pub mtu: u32,
    /// RFC 7323.
    pub timestamps: bool,
    /// RFC 2018.
    pub sack: bool,
    /// RFC 2883.
    pub dsack: bool,
    /// RFC 3168.
    pub ecn: bool,
    /// RACK's reordering window and tail loss probes (RFC 8985).
    pub rack: bool,
    /// Segments of the initial window.
    pub initial_window: u32,
    /// Most bytes the receiver advertises, which the path sees to (a Linux receiver lets its window outgrow its route's); 0 is the kernel's own large window.
    pub window: u64,
    /// The retransmission timer's floor; 0 is the kernel's own.
    pub min_rto_ms: u32,
    /// Whether the receiver acknowledges every segment, for a policy to choose from.
    pub every_segment: bool,
    /// Whether both sides send, and so both receive.
    pub both_ways: bool,
}

/// A kernel variable below `/proc/sys`, and its value.
pub type Variable = (&'static str, String);

impl Settings {
    /// What these rules ask for; `shaped`: a policy of ours chooses among the receiver's ACKs.
    pub fn of(sender: &SenderRules, receiver: &ReceiverRules, shaped: bool) -> Settings {
        let grows = sender.timestamps && !sender.options_in_packet && sender.header > 0;
        // `packet` is payload where the sender adds a header to it, else the size on the wire.
        let mtu = if sender.header > 0 { sender.packet.saturating_add(HEADERS) } else { sender.packet };
        let mtu = mtu.saturating_add(if grows { TIMESTAMPS } else { 0 });
        let mut settings = Settings {
            mtu,
            timestamps: sender.timestamps,
            sack: receiver.sack,
            dsack: receiver.dsack,
            ecn: sender.ecn,
            rack: sender.recovery.is_rack(),
            initial_window: sender.initial_window as u32,
            window: 0,
            min_rto_ms: (sender.min_rto.secs() * 1e3).round() as u32,
            every_segment: shaped,
            both_ways: false,
        };
        let window = match sender.window {
            Window::Segments(n) => u64::from(n) * u64::from(settings.payload()),
            Window::Bytes(bytes) => bytes.get(),
        };
        settings.window = if window < LARGE_WINDOW { window } else { 0 };
        settings
    }

    /// Payload bytes of a full segment.
    pub fn payload(&self) -> u32 {
        self.mtu.saturating_sub(HEADERS + if self.timestamps { TIMESTAMPS } else { 0 })
    }

    /// The first setting in which two differ, in a scenario's words.
    pub fn difference(&self, other: &Settings) -> Option<&'static str> {
        [
            (self.mtu != other.mtu, "sender.packet"),
            (self.timestamps != other.timestamps, "sender.timestamps"),
            (self.sack != other.sack, "receiver.sack"),
            (self.dsack != other.dsack, "receiver.dsack"),
            (self.ecn != other.ecn, "sender.ecn"),
            (self.rack != other.rack, "sender.recovery"),
            (self.initial_window != other.initial_window, "sender.initial_window"),
            (self.window != other.window, "sender.window"),
            (self.min_rto_ms != other.min_rto_ms, "sender.min_rto"),
        ]
        .into_iter()
        .find_map(|(differs, name)| differs.then_some(name))
    }

    /// Kernel variables of both namespaces. No metrics of an earlier connection, and buffers that do not move.
    pub fn variables(&self) -> Vec<Variable> {
        let switch = |on: bool| u8::from(on).to_string();
        // What the kernel keeps of a packet besides its payload comes out of the same buffer.
        let receive = 4 * if self.window == 0 { LARGE_WINDOW } else { self.window.max(32_768) };
        let mut variables = vec![
            ("net/ipv4/tcp_timestamps", switch(self.timestamps)),
            ("net/ipv4/tcp_sack", switch(self.sack)),
            ("net/ipv4/tcp_dsack", switch(self.dsack)),
            ("net/ipv4/tcp_ecn", switch(self.ecn)),
            ("net/ipv4/tcp_recovery", switch(self.rack)),
            ("net/ipv4/tcp_early_retrans", if self.rack { "3" } else { "0" }.to_owned()),
            ("net/ipv4/tcp_no_metrics_save", switch(true)),
            ("net/ipv4/tcp_moderate_rcvbuf", switch(false)),
            ("net/ipv4/tcp_rmem", format!("4096 {receive} {receive}")),
            ("net/ipv4/tcp_wmem", "4096 4194304 8388608".to_owned()),
        ];
        if self.both_ways {
            // A flow's receiver is known by its port, whichever way it answers: no sender may have such a one.
            let last = FIRST_PORT + MOST_FLOWS as u16 - 1;
            variables.push(("net/ipv4/ip_local_reserved_ports", format!("{FIRST_PORT}-{last}")));
        }
        variables
    }

    /// Options of the route to the other side, for `ip route`; side 0 sends, and where both do each has all options.
    pub fn route_options(&self, side: usize) -> Vec<String> {
        let mut options: Vec<String> = Vec::new();
        let mut add = |name: &str, value: u64| options.extend([name.to_owned(), value.to_string()]);
        if side == 0 || self.both_ways {
            add("initcwnd", u64::from(self.initial_window.max(1)));
            if self.min_rto_ms > 0 {
                options.extend(["rto_min".to_owned(), format!("{}ms", self.min_rto_ms)]);
            }
        }
        if side == 1 || self.both_ways {
            let mut add = |name: &str, value: u64| options.extend([name.to_owned(), value.to_string()]);
            // At once all of it: a window that opens step by step would be another experiment.
            let window = if self.window > 0 { self.window } else { LARGE_WINDOW };
            add("window", window);
            add("initrwnd", window.div_ceil(u64::from(self.payload().max(1))));
            if self.every_segment {
                add("quickack", 1);
            }
        }
        options
    }
}
