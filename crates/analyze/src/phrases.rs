//! Numbers in words.

/// `40 to 44 ms`.
pub fn range(low: f64, high: f64) -> String {
    let (low, high) = (ms(low), ms(high));
    match (low.split_once(' '), high.split_once(' ')) {
        _ if low == high => format!("about {low}"),
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// `2nd`, `3rd`, `4th`.
pub fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// `1 ACK`, `2 ACKs`.
pub fn plural(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A span with two or three digits.
pub fn ms(secs: f64) -> String {
    let ms = secs * 1e3;
    match ms {
        10_000.0.. => format!("{:.0} s", ms * 1e-3),
        1000.0.. => format!("{:.1} s", ms * 1e-3),
        10.0.. => format!("{ms:.0} ms"),
        1.0.. => format!("{ms:.1} ms"),
        _ => format!("{:.0} µs", ms * 1e3),
    }
}

/// A number with three digits or more.
pub fn digits(value: f64) -> String {
    let places = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else if value >= 1.0 {
        2
    } else {
        3
    };
    format!("{value:.places$}")
}
