//! The transmitter of a link direction: serves a packet at a time and puts it on the wire.

use acklab_packet::{Rate, Time};

use crate::event::{Due, Event, Ordinal};
use crate::lane::Lanes;

/// Serves packets. Laid out as declared: first what each packet touches that passes.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Transmitter {
    /// Of a plain link: when the last service decided on ends, and when it begins.
    pub busy_until: Time,
    pub last_start: Time,
    /// The last two packet sizes served, the last first: mostly those of full segments and of ACKs.
    sizes: [Size; 2],
    /// Of a link that is not plain: the end of service; in the past when idle.
    pub free: Due,
    /// Packets and bytes of other sizes served, or booked for service.
    others: (u64, u64),
    rate: Rate,
    delay: Time,
}

/// Before the beginning.
const BEFORE: Time = Time::from_secs(-1.0);
/// No lane.
const UNKNOWN: u32 = u32::MAX;

/// What a packet's size determines.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    bytes: u32,
    /// The [lane](crate::lane) on which it arrives, and the one if the hop before was decided with this one.
    lane: u32,
    lane_ahead: u32,
    /// Packets of it served, or booked for service.
    packets: u64,
    /// Time on the wire.
    serialisation: Time,
    /// Serialisation and propagation.
    span: Time,
}

impl Transmitter {
    /// An idle transmitter.
    pub fn new(rate: Rate, delay: Time) -> Transmitter {
        let (free, unknown) = (Due::START, Size { bytes: u32::MAX, ..Size::default() });
        Transmitter { busy_until: BEFORE, last_start: BEFORE, free, sizes: [unknown; 2], others: (0, 0), rate, delay }
    }

    /// The end of the last service decided on.
    pub fn freed(&self) -> Due {
        Due::ahead(self.busy_until, self.last_start, Event::Stop)
    }

    /// When the service in progress ends, or the last one has ended.
    pub fn end(&self) -> Time {
        if self.busy_until > self.free.time() { self.busy_until } else { self.free.time() }
    }

    /// Its rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Size of the packet in service, or of the last one, in bytes.
    #[inline]
    pub fn in_service(&self) -> u32 {
        self.sizes[0].bytes
    }

    /// Time on the wire of a packet of `bytes`.
    pub fn serialisation(&self, bytes: u32) -> Time {
        self.rate.transmission(bytes)
    }

    /// Takes a packet of `bytes` into service at `now` on the link of that index: reserves its arrival, which is returned
    /// with its lane, then the end of its service.
    #[inline(always)]
    pub fn serve(&mut self, bytes: u32, now: Time, link: u32, ordinal: &mut Ordinal, lanes: &mut Lanes) -> (u32, Due) {
        let Size { serialisation, span, .. } = self.take(bytes);
        let lane = self.lane(link, lanes);
        let arrival = ordinal.next();
        *ordinal = arrival.next();
        self.free = Due::new(now + serialisation, now, *ordinal, Event::Free(link));
        (lane, Due::new(now + span, now, arrival, Event::Deliver(lane)))
    }

    /// Books a packet of `bytes` for service from `start` on: how long it then takes to the link's other end.
    #[inline(always)]
    pub fn book(&mut self, bytes: u32, start: Time) -> Time {
        let Size { serialisation, span, .. } = self.take(bytes);
        (self.busy_until, self.last_start) = (start + serialisation, start);
        span
    }

    /// The lane of packets of the size served last.
    #[inline(always)]
    pub fn lane(&mut self, link: u32, lanes: &mut Lanes) -> u32 {
        let Size { lane, span, .. } = &mut self.sizes[0];
        if *lane == UNKNOWN {
            *lane = lanes.find(*span, link);
        }
        *lane
    }

    /// The same for packets whose hop over the link before, which took them `before`, was decided with this one.
    #[inline(always)]
    pub fn lane_ahead(&mut self, before: Time, link: u32, lanes: &mut Lanes) -> u32 {
        let Size { lane_ahead, span, .. } = &mut self.sizes[0];
        if *lane_ahead == UNKNOWN {
            *lane_ahead = lanes.find(before + *span, link);
        }
        *lane_ahead
    }

    /// The link has a lane of its own from now on: in those it shared it would be out of order.
    #[cold]
    pub fn leave_lane(&mut self, lane: u32, own: u32) {
        for size in &mut self.sizes {
            size.lane = if size.lane == lane { own } else { size.lane };
            size.lane_ahead = if size.lane_ahead == lane { own } else { size.lane_ahead };
        }
    }

    /// Counts a packet of `bytes`; what its size determines.
    #[inline(always)]
    fn take(&mut self, bytes: u32) -> Size {
        if self.sizes[0].bytes != bytes {
            self.look_up(bytes);
        }
        self.sizes[0].packets += 1;
        self.sizes[0]
    }

    /// Puts what packets of `bytes` take first.
    #[inline(never)]
    fn look_up(&mut self, bytes: u32) {
        self.sizes.swap(0, 1);
        if self.sizes[0].bytes != bytes {
            let known = self.sizes[0];
            self.count(known.packets, known.packets * u64::from(known.bytes));
            let serialisation = self.rate.transmission(bytes);
            let span = serialisation + self.delay;
            self.sizes[0] = Size { bytes, lane: UNKNOWN, lane_ahead: UNKNOWN, packets: 0, serialisation, span };
        }
    }

    /// Counts packets that something else serves.
    pub fn count(&mut self, packets: u64, bytes: u64) {
        self.others = (self.others.0 + packets, self.others.1 + bytes);
    }

    /// Packets and bytes served, or booked for service.
    pub fn served(&self) -> (u64, u64) {
        let bytes = |size: &Size| size.packets * u64::from(size.bytes);
        let (packets, sum) =
            self.sizes.iter().map(|size| (size.packets, bytes(size))).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        (self.others.0 + packets, self.others.1 + sum)
    }

    /// Share of the time up to `end` during which it was busy, when it has served `bytes` bytes, and the service in
    /// progress or the last one ends at `free`.
    pub fn utilisation(&self, bytes: u64, free: Time, end: Time) -> f64 {
        let busy = 8.0 * bytes as f64 / self.rate.bps();
        let unserved = (free.secs() - end.secs()).max(0.0);
        if end > Time::ZERO { ((busy - unserved) / end.secs()).clamp(0.0, 1.0) } else { 0.0 }
    }
}
