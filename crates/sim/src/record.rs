//! What a run records besides its summary. What is off costs one predictable branch.

use acklab_packet::{Packet, Time};
use acklab_path::link::Link;
use acklab_path::spec::LinkSpec;
use acklab_tcp::receiver::Receiver;
use acklab_tcp::sender::Sender;
use acklab_tcp::sender::control::ModelView;

use crate::outcome::{PacketEvent, PacketRow, QueueRow, SenderState, SeriesRow};
use crate::route::Place;
use crate::stages;
use acklab_scenario::spec::Record;

/// Collects rows while a run goes on.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    wanted: Record,
    pub(crate) series: Vec<SeriesRow>,
    pub(crate) queue: Vec<QueueRow>,
    pub(crate) packets: Vec<PacketRow>,
    flows: Vec<Recorded>,
    /// For each link: the last queue length recorded.
    lengths: Vec<u32>,
    /// For each link whether stages stand at its far end: it delivers what leaves them.
    staged: Vec<bool>,
}

/// What is known of a flow's records.
#[derive(Clone, Debug)]
struct Recorded {
    /// The outcome's row of each of its connections so far: a late packet belongs to the one that sent it.
    transfers: Vec<u32>,
    /// The last state recorded, and its number of samples.
    last: Option<SeriesRow>,
    samples: u64,
    /// Where the routes of its data and of its ACKs begin.
    starts: [Place; 2],
}

impl Recorder {
    /// Collects what is `wanted` of flows with these beginnings of routes and of these link directions.
    pub fn new(wanted: Record, starts: &[[Place; 2]], links: &[LinkSpec]) -> Recorder {
        let starts = if wanted.series || wanted.packets { starts } else { &[] };
        let flow = |(flow, &starts)| Recorded { transfers: vec![flow], last: None, samples: 0, starts };
        let flows = (0..).zip(starts).map(flow).collect();
        let lengths = if wanted.queue { vec![0; links.len()] } else { Vec::new() };
        let staged = if wanted.packets { links.iter().map(stages::at_far_end).collect() } else { Vec::new() };
        Recorder { wanted, flows, lengths, staged, ..Recorder::default() }
    }

    /// From now on `flow`'s records belong to the outcome's row `transfer`.
    pub fn next_transfer(&mut self, flow: u32, transfer: u32) {
        if let Some(recorded) = self.flows.get_mut(flow as usize) {
            recorded.transfers.push(transfer);
            (recorded.last, recorded.samples) = (None, 0);
        }
    }

    /// One more flow, whose records belong to the outcome's row `transfer`.
    pub fn open(&mut self, starts: [Place; 2], transfer: u32) {
        if self.wanted.series || self.wanted.packets {
            self.flows.push(Recorded { transfers: vec![transfer], last: None, samples: 0, starts });
        }
    }

    /// Rows recorded, and the bytes of memory that they take.
    pub fn held(&self) -> (u64, u64) {
        let Recorder { series, queue, packets, .. } = self;
        let rows = series.len() + queue.len() + packets.len();
        let bytes = series.capacity() * size_of::<SeriesRow>()
            + queue.capacity() * size_of::<QueueRow>()
            + packets.capacity() * size_of::<PacketRow>();
        (rows as u64, bytes as u64)
    }

    /// Whether packets are recorded.
    #[inline]
    pub fn watches_packets(&self) -> bool {
        self.wanted.packets
    }

    /// A packet's event on a link.
    #[inline]
    pub fn packet(&mut self, now: Time, link: u32, event: PacketEvent, packet: &Packet) {
        if self.wanted.packets {
            self.packet_seen(now, link, event, packet);
        }
    }

    fn packet_seen(&mut self, now: Time, link: u32, event: PacketEvent, packet: &Packet) {
        let stays = || event == PacketEvent::Deliver && self.staged[link as usize];
        // Stages' places on routes are no links.
        if (link as usize) < self.staged.len() && !stays() {
            self.packet_event(now, link, event, *packet);
        }
    }

    /// A packet leaves the stages at a link's far end.
    pub fn leaves_stages(&mut self, now: Time, link: u32, packet: &Packet) {
        if self.wanted.packets {
            self.packet_event(now, link, PacketEvent::Deliver, *packet);
        }
    }

