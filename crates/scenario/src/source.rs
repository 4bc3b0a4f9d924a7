//! What a flow's application sends: checks of `source` and `size`.

use acklab_packet::{Bytes, Time};
use acklab_path::server::check_rate;

use super::error::Problem;
use super::file::{FlowTable, ParetoTable, SizeEntry};
use super::limits::too_short;
use crate::spec::{Datagrams, Size, Source};

/// Most payload bytes of one transfer, as many as a double counts exactly.
const MOST_BYTES: u64 = 9_000_000_000_000_000;
/// Most rows of listed writes.
const MOST_WRITES: usize = 100_000;

/// Checks the application of a flow.
pub(super) fn sourced(index: usize, table: &FlowTable) -> Result<(), Problem> {
    let at = |key: &str| format!("flow[{index}].{key}");
    if let Some(Source::Telnet { mean: Some(_), pauses: Some(_), .. }) = table.source {
        let what = "can not be given together with `mean`, which makes them exponential; leave out one of the two";
        return Err(Problem::at(at("source.pauses"), what));
    }
    if let Some(Source::Telnet { mean: Some(mean), .. }) = table.source
        && let Some(what) = too_short(mean)
    {
        return Err(Problem::at(at("source.mean"), what));
    }
    if let Some(Source::Writes(spec)) = table.source {
        let bytes = u128::from(spec.write.get()) * u128::from(spec.times);
        if table.repeat.is_some() {
            return Err(Problem::at(at("repeat"), "can not be given together with writes; use more `times`"));
        }
        if spec.write.get() == 0 {
            return Err(Problem::at(at("source.write"), "is 0; must be at least 1B"));
        }
        if spec.times == 0 {
            return Err(Problem::at(at("source.times"), "must be at least 1").given(0));
        }
        if bytes > u128::from(MOST_BYTES) {
            return Err(Problem::at(at("source.times"), format!("makes {bytes} bytes; at most {MOST_BYTES}")));
        }
        if let Some(what) = too_short(spec.every) {
            return Err(Problem::at(at("source.every"), what));
        }
    }
    if let Some(Source::Listed(spec)) = &table.source {
        if table.repeat.is_some() {
            return Err(Problem::at(at("repeat"), "can not be given together with listed writes; list them all"));
        }
        check_listed(&spec.writes).map_err(|(row, what)| Problem::at(at(&format!("source.writes{row}")), what))?;
    }
    if let Some(Source::Udp(spec)) = &table.source {
        check_datagrams(spec).map_err(|(key, what)| Problem::at(at(key), what))?;
        check_rate("rate", spec.rate).map_err(|wrong| Problem::below(at("source"), wrong))?;
    }
    Ok(())
}

/// The first row that is wrong, and what is.
fn check_listed(writes: &[(Time, Bytes)]) -> Result<(), (String, String)> {
    if writes.is_empty() || writes.len() > MOST_WRITES {
        return Err((String::new(), format!("has {} rows; must have from 1 to {MOST_WRITES}", writes.len())));
    }
    let (mut before, mut total) = (Time::ZERO, 0);
    for (index, &(time, bytes)) in writes.iter().enumerate() {
        let wrong = |what: String| Err((format!("[{index}]"), what));
        total += u128::from(bytes.get());
        if time < before {
            return wrong(format!("is at {time}, before the row above ({before}); must not be earlier"));
        }
        if bytes.get() == 0 {
            return wrong("writes 0B; must be at least 1B".to_owned());
        }
        if total > u128::from(MOST_BYTES) {
            return wrong(format!("makes {total} bytes together; at most {MOST_BYTES}"));
        }
        before = time;
    }
    Ok(())
}

fn check_datagrams(spec: &Datagrams) -> Result<(), (&'static str, String)> {
    if !(28..=65_535).contains(&spec.packet) {
        let what = format!("is {}; must be from 28 (the headers of a datagram) to 65535", spec.packet);
        return Err(("source.packet", what));
    }
    let off = Some(spec.off).filter(|&off| off != Time::ZERO);
    let wrong = [("source.on", Some(spec.on)), ("source.off", off)];
    let wrong = wrong.into_iter().find_map(|(key, span)| Some((key, too_short(span?)?)));
    wrong.map_or(Ok(()), Err)
}

/// The size of a transfer in packets of `packet` bytes, or the key that is wrong and what is.
pub(super) fn size(size: SizeEntry, packet: u32) -> Result<Size, (&'static str, String)> {
    let too_much = |bytes: u128| format!("is {bytes} bytes; at most {MOST_BYTES}");
    match size {
        SizeEntry::Unlimited => Ok(Size::Unlimited),
        SizeEntry::Segments(0) => Err(("size.segments", "is 0; must be at least 1".to_owned())),
        SizeEntry::Segments(segments) => match u128::from(segments) * u128::from(packet) {
            bytes if bytes > u128::from(MOST_BYTES) => Err(("size.segments", too_much(bytes))),
            _ => Ok(Size::Segments(segments)),
        },
        SizeEntry::Bytes(bytes) if bytes.get() == 0 => Err(("size.bytes", "is 0; must be at least 1B".to_owned())),
        SizeEntry::Bytes(bytes) => Ok(Size::Bytes(bytes.get())),
        SizeEntry::Uniform([low, high]) => match (low.get(), high.get()) {
            (0, _) => Err(("size.uniform[0]", "is 0; must be at least 1B".to_owned())),
            (low, high) if high < low => {
                Err(("size.uniform", format!("is from {low}B down to {high}B; the smaller comes first")))
            }
            (_, high) if high > MOST_BYTES => Err(("size.uniform[1]", too_much(high.into()))),
            (low, high) => Ok(Size::Uniform { low, high }),
        },
        SizeEntry::Pareto(ParetoTable { least, most, shape }) => match (least.get(), most.get()) {
            (0, _) => Err(("size.pareto.least", "is 0; must be at least 1B".to_owned())),
            (low, high) if high < low => Err(("size.pareto.most", format!("is {high}B, below least = {low}B"))),
            _ if !(0.01..=100.0).contains(&shape) => {
                Err(("size.pareto.shape", format!("is {shape}; must be from 0.01 to 100")))
            }
            (low, high) => Ok(Size::Pareto { low, high, shape }),
        },
    }
}
