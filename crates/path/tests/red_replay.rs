//! RED beside ns-2, drop for drop: arrivals logged by ns-2 (tests/oracle/scripts/red_log.tcl) are offered to our queue,
//! which draws the same uniforms, and every decision is compared.

use std::path::Path;

use acklab_packet::{Bytes, Rate, Time};
use acklab_path::Bare;
use acklab_path::queue::{Queue, Red, RedParams, Scheduler, Service};

/// What `red_log.tcl` was run with: 60 transfers over 400 kb/s, redseed 77.
fn params(gentle: bool, wait: bool) -> RedParams {
    RedParams {
        packets: 41,
        min: 7.0,
        max: 21.0,
        weight: 0.002,
        max_p: 0.1,
        gentle,
        wait,
        mean_packet: Bytes::new(1000),
        count_bytes: false,
        weigh_bytes: false,
        ecn: false,
        scheduler: Scheduler::Fifo,
        filter: None,
        seed: Some(77),
        skip: 120,
    }
}

/// Replays a log; returns arrivals and drops.
fn replay(log: &str, params: &RedParams) -> (usize, usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle/data/red").join(log);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let rate = Rate::from_bps(4e5);
    let mut red: Red<Bare> = Red::new(params, rate, || unreachable!("the parameters name a seed"));
    let (mut free, mut serving) = (Time::ZERO, 0);
    let (mut arrivals, mut drops) = (0, 0);
    let mut removed = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let mut words = line.split(' ');
        let (event, time, size) = (words.next(), words.next(), words.next());
        let now = Time::from_secs(time.and_then(|time| time.parse().ok()).expect("a time"));
        let size = size.and_then(|size| size.parse().ok()).expect("a size");
        match event {
            Some("+") => {
                arrivals += 1;
                let service = if free > now { Service::Busy(serving) } else { Service::Idle(free) };
                red.enqueue(Bare::of(size), service, now, &mut removed);
                let dropped = lines.peek().is_some_and(|next| next.starts_with('d'));
                assert_eq!(removed.pop().is_some(), dropped, "{log}: arrival {arrivals} at {now}");
                drops += usize::from(dropped);
            }
            Some("-") => {
                assert_eq!(red.dequeue(now, &mut removed), Some(Bare::of(size)), "{log}: departure at {now}");
                (free, serving) = (now + rate.transmission(size), size);
            }
            _ => {}
        }
    }
    (arrivals, drops)
}

#[test]
fn every_drop_of_a_hard_red_queue() {
    let (arrivals, drops) = replay("gentle0.txt", &params(false, true));
    assert!(arrivals > 2000 && drops > 50, "{arrivals} arrivals, {drops} drops");
}

#[test]
fn every_drop_of_a_gentle_red_queue_that_does_not_wait() {
    let (arrivals, drops) = replay("gentle1.txt", &params(true, false));
    assert!(arrivals > 2000 && drops > 50, "{arrivals} arrivals, {drops} drops");
}

/// NS2-SEMANTICS section 2: gentle RED's probability rises on a line from `max_p` at `max` to 1 at twice `max`. With the average
/// pinned at 21 it is 0.98 / 20 * 21 + 2 * 0.02 - 1 = 0.069; counting arrivals spaces drops 1 to 1 / p apart, 7.5 on average (a little
/// less: the last place is certain).
#[test]
fn a_gentle_queue_just_above_max_drops_one_in_seven() {
    let pinned = RedParams { min: 5.0, max: 20.0, weight: 1.0, max_p: 0.02, packets: 1000, ..params(true, false) };
    let mut red: Red<Bare> = Red::new(&pinned, Rate::from_bps(4e5), || unreachable!("the parameters name a seed"));
    let (mut removed, now) = (Vec::new(), Time::ZERO);
    let (mut arrivals, mut drops) = (0, 0);
    for _ in 0..1000 {
        if red.len() == 21 {
            break;
        }
        red.enqueue(Bare::of(1000), Service::Busy(1000), now, &mut removed);
    }
    for _ in 0..10_000 {
        removed.clear();
        red.enqueue(Bare::of(1000), Service::Busy(1000), now, &mut removed);
        arrivals += 1;
        drops += removed.len();
        if red.len() > 21 {
            red.dequeue(now, &mut removed);
        }
    }
    let apart = f64::from(arrivals) / drops as f64;
    assert!((7.0..7.5).contains(&apart), "a drop every {apart} arrivals");
}
