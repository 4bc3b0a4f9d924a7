//! 802.11's distributed coordination function (ledger divack.m.dcf; IEEE 802.11, clause on DCF).
//!
//! Everybody hears everybody. After each exchange the medium is idle; a station counts its slots from DIFS or EIFS
//! later, and whose count ends first transmits. Who begins within a slot of it has not noticed, and their frames
//! collide. A frame that arrives is answered after SIFS; one that is not answered is sent again after a longer
//! backoff, until its attempts are used up.
//!
//! An exchange is one phase after another, each with an end: [RTS, CTS,] data, answer. No other station can interfere
//! after the first frame. So no network allocation vector is kept: the medium is busy until the exchange ends.

use acklab_packet::Time;

use super::params::DcfParams;
use super::port::{AirStats, Port};
use super::station::{Fate, Frame, Station};
use crate::Carried;
use crate::queue::{AnyQueue, Counts, FlowClass, Service, Stamped, Totals};
use crate::random::Random;

/// Instants closer than this are the same: far less than a slot, far more than a rounding.
const SAME: f64 = 1e-9;

/// What is going on.
#[derive(Clone, Debug, PartialEq)]
enum Phase {
    /// Nothing, since then.
    Idle(Time),
    /// The first frames: of the stations that began at `since`, or unnoticed after it.
    First { since: Time, until: Time },
    /// A station's data after its RTS was answered.
    Data { station: u32, until: Time },
    /// The answer to a station's data, or what would be its time.
    Answer { station: u32, heard: bool, until: Time },
}

/// Who transmits the first frame of an exchange.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Talker {
    station: u32,
    /// When its frame has reached everybody.
    end: Time,
    rts: bool,
}

/// A medium with its stations.
#[derive(Clone, Debug, PartialEq)]
pub struct Dcf<P> {
    params: DcfParams,
    stations: Vec<Station<P>>,
    ports: Vec<Port>,
    phase: Phase,
    talkers: Vec<Talker>,
    /// What the present exchange has put on the air: the port that counts it, how long it is and when it ends.
    on_air: Vec<(u32, Time, Time)>,
}

/// A station's queue, and its streams of random numbers for backoffs and for broken frames.
pub type QueueAndDraws<P> = (AnyQueue<Stamped<Frame<P>>>, Random, Random);

impl<P: Carried> Dcf<P> {
    /// A medium for stations with these queues, each with its streams for backoffs and for broken frames; `ports` names
    /// the station that each port leaves.
    pub fn new(params: DcfParams, stations: Vec<QueueAndDraws<P>>, ports: Vec<u32>) -> Dcf<P> {
        let stations = stations.into_iter().map(|(queue, random, air)| Station::new(queue, &params, random, air));
        Dcf {
            stations: stations.collect(),
            ports: ports.into_iter().map(Port::from).collect(),
            phase: Phase::Idle(Time::ZERO),
            talkers: Vec::new(),
            on_air: Vec::new(),
            params,
        }
    }

    /// What a port has counted, each frame and answer on the air as a whole.
    pub fn stats(&self, port: u32) -> AirStats {
        self.ports[port as usize].air
    }

    /// A frame or an answer of a port is on the air for so long, until `end`.
    fn occupy(&mut self, port: u32, length: Time, end: Time) {
        self.ports[port as usize].air.airtime += length.secs();
        self.on_air.push((port, length, end));
    }

    /// One more flow comes, whose packets bear the next number.
    pub fn learn(&mut self, class: FlowClass) {
        self.stations.iter_mut().for_each(|station| station.line.learn(class));
    }

    /// The earliest of the starts that stations plan when the medium is idle since then.
    fn first_start(&self, since: Time) -> Option<Time> {
        self.stations.iter().filter_map(|station| station.start(since, self.params.slot)).min()
    }

