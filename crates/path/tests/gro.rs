//! GRO, worked by hand from Linux's `tcp_gro_receive`, `dev_gro_receive` and `napi_complete_done`.

mod far_end;
mod packets;

use acklab_path::stage::Passing;
use far_end::{End, Seen, number};
use packets::{Tcp, data};
use serde_json::{Value, json};

/// A segment of these bytes from the `start`-th on, with 52 bytes of headers.
fn bytes(connection: u64, start: u64, len: u64) -> Seen {
    Seen(Tcp { size: len as u32 + 52, ..data(connection, start) }, Some(start..start + len))
}

/// The `n`-th full segment.
fn full(connection: u64, n: u64) -> Seen {
    bytes(connection, 1448 * n, 1448)
}

fn with(packet: Seen, change: impl Fn(&mut Tcp)) -> Seen {
    let mut packet = packet;
    change(&mut packet.0);
    packet
}

/// When runs left, in microseconds, and the first unit of each of their packets: `50:0+1448` is a run of two.
fn runs(end: &mut End) -> String {
    let mut told = String::new();
    let mut joins = false;
    for (time, Passing { packet, merged, .. }) in end.left.drain(..) {
        let first = packet.1.map_or("ack".to_owned(), |units| units.start.to_string());
        told += &if joins { format!("+{first}") } else { format!(" {:.0}:{first}", 1e6 * time) };
        joins = merged;
    }
    assert!(!joins, "the last packet joins nothing");
    told.trim_start().to_owned()
}

/// Packets that arrive at these microseconds.
fn sent(stage: Value, packets: impl IntoIterator<Item = (f64, Seen)>) -> String {
    let mut end = End::new(json!([stage]));
    packets.into_iter().for_each(|(now, packet)| end.arrive(now * 1e-6, packet));
    end.until(1e3);
    assert_eq!((end.chain.held(), end.chain.next()), (0, None));
    runs(&mut end)
}

/// The same, all at once.
fn burst(packets: impl IntoIterator<Item = Seen>) -> String {
    sent(json!({ "kind": "gro", "coalesce": "10us" }), packets.into_iter().map(|packet| (0.0, packet)))
}

#[test]
fn a_poll_merges_what_arrived_since_the_interrupt_was_due() {
    let gro = json!({ "kind": "gro", "coalesce": "50us" });
    // At 1 Gb/s a full segment takes 12 us: five come from the first to 50 us later, and the sixth begins anew.
    let packets = (0..7).map(|n| (12.0 * n as f64, full(1, n)));
    assert_eq!(sent(gro, packets), "50:0+1448+2896+4344+5792 110:7240+8688");
    // With `rx-frames` the third of them does not wait; without `rx-usecs` none does, and nothing is merged.
    let packets = || (0..7).map(|n| (12.0 * n as f64, full(1, n)));
    let frames = json!({ "kind": "gro", "coalesce": "50us", "frames": 3 });
    assert_eq!(sent(frames, packets()), "24:0+1448+2896 60:4344+5792+7240 122:8688");
    let none = json!({ "kind": "gro", "coalesce": "0s" });
    assert_eq!(sent(none, packets().take(3)), "0:0 12:1448 24:2896");
}

#[test]
fn connections_are_merged_apart_and_other_packets_pass() {
    let packets = [full(1 << 16, 0), full(2 << 16, 0), number(7, 3), full(1 << 16, 1), full(2 << 16, 1)];
    assert_eq!(burst(packets), "10:ack 10:0+1448 10:0+1448");
}

#[test]
fn a_budget_ends_runs_and_64_kib_do() {
    let gro = |budget: u32| json!({ "kind": "gro", "coalesce": "10us", "budget": budget });
    let told = |stage, count| sent(stage, (0..count).map(|n| (0.0, full(1, n))));
    assert_eq!(told(gro(2), 5), "10:0+1448 10:2896+4344 10:5792");
    // 52 + 45 x 1448 = 65,212 bytes are below 65,536, and 46 are not.
    let run = |from: u64, to: u64| (from..to).map(|n| (1448 * n).to_string()).collect::<Vec<_>>().join("+");
    assert_eq!(told(gro(64), 50), format!("10:{} 10:{}", run(0, 45), run(45, 50)));
    // The 64th ends its run though it is no longer than its first: 45, 19, and the rest.
    assert_eq!(told(gro(64), 70), format!("10:{} 10:{} 10:{}", run(0, 45), run(45, 64), run(64, 70)));
    let limited = |key: &str, most: u32| json!({ "kind": "gro", "coalesce": "10us", key: most });
    assert_eq!(told(limited("segments", 2), 3), "10:0+1448 10:2896");
    assert_eq!(told(limited("bytes", 2949), 3), "10:0+1448 10:2896", "52 + 2 x 1448 = 2948 are below it");
    assert_eq!(told(limited("bytes", 2948), 2), "10:0 10:1448");
}

