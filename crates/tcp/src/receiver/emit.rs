//! What a receiver sends: what its policy wants, and the ACK with its blocks, echoes and counts.

use acklab_packet::{Ace, Ack, Probe, SackBlocks, Seq, Time};

use super::policy::{AckPolicy, Emission};
use super::{Receiver, ReceiverWire};

impl Receiver {
    #[inline(never)]
    pub(super) fn emit<W: ReceiverWire>(&mut self, emission: Emission, now: Time, wire: &mut W) {
        self.emit_here(emission, now, wire);
    }

    /// The same without a call.
    #[inline(always)]
    pub(super) fn emit_here<W: ReceiverWire>(&mut self, emission: Emission, now: Time, wire: &mut W) {
        match emission {
            Emission::Now => {
                self.settle(wire);
                self.send_here(self.space.rcv_nxt, wire);
                self.policy.on_ack_sent(now);
            }
            Emission::By(at) => {
                if !self.timer_on {
                    self.timer_on = true;
                    wire.arm(at);
                } else if let Some(spread) = &mut self.spread {
                    spread.deadline = spread.deadline.or(Some(at));
                    self.rearm(wire);
                }
            }
            Emission::At(at) => {
                self.timer_on = true;
                wire.arm(at);
            }
            Emission::Nothing => {}
            unusual => self.emit_unusually(unusual, now, wire),
        }
    }

    /// Acts on the rarer emissions.
    #[cold]
    fn emit_unusually<W: ReceiverWire>(&mut self, emission: Emission, now: Time, wire: &mut W) {
        match emission {
            Emission::Probe(number) => self.probe(number, now, wire),
            Emission::Pieces(pieces) => self.send_pieces(&pieces, now, wire),
            Emission::Gather(at) => {
                self.note_run();
                self.emit(Emission::By(at), now, wire);
            }
            Emission::Regather(at) => {
                self.note_run();
                self.emit(Emission::At(at), now, wire);
            }
            Emission::Ranges { echo, gaps, more } => {
                self.note_run();
                self.ts_recent = echo.unwrap_or(self.ts_recent);
                self.settle(wire);
                for _ in 0..=more {
                    self.send_sized(self.space.rcv_nxt, gaps, wire);
                }
                self.policy.on_ack_sent(now);
            }
            Emission::Repeated(copies) => {
                self.settle(wire);
                for _ in 0..=copies {
                    self.send(self.space.rcv_nxt, wire);
                    self.policy.on_ack_sent(now);
                }
            }
            Emission::Ahead { units, again, echo } => {
                self.settle(wire);
                self.ts_recent = echo.unwrap_or(self.ts_recent);
                self.send(self.space.highest.max(self.space.rcv_nxt) + units, wire);
                self.policy.on_ack_sent(now);
                if let Some(at) = again {
                    self.timer_on = true;
                    wire.arm(at);
                }
            }
            Emission::Now | Emission::By(_) | Emission::At(_) | Emission::Nothing => self.emit(emission, now, wire),
        }
    }

    /// Before an ACK of everything: stops the timer, and sends the pieces that still wait.
    #[inline]
    pub(super) fn settle<W: ReceiverWire>(&mut self, wire: &mut W) {
        if self.timer_on {
            self.timer_on = false;
            wire.disarm();
        }
        if self.spread.is_some() {
            self.send_waiting(wire);
        }
    }

    /// A keep-alive asks for an answer at once: it repeats the last ACK under a number already acknowledged.
    #[cold]
    fn probe<W: ReceiverWire>(&mut self, number: u32, now: Time, wire: &mut W) {
        wire.probe(Probe { number, reply: false, seq: self.last_ack_sent }, self.rules.ack_size);
        let emission = self.policy.on_probe_sent(now);
        self.emit(emission, now, wire);
    }

    #[inline(never)]
    pub(super) fn send<W: ReceiverWire>(&mut self, ack: Seq, wire: &mut W) {
        self.send_here(ack, wire);
    }

    /// Sends an ACK without a call.
    #[inline(always)]
    fn send_here<W: ReceiverWire>(&mut self, ack: Seq, wire: &mut W) {
        self.send_sized(ack, None, wire);
    }

    /// The same, with room for so many blocks, whatever it carries.
    #[inline(always)]
    fn send_sized<W: ReceiverWire>(&mut self, ack: Seq, room: Option<u32>, wire: &mut W) {
        // Blocks are news from beyond a gap: a piece of an ACK, or an ACK of what has not come, carries none.
        let news = self.space.highest > ack || self.duplicate || self.history.is_some();
        let mut sack = SackBlocks::default();
        if news && self.rules.sack && ack == self.space.rcv_nxt && self.syn.is_none() {
            sack = self.blocks(ack);
        }
        let rules = &*self.rules;
        let blocks = room.unwrap_or(sack.len() as u32);
        let mut size = rules.ack_size + rules.sack_block_bytes * blocks;
        if blocks > 0 {
            size += rules.sack_head_bytes;
        }
        self.acks_sent = self.acks_sent.saturating_add(1);
        self.last_ack_sent = self.last_ack_sent.max(ack);
        self.covered = self.covered.max(ack);
        let answer = self.syn.take();
        sack.able = answer == Some(true);
        if answer.is_some() {
            size += rules.syn_options_bytes;
        }
        let ace = Ace::default();
        let mut told =
            Ack { ack, sack, syn: answer.is_some(), ece: self.ece, ace, ecn: self.ecn, ts_ecr: self.ts_recent };
        let size = if self.tells { self.tell_more(&mut told, size) } else { size };
        wire.send(told, size);
    }

    /// Adds counts of marks and the window; the size of the ACK then.
    #[inline(never)]
    fn tell_more(&mut self, told: &mut Ack, mut size: u32) -> u32 {
        let came = self.space.highest.max(self.space.rcv_nxt);
        if told.ack > came && self.rules.ack.is_ahead() {
            told.sack.set_claim(told.ack, came);
        }
        if let Some((window, scale)) = self.policy.window() {
            if told.syn {
                // Its scale lies where blocks would, which an answer to a SYN never has.
                let able = std::mem::take(&mut told.sack).able;
                told.sack.able = able;
                told.sack.set_scale(scale);
                size = self.rules.ack_size + self.rules.syn_options_bytes;
            }
            told.sack.set_window(if told.syn { window } else { window >> scale });
        }
        self.accurate.as_mut().map_or(size, |accurate| accurate.write(told, size, &self.rules))
    }
}
