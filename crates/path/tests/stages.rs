//! Stages, worked by hand, and what holds for any traffic.

mod far_end;
mod packets;

use acklab_packet::{Ace, Ack, Body, Packet};
use acklab_path::Carried;
use acklab_path::random::Random;
use acklab_path::stage::{Chain, Compression, Reissue, StageSpec};
use far_end::{End, Seen, at, number, segment, selective, specs};
use packets::{Tcp, ack};
use proptest::prelude::*;

/// A stage's stream of random numbers is that of its name, so a name that changes changes the results of a seed.
#[test]
fn the_names_of_the_streams_stay() {
    let specs: Vec<StageSpec> = serde_json::from_value(serde_json::json!([
        { "kind": "reorder", "rate": 0.1, "by": "5ms" },
        { "kind": "jitter", "mean": "5ms" },
        { "kind": "duplicate", "rate": 0.1 },
        { "kind": "mark", "rate": 0.1 },
        { "kind": "mark", "rate": 0.1 },
    ]))
    .expect("stages");
    let names = std::cell::RefCell::new(Vec::new());
    Chain::<Packet>::new(&specs, |name| {
        names.borrow_mut().push(name.to_owned());
        Random::stream(1)
    });
    assert_eq!(names.into_inner(), ["reorder", "jitter", "duplicate", "mark", "mark2"]);
}

#[test]
fn a_stretch_ack_is_expanded_at_the_given_spacing() {
    let mut end = End::new(serde_json::json!([{ "kind": "ack-reconstruction", "step": 2, "spacing": "5ms" }]));
    end.arrive(0.0, number(1, 10));
    end.arrive(0.1, number(1, 17));
    end.arrive(0.2, number(1, 19));
    end.until(1.0);
    // 12, 14, 16 are new; 17 itself comes last; 19 is no stretch.
    assert_eq!(end.told(), "0:10 100:12* 105:14* 110:16* 115:17 200:19");
}

#[test]
fn without_a_spacing_acks_fill_the_time_since_the_one_before() {
    let mut end = End::new(serde_json::json!([{ "kind": "ack-reconstruction", "step": 2 }]));
    end.arrive(0.0, number(1, 10));
    end.arrive(0.1, number(1, 18));
    end.until(0.2);
    assert_eq!(end.told(), "0:10 100:12* 125:14* 150:16* 175:18");
    // After a pause of 10 s the mean of earlier times, 100 ms, is spread.
    end.arrive(10.1, number(1, 26));
    end.until(20.0);
    assert_eq!(end.told(), "10100:20* 10125:22* 10150:24* 10175:26");
}

#[test]
fn made_acks_leave_as_far_apart_as_acks_arrive() {
    // With gain 0 the estimate stays 10 ms.
    let mut end = End::new(serde_json::json!([{ "kind": "ack-respacing", "gain": 0.0 }]));
    end.arrive(0.0, number(1, 10));
    end.arrive(0.1, number(1, 16));
    end.until(0.114);
    // What a newer one has overtaken, 16 at 120, is dropped.
    end.arrive(0.115, number(1, 20));
    end.until(0.19);
    assert_eq!(end.told(), "0:10 100:16- 100:12* 110:14* 115:20- 115:16* 125:18* 135:20*");
    // After a duplicate the next passes, however far it leaps.
    end.arrive(0.2, number(1, 20));
    end.arrive(0.21, number(1, 20));
    end.arrive(0.22, number(1, 40));
    assert_eq!(end.told(), "200:20 210:20 220:40");
}