    /// A station that had nothing to send now has.
    fn contend(&mut self, id: u32, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let station = &mut self.stations[id as usize];
        match self.phase {
            Phase::Idle(since) => {
                let idle = now - since;
                if !station.free(idle, self.params.slot) {
                    // Its backoff goes on, or the medium has only just become idle.
                    if station.backoff.is_none() {
                        station.back_off();
                    }
                } else if self.params.always_backoff {
                    station.wait = idle + self.params.difs;
                    station.back_off();
                } else {
                    station.at_once = Some(now);
                }
            }
            Phase::First { since, .. } if (now - since).secs() < self.params.sense.secs() - SAME => {
                // The medium looks idle to it still.
                match station.backoff {
                    None if !self.params.always_backoff => self.talk(id, now, out),
                    None => station.back_off(),
                    Some(_) => {}
                }
            }
            _ if station.backoff.is_none() => station.back_off(),
            _ => {}
        }
    }

    /// The first station's backoff has ended.
    fn begin(&mut self, since: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let Some(first) = self.first_start(since) else { return };
        let unnoticed = (self.params.sense.secs() - SAME).max(SAME);
        self.talkers.clear();
        self.on_air.clear();
        self.phase = Phase::First { since: first, until: Time::ZERO };
        for id in 0..self.stations.len() as u32 {
            let station = &mut self.stations[id as usize];
            match station.start(since, self.params.slot) {
                Some(start) if (start - first).secs() < unnoticed => self.talk(id, start, out),
                _ => station.freeze(first - since, &self.params),
            }
        }
    }

    /// A station begins its first frame at `start`.
    fn talk(&mut self, id: u32, start: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let Phase::First { since, until } = self.phase else { return };
        let (station, params) = (&mut self.stations[id as usize], &self.params);
        station.at_once = None;
        station.backoff = None;
        station.fill(params, start, out);
        let bytes = station.air_bytes(params);
        let rts = u64::from(bytes) > params.rts_threshold;
        let length = if rts { params.rts } else { params.data(bytes) };
        let end = start + length + params.propagation;
        if let Some(first) = station.service.front() {
            let (port, again) = (first.frame.port, first.failures > 0 || station.rts_failures > 0);
            let stats = &mut self.ports[port as usize].air;
            stats.attempts += 1;
            stats.retries += u64::from(again);
            self.occupy(port, length, start + length);
        }
        self.talkers.push(Talker { station: id, end, rts });
        self.phase = Phase::First { since, until: until.max(end) };
    }

    /// A lone RTS has arrived: CTS, then data.
    fn send_data(&mut self, id: u32, rts_end: Time, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let (station, params) = (&mut self.stations[id as usize], &self.params);
        station.rts_failures = 0;
        station.fill(params, now, out);
        let data = params.data(station.air_bytes(params));
        let (cts, answered) = (params.cts, rts_end + params.sifs + params.cts);
        let sent = answered + params.propagation + params.sifs + data;
        let until = sent + params.propagation;
        if let Some(port) = station.service.front().map(|first| first.frame.port) {
            self.occupy(port, cts, answered);
            self.occupy(port, data, sent);
        }
        self.phase = Phase::Data { station: id, until };
    }

    /// A station's data has arrived, or what is left of it.
    fn arrive(&mut self, id: u32, end: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let (station, params) = (&mut self.stations[id as usize], &self.params);
        let mut heard = false;
        for one in station.service.iter_mut().filter(|one| !one.received) {
            one.received = params.frame_loss == 0.0 || station.air.uniform() >= params.frame_loss;
            heard |= one.received;
        }
        let answer = if params.aggregate > 0 && station.service.len() > 1 { params.block_ack } else { params.ack };
        // Others have understood the frame and keep silent for the answer, whether or not it comes.
        let answered = end + params.sifs + answer;
        let until = answered + params.propagation;
        if let Some(port) = station.service.front().map(|first| first.frame.port)
            && heard
        {
            self.occupy(port, answer, answered);
        }
        self.hand_over(id, end, out);
        self.phase = Phase::Answer { station: id, heard, until };
    }

