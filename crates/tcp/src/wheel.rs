//! Timers as Linux counts them: in ticks, whole ones after the next, and long ones in groups of ticks (`calc_wheel_index` in
//! kernel/time/timer.c). Senders and receivers set them: `tcp_rack_mark_lost` in net/ipv4/tcp_recovery.c, `tcp_schedule_loss_probe` in
//! net/ipv4/tcp_output.c, `reqsk_timer_handler` in net/ipv4/inet_connection_sock.c.

use acklab_packet::Time;

/// Ticks that a level of the wheel counts one by one, and how many times coarser the next level is.
const LEVEL: (f64, f64) = (63.0, 8.0);
/// A delay so little above a whole number of ticks is that number.
const NOTHING: f64 = 1e-6;

/// When a timer expires that is set at `now` for `delay` seconds by a clock with this tick and phase; exactly then where the tick is 0.
pub(crate) fn expiry((tick, phase): (Time, Time), now: Time, delay: f64) -> Time {
    let (tick, phase) = (tick.secs(), phase.secs());
    if tick == 0.0 || !delay.is_finite() {
        return now + Time::from_secs(delay);
    }
    let ticks = (delay / tick - NOTHING).ceil().max(1.0);
    let mut group = 1.0;
    while ticks >= LEVEL.0 * group {
        group *= LEVEL.1;
    }
    let due = ((now.secs() + phase) / tick + NOTHING).floor() + ticks;
    Time::from_secs(((due / group).floor() + 1.0) * group * tick - phase)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ticks of 1 ms, 0.2 ms after one at time 0. 3.2 ms from 5.3 (tick 5) are 4 ticks, and so is the tenth tick: at 9.8. 200 ms from
    /// 5.3 are 205 ticks, of which the next group of eight begins at 208: at 207.8. Counting none, 3.2 ms are 3.2 ms.
    #[test]
    fn a_timer_expires_at_a_tick_and_a_long_one_at_an_eighth() {
        let at = |tick, delay| {
            let clock = (Time::from_secs(tick), Time::from_secs(0.0002));
            expiry(clock, Time::from_secs(0.0053), delay).secs()
        };
        assert!((at(0.001, 0.0032) - 0.0098).abs() < 1e-9);
        assert!((at(0.001, 0.2) - 0.2078).abs() < 1e-9);
        assert!((at(0.0, 0.0032) - 0.0085).abs() < 1e-12);
    }
}
