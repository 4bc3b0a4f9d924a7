//! The policy `linux` beside the kernels that were captured at a receiver: the same segments at the same instants, and which of
//! them had an ACK when.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use acklab_capture::Reader;
use acklab_packet::{Ace, Ack, Ecn, Probe, Segment, Seq, Time};
use acklab_tcp::receiver::{Receiver, ReceiverWire};
use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, Stack};

const FIN: u8 = 1;
const SYN: u8 = 2;
const PSH: u8 = 8;
const CWR: u8 = 128;

/// What of a packet matters here.
struct Packet {
    at: Time,
    ports: (u16, u16),
    seq: u32,
    ack: u32,
    flags: u8,
    ecn: u8,
    payload: u32,
    stamps: (u32, u32),
}

fn number(bytes: &[u8], at: usize, width: usize) -> u32 {
    bytes[at..at + width].iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// The TCP packet in a frame of which the headers were kept.
fn packet(link_type: u32, frame: &[u8], at: Time) -> Packet {
    let ip = &frame[match link_type {
        276 => 20, // tcpdump -i any
        113 => 16,
        _ => 0,
    }..];
    let (tcp_at, end, ecn) = match ip[0] >> 4 {
        4 => (usize::from(ip[0] & 15) * 4, number(ip, 2, 2), ip[1] & 3),
        _ => (40, number(ip, 4, 2) + 40, ip[1] >> 4 & 3),
    };
    let tcp = &ip[tcp_at..];
    let header = usize::from(tcp[12] >> 4) * 4;
    let mut stamps = (0, 0);
    let mut option = 20;
    while option < header.min(tcp.len()) && tcp[option] != 0 {
        if tcp[option] == 8 {
            stamps = (number(tcp, option + 2, 4), number(tcp, option + 6, 4));
        }
        option += if tcp[option] == 1 { 1 } else { usize::from(tcp[option + 1]) };
    }
    Packet {
        at,
        ports: (number(tcp, 0, 2) as u16, number(tcp, 2, 2) as u16),
        seq: number(tcp, 4, 4),
        ack: number(tcp, 8, 4),
        flags: tcp[13],
        ecn,
        payload: end - tcp_at as u32 - header as u32,
        stamps,
    }
}

/// The packets of a capture. The first is at `phase` of the kernel's clock, in seconds.
fn captured(path: &Path, phase: f64) -> Vec<Packet> {
    let mut reader = Reader::new(BufReader::new(File::open(path).unwrap())).unwrap();
    let (mut packets, mut start) = (Vec::new(), None);
    while let Some(record) = reader.next().unwrap() {
        let (time_ns, interface, data) = (record.time_ns, record.interface, record.data.to_vec());
        let start = *start.get_or_insert(time_ns);
        let link_type = reader.interfaces()[interface].link_type;
        packets.push(packet(link_type, &data, Time::from_secs(phase + (time_ns - start) as f64 * 1e-9)));
    }
    packets
}

/// An ACK: what it acknowledges, how many of that number went before, the segment that came last before it (its place among
/// them), and how long before.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sent {
    ack: Seq,
    again: u32,
    after: usize,
    delay: f64,
}

/// What is sent, in either world.
#[derive(Default)]
struct Log {
    sent: Vec<Sent>,
    times: HashMap<Seq, u32>,
    last: (usize, Time),
}

impl Log {
    fn add(&mut self, ack: Seq, at: Time) {
        let again = self.times.entry(ack).or_default();
        let (after, since) = self.last;
        self.sent.push(Sent { ack, again: *again, after, delay: (at - since).secs() });
        *again += 1;
    }
}

/// The policy's receiver and its timer.
#[derive(Default)]
struct Wire {
    now: Time,
    due: Option<Time>,
    log: Log,
}

impl ReceiverWire for Wire {
    fn send(&mut self, ack: Ack, _: u32) {
        self.log.add(ack.ack, self.now);
    }
    fn probe(&mut self, _: Probe, _: u32) {}
    fn arm(&mut self, at: Time) {
        self.due = Some(at);
    }
    fn disarm(&mut self) {
        self.due = None;
    }
}

