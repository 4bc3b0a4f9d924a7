//! What the kernels of a live run are told, inside their fresh namespaces only.

use acklab_packet::Time;
use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, SenderRules, Window};

/// Bytes of an IPv4 and a TCP header without options.
const HEADERS: u32 = 40;
/// Bytes of the timestamp option, padded.
const TIMESTAMPS: u32 = 12;
/// Largest buffer that a kernel takes (`int`), and largest window: four of it fit.
const MAX_MEMORY: u64 = i32::MAX as u64;
pub(crate) const MAX_WINDOW: u64 = MAX_MEMORY / 4;
/// What an `sk_buff` takes besides its data, and its data besides the packet: headroom and `skb_shared_info`.
const BUFFER_HEAD: u32 = 256;
const DATA_BESIDES: u32 = 64 + 320;
/// Buffers that grow are whole pages, so that 57 segments are Linux's 131,072 bytes.
const PAGE: f64 = 4096.0;
/// Memory that a kernel in virtual time counts for a packet (`truesize`): each of its card's buffers has room for the longest one
/// (`receive_small` in drivers/net/virtio_net.c).
const CARD_MEMORY: u32 = 2176;
/// Parts of memory in which a kernel counts a buffer's payload (`TCP_RMEM_TO_WIN_SCALE`).
const PARTS: u64 = 256;
/// The largest autotuned buffer, in first ones: 32 MiB, as Linux has it since 6.16, and as the policy `linux` does.
const MAX_GROWTH: u64 = 256;
/// Told to kernels that know it, since 6.19; others have 5.
pub(crate) const SACK_PERCENT: &str = "net/ipv4/tcp_comp_sack_rtt_percent";

/// Whose rules a flow's sender follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The scenario's, where Linux does otherwise and lets itself be told; else the kernel's, with a note.
    #[default]
    Able,
    /// The scenario's, or none.
    Scenario,
    /// The kernel's, whatever the scenario says.
    Kernel,
}

/// What may be asked of a run besides the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The kernel's receivers acknowledge by themselves, instead of the scenario's policy.
    pub kernel_acks: bool,
    /// Congestion control of every flow, by the kernel's name for it, instead of the scenario's.
    pub control: Option<String>,
    /// Whose rules say what an ACK is worth.
    pub sender: Choice,
    /// Two kernels in virtual time, whose network card is not that of a live run.
    pub in_virtual_time: bool,
}

/// The address of a namespace (0 the senders', 1 the receivers') for flows of one kind of receiver, and for those `apart`.
pub fn address(side: usize, apart: bool) -> [u8; 4] {
    [10, 0, u8::from(apart), 1 + side as u8]
}

/// The receiver's port of the first flow; the others' follow.
pub const FIRST_PORT: u16 = 40000;
/// Most flows of a run: each has two threads.
pub const MAX_FLOWS: usize = 64;
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
    /// Most bytes the receiver advertises, which the path sees to (a Linux receiver lets its window outgrow its route's).
    pub window: u64,
    /// The retransmission timer's floor; 0 is the kernel's own.
    pub min_rto_ms: u32,
    /// Who acknowledges.
    pub receiver: Receiver,
    /// Whether some flows' receivers acknowledge every segment for a policy, beside those that acknowledge by themselves. They have
    /// addresses, a route and buffers of their own.
    pub apart: bool,
    /// Whether both sides send, and so both receive.
    pub both_ways: bool,
}

/// Who acknowledges, and out of which buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// A policy chooses among the kernel's ACKs, one for each segment. The scenario states no buffer: the whole window is open at once.
    Every,
    /// The kernel by itself, as the policy `linux` describes it.
    Own {
        /// First window, in segments.
        window: u32,
        /// First buffer, in bytes (`tcp_rmem`), and the largest it grows to.
        buffer: u64,
        /// See `buffer`; the same if it does not grow.
        most: u64,
        /// Of compressed SACKs (`tcp_comp_sack_delay_ns`, `tcp_comp_sack_slack_ns`, `tcp_comp_sack_nr`), and the share of the round trip.
        sack_delay_ns: u64,
        /// See `sack_delay_ns`.
        sack_slack_ns: u64,
        /// See `sack_delay_ns`.
        sack_most: u32,
        /// See `sack_delay_ns`.
        sack_percent: u32,
    },
}

impl Receiver {
    /// Of a policy, with packets of `mtu` bytes, so many of them payload; any but `linux` chooses among the kernel's ACKs.
    fn of(policy: &AckPolicyKind, mtu: u32, payload: u32, in_virtual_time: bool) -> Receiver {
        let nanos = |time: Time| (time.secs() * 1e9).round() as u64;
        let &AckPolicyKind::Linux {
            window,
            buffer,
            autotune,
            memory,
            most_memory,
            sack_delay,
            sack_share,
            sack_slack,
            sack_most,
            ..
        } = policy
        else {
            return Receiver::Every;
        };
        let (buffer, most) = if memory > 0 {
            (u64::from(memory), u64::from(most_memory.max(memory)))
        } else if autotune {
            let memory = f64::from(buffer) * f64::from(memory_of(mtu));
            let memory = ((memory / PAGE).round() * PAGE) as u64;
            (memory, memory * MAX_GROWTH)
        } else {
            // Its payload is so many parts of it, rounded down (`tcp_measure_rcv_mss`).
            let packet = if in_virtual_time { CARD_MEMORY } else { memory_of(mtu) };
            let parts = (u64::from(payload) * PARTS / u64::from(packet)).max(1);
            let memory = (u64::from(buffer) * u64::from(payload) * PARTS).div_ceil(parts);
            (memory, memory)
        };
        let buffer = buffer.min(MAX_MEMORY);
        Receiver::Own {
            window,
            buffer,
            most: if autotune { most.min(MAX_MEMORY) } else { buffer },
            sack_delay_ns: nanos(sack_delay),
            sack_slack_ns: nanos(sack_slack),
            // A delay of nothing compresses none.
            sack_most: if sack_delay > Time::ZERO { sack_most } else { 0 },
            sack_percent: (100.0 * sack_share).round() as u32,
        }
    }

