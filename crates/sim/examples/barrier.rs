//! The cost of a barrier between two threads: what a parallel simulation would pay for each look-ahead window. `barrier [ROUNDS]`.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Both threads wait `rounds` times for each other; the median and the 99th percentile of a round, in nanoseconds.
fn measured(rounds: usize, wait: impl Fn(usize) + Sync) -> (u128, u128) {
    let mut taken = Vec::with_capacity(rounds);
    std::thread::scope(|scope| {
        scope.spawn(|| (1..=rounds).for_each(&wait));
        for round in 1..=rounds {
            let begun = Instant::now();
            wait(round);
            taken.push(begun.elapsed().as_nanos());
        }
    });
    taken.sort_unstable();
    (taken[rounds / 2], taken[rounds * 99 / 100])
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(100_000);
    let (sleeping, arrived) = (Barrier::new(2), AtomicUsize::new(0));
    let spinning = |round: usize| {
        arrived.fetch_add(1, Ordering::AcqRel);
        while arrived.load(Ordering::Acquire) < 2 * round {
            std::hint::spin_loop();
        }
    };
    let told = [
        ("that spins", measured(rounds, spinning)),
        (
            "of the system",
            measured(rounds, |_| {
                sleeping.wait();
            }),
        ),
    ];
    for (name, (median, late)) in told {
        println!("a barrier {name}: {median} ns, 99 of 100 within {late} ns");
    }
}
