//! The DCF's rules one by one (ledger divack.m.dcf), and what holds however they meet.

mod medium;

use acklab_packet::{Bytes, Time};
use acklab_path::server::{DcfParams, DcfSpec, Fate, Phy};
use medium::{World, saturate};
use proptest::prelude::*;

/// No backoffs at all: everybody collides or nobody.
const NO_WINDOW: DcfSpec = {
    let mut spec = empty();
    spec.cw_min = Some(0);
    spec.cw_max = Some(0);
    spec
};

const fn empty() -> DcfSpec {
    DcfSpec {
        phy: Phy::B,
        rate: None,
        basic_rate: None,
        preamble: None,
        plcp: None,
        basic_plcp: None,
        symbol: None,
        slot: None,
        sifs: None,
        difs: None,
        eifs: None,
        ack_timeout: None,
        cw_min: None,
        cw_max: None,
        short_retries: None,
        long_retries: None,
        rts_threshold: None,
        header: None,
        propagation: None,
        sense: None,
        always_backoff: None,
        busy_slot_counts: None,
        frame_loss: None,
        aggregate: None,
        aggregate_frames: None,
        aggregate_time: None,
    }
}

fn us(time: Time) -> f64 {
    (time.secs() * 1e8).round() / 1e2
}

/// When each packet left, in us, and how.
fn log(world: &mut World) -> Vec<(u64, f64, Fate)> {
    let mut log = Vec::new();
    while world.step() {
        let now = us(world.now);
        log.extend(world.out.drain(..).map(|(frame, fate)| (frame.packet.number, now, fate)));
    }
    log
}

#[test]
fn a_frame_on_a_medium_idle_for_difs_goes_at_once_and_the_next_one_backs_off() {
    let mut world = World::new(&NO_WINDOW, 1, 9, 1);
    world.now = Time::from_secs(1e-3);
    world.offer(0, 1500);
    world.offer(0, 1500);
    // 192 us and 1536 bytes at 11 Mb/s, 1 us through the air.
    let first = 1000.0 + 192.0 + 1117.09 + 1.0;
    // SIFS, ACK of 248 us, 1 us, DIFS, and an empty backoff.
    let second = first + 10.0 + 248.0 + 1.0 + 50.0 + 192.0 + 1117.09 + 1.0;
    let [a, b] = log(&mut world)[..] else { panic!() };
    assert_eq!((a.0, a.2, b.0, b.2), (0, Fate::Delivered, 1, Fate::Delivered));
    assert!((a.1 - first).abs() < 0.01 && (b.1 - second).abs() < 0.01, "{a:?} {b:?}");
}

#[test]
fn a_frame_that_comes_before_difs_is_over_backs_off() {
    // With a window of one slot some stream draws 1 and some 0; neither begins before DIFS is over.
    let spec = DcfSpec { cw_min: Some(1), ..DcfSpec::default() };
    let mut starts = [0; 2];
    for seed in 0..40 {
        let mut world = World::new(&spec, 1, 9, seed);
        world.now = Time::from_secs(30e-6);
        world.offer(0, 1500);
        let slots = (us(world.dcf.next().unwrap()) - 50.0) / 20.0;
        starts[slots as usize] += 1;
        assert!(slots == 0.0 || slots == 1.0, "{slots}");
    }
    assert!(starts[0] > 8 && starts[1] > 8, "{starts:?}");
}

#[test]
fn who_cannot_tell_collides_until_attempts_are_used_up() {
    let mut world = World::new(&NO_WINDOW, 2, 9, 1);
    world.offer(0, 1500);
    world.offer(1, 1500);
    let log = log(&mut world);
    let (number, _, fate) = log[0];
    assert_eq!((log.len(), number, fate), (2, 0, Fate::GivenUp));
    let [a, b] = [0, 1].map(|port| world.dcf.stats(port));
    assert_eq!((a.attempts, a.collisions, a.retries, a.given_up), (7, 7, 6, 1));
    assert_eq!((b.attempts, b.given_up), (7, 1));
    // A short frame's sender knows before the long frame has ended, and is first then.
    let mut world = World::new(&NO_WINDOW, 2, 9, 1);
    world.offer(0, 1500);
    world.offer(1, 40);
    let arrived: Vec<_> = self::log(&mut world).iter().map(|row| (row.0, row.2)).collect();
    assert_eq!(arrived, [(1, Fate::Delivered), (0, Fate::Delivered)]);
    // With RTS the same, and long frames give up after the same seven: no RTS gets its CTS.
    let rts = DcfSpec { rts_threshold: Some(Bytes::new(0)), ..NO_WINDOW };
    let mut world = World::new(&rts, 2, 9, 1);
    world.offer(0, 1500);
    world.offer(1, 1500);
    assert_eq!(self::log(&mut world).len(), 2);
    assert_eq!(world.dcf.stats(0).attempts, 7);
    assert!((world.dcf.stats(0).airtime - 7.0 * 272e-6).abs() < 1e-9);
}

