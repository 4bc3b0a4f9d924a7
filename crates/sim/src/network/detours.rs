//! What not every packet meets: shared media, and stages.

use std::mem::take;

use acklab_packet::{Packet, Time};
use acklab_path::queue::Removal;
use acklab_path::server::{Fate, Frame};
use acklab_path::spec::LossPlace;
use acklab_path::stage::Passing;

use super::Network;
use crate::event::{Due, Event};
use crate::hop::Meets;
use crate::medium::{Medium, Port};
use crate::merged::Arrived;
use crate::outcome::PacketEvent;

impl Network {
    /// A packet is offered to a link that is more than queue and wire; whether the link's own queue does not get it.
    #[cold]
    pub(super) fn meets_more(&mut self, index: u32, packet: &Packet, meets: Meets) -> bool {
        let now = self.now();
        match meets {
            Meets::Wire => return false,
            Meets::Overheard(by) => {
                // A stage before a wireless link processes what is lost on it, too.
                self.stages[by as usize].overhear(packet, now);
                return false;
            }
            Meets::Stages(id) => {
                self.stages[id as usize].arrive(*packet, self.current.decided(), now);
                self.arm_stages(id);
            }
            Meets::Medium(port) => {
                if self.hops[index as usize].link.loses(packet, LossPlace::BeforeQueue, now) {
                    self.note_removed(index, packet, Removal::Lost);
                } else {
                    self.offer_to_medium(port, *packet, now);
                }
            }
        }
        true
    }

    /// Handles [`Event::Stages`]: what they let go moves on, or to `arrived` at its destination.
    pub fn on_stages(&mut self, id: u32, arrived: &mut Vec<Arrived>) {
        let now = self.now();
        if !self.stages[id as usize].wakes(self.current, &mut self.events) {
            return;
        }
        let mut out = self.stages[id as usize].release(now);
        let link = self.stages[id as usize].link;
        for Passing { packet, made, merged, removed, .. } in out.drain(..) {
            if made {
                self.acks_removed[packet.flow as usize].count_created(&packet);
            }
            if removed {
                self.note_removed(link, &packet, Removal::Filtered);
                continue;
            }
            self.recorder.leaves_stages(now, link, &packet);
            let packet = Packet { place: packet.place + 1, ..packet };
            if !self.forward(&packet) {
                arrived.push((packet, merged));
            }
        }
        self.stages[id as usize].reuse(out);
        self.arm_stages(id);
    }

    fn arm_stages(&mut self, id: u32) {
        let (now, ordinal) = (self.now(), &mut self.ordinal);
        self.stages[id as usize].arm(now, &mut self.events, |at| {
            *ordinal = ordinal.next();
            Due::new(at, now, *ordinal, Event::Stages(id))
        });
    }

    /// A packet reaches a link that stands on a shared medium.
    #[cold]
    fn offer_to_medium(&mut self, Port { medium: id, port }: Port, packet: Packet, now: Time) {
        let Medium { server, out, .. } = &mut self.media[id as usize];
        server.offer(port, packet, now, out);
        self.leave_medium(id, &mut Vec::new());
        self.record_waiting(id, now);
        self.arm(id);
    }

    /// Handles [`Event::Medium`]; packets that reach their destination go to `arrived`.
    pub fn on_medium(&mut self, id: u32, arrived: &mut Vec<Arrived>) {
        let now = self.now();
        if !self.media[id as usize].wakes(self.current, &mut self.events) {
            return;
        }
        let Medium { server, out, .. } = &mut self.media[id as usize];
        server.wake(now, out);
        self.record_waiting(id, now);
        self.leave_medium(id, arrived);
        self.arm(id);
    }

    /// Moves on or notes what has left a medium.
    fn leave_medium(&mut self, id: u32, arrived: &mut Vec<Arrived>) {
        let (now, mut out) = (self.now(), take(&mut self.media[id as usize].out));
        for (Frame { packet, port, .. }, fate) in out.drain(..) {
            let index = self.media[id as usize].links[port as usize];
            if let Fate::Removed(reason) = fate {
                self.note_removed(index, &packet, reason);
                continue;
            }
            self.recorder.packet(now, index, PacketEvent::Dequeue, &packet);
            if fate == Fate::GivenUp {
                self.note_removed(index, &packet, Removal::Lost);
                continue;
            }
            self.recorder.packet(now, index, PacketEvent::Deliver, &packet);
            let packet = Packet { place: packet.place + 1, ..packet };
            if !self.forward(&packet) {
                arrived.push((packet, false));
            }
        }
        self.media[id as usize].out = out;
    }

    fn arm(&mut self, id: u32) {
        let (now, ordinal) = (self.now(), &mut self.ordinal);
        self.media[id as usize].arm(now, &mut self.events, |at| {
            *ordinal = ordinal.next();
            Due::new(at, now, *ordinal, Event::Medium(id))
        });
    }

    /// Records the lengths of a medium's queues.
    fn record_waiting(&mut self, id: u32, now: Time) {
        let Medium { server, links, .. } = &self.media[id as usize];
        for (&link, port) in links.iter().zip(0..) {
            let (packets, bytes) = server.waiting(port);
            self.recorder.queue_length(now, link, packets as u32, bytes);
        }
    }
}