    /// Whether one namespace can have both.
    fn goes_with(&self, other: &Receiver) -> bool {
        self == other || [self, other].contains(&&Receiver::Every)
    }
}

/// Memory that a kernel counts for a packet from a TUN device (`truesize`): its data are a power of two.
fn memory_of(packet: u32) -> u32 {
    packet.saturating_add(DATA_BESIDES).next_power_of_two().saturating_add(BUFFER_HEAD)
}

/// A kernel variable below `/proc/sys`, and its value.
pub type Variable = (&'static str, String);

impl Settings {
    /// What these rules ask for, with this policy.
    pub fn of(
        sender: &SenderRules,
        receiver: &ReceiverRules,
        policy: &AckPolicyKind,
        in_virtual_time: bool,
    ) -> Settings {
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
            rack: sender.recovery.probes_tail(),
            initial_window: sender.initial_window as u32,
            window: 0,
            min_rto_ms: (sender.min_rto.secs() * 1e3).round() as u32,
            receiver: Receiver::Every,
            apart: false,
            both_ways: false,
        };
        let window = match sender.window {
            Window::Segments(n) => u64::from(n) * u64::from(settings.payload()),
            Window::Bytes(bytes) => bytes.get(),
        };
        settings.window = window.min(MAX_WINDOW);
        settings.receiver = Receiver::of(policy, mtu, settings.payload(), in_virtual_time);
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
            (!self.receiver.goes_with(&other.receiver), "receiver.ack"),
        ]
        .into_iter()
        .find_map(|(differs, name)| differs.then_some(name))
    }

    /// Of flows that share two namespaces, with these receivers.
    pub fn shared(mut self, receivers: impl Iterator<Item = Receiver> + Clone) -> Settings {
        let own = |receiver: &Receiver| *receiver != Receiver::Every;
        self.apart =
            receivers.clone().any(|receiver| own(&receiver)) && !receivers.clone().all(|receiver| own(&receiver));
        self.receiver = receivers.clone().find(own).unwrap_or(self.receiver);
        self
    }

    /// Bytes of a receive buffer that never limits the window: what a kernel keeps of a packet besides its payload comes out of it.
    pub fn ample(&self) -> u64 {
        4 * self.window.max(32_768)
    }

    /// Kernel variables of both namespaces. No metrics of an earlier connection.
    pub fn variables(&self) -> Vec<Variable> {
        let switch = |on: bool| u8::from(on).to_string();
        let ample = self.ample();
        let (first, most) = match self.receiver {
            Receiver::Every => (ample, ample),
            Receiver::Own { buffer, most, .. } => (buffer, most),
        };
        let mut variables = vec![
            ("net/ipv4/tcp_timestamps", switch(self.timestamps)),
            ("net/ipv4/tcp_sack", switch(self.sack)),
            ("net/ipv4/tcp_dsack", switch(self.dsack)),
            ("net/ipv4/tcp_ecn", switch(self.ecn)),
            ("net/ipv4/tcp_recovery", switch(self.rack)),
            ("net/ipv4/tcp_early_retrans", if self.rack { "3" } else { "0" }.to_owned()),
            ("net/ipv4/tcp_no_metrics_save", switch(true)),
            ("net/ipv4/tcp_moderate_rcvbuf", switch(most > first)),
            ("net/ipv4/tcp_rmem", format!("4096 {first} {most}")),
            // A scenario's application never waits for room: the window alone limits what is sent.
            ("net/ipv4/tcp_wmem", format!("4096 4194304 {}", ample.max(8_388_608))),
        ];
        if let Receiver::Own { sack_delay_ns, sack_slack_ns, sack_most, sack_percent, .. } = self.receiver {
            variables.extend([
                ("net/ipv4/tcp_comp_sack_delay_ns", sack_delay_ns.to_string()),
                ("net/ipv4/tcp_comp_sack_slack_ns", sack_slack_ns.to_string()),
                ("net/ipv4/tcp_comp_sack_nr", sack_most.to_string()),
                (SACK_PERCENT, sack_percent.to_string()),
            ]);
        }
        if self.both_ways {
            // A flow's receiver is known by its port, whichever way it answers: no sender may have such a one.
            let last = FIRST_PORT + MAX_FLOWS as u16 - 1;
            variables.push(("net/ipv4/ip_local_reserved_ports", format!("{FIRST_PORT}-{last}")));
        }
        variables
    }

    /// Options of the route to the other side, for `ip route`; side 0 sends, and where both do each has all options. `apart`: of the
    /// flows whose receivers are no kernel's own, if there are both.
    pub fn route_options(&self, side: usize, apart: bool) -> Vec<String> {
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
            match self.receiver {
                Receiver::Own { window, .. } if !apart => add("initrwnd", u64::from(window)),
                // At once all of it: a window that opens step by step would be another experiment.
                _ => {
                    add("window", self.window);
                    add("initrwnd", self.window.div_ceil(u64::from(self.payload().max(1))));
                    add("quickack", 1);
                }
            }
        }
        options
    }
}