    /// Hands over what the receiver has without a gap before it.
    fn hand_over(&mut self, id: u32, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let station = &mut self.stations[id as usize];
        while station.service.front().is_some_and(|one| one.received) {
            if let Some(one) = station.service.pop_front() {
                out.push((one.frame, Fate::Delivered));
            }
        }
        station.idle_since = now;
    }

    /// Several frames were on the air at once: none arrives.
    fn collide(&mut self, until: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        // Who only listened could not understand; who talked waits for an answer first.
        for station in &mut self.stations {
            station.wait = self.params.eifs;
        }
        self.phase = Phase::Idle(until);
        let talkers = std::mem::take(&mut self.talkers);
        for &Talker { station: id, end, rts } in &talkers {
            let silent = (end.secs() + self.params.ack_timeout.secs() - until.secs()).max(0.0);
            self.stations[id as usize].wait = Time::from_secs(silent) + self.params.difs;
            if let Some(first) = self.stations[id as usize].service.front() {
                self.ports[first.frame.port as usize].air.collisions += 1;
            }
            self.fail(id, rts, until, out);
        }
        self.talkers = talkers;
    }

    /// The answer has come, or has not: the exchange is over.
    fn conclude(&mut self, id: u32, heard: bool, until: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        for station in &mut self.stations {
            station.wait = self.params.difs;
        }
        self.phase = Phase::Idle(until);
        if heard {
            self.stations[id as usize].cw = self.params.cw_min;
            // What is left of an aggregate counts as failed by itself.
            self.count_failures(id, until, out);
            self.go_on(id, until, out);
        } else {
            let params = &self.params;
            let silent = (params.ack_timeout.secs() - params.sifs.secs() - params.ack.secs()).max(0.0);
            self.stations[id as usize].wait = Time::from_secs(silent) + params.difs;
            self.fail(id, false, until, out);
        }
    }

    /// A station's frame got no answer: again after a longer backoff, or never.
    fn fail(&mut self, id: u32, rts: bool, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let (station, params) = (&mut self.stations[id as usize], &self.params);
        station.cw = (2 * station.cw + 1).min(params.cw_max);
        if rts {
            station.rts_failures += 1;
            if params.short_retries > 0 && station.rts_failures >= params.short_retries {
                for one in station.service.iter_mut() {
                    one.failures = u32::MAX;
                }
                self.give_up(id, now, out);
            }
        } else {
            self.count_failures(id, now, out);
        }
        self.go_on(id, now, out);
    }

    /// Counts a failed attempt of each frame in service that has not arrived; gives up those with no more attempts.
    fn count_failures(&mut self, id: u32, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let (station, params) = (&mut self.stations[id as usize], &self.params);
        let long = u64::from(station.air_bytes(params)) > params.rts_threshold;
        let most = if long { params.long_retries } else { params.short_retries };
        let mut over = false;
        for one in station.service.iter_mut().filter(|one| !one.received) {
            one.failures = one.failures.saturating_add(1);
            if most > 0 && one.failures >= most {
                one.failures = u32::MAX;
                over = true;
            }
        }
        if over {
            self.give_up(id, now, out);
        }
    }

    /// Removes the frames in service that are marked as hopeless, and hands over what waited behind them.
    fn give_up(&mut self, id: u32, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let station = &mut self.stations[id as usize];
        for _ in 0..station.service.len() {
            let Some(one) = station.service.pop_front() else { break };
            if one.failures == u32::MAX && !one.received {
                self.ports[one.frame.port as usize].air.given_up += 1;
                out.push((one.frame, Fate::GivenUp));
            } else {
                station.service.push_back(one);
            }
        }
        station.rts_failures = 0;
        station.cw = self.params.cw_min;
        self.hand_over(id, now, out);
    }

    /// Every exchange ends with a backoff, also if nothing waits.
    fn go_on(&mut self, id: u32, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let station = &mut self.stations[id as usize];
        station.back_off();
        station.load(now, out);
    }

