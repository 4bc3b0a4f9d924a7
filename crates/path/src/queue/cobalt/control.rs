//! COBALT's decision on a packet that leaves: CoDel that decays instead of ending at once, and BLUE beside it (as in Linux's
//! CAKE, sch_cake.c).
//!
//! Times are nanoseconds. The reciprocal root of CoDel's count is a fraction of 2^32, by a table for small counts.

use acklab_packet::Time;

use crate::Carried;
use crate::queue::fair::draw;
use crate::random::Random;

/// A time in COBALT's unit.
pub fn nanoseconds(time: Time) -> i64 {
    (time.secs() * 1e9).round() as i64
}

/// BLUE's steps up and down, as fractions of 2^32: 1/256 and 1/4096.
const UP: u32 = 1 << 24;
const DOWN: u32 = 1 << 20;

/// Counts whose root the table has.
const TABLE: u32 = 16;

/// What COBALT goes by, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rules {
    pub interval: u64,
    pub target: u64,
    /// Time that the link takes for the largest packet.
    pub packet: u64,
    /// Whether a packet that would be dropped is marked instead, if its sender understands marks; BLUE drops all the same.
    pub ecn: bool,
}

/// COBALT's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cobalt {
    count: u32,
    root: u32,
    drop_next: i64,
    blue_since: i64,
    /// BLUE's drop probability, as a fraction of 2^32.
    blue: u32,
    dropping: bool,
}

/// 2^32 / sqrt(count); just below 2^32 for counts 0 and 1.
fn exact_root(count: u32) -> u32 {
    (4_294_967_296.0 / f64::from(count.max(1)).sqrt()).round() as u32
}

impl Cobalt {
    /// A state whose second drop waits for an interval, as in Palmei et al. 2019. In Linux's CAKE the root begins with 0, which
    /// is the default here: the second drop does not wait.
    pub fn whole_first_interval() -> Cobalt {
        Cobalt { root: u32::MAX, ..Cobalt::default() }
    }

    /// Whether nothing of it is left that a later packet would meet.
    pub fn rests(&self, now: i64) -> bool {
        self.blue == 0 && self.count == 0 && now >= self.drop_next
    }

    fn find_root(&mut self) {
        if self.count < TABLE {
            self.root = exact_root(self.count);
            return;
        }
        let root = u64::from(self.root);
        let value = (3_u64 << 32).wrapping_sub(u64::from(self.count).wrapping_mul((root * root) >> 32)) >> 2;
        self.root = (value.wrapping_mul(root) >> 31) as u32;
    }

    fn schedule(&mut self, since: i64, rules: &Rules) {
        // The interval is cut to 32 bits here, as it is there.
        let interval = u64::from(rules.interval as u32);
        self.drop_next = since + ((interval * u64::from(self.root)) >> 32) as i64;
    }

    /// A packet was dropped because the buffer was full.
    pub fn overflowed(&mut self, rules: &Rules, now: i64) {
        if now - self.blue_since > rules.target as i64 {
            self.blue = self.blue.saturating_add(UP);
            self.blue_since = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// The queue was to be served, and was empty.
    pub fn found_empty(&mut self, rules: &Rules, now: i64) {
        if self.blue > 0 && now - self.blue_since > rules.target as i64 {
            self.blue = self.blue.saturating_sub(DOWN);
            self.blue_since = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.step_down(rules);
        }
    }

    fn step_down(&mut self, rules: &Rules) {
        self.count -= 1;
        self.find_root();
        self.schedule(self.drop_next, rules);
    }

    /// Whether a packet that leaves, and has waited since `arrival`, is to be dropped. It may be marked instead.
    pub fn drops<P: Carried>(
        &mut self,
        rules: &Rules,
        packet: &mut P,
        (arrival, now): (i64, i64),
        random: &mut Random,
    ) -> bool {
        let waited = (now - arrival) as u64;
        let over = waited > rules.target && waited > 4 * rules.packet;
        let mut late = now - self.drop_next;
        let mut due = self.count > 0 && late >= 0;
        let mut drop = false;
        if over {
            if !self.dropping {
                self.dropping = true;
                self.schedule(now, rules);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if due && self.dropping {
            drop = !(rules.ecn && packet.mark());
            self.count = self.count.saturating_add(1);
            self.find_root();
            self.schedule(self.drop_next, rules);
            late = now - self.drop_next;
        } else {
            while due {
                self.step_down(rules);
                late = now - self.drop_next;
                due = self.count > 0 && late >= 0;
            }
        }
        if self.blue > 0 {
            drop |= draw(random) < self.blue;
        }
        if self.count == 0 {
            self.drop_next = now + rules.interval as i64;
        } else if late > 0 && !drop {
            self.drop_next = now;
        }
        drop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_small_counts_are_those_of_the_kernels_table() {
        let mut cobalt = Cobalt::default();
        for (count, root) in [(0, u32::MAX), (1, u32::MAX), (2, 3_037_000_500), (4, 2_147_483_648), (9, 1_431_655_765)]
        {
            cobalt.count = count;
            cobalt.find_root();
            assert!(cobalt.root.abs_diff(root) <= 1, "{count}: {}", cobalt.root);
        }
    }
}
