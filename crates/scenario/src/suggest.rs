//! The nearest known name to one that is not known.

/// The name in `known` that `given` most likely meant, if any is near.
pub(super) fn nearest<'k>(given: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // What is longer than any name was not meant as one, and distances take quadratic time.
    if given.is_empty() || given.len() > 100 {
        return None;
    }
    let plain = |name: &str| name.to_lowercase().replace(['-', ' '], "_");
    let given = plain(given);
    let distance = |name: &str| {
        let name = plain(name);
        let part = name.len().min(given.len()) >= 3 && (name.starts_with(&given) || given.starts_with(&name));
        let distance = strsim::damerau_levenshtein(&given, &name);
        let near = distance <= (given.chars().count() / 3).min(3);
        (near || part).then_some(distance)
    };
    known
        .into_iter()
        .filter_map(|name| Some((distance(name)?, name)))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// "; did you mean `x`?", or nothing.
pub(super) fn did_you_mean<'k>(given: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    nearest(given, known).map(|name| format!("; did you mean `{name}`?"))
}

/// What other tools, and people, call what is a key here.
const ALSO_CALLED: [(&str, &str); 22] = [
    ("bandwidth", "rate"),
    ("capacity", "rate"),
    ("speed", "rate"),
    ("latency", "delay"),
    ("propagation", "delay"),
    ("rtt", "delay"),
    ("buffer", "queue"),
    ("nodes", "between"),
    ("cc", "control"),
    ("congestion", "control"),
    ("algorithm", "control"),
    ("tcp", "stack"),
    ("mss", "packet"),
    ("cwnd", "initial_window"),
    ("iw", "initial_window"),
    ("rwnd", "window"),
    ("policy", "ack"),
    ("src", "from"),
    ("dst", "to"),
    ("duration", "stop"),
    ("limit", "packets"),
    ("p", "rate"),
];

/// "; did you mean `rate`?" for `bandwidth`, where `known` has it; or nothing.
pub(super) fn meant_elsewhere(given: &str, known: &[&str]) -> Option<String> {
    let given = given.to_lowercase();
    if given == "rtt" && (known.contains(&"between") || known.contains(&"link")) {
        return Some(
            "; a link has a `delay`, one way (link.0.delay): a round trip takes each link's delay twice".into(),
        );
    }
    let &(_, here) = ALSO_CALLED.iter().find(|(there, here)| *there == given && known.contains(here))?;
    Some(format!("; did you mean `{here}`?"))
}

/// What one of `names` must be: "`a`", or "one of `a`, `b`".
pub(super) fn one_of<'k>(names: impl IntoIterator<Item = &'k str>) -> String {
    let names: Vec<_> = names.into_iter().collect();
    let one_of = if names.len() == 1 { "" } else { "one of " };
    format!("{one_of}{}", listed(names))
}

/// Names for a sentence: "`a`, `b`", and how many more where there are very many.
pub(super) fn listed<'k>(names: impl IntoIterator<Item = &'k str>) -> String {
    let mut names = names.into_iter();
    let mut text = String::new();
    for name in names.by_ref().take(60) {
        let separator = if text.is_empty() { "" } else { ", " };
        text += &format!("{separator}`{name}`");
    }
    match names.count() {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_recognised() {
        let known = ["window", "window_before_syn_ack", "recovery", "ack", "stack"];
        for (given, meant) in [
            ("windw", Some("window")),
            ("Window", Some("window")),
            ("window-before-syn-ack", Some("window_before_syn_ack")),
            ("recovry", Some("recovery")),
            ("akc", Some("ack")),
            ("colour", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, known), meant, "{given}");
        }
    }

    #[test]
    fn what_others_call_it_is_recognised_where_it_is_a_key() {
        let hint = |given| meant_elsewhere(given, &["rate", "delay", "queue"]);
        assert_eq!(hint("Bandwidth").as_deref(), Some("; did you mean `rate`?"));
        assert_eq!(hint("mss"), None);
        for known in ["between", "link"] {
            assert!(meant_elsewhere("RTT", &[known]).is_some_and(|hint| hint.contains("one way")), "{known}");
        }
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        assert!(listed(names.iter().map(String::as_str)).ends_with("`59` and 40 more"));
    }
}