    /// A packet comes to its station.
    fn accept(&mut self, port: u32, packet: P, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let id = self.ports[port as usize].station;
        // Until it has its answer a station is busy with its exchange, though all its frames may have arrived.
        let answered = matches!(self.phase, Phase::Answer { station, .. } if station == id);
        let station = &mut self.stations[id as usize];
        let service = if answered { Service::Busy(0) } else { station.in_service() };
        let stamped = Stamped { packet: Frame { packet, port, waited: Time::ZERO }, came: now };
        let gone = |frame, reason, waited| out.push((Frame { waited, ..frame }, Fate::Removed(reason)));
        station.line.enqueue(stamped, service, now, gone);
        if service.bytes().is_some() {
            return;
        }
        station.load(now, out);
        if !station.service.is_empty() {
            self.contend(id, now, out);
        }
    }

    /// Accounts for the time in which the queues were as they are; how much is in `out`.
    fn account(&mut self, now: Time, out: &[(Frame<P>, Fate)]) -> usize {
        for port in &mut self.ports {
            port.counts.integrate(self.stations[port.station as usize].line.held().packets as usize, now);
        }
        out.len()
    }

    /// The queues have changed, and these frames have left: each counts at its port.
    fn count(&mut self, left: &[(Frame<P>, Fate)]) {
        for (frame, fate) in left {
            self.ports[frame.port as usize].count(frame, *fate);
        }
        for port in &mut self.ports {
            port.counts.reached(self.stations[port.station as usize].line.held().packets as usize);
        }
    }

    /// A packet comes to a port `now`. What its station's queue removes goes to `out`.
    pub fn offer(&mut self, port: u32, packet: P, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let before = self.account(now, out);
        self.accept(port, packet, now, out);
        self.count(&out[before..]);
    }

    /// When it next wants to be woken, `None` if only a new packet changes anything.
    pub fn next(&self) -> Option<Time> {
        match self.phase {
            Phase::Idle(since) => self.first_start(since),
            Phase::First { until, .. } | Phase::Data { until, .. } | Phase::Answer { until, .. } => Some(until),
        }
    }

    /// The time that [`Dcf::next`] gave has come; packets that leave go to `out`.
    pub fn wake(&mut self, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        let before = self.account(now, out);
        match self.phase {
            Phase::Idle(since) => self.begin(since, out),
            Phase::First { until, .. } => match self.talkers[..] {
                [Talker { station, rts: false, .. }] => self.arrive(station, until, out),
                [Talker { station, rts: true, .. }] => self.send_data(station, until, now, out),
                _ => self.collide(until, out),
            },
            Phase::Data { station, until } => self.arrive(station, until, out),
            Phase::Answer { station, heard, until } => self.conclude(station, heard, until, out),
        }
        self.count(&out[before..]);
    }

    /// Packets that wait for a port's station, and their bytes; those in service not counted.
    pub fn waiting(&self, port: u32) -> (usize, u64) {
        let held = self.stations[self.ports[port as usize].station as usize].line.held();
        (held.packets as usize, held.bytes)
    }

    /// Packets inside: waiting, or in service and not arrived.
    pub fn len(&self) -> usize {
        let of = |station: &Station<P>| station.line.held().packets as usize + station.service.len();
        self.stations.iter().map(of).sum()
    }

    /// Returns whether no packet is inside.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a port's counts of its time on the air, up to `now`.
    pub fn stats_at(&self, port: u32, now: Time) -> AirStats {
        let mine = self.on_air.iter().filter(|(of, ..)| *of == port);
        let rest: f64 = mine.map(|(_, length, end)| (end.secs() - now.secs()).clamp(0.0, length.secs())).sum();
        let stats = self.stats(port);
        AirStats { airtime: (stats.airtime - rest).max(0.0), ..stats }
    }

    /// Returns a port's counts that every link has: packets served, queue, waits, removals.
    pub fn counts(&self, port: u32) -> (Totals, Counts) {
        let Port { served, counts, .. } = self.ports[port as usize];
        (served, counts)
    }
}