    fn packet_event(&mut self, now: Time, link: u32, event: PacketEvent, mut packet: Packet) {
        let flow = &self.flows[packet.flow as usize];
        let transfer = flow.transfers[usize::from(packet.connection)];
        // Links crossed: the places mean nothing outside the network.
        packet.place -= flow.starts[usize::from(!packet.is_data())];
        self.packets.push(PacketRow { time_s: now.secs(), link, transfer, event, packet });
    }

    /// A queue may have changed.
    #[inline]
    pub fn queue(&mut self, now: Time, index: u32, link: &Link<Packet>) {
        if self.wanted.queue {
            let held = link.held();
            self.queue_length(now, index, held.packets as u32, held.bytes);
        }
    }

    /// A queue may have changed to this length.
    pub fn queue_length(&mut self, now: Time, link: u32, queue_packets: u32, queue_bytes: u64) {
        if self.wanted.queue && std::mem::replace(&mut self.lengths[link as usize], queue_packets) != queue_packets {
            self.queue.push(QueueRow { time_s: now.secs(), link, queue_packets, queue_bytes });
        }
    }

    /// A sender may have changed.
    #[inline]
    pub fn sender(&mut self, now: Time, flow: u32, sender: &Sender, receiver: &Receiver) {
        if self.wanted.series {
            self.sender_changed(now, flow, sender, receiver);
        }
    }

    fn sender_changed(&mut self, now: Time, flow: u32, sender: &Sender, receiver: &Receiver) {
        let counters = sender.counters();
        let Recorded { transfers, last, samples, .. } = &mut self.flows[flow as usize];
        let transfer = *transfers.last().expect("one from the start");
        let rtt_s = if counters.rtt_samples > *samples { counters.rtt_last } else { f64::NAN };
        let row = SeriesRow { rtt_s, ..state(now, transfer, sender, receiver) };
        *samples = counters.rtt_samples;
        // An estimate or a model alone is no change of the sender; and what is not a number equals nothing.
        let own = |row: SeriesRow| SeriesRow {
            time_s: 0.0,
            rtt_s: 0.0,
            cwnd_estimate_segments: 0.0,
            mode: None,
            bandwidth_bps: 0.0,
            max_bandwidth_bps: 0.0,
            pacing_bps: 0.0,
            inflight_longterm_segments: 0.0,
            inflight_shortterm_segments: 0.0,
            ..row
        };
        let same = last.is_some_and(|last| own(last) == own(row));
        if !same || !row.rtt_s.is_nan() {
            self.series.push(row);
        }
        *last = Some(SeriesRow { rtt_s: f64::NAN, ..row });
    }
}

/// A sender's state, without a sample of the round trip; `flow` is the outcome's row.
pub fn state(now: Time, flow: u32, sender: &Sender, receiver: &Receiver) -> SeriesRow {
    let (view, estimate, model) = (sender.view(), sender.estimate(), sender.model());
    let of = |read: fn(&ModelView) -> f64| {
        model.as_ref().map(read).filter(|value| value.is_finite()).map_or(f32::NAN, |value| value as f32)
    };
    SeriesRow {
        time_s: now.secs(),
        flow,
        cwnd_segments: view.cwnd,
        ssthresh_segments: view.ssthresh,
        flight_segments: view.in_flight,
        rtt_s: f64::NAN,
        rto_s: view.rto,
        cwnd_estimate_segments: receiver.window_estimate(now).unwrap_or(f64::NAN),
        backlog_segments: estimate.map(|estimate| estimate.backlog),
        base_rtt_s: estimate.map(|estimate| estimate.base_rtt).filter(|rtt| rtt.is_finite()),
        state: match view {
            _ if view.in_recovery => SenderState::Recovery,
            _ if view.cwnd < view.ssthresh => SenderState::SlowStart,
            _ => SenderState::CongestionAvoidance,
        },
        mode: model.map(|model| model.mode),
        bandwidth_bps: of(|model| model.bandwidth),
        max_bandwidth_bps: of(|model| model.max_bandwidth),
        pacing_bps: of(|model| model.pacing),
        inflight_longterm_segments: of(|model| model.inflight_longterm),
        inflight_shortterm_segments: of(|model| model.inflight_shortterm),
    }
}
