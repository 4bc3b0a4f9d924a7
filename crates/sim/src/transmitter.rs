//! The transmitter of a link direction: serves a packet at a time and puts it on the wire.

use acklab_packet::{Rate, Time};

use crate::event::{Due, Event, Ordinal};
use crate::lane::Lanes;

/// Serves packets; what each packet that passes looks at stands together.
#[derive(Clone, Debug)]
pub struct Transmitter {
    /// The end of service; in the past when idle.
    pub free: Due,
    /// The last two packet sizes served, the last first: mostly those of full segments and of ACKs.
    sizes: [Size; 2],
    /// Packets and bytes served.
    pub packets: u64,
    /// Time spent serving, a packet in service counted whole, in seconds.
    busy: f64,
    pub bytes: u64,
    rate: Rate,
    delay: Time,
}

/// What a packet's size determines.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    bytes: u32,
    /// The [lane](crate::lane) on which it arrives.
    lane: u32,
    /// Time on the wire.
    serialisation: Time,
    /// Serialisation and propagation.
    span: Time,
}

impl Transmitter {
    /// An idle transmitter.
    pub fn new(rate: Rate, delay: Time) -> Transmitter {
        let (free, unknown) = (Due::START, Size { bytes: u32::MAX, ..Size::default() });
        Transmitter { free, sizes: [unknown; 2], packets: 0, bytes: 0, busy: 0.0, rate, delay }
    }

    /// Size of the packet in service, or of the last one, in bytes.
    #[inline]
    pub fn in_service(&self) -> u32 {
        self.sizes[0].bytes
    }

    /// Takes a packet of `bytes` into service at `now` on the link of that index: reserves its arrival, which is returned
    /// with its lane, then the end of its service.
    #[inline(always)]
    pub fn serve(&mut self, bytes: u32, now: Time, link: u32, ordinal: &mut Ordinal, lanes: &mut Lanes) -> (u32, Due) {
        if self.sizes[0].bytes != bytes {
            self.look_up(bytes, link, lanes);
        }
        let Size { lane, serialisation, span, .. } = self.sizes[0];
        self.packets += 1;
        self.bytes += u64::from(bytes);
        self.busy += serialisation.secs();
        let arrival = ordinal.next();
        *ordinal = arrival.next();
        self.free = Due::new(now + serialisation, *ordinal, Event::Free(link));
        (lane, Due::new(now + span, arrival, Event::Deliver(lane)))
    }

    /// Puts what packets of `bytes` take first.
    #[inline(never)]
    fn look_up(&mut self, bytes: u32, link: u32, lanes: &mut Lanes) {
        self.sizes.swap(0, 1);
        if self.sizes[0].bytes != bytes {
            let serialisation = self.rate.transmission(bytes);
            let span = serialisation + self.delay;
            self.sizes[0] = Size { bytes, lane: lanes.find(span, link), serialisation, span };
        }
    }

    /// Share of the time up to `end` during which it was busy.
    pub fn utilisation(&self, end: Time) -> f64 {
        let unserved = (self.free.time().secs() - end.secs()).max(0.0);
        if end > Time::ZERO { ((self.busy - unserved) / end.secs()).max(0.0) } else { 0.0 }
    }
}