/// 14 is due when 20 arrives. If it was made before 20 entered the wire it goes first, and 16 to 20 are made; else 20 comes first, and
/// 14 to 20 are made, in steps of 10 ms.
#[test]
fn of_two_at_one_instant_the_one_that_was_decided_first_goes_first() {
    let told = |entered: f64| {
        let mut end = End::new(serde_json::json!([{ "kind": "ack-respacing", "gain": 0.0 }]));
        end.arrive(0.0, number(1, 10));
        end.arrive(0.1, number(1, 16));
        end.until(0.109);
        end.meet(0.11, entered, number(1, 20));
        end.until(1.0);
        end.told()
    };
    assert_eq!(told(0.105), "0:10 100:16- 100:12* 110:14* 110:20- 110:16* 120:18* 130:20*");
    assert_eq!(told(0.05), "0:10 100:16- 100:12* 110:20- 110:14* 120:16* 130:18* 140:20*");
}

#[test]
fn the_estimate_is_smoothed_and_no_round_trip_is_timed_by_a_made_ack() {
    let mut end = End::new(serde_json::json!([{ "kind": "ack-respacing", "spacing": "40ms", "gain": 0.5 }]));
    end.arrive(0.0, number(1, 10));
    // Half of 40 ms after the first; half of that and of 100 ms here.
    end.arrive(0.1, number(1, 14));
    end.until(0.3);
    assert_eq!(end.told(), "0:10 100:14- 100:12* 160:14*");
    let body = |ace| Body::Ack(Ack { ace, ..Ack::default() });
    let packet = Packet { flow: 0, size: 40, connection: 0, place: 0, body: body(Ace::default()) };
    assert_eq!(packet.untimed().body, body(Ace::UNTIMED));
}

#[test]
fn what_says_more_than_a_number_overtakes_nothing() {
    let mut end = End::new(serde_json::json!([{ "kind": "ack-reconstruction", "step": 1, "spacing": "10ms" }]));
    end.arrive(0.0, number(1, 10));
    end.arrive(0.0, number(2, 50));
    end.arrive(0.1, number(1, 13));
    end.arrive(0.105, number(1, 15));
    end.arrive(0.112, number(1, 15));
    end.arrive(0.120, selective(1, 15));
    end.arrive(0.121, number(2, 51));
    end.until(1.0);
    // The duplicate lets 13 and 15 go at once, and none between them is made any more.
    assert_eq!(end.told(), "0:10 0:50 100:11* 110:12* 112:13 112:15 112:15 120:15 121:51");
}

#[test]
fn no_more_than_most_are_made_of_one() {
    let json = serde_json::json!([{ "kind": "ack-reconstruction", "step": 1, "spacing": "0s", "most": 4 }]);
    let mut end = End::new(json);
    end.arrive(0.0, number(1, 0));
    end.arrive(1.0, number(1, 1000));
    assert_eq!(end.told(), "0:0 1000:250* 1000:500* 1000:750* 1000:1000");
}

#[test]
fn a_proxy_splits_every_ack_that_tells_something_new() {
    let mut end = End::new(serde_json::json!([{ "kind": "rbscp", "pieces": 4 }]));
    for packet in
        [number(1, 1000), number(1, 2000), number(1, 2000), number(1, 2002), selective(1, 3000), number(1, 500)]
    {
        end.arrive(0.0, packet);
    }
    // Nothing is known before the first; a duplicate, one with SACK and one from the past pass; two units make two pieces.
    assert_eq!(end.told(), "0:1000 0:1250* 0:1500* 0:1750* 0:2000 0:2000 0:2001* 0:2002 0:3000 0:500");
}

#[test]
fn stages_feed_each_other_in_order() {
    let both = serde_json::json!([{ "kind": "ack-reconstruction", "step": 500, "spacing": "10ms" }, { "kind": "rbscp", "pieces": 2 }]);
    let mut end = End::new(both);
    end.arrive(0.0, number(1, 0));
    end.arrive(0.1, number(1, 1000));
    end.until(1.0);
    assert_eq!(end.told(), "0:0 100:250* 100:500* 110:750* 110:1000");
}