#[test]
fn broken_frames_use_up_the_attempts_of_their_size() {
    let broken = |rts: Option<u64>| DcfSpec { frame_loss: Some(1.0), rts_threshold: rts.map(Bytes::new), ..NO_WINDOW };
    for (rts, attempts) in [(None, 7), (Some(0), 4), (Some(1536), 7), (Some(1535), 4)] {
        let mut world = World::new(&broken(rts), 1, 9, 1);
        world.offer(0, 1500);
        assert_eq!(log(&mut world).len(), 1);
        assert_eq!(world.dcf.stats(0).attempts, attempts, "{rts:?}");
    }
}

#[test]
fn windows_double_and_return() {
    // Of a station whose frames always break: the mean backoff of attempt k is half its window.
    let spec = DcfSpec { frame_loss: Some(1.0), ..DcfSpec::default() };
    let params = DcfParams::new(&spec);
    let mut gaps = [0.0; 7];
    let runs = 2000;
    for seed in 0..runs {
        let mut world = World::new(&spec, 1, 9, seed);
        world.offer(0, 1500);
        let mut before = None;
        let mut attempt = 0;
        while world.step() {
            // Each attempt is three wakings: begin, arrive, conclude.
            if world.dcf.stats(0).attempts > attempt {
                if let Some(before) = before {
                    gaps[attempt as usize] += world.now.secs() - before;
                }
                attempt = world.dcf.stats(0).attempts;
            }
            before = Some(world.now.secs());
        }
    }
    let silent = params.ack_timeout.secs() - params.sifs.secs() - params.ack.secs() + params.difs.secs();
    for (k, gap) in gaps.iter().enumerate().skip(1) {
        let slots = (gap / runs as f64 - silent) / 20e-6;
        let window = (32u32 << k).min(1024) - 1;
        let apart = slots / (f64::from(window) / 2.0) - 1.0;
        assert!(apart.abs() < 0.06, "attempt {k}: {slots} slots, window {window}");
    }
}

#[test]
fn after_a_collision_those_who_listened_keep_eifs() {
    // Two collide at once; the third's frame comes while they do, and it has no backoff to wait for.
    let mut world = World::new(&NO_WINDOW, 3, 9, 1);
    world.offer(0, 1500);
    world.offer(1, 1500);
    world.step();
    world.now = Time::from_secs(500e-6);
    world.offer(2, 1500);
    world.step();
    let end = us(world.now);
    assert_eq!(us(world.dcf.next().unwrap()), end + 364.0);
    // Without EIFS it is first, before those who wait for their ACKs.
    let mut world = World::new(
        &DcfSpec { eifs: Some(Time::from_secs(50e-6)), ack_timeout: Some(Time::from_secs(314e-6)), ..NO_WINDOW },
        3,
        9,
        1,
    );
    world.offer(0, 1500);
    world.offer(1, 1500);
    world.step();
    world.now = Time::from_secs(500e-6);
    world.offer(2, 1500);
    world.step();
    let end = us(world.now);
    assert_eq!(us(world.dcf.next().unwrap()), end + 50.0);
    assert_eq!(log(&mut world)[0].0, 2);
}