/// What the kernel sent, and what the policy sends for the same segments.
fn replayed(path: &Path, policy: &str, phase: f64) -> (Vec<Sent>, Vec<Sent>) {
    let packets = captured(path, phase);
    let opening = packets.iter().find(|packet| packet.flags & SYN > 0).expect("a handshake");
    let (start, from) = (opening.seq, opening.ports.0);
    let ack: AckPolicyKind = serde_json::from_str(policy).expect("a policy");
    let rules = ReceiverRules { ack, sack: true, dsack: true, ..Stack::Rfc.receiver() };
    let mut receiver = Receiver::new(Arc::new(rules));
    let (mut kernel, mut wire) = (Log::default(), Wire::default());
    // The highest number acknowledged under each timestamp.
    let mut acked: HashMap<u32, u32> = HashMap::new();
    let mut segments = 0;
    for packet in &packets {
        let runs_out = |wire: &Wire| wire.due.filter(|due| *due <= packet.at);
        while let Some(due) = runs_out(&wire) {
            (wire.now, wire.due) = (due, None);
            receiver.on_timer(due, &mut wire);
        }
        wire.now = packet.at;
        if packet.ports.0 != from {
            let number = packet.ack.wrapping_sub(start);
            acked.insert(packet.stamps.0, number);
            kernel.add(number.into(), packet.at);
            continue;
        }
        let one = |flag: u8| u32::from(packet.flags & flag > 0);
        let len = packet.payload + one(SYN) + one(FIN);
        if len == 0 {
            // The one that ends the handshake counts.
            receiver.on_reply(&Probe { number: 0, reply: true, seq: 0 }, packet.at, &mut wire);
            continue;
        }
        segments += 1;
        (kernel.last, wire.log.last) = ((segments, packet.at), (segments, packet.at));
        receiver.set_push(packet.flags & PSH > 0);
        let segment = Segment {
            seq: packet.seq.wrapping_sub(start).into(),
            len,
            syn: packet.flags & SYN > 0,
            fin: packet.flags & FIN > 0,
            ecn: [Ecn::NotEct, Ecn::Ect1, Ecn::Ect, Ecn::Ce][usize::from(packet.ecn)],
            ace: Ace::cwr(packet.flags & (CWR | SYN) == CWR),
            echo: acked.get(&packet.stamps.1).copied().unwrap_or(0),
            ..Segment::default()
        };
        receiver.on_segment(&segment, packet.at, &mut wire);
    }
    (kernel.sent, wire.log.sent)
}

/// How the two agree.
#[derive(Debug, PartialEq)]
struct Agreement {
    /// ACKs of the kernel, of the policy, and those that both sent after the same segment.
    acks: (usize, usize, usize),
    /// Of those, how many left within a millisecond of each other, and how many within two ticks of the kernel's clock.
    within: (usize, usize),
}

fn agreement(path: &Path, policy: &str, phase: f64) -> Agreement {
    let (kernel, ours) = replayed(path, policy, phase);
    let same = |a: &&Sent, b: &Sent| (a.ack, a.again, a.after) == (b.ack, b.again, b.after);
    let apart: Vec<f64> = kernel
        .iter()
        .filter_map(|sent| ours.iter().find(|other| same(other, sent)).map(|other| (other.delay - sent.delay).abs()))
        .collect();
    let within = |most: f64| apart.iter().filter(|apart| **apart <= most).count();
    if std::env::var_os("ACKLAB_SHOW").is_some() {
        let only = |name, those: &[Sent], others: &[Sent]| {
            for sent in those.iter().filter(|sent| !others.iter().any(|other| same(&other, sent))) {
                println!("{name} {sent:?}");
            }
        };
        only("kernel", &kernel, &ours);
        only("policy", &ours, &kernel);
        println!("apart {apart:.4?}");
    }
    Agreement { acks: (kernel.len(), ours.len(), apart.len()), within: (within(1e-3), within(8e-3)) }
}

