//! A line of `cases.csv`.

/// One transfer. `segments` is acklab's: packets an ACK may cover, one more than the Ack-Eliciting Threshold.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub name: String,
    pub rate_bps: u64,
    pub delay_ns: u64,
    pub queue: usize,
    pub back_bps: u64,
    pub back_queue: usize,
    pub bytes: usize,
    /// Data packets that vanish, counted from 0 as they are offered to the link.
    pub lose: Vec<u64>,
    /// Nothing is asked of the receiver: RFC 9000's own rules.
    pub plain: bool,
    pub segments: u64,
    pub max_ack_delay_us: u64,
    pub reordering: u64,
}

pub const COLUMNS: &str =
    "name,rate_bps,delay_ms,queue,back_bps,back_queue,bytes,lose,segments,max_ack_delay_ms,reordering";

impl Case {
    pub fn read(line: &str) -> Result<Case, String> {
        let fields: Vec<&str> = line.trim().split(',').collect();
        let [name, rate, delay, queue, back, back_queue, bytes, lose, segments, max_ack_delay, reordering] = fields[..]
        else {
            return Err(format!("{} fields, not 11: {line}", fields.len()));
        };
        fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
            text.parse().map_err(|_| format!("not a number: {text:?}"))
        }
        let millis = |text: &str, unit: f64| number::<f64>(text).map(|value| (value * unit).round() as u64);
        let plain = segments.is_empty();
        let or = |text: &str, default: u64| if text.is_empty() { Ok(default) } else { number(text) };
        Ok(Case {
            name: name.to_owned(),
            rate_bps: number(rate)?,
            delay_ns: millis(delay, 1e6)?,
            queue: number(queue)?,
            back_bps: number(back)?,
            back_queue: number(back_queue)?,
            bytes: number(bytes)?,
            lose: lose.split_whitespace().map(number).collect::<Result<_, _>>()?,
            plain,
            segments: or(segments, 2)?,
            max_ack_delay_us: if max_ack_delay.is_empty() { 25_000 } else { millis(max_ack_delay, 1e3)? },
            reordering: or(reordering, 1)?,
        })
    }
}