#[test]
fn an_aggregate_is_one_exchange_and_a_block_ack_asks_for_what_is_missing() {
    let n = DcfSpec { phy: Phy::N, cw_min: Some(0), cw_max: Some(0), ..empty() };
    let mut world = World::new(&n, 1, 100, 1);
    (0..100).for_each(|_| world.offer(0, 1500));
    let log = log(&mut world);
    // 42 frames of 1544 bytes are within 64 KiB, but at 65 Mb/s only 28 within 5.484 ms.
    let first = log[0].1;
    assert_eq!(log.iter().filter(|row| row.1 == first).count(), 28);
    assert_eq!(world.dcf.stats(0).attempts, 4);
    // Broken frames are sent again alone, and those behind them wait: order is kept.
    let broken = DcfSpec { frame_loss: Some(0.2), short_retries: Some(0), ..n };
    let mut world = World::new(&broken, 1, 300, 1);
    (0..300).for_each(|_| world.offer(0, 1500));
    let numbers: Vec<u64> = self::log(&mut world).iter().map(|row| row.0).collect();
    assert_eq!(numbers, (0..300).collect::<Vec<u64>>());
    let attempts = world.dcf.stats(0).attempts;
    assert!((14..40).contains(&attempts), "{attempts}");
}

#[test]
fn aggregation_pays() {
    let n = |aggregate| DcfSpec { phy: Phy::N, aggregate: Some(Bytes::new(aggregate)), ..empty() };
    let [alone, together] = [0, 65_535].map(|bytes| saturate(&n(bytes), 2, 1500, 100, 5.0, 1).bps);
    assert!(together > 1.6 * alone, "{together} {alone}");
}

prop_compose! {
    fn spec()(
        phy in prop_oneof![Just(Phy::B), Just(Phy::N)],
        rts in prop_oneof![Just(None), (0_u64..2000).prop_map(Some)],
        retries in 1_u32..8,
        loss in prop_oneof![Just(0.0), 0.0..0.6],
        window in 0_u32..40,
        sense in prop_oneof![Just(None), Just(Some(Time::ZERO))],
        always_backoff: bool,
        frames in 1_u32..70,
    ) -> DcfSpec {
        DcfSpec {
            phy,
            rts_threshold: rts.map(Bytes::new),
            short_retries: Some(retries),
            long_retries: Some(retries),
            frame_loss: Some(loss),
            cw_min: Some(window),
            sense,
            always_backoff: Some(always_backoff),
            aggregate_frames: Some(frames),
            ..empty()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every packet leaves once: delivered, given up, or refused by the queue; those of a port in their order. The
    /// same again gives the same, and a copy goes on as the original.
    #[test]
    fn packets_are_conserved_and_runs_repeat(
        spec in spec(),
        stations in 1_u32..6,
        seed in 0_u64..1000,
        arrivals in prop::collection::vec((0_u32..6, 40_u32..1600, 0.0..3e-3), 1..120),
    ) {
        let run = |copy_at: Option<usize>| {
            let mut world = World::new(&spec, stations, 10, seed);
            for (index, &(port, size, gap)) in arrivals.iter().enumerate() {
                if copy_at == Some(index) {
                    world = world.clone();
                }
                let at = Time::from_secs(world.now.secs().max(index as f64 * 1e-3) + gap);
                while world.dcf.next().is_some_and(|next| next <= at) {
                    world.step();
                }
                world.now = at;
                world.offer(port % stations, size);
            }
            while world.step() {}
            world
        };
        let world = run(None);
        prop_assert!(world.dcf.is_empty());
        prop_assert_eq!(world.out.len() + world.removed.len(), arrivals.len());
        let mut seen: Vec<u64> = world.out.iter().map(|(frame, _)| frame.packet.number).collect();
        seen.extend(world.removed.iter().map(|frame| frame.packet.number));
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..arrivals.len() as u64).collect::<Vec<_>>());
        for port in 0..stations {
            let of: Vec<u64> = world.out.iter()
                .filter(|(frame, fate)| frame.port == port && *fate == Fate::Delivered)
                .map(|(frame, _)| frame.packet.number)
                .collect();
            prop_assert!(of.is_sorted(), "{:?}", of);
            let given_up = world.out.iter().filter(|(frame, fate)| frame.port == port && *fate == Fate::GivenUp);
            prop_assert_eq!(world.dcf.stats(port).given_up, given_up.count() as u64);
        }
        let again = run(Some(arrivals.len() / 2));
        prop_assert_eq!(&world.out, &again.out);
        prop_assert_eq!(world.now, again.now);
    }
}
