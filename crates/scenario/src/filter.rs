//! ACK filters' parameters, checked.

use std::fmt::Display;

use acklab_packet::Time;
use acklab_path::ack_filter::{DelayedParams, FilterSpec, Older, Per, RateKind, Slot, StaticParams};

use super::error::Problem;

/// Whether an ACK filter, written at `path`, makes sense.
pub(super) fn checked(filter: &FilterSpec, path: impl Display) -> Result<(), Problem> {
    match filter {
        FilterSpec::Static(params) => checked_static(params, path),
        FilterSpec::Delayed(params) => checked_delayed(params, path),
        FilterSpec::Cake(_) => Ok(()),
    }
}

fn checked_static(params: &StaticParams, path: impl Display) -> Result<(), Problem> {
    if params.threshold == 0 {
        return Err(Problem::at(format_args!("{path}.threshold"), "must be at least 1").given(0));
    }
    if params.place == Slot::Slot && params.threshold > 1 {
        let what = "`slot` needs `threshold = 1`: with more the arrival would overtake older ACKs";
        return Err(Problem::at(format_args!("{path}.place"), what));
    }
    checked_place(params.place, params.older, params.conservative, path)
}

fn checked_delayed(params: &DelayedParams, path: impl Display) -> Result<(), Problem> {
    let share = |name: &str, value: f64, most: f64| {
        Err(Problem::at(format_args!("{path}.{name}"), format!("must be above 0 and at most {most}")).given(value))
    };
    let begins = params.begins();
    match params {
        _ if params.window == Time::ZERO => {
            Err(Problem::at(format_args!("{path}.window"), "must be longer than 0s").given_text(params.window))
        }
        _ if params.per == Per::Connection && params.rate != RateKind::Tsw => {
            let what = "is known of the link only; `per = \"connection\"` needs `rate = \"tsw\"`";
            Err(Problem::at(format_args!("{path}.rate"), what))
        }
        // Per connection 2 is twice the fair share, and so on; of a link no one has more than all.
        _ if params.per == Per::Link && !(begins > 0.0 && begins <= 1.0) => share("share", begins, 1.0),
        _ if !(begins > 0.0 && begins <= 1000.0) => share("share", begins, 1000.0),
        _ if params.release.is_some_and(|release| !(release > 0.0 && release <= begins)) => {
            share("release", params.release.unwrap_or(0.0), begins)
        }
        _ if !(params.floor >= 0.0 && params.floor < 1.0) => {
            Err(Problem::at(format_args!("{path}.floor"), "must be at least 0 and below 1").given(params.floor))
        }
        _ => checked_place(params.place, params.older, params.conservative, path),
    }
}

/// A slot can be taken over only if no ACK with a smaller number stays behind it.
fn checked_place(place: Slot, older: Older, conservative: bool, path: impl Display) -> Result<(), Problem> {
    let leaves_some = match (older, conservative) {
        (Older::Number, _) => "`older = \"number\"`",
        (_, true) => "`conservative`",
        _ => return Ok(()),
    };
    if place == Slot::Tail {
        return Ok(());
    }
    let what = format!("`slot` cannot go with {leaves_some}: the arrival would overtake ACKs that stay");
    Err(Problem::at(format_args!("{path}.place"), what))
}
