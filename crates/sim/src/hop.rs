//! A link direction among the events: its lanes, and the end of the service in progress.

use acklab_packet::{Packet, Time};
use acklab_path::link::{Link, Moment, Served, Size};
use acklab_path::random::Random;
use acklab_path::spec::LinkSpec;

use crate::event::{Due, Event, Ordinal};
use crate::lane::Lanes;
use crate::medium::Port;

/// A link direction and its events. Laid out as declared, from the beginning of a cache line: first what every packet
/// touches whose service is booked.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Hop {
    /// As the second of a pair: when the last packet reaches it whose two hops were decided as one.
    pub(crate) paired_until: Time,
    /// Whether it is the first link of a pair ([`crate::network`]), of several perhaps.
    pub(crate) first: bool,
    /// Whether it is the second link of a pair.
    pub(crate) second: bool,
    /// The link.
    pub(crate) link: Link<Packet>,
    /// Where no service is booked: the end of service; in the past when idle.
    pub(crate) free: Due,
    /// When the event was decided in which the service in progress began.
    pub(crate) free_root: Time,
    /// Whether the events hold this link's [`Event::Free`].
    pub(crate) free_queued: bool,
    /// The lane of that event, once there has been one.
    pub(crate) freed: Option<u32>,
    /// What its packets meet.
    pub(crate) meets: Meets,
}

/// What a packet offered to a link meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meets {
    /// A queue, a server, a wire.
    Wire,
    /// The same, overheard by the stages of the other direction; their index.
    Overheard(u32),
    /// A shared medium, which has the queue, the server and their counts: the link has its loss model only.
    Medium(Port),
    /// The stages at the far end of another link: this is no link but their place on a route.
    Stages(u32),
}

/// The event handled, as a link is called in it; `tied` is set if the order of two is not known.
pub struct At<'a>(pub &'a Due, pub &'a mut bool);

impl Moment for At<'_> {
    #[inline(always)]
    fn time(&self) -> Time {
        self.0.time()
    }
    #[inline(always)]
    fn decided(&self) -> Time {
        self.0.decided()
    }
    #[inline]
    fn follows(&mut self, since: Time) -> bool {
        self.0.follows(Due::ahead(self.0.time(), since, Event::Stop), self.1)
    }
}

impl Hop {
    /// The link direction `spec` describes; `random` gives its component of that name a stream. `watched`: its packets
    /// or its queue's lengths are recorded.
    pub fn new(spec: &LinkSpec, watched: bool, meets: Meets, random: impl Fn(&str) -> Random) -> Hop {
        let mut link = Link::new(spec, random);
        if watched || meets != Meets::Wire {
            link.never_book();
        }
        Hop {
            paired_until: Time::from_secs(-1.0),
            first: false,
            second: false,
            link,
            free: Due::START,
            free_root: Time::ZERO,
            free_queued: false,
            freed: None,
            meets,
        }
    }

    /// The shared medium it stands on, if it does.
    pub fn port(&self) -> Option<Port> {
        if let Meets::Medium(port) = self.meets { Some(port) } else { None }
    }

    /// Whether nothing is in service at the event due `current`.
    #[inline]
    pub fn is_idle(&self, current: Due, tied: &mut bool) -> bool {
        let free = self.free;
        if current.bits() == free.bits() { current.follows(free, tied) } else { current.bits() > free.bits() }
    }

    /// A packet enters service at the event due `current`: reserves its arrival, which is returned with its lane, then the
    /// end of its service.
    #[inline]
    pub fn reserve(
        &mut self,
        served: Served,
        current: Due,
        index: u32,
        ordinal: &mut Ordinal,
        lanes: &mut Lanes,
    ) -> (u32, Due) {
        let (now, lane) = (current.time(), self.lane(index, lanes));
        self.free_root = current.decided();
        let arrival = ordinal.next();
        *ordinal = arrival.next();
        self.free = Due::new(served.ends, now, *ordinal, Event::Free(index));
        (lane, Due::new(served.arrives, now, arrival, Event::Deliver(lane)))
    }

    /// At the event due `current` packets wait though nothing is in service: reserves the end of that wait. Whether it has one:
    /// without, only an arrival changes anything.
    #[cold]
    pub fn hold(&mut self, current: Due, index: u32, ordinal: &mut Ordinal) -> bool {
        if self.link.until() <= current.time() {
            return false;
        }
        self.free_root = current.decided();
        *ordinal = ordinal.next();
        self.free = Due::new(self.link.until(), current.time(), *ordinal, Event::Free(index));
        true
    }

    /// The [lane](crate::lane) of packets of the size served last.
    #[inline(always)]
    pub fn lane(&mut self, index: u32, lanes: &mut Lanes) -> u32 {
        let lane = self.link.sizes.last().notes[0];
        if lane == Size::NEW { self.find_lane(index, lanes) } else { lane }
    }

    #[cold]
    fn find_lane(&mut self, index: u32, lanes: &mut Lanes) -> u32 {
        let constant = self.link.constant().is_some();
        let Size { notes: [lane, _], span, .. } = self.link.sizes.last();
        *lane = if constant { lanes.find(*span, index) } else { lanes.own(index) };
        *lane
    }

    /// The same for packets of a pair: the hop over the first link took them `before`.
    #[inline(always)]
    pub fn lane_ahead(&mut self, before: Time, index: u32, lanes: &mut Lanes) -> u32 {
        let Size { notes: [_, lane], span, .. } = self.link.sizes.last();
        if *lane == Size::NEW {
            *lane = lanes.find(before + *span, index);
        }
        *lane
    }

    /// The link has a lane of its own from now on: in those it shared it would be out of order.
    #[cold]
    pub fn leave_lane(&mut self, lane: u32, own: u32) {
        for note in self.link.sizes.both().iter_mut().flat_map(|size| &mut size.notes) {
            *note = if *note == lane { own } else { *note };
        }
    }
}