#[test]
fn what_is_not_the_next_ends_the_run_and_begins_another() {
    assert_eq!(burst([full(1, 0), full(1, 1), full(1, 3), full(1, 4)]), "10:0+1448 10:4344+5792", "a gap");
    assert_eq!(burst([full(1, 1), full(1, 0), full(1, 1)]), "10:1448 10:0+1448", "out of order");
    // A shorter one is the last of its run; a longer one than the first is in none.
    assert_eq!(burst([full(1, 0), bytes(1, 1448, 100), bytes(1, 1548, 100)]), "10:0+1448 10:1548");
    assert_eq!(burst([bytes(1, 0, 100), bytes(1, 100, 1448)]), "10:0 10:100");
}

#[test]
fn flags_options_and_marks_end_runs() {
    let pushed = |n| with(full(1, n), |tcp| tcp.pushed = true);
    // PSH ends its run, with itself; alone it is not held, and overtakes no other of its connection.
    assert_eq!(burst([full(1, 0), pushed(1), full(1, 2), full(1, 3)]), "10:0+1448 10:2896+4344");
    assert_eq!(burst([pushed(0), full(1, 1)]), "10:0 10:1448");
    let congestion = |n, bits| with(full(1, n), move |tcp| tcp.congestion = bits);
    // CE (4) is a field of the IP header; CWR (2) may begin a run, and join none.
    assert_eq!(burst([full(1, 0), congestion(1, 4), congestion(2, 4), full(1, 3)]), "10:0 10:1448+2896 10:4344");
    assert_eq!(burst([full(1, 0), congestion(1, 2), full(1, 2)]), "10:0 10:1448+2896");
    let stamped = |n, ms| with(full(1, n), move |tcp| tcp.stamps.0 = ms);
    assert_eq!(burst([stamped(0, 7), stamped(1, 7), stamped(2, 8)]), "10:0+1448 10:2896");
    let blind = json!({ "kind": "gro", "coalesce": "10us", "timestamps": "0s" });
    assert_eq!(sent(blind, [stamped(0, 7), stamped(1, 8)].map(|packet| (0.0, packet))), "10:0+1448");
    let selective = |n| with(full(1, n), |tcp| tcp.sack = vec![(5, 9)]);
    assert_eq!(burst([full(1, 0), selective(1), full(1, 2)]), "10:0 10:1448 10:2896");
}

#[test]
fn a_flush_timeout_holds_runs_over_polls_until_a_jiffy_ends() {
    let gro = json!({ "kind": "gro", "coalesce": "10us", "flush_timeout": "100us", "timestamps": "0s" });
    // Each poll with packets sets the timer anew: 10 + 100, 60 + 100.
    assert_eq!(sent(gro.clone(), [(0.0, full(1, 0)), (50.0, full(1, 1))]), "160:0+1448");
    // The timer polls the ring, too: what waits there at 110 joins, and the timer starts again.
    assert_eq!(sent(gro.clone(), [(0.0, full(1, 0)), (105.0, full(1, 1))]), "210:0+1448");
    // A run of an earlier jiffy (4 ms) ends with the next poll, and with what that adds to it.
    assert_eq!(sent(gro, [(3950.0, full(1, 0)), (4010.0, full(1, 1))]), "4020:0+1448");
}

#[test]
fn a_list_of_runs_is_full_with_eight() {
    // Connections whose numbers differ by eight are in one list: the ninth ends the oldest run.
    let packets = (0..9).map(|flow| full((8 * flow) << 16, flow)).chain([full(0, 1)]);
    assert_eq!(
        burst(packets),
        "10:0 10:1448 10:2896 10:4344 10:5792 10:7240 10:8688 10:10136 10:11584 10:1448",
        "the tenth packet follows the first, whose run has ended"
    );
}

#[test]
fn a_stage_behind_it_gets_single_packets() {
    let mut end = End::new(json!([{ "kind": "gro" }, { "kind": "pause", "at": ["1s"], "length": "1s" }]));
    (0..3).for_each(|n| end.arrive(0.0, full(1, n)));
    end.until(10.0);
    assert_eq!(runs(&mut end), "50:0 50:1448 50:2896");
}
