//! Conversations written packet by packet: a sender S (10.0.0.1) and a receiver R (10.0.0.2), with every segment of 1000 bytes.

use super::Frame;

pub const FIN: u8 = 1;
pub const SYN: u8 = 2;
pub const ACK: u8 = 16;
pub const ECE: u8 = 64;
pub const CWR: u8 = 128;
/// Payload of a segment.
pub const UNIT: u32 = 1000;

const US: i64 = 1000;

/// A conversation as a capture has it.
#[derive(Clone, Debug, Default)]
pub struct Talk {
    pub frames: Vec<Frame>,
    pub now_ns: i64,
    /// First numbers of S and R.
    pub first: (u32, u32),
    /// The next segment of S, and the next that R has not acknowledged.
    pub sent: u32,
    pub acked: u32,
}

impl Talk {
    /// A conversation without its handshake.
    pub fn under_way() -> Talk {
        Talk { first: (5_000, 9_000), ..Talk::default() }
    }

    /// One that begins with its handshake, in which R answers after `to_r` microseconds and S after `to_s`; `flags` are beside SYN,
    /// and beside SYN and ACK.
    pub fn opened(to_r: i64, to_s: i64, flags: (u8, u8)) -> Talk {
        let mut talk = Talk::under_way();
        let (s, r) = (talk.first.0 - 1, talk.first.1 - 1);
        talk.packet(true, (s, 0), SYN | flags.0, 0, 0);
        talk.wait_us(to_r);
        talk.packet(false, (r, s + 1), SYN | ACK | flags.1, 0, 0);
        talk.wait_us(to_s);
        talk.packet(true, (s + 1, r + 1), ACK, 0, 0);
        talk
    }

    pub fn wait_us(&mut self, us: i64) {
        self.now_ns += us * US;
    }

    /// A packet of S, or of R, with its two numbers, flags, payload and ECN bits.
    pub fn packet(&mut self, of_s: bool, (seq, ack): (u32, u32), flags: u8, payload: u32, ecn: u8) {
        self.framed(of_s, (seq, ack), flags, payload, ecn, 65_000);
    }

    /// The same with its window.
    pub fn framed(&mut self, of_s: bool, (seq, ack): (u32, u32), flags: u8, payload: u32, ecn: u8, window: u16) {
        let (from, to) = if of_s { (1, 2) } else { (2, 1) };
        let length = 40 + payload;
        let number = self.frames.len() as u16 + 1;
        let mut data = vec![0x45, ecn];
        data.extend((length as u16).to_be_bytes());
        data.extend(number.to_be_bytes());
        data.extend([0, 0, 64, 6, 0, 0, 10, 0, 0, from, 10, 0, 0, to]);
        let ports: [u16; 2] = if of_s { [4000, 80] } else { [80, 4000] };
        ports.iter().for_each(|port| data.extend(port.to_be_bytes()));
        data.extend(seq.to_be_bytes());
        data.extend(ack.to_be_bytes());
        data.extend([0x50, flags]);
        data.extend(window.to_be_bytes());
        data.extend([0; 4]);
        self.frames.push((self.now_ns, length, data));
    }

    /// So many segments pass, a tenth of a millisecond apart.
    pub fn data(&mut self, segments: u32) {
        for _ in 0..segments {
            self.wait_us(100);
            self.packet(true, (self.first.0 + UNIT * self.sent, self.first.1), ACK, UNIT, 2);
            self.sent += 1;
        }
    }

    /// R acknowledges all of them `after_us` later.
    pub fn ack(&mut self, after_us: i64) {
        self.flagged_ack(after_us, 0);
    }

    /// The same with more flags.
    pub fn flagged_ack(&mut self, after_us: i64, flags: u8) {
        self.wait_us(after_us);
        self.acked = self.sent;
        self.packet(false, (self.first.1, self.first.0 + UNIT * self.acked), ACK | flags, 0, 0);
    }

    /// R acknowledges segments in these numbers, near the receiver, with pauses between.
    pub fn acked_by(mut self, numbers: impl IntoIterator<Item = u32>) -> Talk {
        for number in numbers {
            self.data(number);
            self.ack(20);
        }
        self
    }

    /// S asks, and R's answers begin; the ACK of the question tells how far R is.
    pub fn asked(mut self, times: u32, to_r: i64) -> Talk {
        for _ in 0..times {
            self.data(1);
            self.ack(to_r);
        }
        self
    }
}
