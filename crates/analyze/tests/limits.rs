//! What limits simulated transfers whose limit is known, seen from both ends.

mod common;

use acklab_analyze::{Analysis, ConnectionRow};
use acklab_capture::Reader;
use acklab_tap::{Capture, LinkEnd};

/// A transfer over a link between two fast ones, analysed at an end.
struct Case {
    rate: &'static str,
    delay: &'static str,
    queue: &'static str,
    loss: &'static str,
    flow: &'static str,
}

const PLAIN: Case =
    Case { rate: "100Mbps", delay: "20ms", queue: "{ kind = \"drop-tail\", packets = 1000 }", loss: "", flow: "" };

impl Case {
    fn rows(&self) -> [ConnectionRow; 2] {
        let Case { rate, delay, queue, loss, flow } = self;
        let text = format!(
            r#"
            stop = {{ when = "flows-complete", at_most = "60s" }}
            record = {{ packets = true }}
            link = [
                {{ between = ["S", "G"], rate = "1Gbps", delay = "50us" }},
                {{ between = ["G", "H"], rate = "{rate}", delay = "{delay}", queue = {queue}{loss} }},
                {{ between = ["H", "R"], rate = "1Gbps", delay = "50us" }},
            ]
            flow = [{{ from = "S", to = "R", {flow} }}]
            "#
        );
        let scenario = acklab_scenario::parse_toml(&text, "case.toml").unwrap();
        let outcome = acklab_sim::Simulation::new(scenario.clone().into()).run();
        let capture = Capture::new(&scenario, &outcome).unwrap();
        ["S->G@S", "H->R@R"].map(|end| {
            let mut file = Vec::new();
            capture.write(LinkEnd::find(&outcome, end).unwrap(), &mut file).unwrap();
            let mut analysis = Analysis::default();
            analysis.read(&mut Reader::new(&file[..]).unwrap(), |_| true).unwrap();
            let row = analysis.connections().swap_remove(0);
            let shares = [
                row.application_limited_s,
                row.window_limited_s,
                row.closed_limited_s,
                row.recovery_limited_s,
                row.slow_start_limited_s,
                row.path_limited_s,
                row.ack_path_limited_s,
                row.cwnd_limited_s,
                row.sender_window_limited_s,
                row.network_limited_s,
            ];
            let sum: f64 = shares.into_iter().flatten().sum();
            assert!((sum - row.limits_s).abs() < 1e-6, "the parts are the whole: {sum} of {}", row.limits_s);
            row
        })
    }

    fn limits(&self) -> [String; 2] {
        self.rows().map(|row| row.limit)
    }
}

const LINUX: &str = r#"sender = { stack = "linux" }, receiver = { stack = "linux" }"#;

#[test]
fn a_receivers_window_limits() {
    let flow = r#"size = { bytes = "2MB" }, sender = { stack = "rfc", window = 40 }"#;
    let rows = Case { flow, ..PLAIN }.rows();
    for row in &rows {
        assert_eq!(row.limit, "receiver-window", "{row:?}");
        assert!(row.window_limited_s.unwrap() > 0.8 * row.limits_s, "{row:?}");
        assert_eq!(
            (row.window_limit_min_bytes, row.window_limit_max_bytes),
            (Some(57_920), Some(57_920)),
            "40 segments of 1448 bytes"
        );
    }
}

