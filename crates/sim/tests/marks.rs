//! Accurate ECN (RFC 9768) over whole paths: what the sender counts of what came marked, where ACKs are thinned, and where a
//! middlebox removes the signals.

mod marked;

use acklab_sim::outcome::Outcome;
use marked::{TENTH, THIN, marks};

/// 2 s with a window of 40 segments that nothing moves, with stages for data and for ACKs.
fn run(forth: &str, back: &str, sender: &str, receiver: &str) -> Outcome {
    let back = format!("back = {{ stages = [{back}] }}");
    let sender =
        format!("stack = 'rfc', control = 'fixed', accurate_ecn = true, initial_window = 40.0, syn = true{sender}");
    marked::run(2, forth, &back, &sender, &format!("stack = 'rfc'{receiver}"))
}

#[test]
fn without_lost_acks_every_rule_counts_each_mark() {
    for ace in ["least", "rfc9768", "linux", "linux-thinned"] {
        for option in ["off", "changes", "always"] {
            let receiver = format!(", accecn_option = '{option}'");
            let run = run(TENTH, "", &format!(", ace = '{ace}'"), &receiver);
            let (counted, came) = marks(&run);
            // Those of the last window are under way.
            assert!(came > 150 && came - counted <= 12, "{ace} {option}: {counted} of {came}");
            let share = run.flows[0].marked_share.unwrap();
            assert!((0.05..0.15).contains(&share), "{share}");
        }
    }
}

#[test]
fn thinned_counters_depend_on_the_rule_and_the_option() {
    let counted = |ace: &str, option: &str| {
        let (ace, option) = (format!(", ace = '{ace}'"), format!(", accecn_option = '{option}'"));
        let (counted, came) = marks(&run(TENTH, THIN, &ace, &option));
        counted as f64 / came as f64
    };
    let (safest, thinned) = (counted("rfc9768", "off"), counted("linux-thinned", "off"));
    // The safest case counts nearly all that an ACK covers, of which a tenth is marked.
    assert!(safest > 5.0, "{safest}");
    // Linux's average needs some ACKs to exceed four packets, and counts as many until then.
    assert!(thinned < safest / 3.0, "{thinned} {safest}");
    assert!((0.9..1.1).contains(&counted("rfc9768", "always")), "{}", counted("rfc9768", "always"));
}

#[test]
fn no_marks_may_count_as_many() {
    let (counted, came) = marks(&run("", THIN, ", ace = 'rfc9768'", ", accecn_option = 'off'"));
    assert!(came == 0 && counted > 500, "{counted}");
    assert_eq!(marks(&run("", THIN, ", ace = 'rfc9768'", "")), (0, 0));
}

/// What a middlebox clears, and the counts that result.
#[test]
fn bleached_paths_fall_back() {
    let cleared = "{ kind = 'bleach', flags = true }";
    // Neither the SYN nor its answer has a flag left.
    assert_eq!(marks(&run(&format!("{cleared}, {TENTH}"), "", "", "")), (0, 0));
    assert_eq!(marks(&run(TENTH, cleared, "", "")), (0, 0));
    // After the handshake: the first counter is 0.
    let late = "{ kind = 'bleach', flags = true, after = 1 }";
    let (counted, came) = marks(&run(TENTH, late, "", ""));
    assert!(counted == 0 && came < 10, "{counted} {came}");
    // Not-ECT segments cannot be marked.
    assert_eq!(marks(&run(&format!("{{ kind = 'bleach', field = true }}, {TENTH}"), "", "", "")), (0, 0));
    // Without the option the counter is enough.
    let (counted, came) = marks(&run(TENTH, "{ kind = 'bleach', option = true }", "", ""));
    assert!(came > 150 && came - counted <= 12, "{counted} of {came}");
}

#[test]
fn receivers_that_know_less_agree_to_less() {
    for (feedback, ect) in [("classic", true), ("none", false), ("reflected", false)] {
        let run = run(TENTH, "", "", &format!(", feedback = '{feedback}'"));
        assert_eq!(marks(&run), (0, 0));
        let share = run.flows[0].marked_share.unwrap();
        // Where nothing may be marked, what is left of the first 1 falls by a sixteenth a window.
        assert_eq!(share > 0.02, ect, "{feedback}: {share}");
    }
}
