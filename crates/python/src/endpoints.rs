//! The two endpoints of one host, driven call by call: what `acklab drill` scripts exchange packets with.

use acklab_packet::{Ace, Ack, ByteCounts, Ecn, Probe, SackBlocks, Segment, Time};
use acklab_tcp::receiver::{Receiver, ReceiverWire};
use acklab_tcp::sender::{CaState, Sender, SenderWire, Supply};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors;
use crate::input::{Text, overrides};

/// Packets that an endpoint sent, and its timers.
#[derive(Default)]
struct Tape {
    sent: Vec<Value>,
    timer: Option<Time>,
    pacer: Option<Time>,
}

impl SenderWire for Tape {
    fn send(&mut self, segment: Segment, _wire_bytes: u32) {
        let Segment { seq, len, syn, retransmit, ecn, ace, .. } = segment;
        self.sent.push(json!({
            "kind": "segment", "seq": seq, "len": len, "syn": syn, "retransmit": retransmit, "ect": ecn != Ecn::NotEct,
            "cwr": ace == Ace::CWR, "ace": ace.number(),
        }));
    }
    fn answer(&mut self, _reply: Probe, _wire_bytes: u32) {}
    fn arm(&mut self, at: Time) {
        self.timer = Some(at);
    }
    fn disarm(&mut self) {
        self.timer = None;
    }
    fn arm_pacer(&mut self, at: Time) {
        self.pacer = Some(at);
    }
}

impl ReceiverWire for Tape {
    fn send(&mut self, ack: Ack, _wire_bytes: u32) {
        let blocks: Vec<_> = ack.sack.iter(ack.ack).collect();
        self.sent.push(json!({
            "kind": "ack", "ack": ack.ack, "syn": ack.syn, "ece": ack.ece, "ace": ack.ace.number(), "sack": blocks,
            "ts_ecr": ack.ts_ecr.secs(),
        }));
    }
    fn probe(&mut self, _probe: Probe, _wire_bytes: u32) {}
    fn arm(&mut self, at: Time) {
        self.timer = Some(at);
    }
    fn disarm(&mut self) {
        self.timer = None;
    }
}

/// A host with the rules of a scenario's only flow: its sender, which has nothing to send yet, and its receiver. Times are in
/// seconds; sequence numbers count bytes, the SYN being number 0.
#[pyclass(module = "acklab._core")]
pub(crate) struct Endpoints {
    sender: Sender,
    receiver: Receiver,
    out: Tape,
    back: Tape,
}

#[pymethods]
impl Endpoints {
    #[new]
    fn new(text: Text) -> PyResult<Endpoints> {
        let scenario = text.parse("stack", &overrides(&[], None)?).map_err(errors::scenario)?;
        let flow = scenario.flows.first().ok_or_else(|| PyValueError::new_err("the scenario has no flow"))?;
        Ok(Endpoints {
            sender: Sender::new(flow.sender.clone(), Supply::Bytes(0)),
            receiver: Receiver::new(flow.receiver.clone()),
            out: Tape::default(),
            back: Tape::default(),
        })
    }

    /// Opens the connection: the SYN leaves, if the rules have one.
    fn start(&mut self, now: f64) {
        self.sender.start(Time::from_secs(now), &mut self.out);
    }

    /// The application writes so many bytes.
    fn write(&mut self, bytes: u64, now: f64) {
        self.sender.write(bytes, Time::from_secs(now), &mut self.out);
    }

    /// An ACK arrives, with SACK blocks as `(start, end)`. With accurate ECN `ace` is the number of AE, CWR and ECE, and `counts` the
    /// option's bytes that came as ECT(0) and marked.
    #[pyo3(signature = (ack, now, *, sack = Vec::new(), syn = false, ece = false, ts_ecr = 0.0, ace = None, counts = None))]
    #[allow(clippy::too_many_arguments)]
    fn on_ack(
        &mut self,
        ack: u64,
        now: f64,
        sack: Vec<(u64, u64)>,
        syn: bool,
        ece: bool,
        ts_ecr: f64,
        ace: Option<u64>,
        counts: Option<(u32, u32)>,
    ) {
        let mut blocks = SackBlocks::default();
        sack.into_iter().for_each(|(start, end)| blocks.push(ack, start, end));
        if let Some((ect, ce)) = counts {
            blocks.set_counts(ByteCounts { ect1: false, ect, ce });
        }
        let ace = ace.map_or(Ace::default(), Ace::of);
        let ack = Ack { ack, sack: blocks, syn, ece, ace, ts_ecr: Time::from_secs(ts_ecr), ..Ack::default() };
        self.sender.on_ack(&ack, Time::from_secs(now), &mut self.out);
    }

