//! QUIC's counts of marks over whole paths (RFC 9000 sections 13.4 and 19.3.2), and paths on which their validation fails.

mod marked;

use acklab_sim::outcome::Outcome;
use marked::{TENTH, THIN, marks};

/// 4 s with stages on the data's way, by the stack `quic` unless another is named.
fn run(forth: &str, link: &str, sender: &str, receiver: &str) -> Outcome {
    let of_stack = |given: &str| {
        let given = given.trim_start_matches(", ").to_owned();
        if given.contains("stack") { given } else { format!("stack = 'quic', {given}") }
    };
    marked::run(4, forth, link, &format!("ecn = true, {}", of_stack(sender)), &of_stack(receiver))
}

const FIXED: &str = "control = 'fixed', initial_window = 40.0";

#[test]
fn each_mark_is_counted_whatever_is_lost_or_thinned() {
    let thinned = format!("back = {{ stages = [{THIN}] }}");
    for (link, ect1) in [
        ("", false),
        ("", true),
        ("loss = { rate = 0.02 }", false),
        ("back = { loss = { rate = 0.3 } }", false),
        ("back = { stages = [{ kind = 'duplicate', rate = 0.1 }] }", false),
        (&thinned, false),
    ] {
        let run = run(TENTH, link, &format!("{FIXED}, ect1 = {ect1}"), "");
        let (counted, came) = marks(&run);
        assert!(came > 200 && came - counted <= 12, "{link}: {counted} of {came}");
        let share = run.flows[0].marked_share.unwrap();
        assert!((0.05..0.17).contains(&share), "{link}: {share}");
    }
}

/// Copies that the path makes are not processed (section 13.4.1): else more would have come than were sent.
#[test]
fn copies_do_not_count() {
    let (counted, came) = marks(&run(&format!("{{ kind = 'duplicate', rate = 0.05 }}, {TENTH}"), "", FIXED, ""));
    assert!(counted > 200 && (1.0..1.1).contains(&(came as f64 / counted as f64)), "{counted} of {came}");
}

#[test]
fn paths_that_change_the_field_end_ecn() {
    for change in ["field", "remark"] {
        let stage = format!("{{ kind = 'bleach', {change} = true }}");
        // Before the stage that marks only the first packets can be marked, whose ACKs show the change.
        let (_, came) = marks(&run(&format!("{stage}, {TENTH}"), "", FIXED, ""));
        assert!(came < 8, "{change}: {came}");
        let late = format!("{{ kind = 'bleach', {change} = true, after = 1000 }}, {TENTH}");
        let (counted, came) = marks(&run(&late, "", FIXED, ""));
        assert!((80..125).contains(&came) && came >= counted, "{change}: {counted} of {came}");
    }
}

#[test]
fn a_receiver_that_reports_nothing_gets_no_marks() {
    for feedback in ["none", "classic"] {
        let (counted, came) = marks(&run(TENTH, "", FIXED, &format!(", feedback = '{feedback}'")));
        assert!(counted == 0 && came < 8, "{feedback}: {came}");
    }
}

/// The same controls as over TCP: about as fast, with about as long a queue.
#[test]
fn controls_answer_quics_counts_as_tcps() {
    let codel = "queue = { kind = 'codel', ecn = true }";
    for control in ["dctcp", "prague", "cubic"] {
        let pacing = if control == "prague" { ", pacing = 'off'" } else { "" };
        let quic = run("", codel, &format!("control = '{control}'{pacing}"), "");
        let text = format!(
            "control = '{control}', stack = 'rfc', accurate_ecn = true, packet = 1160, credit = {{ kind = 'ubc' }}"
        );
        let tcp = run("", codel, &text, ", stack = 'rfc'");
        let (ours, theirs) = (&quic.links[0], &tcp.links[0]);
        assert!(quic.flows[0].marks_counted > 10, "{control}: {}", quic.flows[0].marks_counted);
        assert!(
            (ours.utilisation - theirs.utilisation).abs() < 0.1,
            "{control}: {} {}",
            ours.utilisation,
            theirs.utilisation
        );
        let queues = ours.mean_queue_packets / theirs.mean_queue_packets;
        assert!((0.4..2.5).contains(&queues), "{control}: {} {}", ours.mean_queue_packets, theirs.mean_queue_packets);
    }
}

/// Half of the marks, or all, are reported as unmarked: nothing in the counts shows it but the sender's own marks.
#[test]
fn own_marks_find_a_receiver_that_hides_some() {
    let honest = run(TENTH, "", &format!("{FIXED}, test_marks = 50"), "");
    let (counted, came) = marks(&honest);
    assert!(came > 200 && came - counted <= 12, "{counted} of {came}");
    for stack in ["quic", "rfc"] {
        let sender = if stack == "rfc" { ", stack = 'rfc', accurate_ecn = true" } else { "" };
        for told in [0.0, 0.5] {
            let receiver = format!(", stack = '{stack}', marks_told = {told}");
            let (counted, came) = marks(&run("", "", &format!("{FIXED}{sender}, test_marks = 50"), &receiver));
            assert!(came < 8 && counted <= came / 2, "{stack} {told}: {counted} of {came}");
            let (counted, came) = marks(&run(TENTH, "", &format!("{FIXED}{sender}"), &receiver));
            let half = came as f64 * told;
            assert!(came > 200 && (counted as f64 - half).abs() < 20.0, "{stack} {told}: {counted} of {came}");
        }
    }
}
