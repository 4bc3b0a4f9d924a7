//! What not every packet meets: shared media, stages, compressed headers.

use std::mem::take;

use acklab_packet::{Packet, Time};
use acklab_path::medium::{Fate, Frame};
use acklab_path::spec::LossPlace;
use acklab_path::stage::Passing;
use acklab_path::stage::compression::Crossing;

use super::Network;
use crate::event::{Due, Event};
use crate::link::Way;
use crate::medium::{Medium, Port};
use crate::outcome::PacketEvent;

impl Network {
    /// A packet is offered to a link that is more than queue and wire; whether it has gone its own way.
    #[cold]
    pub(super) fn leads_elsewhere(&mut self, index: u32, packet: &Packet) -> bool {
        let now = self.now();
        match self.links[index as usize].way {
            Way::Wire => return false,
            Way::Overheard(by) => {
                // Whoever stands before a wireless link hears what is lost on it, too.
                self.boxes[by as usize].overhear(packet, now);
                return false;
            }
            Way::Stages(id) => {
                self.boxes[id as usize].arrive(*packet, now);
                self.arm_stages(id);
            }
            Way::Medium(port) => {
                let link = &mut self.links[index as usize];
                if let Some(loss) = &mut link.loss
                    && loss.takes(packet, LossPlace::BeforeQueue, now)
                {
                    link.stats.lost += 1;
                    self.lose(index, packet);
                } else {
                    self.offer_to_medium(port, *packet, now);
                }
            }
        }
        true
    }

    /// The same on a wire that carries compressed ACKs: what its far end cannot read is lost.
    #[cold]
    pub(super) fn transmit_compressed(&mut self, index: u32, packet: &Packet, now: Time) {
        let Some(compression) = &mut self.links[index as usize].compression else { return };
        let Crossing { bytes, readable } = compression.cross(packet, now);
        let flight = self.serve(index, bytes);
        self.recorder.packet(now, index, PacketEvent::Dequeue, packet);
        let link = &mut self.links[index as usize];
        let lost = link.loss.as_mut().is_some_and(|loss| loss.takes(packet, LossPlace::AfterQueue, now));
        if lost && let Some(compression) = &mut link.compression {
            compression.lose();
        }
        if lost || !readable {
            link.stats.lost += 1;
            return self.lose(index, packet);
        }
        self.launch(flight, packet, index);
    }

    /// Handles [`Event::Stages`]: what they let go moves on, or to `arrived` at its destination.
    pub fn on_stages(&mut self, id: u32, arrived: &mut Vec<Packet>) {
        let now = self.now();
        if !self.boxes[id as usize].wakes(self.current, &mut self.events) {
            return;
        }
        let mut out = self.boxes[id as usize].release(now);
        let link = self.boxes[id as usize].link;
        for Passing { packet, made, .. } in out.drain(..) {
            if made {
                self.acks_removed[packet.flow as usize].count_created(&packet);
            }
            self.recorder.leaves_stages(now, link, &packet);
            let packet = Packet { place: packet.place + 1, ..packet };
            if !self.forward(&packet) {
                arrived.push(packet);
            }
        }
        self.boxes[id as usize].reuse(out);
        self.arm_stages(id);
    }

    fn arm_stages(&mut self, id: u32) {
        let (now, ordinal) = (self.now(), &mut self.ordinal);
        self.boxes[id as usize].arm(now, &mut self.events, |at| {
            *ordinal = ordinal.next();
            Due::new(at, now, *ordinal, Event::Stages(id))
        });
    }

    /// A packet reaches a link that stands on a shared medium.
    #[cold]
    fn offer_to_medium(&mut self, Port { medium: id, port }: Port, packet: Packet, now: Time) {
        self.account_waiting(id, now);
        let medium = &mut self.media[id as usize];
        medium.dcf.offer(port, packet, now, &mut medium.removed);
        let mut removed = take(&mut medium.removed);
        for (frame, reason) in removed.drain(..) {
            self.removed.push((frame.packet, reason));
            let link = self.media[id as usize].links[frame.port as usize];
            self.account_removed(link, now);
        }
        self.media[id as usize].removed = removed;
        self.record_waiting(id, now);
        self.arm(id);
    }

    /// Handles [`Event::Medium`]; packets that reach their destination go to `arrived`.
    pub fn on_medium(&mut self, id: u32, arrived: &mut Vec<Packet>) {
        let now = self.now();
        if !self.media[id as usize].wakes(self.current, &mut self.events) {
            return;
        }
        self.account_waiting(id, now);
        let medium = &mut self.media[id as usize];
        medium.dcf.wake(now, &mut medium.out);
        self.record_waiting(id, now);
        let mut out = take(&mut self.media[id as usize].out);
        for (Frame { packet, port }, fate) in out.drain(..) {
            let index = self.media[id as usize].links[port as usize];
            self.recorder.packet(now, index, PacketEvent::Dequeue, &packet);
            self.links[index as usize].transmitter.count(1, packet.size.into());
            match fate {
                Fate::GivenUp => self.lose(index, &packet),
                Fate::Delivered => {
                    self.recorder.packet(now, index, PacketEvent::Deliver, &packet);
                    let packet = Packet { place: packet.place + 1, ..packet };
                    if !self.forward(&packet) {
                        arrived.push(packet);
                    }
                }
            }
        }
        self.media[id as usize].out = out;
        self.arm(id);
    }

    fn arm(&mut self, id: u32) {
        let (now, ordinal) = (self.now(), &mut self.ordinal);
        self.media[id as usize].arm(now, &mut self.events, |at| {
            *ordinal = ordinal.next();
            Due::new(at, now, *ordinal, Event::Medium(id))
        });
    }

    /// Accounts for the time in which the queues of a medium were as they are.
    fn account_waiting(&mut self, id: u32, now: Time) {
        let Medium { dcf, links, .. } = &self.media[id as usize];
        for (&link, port) in links.iter().zip(0..) {
            self.links[link as usize].stats.integrate(dcf.waiting(port), now);
        }
    }

    /// Notes the lengths of a medium's queues.
    fn record_waiting(&mut self, id: u32, now: Time) {
        let Medium { dcf, links, .. } = &self.media[id as usize];
        for (&link, port) in links.iter().zip(0..) {
            let stats = &mut self.links[link as usize].stats;
            stats.queue_max = stats.queue_max.max(dcf.waiting(port) as u64);
            self.recorder.queue_length(now, link, dcf.waiting(port) as u32, dcf.waiting_bytes(port));
        }
    }
}