    /// The peer's window is now `bytes`.
    fn set_window(&mut self, bytes: u64) {
        self.sender.set_window(bytes);
    }

    /// The sender goes on as far as it may.
    fn resume(&mut self, now: f64) {
        self.sender.on_pacer(Time::from_secs(now), &mut self.out);
    }

    /// A segment arrives, of `len` sequence numbers; `ecn` is IP's field, from 0 (not ECT) to 3 (CE).
    #[pyo3(signature = (seq, len, now, *, syn = false, fin = false, push = false, ecn = 0, cwr = false, ts_val = 0.0, echo = 0, ace = None))]
    #[allow(clippy::too_many_arguments)]
    fn on_segment(
        &mut self,
        seq: u64,
        len: u32,
        now: f64,
        syn: bool,
        fin: bool,
        push: bool,
        ecn: u8,
        cwr: bool,
        ts_val: f64,
        echo: u32,
        ace: Option<u64>,
    ) {
        let ts_val = Time::from_secs(ts_val);
        let ace = ace.map_or(Ace::cwr(cwr), Ace::of);
        let ecn = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect, Ecn::Ce][usize::from(ecn & 3)];
        let segment = Segment { seq, len, syn, fin, ecn, ace, ts_val, echo, ..Segment::default() };
        self.receiver.set_push(push);
        self.receiver.on_segment(&segment, Time::from_secs(now), &mut self.back);
    }

    /// When the next timer runs out, if one is set.
    fn due(&self) -> Option<f64> {
        [self.out.timer, self.out.pacer, self.back.timer].into_iter().flatten().min().map(Time::secs)
    }

    /// Lets the timers that are due by `now` run out, each once.
    fn expire(&mut self, now: f64) {
        let now = Time::from_secs(now);
        let due = |timer: &mut Option<Time>| timer.take_if(|at| *at <= now).is_some();
        if due(&mut self.out.timer) {
            self.sender.on_timeout(now, &mut self.out);
        }
        if due(&mut self.out.pacer) {
            self.sender.on_pacer(now, &mut self.out);
        }
        if due(&mut self.back.timer) {
            self.receiver.on_timer(now, &mut self.back);
        }
    }

    /// Packets sent since the last call, as JSON: the receiver's ACKs, then the sender's segments.
    fn take(&mut self) -> String {
        let mut sent = std::mem::take(&mut self.back.sent);
        sent.append(&mut self.out.sent);
        Value::Array(sent).to_string()
    }

    /// State as JSON: windows in segments, the sender's and receiver's sequence numbers, counts.
    fn state(&self) -> String {
        let (core, view) = (self.sender.core(), self.sender.view());
        let (seq, counters) = (&core.seq, self.sender.counters());
        let state = match core.cc.state_at(seq.una) {
            CaState::Open => 0,
            CaState::Cwr => 2,
            CaState::Recovery => 3,
            CaState::Loss => 4,
        };
        json!({
            "cwnd": view.cwnd, "ssthresh": view.ssthresh, "rto": view.rto, "ca_state": state, "dupacks": core.cc.dupacks,
            "una": seq.una, "nxt": seq.nxt, "max": seq.max, "limit": seq.limit, "mss": seq.mss,
            "rtt": counters.rtt_last, "retransmits": counters.retransmits, "timeouts": counters.timeouts,
            "segments_sent": counters.segments_sent, "rcv_nxt": self.receiver.rcv_nxt(),
            "timer": self.back.timer.map(Time::secs), "marks": self.sender.marks(), "told": self.sender.told_bytes(),
            "accurate": self.receiver.accurate_counters(),
        })
        .to_string()
    }
}
