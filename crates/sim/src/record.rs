//! What a run records besides its summary. What is off costs one predictable branch.

use acklab_packet::{Packet, Time};
use acklab_path::queue::{AnyQueue, Queue};
use acklab_tcp::sender::Sender;

use crate::outcome::{PacketEvent, PacketRow, QueueRow, SenderState, SeriesRow};
use crate::spec::Record;

/// Collects rows while a run goes on.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    wanted: Record,
    pub(crate) series: Vec<SeriesRow>,
    pub(crate) queue: Vec<QueueRow>,
    pub(crate) packets: Vec<PacketRow>,
    /// For each flow: the row of its present transfer, and the last state recorded with its number of samples.
    transfers: Vec<(u32, Option<SeriesRow>, u64)>,
    /// For each link: the last queue length recorded.
    lengths: Vec<u32>,
}

impl Recorder {
    /// Collects what is `wanted` of `flows` flows and `links` link directions.
    pub fn new(wanted: Record, flows: usize, links: usize) -> Recorder {
        let transfers = if wanted.series || wanted.packets {
            (0..flows as u32).map(|f| (f, None, 0)).collect()
        } else {
            Vec::new()
        };
        let lengths = if wanted.queue { vec![0; links] } else { Vec::new() };
        Recorder { wanted, transfers, lengths, ..Recorder::default() }
    }

    /// From now on `flow`'s records belong to the outcome's row `transfer`.
    pub fn next_transfer(&mut self, flow: u32, transfer: u32) {
        if let Some(entry) = self.transfers.get_mut(flow as usize) {
            *entry = (transfer, None, 0);
        }
    }

    /// A packet's event on a link.
    #[inline]
    pub fn packet(&mut self, now: Time, link: u32, event: PacketEvent, packet: &Packet) {
        if self.wanted.packets {
            let transfer = self.transfers[packet.flow as usize].0;
            self.packets.push(PacketRow { time_s: now.secs(), link, transfer, event, packet: *packet });
        }
    }

    /// A queue may have changed.
    #[inline]
    pub fn queue(&mut self, now: Time, link: u32, queue: &AnyQueue<Packet>) {
        if self.wanted.queue {
            let length = queue.len() as u32;
            if std::mem::replace(&mut self.lengths[link as usize], length) != length {
                self.queue.push(QueueRow {
                    time_s: now.secs(),
                    link,
                    queue_packets: length,
                    queue_bytes: queue.bytes(),
                });
            }
        }
    }

    /// A sender may have changed.
    #[inline]
    pub fn sender(&mut self, now: Time, flow: u32, sender: &Sender) {
        if self.wanted.series {
            self.sender_changed(now, flow, sender);
        }
    }

    fn sender_changed(&mut self, now: Time, flow: u32, sender: &Sender) {
        let view = sender.view();
        let counters = sender.counters();
        let (transfer, last, samples) = &mut self.transfers[flow as usize];
        let row = SeriesRow {
            time_s: now.secs(),
            flow: *transfer,
            cwnd_segments: view.cwnd,
            ssthresh_segments: view.ssthresh,
            flight_segments: view.flight_size,
            rtt_s: if counters.rtt_samples > *samples { counters.rtt_last } else { f64::NAN },
            rto_s: view.rto,
            state: match view {
                _ if view.in_recovery => SenderState::Recovery,
                _ if view.cwnd < view.ssthresh => SenderState::SlowStart,
                _ => SenderState::CongestionAvoidance,
            },
        };
        *samples = counters.rtt_samples;
        let same = last.is_some_and(|last| SeriesRow { time_s: row.time_s, rtt_s: row.rtt_s, ..last } == row);
        if !same || !row.rtt_s.is_nan() {
            self.series.push(row);
        }
        *last = Some(SeriesRow { rtt_s: f64::NAN, ..row });
    }
}