#[test]
fn the_paths_rate_limits() {
    let flow = format!(r#"size = {{ bytes = "4MB" }}, {LINUX}"#);
    let flow = flow.leak();
    assert_eq!(Case { rate: "10Mbps", flow, ..PLAIN }.limits(), ["path-rate"; 2]);
    let short = "{ kind = \"drop-tail\", packets = 100 }";
    assert_eq!(Case { rate: "10Mbps", queue: short, flow, ..PLAIN }.limits(), ["path-rate"; 2]);
    // A window that is used up in front of a queue: a larger one would not help.
    let flow = r#"size = { bytes = "2MB" }, sender = { stack = "rfc", window = 100 }"#;
    assert_eq!(Case { rate: "10Mbps", flow, ..PLAIN }.limits(), ["path-rate"; 2]);
}

#[test]
fn losses_limit() {
    let flow = format!(r#"size = {{ bytes = "4MB" }}, {LINUX}"#);
    for row in (Case { loss: ", loss = { rate = 0.01 }", flow: flow.leak(), ..PLAIN }).rows() {
        let lost = row.recovery_limited_s.unwrap() + row.cwnd_limited_s.unwrap();
        assert!(lost > 0.8 * row.limits_s, "{row:?}");
    }
}

#[test]
fn a_short_transfer_ends_in_slow_start() {
    let flow = r#"size = { bytes = "400kB" }, sender = { stack = "rfc" }"#;
    for row in (Case { delay: "50ms", flow, ..PLAIN }).rows() {
        assert_eq!(row.limit, "slow-start", "{row:?}");
        assert_eq!(row.window_limited_s, Some(0.0), "not even in the round of the initial window: {row:?}");
    }
}

#[test]
fn an_application_limits() {
    for (write, every) in [("20kB", "200ms"), ("500B", "150ms"), ("120kB", "400ms")] {
        let flow =
            format!(r#"source = {{ kind = "writes", write = "{write}", every = "{every}", times = 30 }}, {LINUX}"#);
        assert_eq!(Case { flow: flow.leak(), ..PLAIN }.limits(), ["application"; 2], "{write} every {every}");
    }
}

#[test]
fn a_dialogue_is_its_applications() {
    // Each write comes just when the one before is acknowledged, as an answer to a request does.
    let flow = r#"source = { kind = "writes", write = "24B", every = "40.4ms", times = 100 }, receiver = { ack = { policy = "every" } }"#;
    assert_eq!(Case { flow, ..PLAIN }.limits(), ["application"; 2]);
}

#[test]
fn a_short_queue_of_a_full_link_is_no_window() {
    let flow = format!(r#"size = {{ bytes = "8MB" }}, {LINUX}"#);
    for row in
        (Case { rate: "10Mbps", delay: "30ms", queue: "{ kind = \"codel\" }", flow: flow.leak(), ..PLAIN }).rows()
    {
        assert_ne!(row.limit, "cwnd", "{row:?}");
    }
}

#[test]
fn segments_that_leave_together_are_no_queue() {
    let flow = r#"size = { bytes = "300kB" }, sender = { stack = "rfc", window = 3 }"#;
    assert_eq!(Case { rate: "3Mbps", delay: "9ms", flow, ..PLAIN }.limits(), ["receiver-window"; 2]);
}

#[test]
fn a_timer_of_acks_is_no_queue() {
    // Losses keep the window near eight segments, so that many flights wait for the timer. The link carries an eighth of its rate.
    let ack = r#"ack = { policy = "delayed", segments = 8, timer = "40ms" }"#;
    let flow = format!(
        r#"size = {{ bytes = "4MB" }}, sender = {{ stack = "linux" }}, receiver = {{ stack = "linux", {ack} }}"#
    );
    for row in (Case { rate: "20Mbps", loss: ", loss = { rate = 0.01 }", flow: flow.leak(), ..PLAIN }).rows() {
        assert!(row.goodput_bps.unwrap() < 5e6 && row.path_limited_s.unwrap() < 0.1 * row.limits_s, "{row:?}");
    }
}

#[test]
fn timeouts_cost_their_silence() {
    let flow = r#"size = { segments = 40 }, sender = { stack = "rfc" }, receiver = { stack = "rfc" }"#;
    let [near, far] = (Case { loss: ", loss = { list = [40, 41] }", flow, ..PLAIN }).rows();
    let waited = near.timeout_wait_s.unwrap();
    assert!((2.9..3.5).contains(&waited), "1 s and 2 s (RFC 6298): {waited}; {near:?}");
    assert_eq!(near.limit, "recovery", "{near:?}");
    // The receiver never saw what was lost: for it the sender was silent.
    assert_eq!((far.limit.as_str(), far.timeout_wait_s), ("application", Some(0.0)), "{far:?}");
}