#[test]
fn a_base_station_splits_the_ack_of_what_a_timeout_sent_again() {
    let mut end = End::new(serde_json::json!([{ "kind": "spack", "pieces": 4, "timer": "1s" }]));
    let hear = |end: &mut End, now: f64, units| end.chain.overhear(&segment(1, units), at(now));
    hear(&mut end, 0.0, 0..1000);
    end.arrive(0.1, number(1, 1000));
    hear(&mut end, 0.2, 1000..2000);
    hear(&mut end, 0.2, 2000..3000);
    // A fast retransmission, soon after progress: nothing.
    hear(&mut end, 0.5, 1000..2000);
    end.arrive(0.6, number(1, 2000));
    // A second later it must have been a timeout; a duplicate splits nothing, the ACK of this segment does, once.
    hear(&mut end, 1.7, 2000..3000);
    end.arrive(1.75, number(1, 2000));
    end.arrive(1.8, number(1, 3000));
    hear(&mut end, 1.9, 3000..4000);
    end.arrive(2.0, number(1, 4000));
    assert_eq!(end.told(), "100:1000 600:2000 1750:2000 1800:2250* 1800:2500* 1800:2750* 1800:3000 2000:4000");
}

/// Bytes of each packet on the wire; those the far end cannot read marked, and those lost.
fn crossed(json: serde_json::Value, packets: &[(Seen, f64, bool)]) -> String {
    let [StageSpec::HeaderCompression(params)] = &specs(serde_json::json!([json]))[..] else { panic!("compression") };
    let mut wire = Compression::new(params, at(0.1));
    let cross = |(packet, now, lost): &(Seen, f64, bool)| {
        let crossing = wire.cross(packet, at(*now));
        if *lost {
            wire.lose();
        }
        let note = if *lost {
            "lost"
        } else if crossing.readable {
            ""
        } else {
            "?"
        };
        format!("{}{note}", crossing.bytes)
    };
    packets.iter().map(cross).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_a_compressed_header_cannot_say_goes_whole() {
    let json = serde_json::json!({ "kind": "header-compression", "size": "5B" });
    let marked = Seen(Tcp { congestion: 1, ..ack(1, 9_000) }, None);
    let stamped = Seen(Tcp { size: 52, ..ack(1, 9_000) }, None);
    let packets = [
        number(1, 1000),
        number(1, 2000),
        number(2, 7000),
        number(1, 3000),
        number(2, 7001),
        number(1, 3000),
        number(1, 2500),
        number(1, 3000 + 65_536),
        number(1, 3000 + 65_536 + 65_535),
        segment(1, 0..1),
        selective(1, 200_000),
        marked,
        stamped,
        number(1, 134_072),
    ];
    let packets = packets.map(|packet| (packet, 0.0, false));
    // First; grows; first of another; grow, grow; duplicate; back; too far (twice); just so; data, SACK, marks, options.
    assert_eq!(crossed(json, &packets), "40 5 40 5 5 40 40 40 5 1000 40 40 52 5");
}

#[test]
fn connections_beyond_the_slots_forget_the_longest_unused() {
    let json = serde_json::json!({ "kind": "header-compression", "slots": 2 });
    let order = [(1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2), (3, 2)];
    let packets = order.map(|(connection, n)| (number(connection, n), 0.0, false));
    assert_eq!(crossed(json, &packets), "40 40 5 40 5 40 40");
}

#[test]
fn a_loss_on_the_wire_costs_all_acks_up_to_a_whole_header() {
    let rising = [0.0, 0.01, 0.02, 0.03, 0.1, 0.13, 0.14, 0.15];
    let mut packets: Vec<_> = rising.iter().zip(1..).map(|(&now, n)| (number(1, 1000 * n), now, n == 3)).collect();
    packets.push((number(1, 8000), 0.16, false));
    packets.push((number(1, 9000), 0.17, false));
    let json = |repair| serde_json::json!({ "kind": "header-compression", "repair": repair });
    // RFC 1144: until a duplicate comes. With requests: until the one asked for at 30 ms has come, 100 ms later.
    assert_eq!(crossed(json("none"), &packets), "40 5 5lost 5? 5? 5? 5? 5? 40 5");
    assert_eq!(crossed(json("request"), &packets), "40 5 5lost 5? 5? 40 5 5 40 5");
    // A whole header lost leaves the far end as it was.
    let packets = [(1, false), (2, false), (2, true), (3, false)];
    let packets = packets.map(|(n, lost)| (number(1, n), 0.0, lost));
    assert_eq!(crossed(json("none"), &packets), "40 5 40lost 5");
    let packets = [(1, true), (2, false), (2, false), (3, false)];
    let packets = packets.map(|(n, lost)| (number(1, n), 0.0, lost));
    assert_eq!(crossed(json("none"), &packets), "40lost 5? 40 5");
}

proptest! {
    /// Whatever arrives, every packet goes on exactly once, in its connection's order; what is added tells nothing that the
    /// next of the connection's own does not; and a clone does the same.
    #[test]
    fn stages_keep_order_and_add_only_what_is_true(
        which in 0..6_usize,
        steps in proptest::collection::vec((0..3_u64, 0..2500_u64, 0..8_u8, 0..40_u32), 1..80),
    ) {
        let all = [
            serde_json::json!([{ "kind": "ack-reconstruction", "step": 300 }]),
            serde_json::json!([{ "kind": "ack-reconstruction", "step": 1, "spacing": "7ms", "most": 5 }]),
            serde_json::json!([{ "kind": "rbscp", "pieces": 5 }]),
            serde_json::json!([{ "kind": "spack", "pieces": 5, "timer": "20ms" }]),
            serde_json::json!([{ "kind": "rbscp", "pieces": 3 }, { "kind": "ack-reconstruction", "step": 100 }]),
            serde_json::json!([{ "kind": "rbscp", "pieces": 3 }, { "kind": "gro", "coalesce": "10ms", "flush_timeout": "5ms" }]),
        ];
        let mut end = End::new(all[which].clone());
        let mut branch: Option<(End, usize)> = None;
        let (mut now, mut newest, mut sent) = (0.0, [0_u64; 3], Vec::new());
        for (id, (connection, grows, kind, wait)) in steps.iter().enumerate() {
            now += f64::from(*wait) / 1000.0;
            let known = &mut newest[*connection as usize];
            *known += if *kind < 5 { *grows } else { 0 };
            let mut packet = if *kind == 7 { selective(*connection, *known) } else { number(*connection, *known) };
            packet.0.id = id as u64;
            let heard = segment(*connection, *known..*known + 900);
            end.chain.overhear(&heard, at(now));
            sent.push(packet.clone());
            end.arrive(now, packet.clone());
            if let Some((copy, from)) = &mut branch {
                copy.chain.overhear(&heard, at(now));
                End::arrive(copy, now, packet);
                prop_assert_eq!(&end.left[*from..], &copy.left[..]);
            } else if id == steps.len() / 2 {
                branch = Some((End { chain: end.chain.clone(), left: Vec::new() }, end.left.len()));
            }
        }
        end.until(now + 1e6);
        for connection in 0..3 {
            let mine = |packet: &Seen| packet.connection() == connection;
            let left: Vec<_> = end.left.iter().map(|(_, passing)| passing).filter(|passing| mine(&passing.packet)).collect();
            let own: Vec<_> = left.iter().filter(|passing| !passing.made).map(|passing| &passing.packet).collect();
            prop_assert_eq!(own, sent.iter().filter(|packet| mine(packet)).collect::<Vec<_>>());
            let mut told = 0;
            for (at, passing) in left.iter().enumerate() {
                let number = passing.packet.plain_ack().unwrap();
                if passing.made {
                    let next = left[at..].iter().find(|passing| !passing.made).unwrap();
                    prop_assert!(told < number && number < next.packet.plain_ack().unwrap());
                    prop_assert!(passing.packet.sack_blocks().next().is_none());
                }
                told = number;
            }
        }
    }
}