/// The capture of this name, and what the policy with these parameters makes of it.
fn kernel(name: &str, parameters: &str) -> Agreement {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    agreement(&folder.join(name), &format!(r#"{{"policy": "linux"{parameters}}}"#), 0.0)
}

fn made(name: &str, parameters: &str) -> Agreement {
    kernel(&format!("../../tests/capture/kernel/{name}-receiver.pcap"), parameters)
}

/// A program that sleeps until 60 kB wait (`asleep` in `make.py`) leaves ACKs to the kernel: 20 quick ones, as four segments open the
/// window; every second; sixteen again after a segment that came twice, but only while less than half the buffer waits; three
/// duplicates and then compressed SACKs.
///
/// `six` has its program awake 0.2 ms late, with one ACK that leaves for it.
#[test]
fn a_kernel_whose_program_sleeps_acknowledges_as_the_policy_does() {
    let asleep = ", \"low_water\": 60000";
    assert_eq!(made("losses", asleep), Agreement { acks: (45, 45, 45), within: (45, 45) });
    assert_eq!(made("repeats", asleep), Agreement { acks: (66, 66, 66), within: (66, 66) });
    assert_eq!(made("six", asleep), Agreement { acks: (55, 54, 54), within: (54, 54) });
}

/// Runs of `acklab run examples/live.toml --live --acks kernel --realtime`, at the receiver; its program reads at once. The emulator gives
/// the kernel a window that is a scenario's, and four times as much memory.
///
/// `slow` is 200 kbit/s, 30 ms each way, `window = 30`: gaps between segments of 60 ms, losses, compressed SACKs. `t1` are the first
/// 600 packets at 1.5 Mbit/s, 50 ms, `window = 45`, of which the kernel takes 44 whole segments of 1460 bytes: 51 quick ACKs, every
/// second segment, a loss. `timer` is 100 kbit/s, 30 ms, `window = 6`: half of the ACKs wait for the timer, 72 to 76 ms, the handshake's
/// round trip in whole ticks and one. Its phase no capture tells; and the program woke up 10 to 20 ms late for five pushed segments.
#[test]
fn a_kernel_whose_program_reads_acknowledges_as_the_policy_does() {
    let slow = ", \"window\": 30, \"buffer\": 75, \"autotune\": false";
    assert_eq!(kernel("tests/live/slow.pcap", slow), Agreement { acks: (89, 89, 89), within: (88, 88) });
    let timer = ", \"window\": 6, \"buffer\": 56, \"autotune\": false";
    assert_eq!(kernel("tests/live/timer.pcap", timer), Agreement { acks: (66, 66, 66), within: (31, 61) });
    let t1 = ", \"window\": 44, \"buffer\": 112, \"autotune\": false";
    assert_eq!(kernel("tests/live/t1.pcap", t1), Agreement { acks: (244, 244, 244), within: (244, 244) });
}

/// The first 800 packets at the receiver of a default Linux 6.12 (2 MB, 5 Mbit/s, 5 ms, `acklab run --virtual`), whose buffer grows. Of the
/// 310 ACKs 73 answer one segment that was pushed: mostly the last of a burst (docs/oracle/uploads.md). Counted in segments, the policy's
/// window opens less than the kernel's, and 18 ACKs are missing. Counted in memory, each ACK is the kernel's.
#[test]
fn a_default_kernel_acknowledges_pushed_segments_as_the_policy_does() {
    let default = ", \"tick\": \"1ms\", \"buffer\": 59";
    assert_eq!(kernel("tests/live/default.pcap", default), Agreement { acks: (310, 296, 292), within: (292, 292) });
    let memory = ", \"tick\": \"1ms\", \"memory\": 131072, \"most_memory\": 3997792, \"segment_memory\": 2176, \"growth\": \"6.12\"";
    assert_eq!(kernel("tests/live/default.pcap", memory), Agreement { acks: (310, 310, 310), within: (310, 310) });
}

/// Where they differ is what the machine did, or what no receiver here does.
///
/// `reading`: twice the program came 0.1 ms late, while 6 and 23 segments arrived, and found them together. `asleep`: it slept
/// 3 ms longer than told, while 27 came, for which a kernel that waits for its program sends no ACK; of what followed the ACKs fall on the
/// other segment of each pair. `lone`: three answers made the kernel take it for a dialogue, in which it holds the next segment, and
/// in which it used up none of its quick ACKs; five were sent at another tick of a clock whose phase no capture tells.
#[test]
fn what_machines_and_programs_do_besides() {
    assert_eq!(made("reading", ""), Agreement { acks: (56, 74, 53), within: (53, 53) });
    let asleep = ", \"low_water\": 60000";
    assert_eq!(made("asleep", asleep), Agreement { acks: (43, 54, 32), within: (31, 32) });
    assert_eq!(made("lone", asleep), Agreement { acks: (43, 42, 42), within: (27, 38) });
}

/// Any other capture at a receiver, for a look: `ACKLAB_REPLAY=file ACKLAB_POLICY='{"policy": "linux", …}' ACKLAB_SHOW=1`. The phase of the
/// kernel's clock, which the capture does not tell, is tried in steps of a millisecond.
#[test]
fn a_capture_of_your_own() {
    if let Some(path) = std::env::var_os("ACKLAB_REPLAY") {
        let policy = std::env::var("ACKLAB_POLICY").unwrap_or_else(|_| r#"{"policy": "linux"}"#.to_owned());
        for phase in [0.0, 0.001, 0.002, 0.003] {
            println!("{path:?} at {phase}: {:?}", agreement(Path::new(&path), &policy, phase));
        }
    }
}
