//! What an algorithm in Python is told, and what an ACK policy answers with.

use acklab_packet::{Phase, Time};
use acklab_tcp::receiver::policy as told;
use acklab_tcp::sender::{CaState, control as events};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

/// Getters of a wrapped event, in the order of the stub.
macro_rules! event {
    ($(#[$meta:meta])* $name:ident($inner:ty) { $($field:ident: $type:ty = |$event:ident| $value:expr;)+ }) => {
        $(#[$meta])*
        #[pyclass(frozen, module = "acklab._core")]
        pub(crate) struct $name(pub(super) $inner);

        #[pymethods]
        impl $name {
            $(#[getter]
            fn $field(&self) -> $type {
                let $event = &self.0;
                $value
            })+

            fn __repr__(&self) -> String {
                format!("{:?}", self.0)
            }
        }
    };
}

event! {
    /// A segment as an ACK policy sees it.
    Arrival(told::Arrival) {
        in_order: bool = |e| e.in_order;
        gap: bool = |e| e.gap;
        duplicate: bool = |e| e.duplicate;
        len: u32 = |e| e.len;
        slow_start: Option<bool> = |e| match e.phase {
            Phase::Unknown => None,
            Phase::SlowStart => Some(true),
            Phase::CongestionAvoidance => Some(false),
        };
        syn: bool = |e| e.syn;
        seq: u64 = |e| e.seq;
        rcv_nxt: u64 = |e| e.rcv_nxt;
        push: bool = |e| e.push;
        ect: bool = |e| e.ect;
        ce: bool = |e| e.ce;
        cwr: bool = |e| e.cwr;
        sent_s: f64 = |e| e.sent.secs();
        now_s: f64 = |e| e.now.secs();
    }
}

/// The word for a congestion state.
fn word_of(state: CaState) -> &'static str {
    match state {
        CaState::Open => "open",
        CaState::Cwr => "cwr",
        CaState::Recovery => "recovery",
        CaState::Loss => "loss",
    }
}

event! {
    /// An ACK as a congestion control sees it.
    AckEvent(events::AckEvent) {
        ack: u64 = |e| e.ack;
        snd_max: u64 = |e| e.snd_max;
        acked: f64 = |e| e.acked;
        newly_delivered: f64 = |e| e.newly_delivered;
        newly_sacked: f64 = |e| e.newly_sacked;
        newly_lost: f64 = |e| e.newly_lost;
        ce_count: f64 = |e| e.ce_count;
        in_flight: f64 = |e| e.in_flight;
        rtt_s: Option<f64> = |e| e.rtt;
        state: &'static str = |e| word_of(e.state);
        next_state: &'static str = |e| word_of(e.next_state);
        delivered: Option<u64> = |e| e.rate.map(|sample| sample.delivered);
        delivery_rate: Option<f64> = |e| {
            e.rate.and_then(|sample| sample.rate).map(|rate| rate.delivered as f64 / rate.interval)
        };
        app_limited: Option<bool> = |e| e.rate.map(|sample| sample.app_limited);
        cwnd_limited: bool = |e| e.cwnd_limited;
        tx_in_flight: Option<u64> = |e| e.rate.and_then(|sample| sample.newest).map(|newest| newest.tx_in_flight);
        lost_since: Option<u64> = |e| e.rate.and_then(|sample| sample.newest).map(|newest| newest.lost);
    }
}

event! {
    /// A lost segment as a congestion control sees it.
    LostSegment(events::LostSegment) {
        start: u64 = |e| e.start;
        end: u64 = |e| e.end;
        tx_in_flight: f64 = |e| e.tx_in_flight;
        lost_since: f64 = |e| e.lost;
        app_limited: bool = |e| e.app_limited;
        delivered: u64 = |e| e.delivered;
    }
}

event! {
    /// A departure as a congestion control sees it.
    Departure(events::Departure) {
        idle: bool = |e| e.idle;
        app_limited: bool = |e| e.app_limited;
        min_rtt_s: f64 = |e| e.min_rtt;
    }
}

/// The window as a control sees and moves it.
#[pyclass(module = "acklab._core")]
pub(crate) struct Window(pub(super) events::Window);

#[pymethods]
impl Window {
    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, units: f64) {
        self.0.cwnd = units;
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh
    }

    #[setter]
    fn set_ssthresh(&mut self, units: f64) {
        self.0.ssthresh = units;
    }

    #[getter]
    fn mss(&self) -> f64 {
        self.0.mss
    }

    #[getter]
    fn advertised(&self) -> f64 {
        self.0.advertised
    }

    #[getter]
    fn now_s(&self) -> f64 {
        self.0.now.secs()
    }

    #[getter]
    fn srtt_s(&self) -> f64 {
        self.0.srtt
    }

    #[getter]
    fn in_slow_start(&self) -> bool {
        self.0.in_slow_start()
    }

    /// Grows as the standard does: slow start below `ssthresh`, else one segment for a window of credit.
    fn grow_by_standard(&mut self, credit: f64) {
        self.0.grow_by_standard(credit);
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// An ACK policy's answer.
#[pyclass(frozen, module = "acklab._core")]
pub(crate) struct Emission(pub(super) told::Emission);

fn time(secs: f64) -> PyResult<Time> {
    if !(secs.is_finite() && secs >= 0.0) {
        return Err(PyValueError::new_err(format!("a time is a finite number of seconds, not {secs}")));
    }
    Ok(Time::from_secs(secs))
}

fn within<T: PartialOrd + Copy + std::fmt::Display>(what: &str, value: T, least: T, most: T) -> PyResult<T> {
    if !(least..=most).contains(&value) {
        return Err(PyValueError::new_err(format!("{what} is {value}; must be from {least} to {most}")));
    }
    Ok(value)
}

/// One of the words that the scenario has for it.
fn word<T: DeserializeOwned>(what: &str, word: &str) -> PyResult<T> {
    serde_json::from_value(word.into()).map_err(|error| PyValueError::new_err(format!("{what}: {error}")))
}

#[pymethods]
impl Emission {
    #[staticmethod]
    fn now() -> Emission {
        Emission(told::Emission::Now)
    }

    #[staticmethod]
    fn nothing() -> Emission {
        Emission(told::Emission::Nothing)
    }

    #[staticmethod]
    fn by(time_s: f64) -> PyResult<Emission> {
        time(time_s).map(|at| Emission(told::Emission::By(at)))
    }

    #[staticmethod]
    fn at(time_s: f64) -> PyResult<Emission> {
        time(time_s).map(|at| Emission(told::Emission::At(at)))
    }

    #[staticmethod]
    fn gather(time_s: f64) -> PyResult<Emission> {
        time(time_s).map(|at| Emission(told::Emission::Gather(at)))
    }

    #[staticmethod]
    fn probe(number: u32) -> Emission {
        Emission(told::Emission::Probe(number))
    }

    #[staticmethod]
    fn repeated(copies: u32) -> PyResult<Emission> {
        within("copies", copies, 1, 1000).map(|copies| Emission(told::Emission::Repeated(copies)))
    }

    #[staticmethod]
    #[pyo3(signature = (count, *, parts = "equal", order = "rising", spacing_s = 0.0))]
    fn pieces(count: u32, parts: &str, order: &str, spacing_s: f64) -> PyResult<Emission> {
        Ok(Emission(told::Emission::Pieces(told::Pieces {
            count: within("count", count, 2, 64)?,
            parts: word("parts", parts)?,
            order: word("order", order)?,
            spacing: time(spacing_s)?,
        })))
    }

    #[staticmethod]
    #[pyo3(signature = (units, *, again_s = None))]
    fn ahead(units: u64, again_s: Option<f64>) -> PyResult<Emission> {
        let units = within("units", units, 1, 1_000_000_000)?;
        Ok(Emission(told::Emission::Ahead { units, again: again_s.map(time).transpose()?, echo: None }))
    }

    fn __repr__(&self) -> String {
        format!("Emission.{:?}", self.0)
    }
}

impl Emission {
    /// The time it names, where it names one that may not be past.
    pub(super) fn due(&self) -> Option<Time> {
        match self.0 {
            told::Emission::By(at)
            | told::Emission::At(at)
            | told::Emission::Gather(at)
            | told::Emission::Regather(at) => Some(at),
            told::Emission::Ahead { again, .. } => again,
            _ => None,
        }
    }
}
