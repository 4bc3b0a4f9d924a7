//! A token bucket: bursts at one rate, the mean at another (tc-tbf(8)).

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Server, ServerParams, Taken, check_rate};
use crate::random::Random;
use crate::values::{Checked, must, quoted};

/// Bursts at one rate, the mean at another (a token bucket, as `tc`'s tbf).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenBucketSpec {
    /// Rate at which the bucket fills: from 1 bps, at most `peak`.
    pub mean: Rate,
    /// Bytes that it holds, and holds at first; at least 1 B. A larger packet waits until as many have come.
    pub burst: Bytes,
    /// Rate of the link behind it.
    pub peak: Rate,
}

impl ServerParams for TokenBucketSpec {
    fn rate(&self) -> Rate {
        self.peak
    }

    fn of_buffers(&self) -> Rate {
        self.mean
    }

    fn check(&mut self) -> Checked {
        let mean = self.mean.bps() >= 1.0 && self.mean <= self.peak;
        must(mean, "mean", "must be from 1bps, and at most `peak`", quoted(self.mean))?;
        must(self.burst.get() > 0, "burst", "must be at least 1B", quoted(self.burst))?;
        check_rate("peak", self.peak)
    }
}

/// What is in a bucket, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Bucket {
    bytes_per_second: f64,
    burst: f64,
    tokens: f64,
    since: f64,
}

impl Bucket {
    /// A full bucket.
    pub fn new(mean: Rate, burst: Bytes) -> Bucket {
        let burst = burst.get() as f64;
        Bucket { bytes_per_second: mean.bps() / 8.0, burst, tokens: burst, since: 0.0 }
    }

    /// What is in it `now`, if a packet of `bytes` waits for it.
    fn fill(&mut self, bytes: f64, now: f64) {
        let most = self.burst.max(bytes);
        self.tokens = (self.tokens + (now - self.since).max(0.0) * self.bytes_per_second).min(most);
        self.since = self.since.max(now);
    }

    /// What is in it `now`.
    pub fn level(&mut self, now: Time) -> f64 {
        self.fill(0.0, now.secs());
        self.tokens
    }

    /// Takes so many bytes out, if they are there.
    pub fn takes(&mut self, bytes: u32, now: Time) -> bool {
        self.fill(0.0, now.secs());
        let enough = self.tokens >= f64::from(bytes);
        self.tokens -= if enough { f64::from(bytes) } else { 0.0 };
        enough
    }

    /// Takes so many bytes out as soon as they are there: how long that takes.
    pub fn wait(&mut self, bytes: u32, now: Time) -> Time {
        let bytes = f64::from(bytes);
        self.fill(0.0, now.secs());
        let wait = (bytes - self.tokens).max(0.0) / self.bytes_per_second;
        self.fill(bytes, now.secs() + wait);
        self.tokens = if wait > 0.0 { 0.0 } else { self.tokens - bytes };
        Time::from_secs(wait)
    }
}

/// A server behind a token bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenBucket {
    bucket: Bucket,
    peak: Rate,
    busy: f64,
}

impl TokenBucket {
    /// The server that `spec` describes.
    pub fn new(spec: &TokenBucketSpec, _: impl FnOnce() -> Random) -> TokenBucket {
        TokenBucket { bucket: Bucket::new(spec.mean, spec.burst), peak: spec.peak, busy: 0.0 }
    }
}

impl Server for TokenBucket {
    fn take(&mut self, bytes: u32, now: Time) -> Taken {
        let lasts = self.bucket.wait(bytes, now) + self.peak.transmission(bytes);
        self.busy += lasts.secs();
        lasts.into()
    }

    fn busy(&self, _: u64) -> f64 {
        self.busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 MB/s and a bucket of 3000 B before a link of 8 Gb/s, on which 1000 B take 1 us.
    #[test]
    fn a_burst_goes_at_once_and_the_rest_at_the_mean_rate() {
        let spec = TokenBucketSpec { mean: Rate::from_bps(8e6), burst: Bytes::new(3000), peak: Rate::from_bps(8e9) };
        let mut server = TokenBucket::new(&spec, || Random::stream(0));
        let mut lasts =
            |bytes: u32, ms: f64| (server.take(bytes, Time::from_secs(ms / 1000.0)).lasts.secs() * 1e9).round() / 1e3;
        assert_eq!([lasts(1000, 0.0), lasts(1000, 0.001), lasts(1000, 0.002)], [1.0; 3]);
        // Two microseconds have brought 2 bytes: 998 us for the others, and 1 on the link.
        assert_eq!(lasts(1000, 0.002), 999.0);
        // A second fills the bucket and no more; a packet larger than it waits for what is missing.
        assert_eq!(lasts(4000, 1001.0), 1004.0);
    }
}
