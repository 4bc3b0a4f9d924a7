//! Stages of a link direction, checked.

use std::fmt::Display;

use acklab_packet::Time;
use acklab_path::stage::StageSpec;

use super::error::Problem;
use super::limits::too_many_copies;

/// Whether the stages written at `path` make sense.
pub(super) fn checked(mut stages: Vec<StageSpec>, path: impl Display) -> Result<Vec<StageSpec>, Problem> {
    let compressing = |stage: &&StageSpec| matches!(stage, StageSpec::HeaderCompression(_));
    if stages.iter().filter(compressing).count() > 1 {
        return Err(Problem::at(path, "has `header-compression` twice; a wire has one"));
    }
    let count = stages.len();
    for (index, stage) in stages.iter_mut().enumerate() {
        let wrong = |key: &str, what: &str| Problem::at(format_args!("{path}[{index}].{key}"), what.to_owned());
        let from = |key: &str, value: u64, least: u64, most: u64| match value {
            _ if (least..=most).contains(&value) => Ok(()),
            _ => Err(wrong(key, &format!("must be from {least} to {most}")).given(value)),
        };
        let some = |key: &str, time: Time| match time {
            Time::ZERO => Err(wrong(key, "must be longer than 0s").given_text(time)),
            _ => Ok(()),
        };
        match stage {
            StageSpec::HeaderCompression(params) => {
                if !(1..=40).contains(&params.size.get()) {
                    return Err(wrong("size", "must be from 1B to 40B, the whole header").given_text(params.size));
                }
                from("slots", params.slots.into(), 1, 256)?;
            }
            StageSpec::AckReconstruction(params) => {
                if params.step == 0 {
                    return Err(wrong("step", "must be at least 1").given(0));
                }
                from("most", params.most.into(), 2, 65_536)?;
            }
            StageSpec::AckRespacing(params) => {
                for (key, value) in [("threshold", params.threshold), ("step", params.step)] {
                    from(key, value, 1, u32::MAX.into())?;
                }
                some("spacing", params.spacing)?;
                if !(0.0..=1.0).contains(&params.gain) {
                    return Err(wrong("gain", "must be from 0 to 1").given(params.gain));
                }
            }
            StageSpec::Rbscp(params) => from("pieces", params.pieces.into(), 2, 64)?,
            StageSpec::Spack(params) => {
                from("pieces", params.pieces.into(), 2, 64)?;
                some("timer", params.timer)?;
            }
            StageSpec::Reorder(params) => {
                chosen(params.rate, &mut params.list, format_args!("{path}[{index}]"))?;
                some("by", params.by)?;
                from("overtaken", params.overtaken.unwrap_or(1).into(), 1, u32::MAX.into())?;
            }
            StageSpec::Jitter(params) => {
                some("mean", params.mean)?;
                params.most.map_or(Ok(()), |most| some("most", most))?;
            }
            StageSpec::Duplicate(params) => chosen(params.rate, &mut params.list, format_args!("{path}[{index}]"))?,
            StageSpec::Mark(params) => chosen(params.rate, &mut params.list, format_args!("{path}[{index}]"))?,
            StageSpec::Bleach(params) => {
                if !(params.field || params.flags || params.option || params.request || params.remark) {
                    let what = "removes nothing; set `field`, `remark`, `flags`, `option` or `request` to true";
                    return Err(Problem::at(format_args!("{path}[{index}]"), what));
                }
            }
            StageSpec::Gro(params) => {
                if index + 1 < count {
                    let what = "merges segments for the host behind the link; it must be the last stage";
                    return Err(Problem::at(format_args!("{path}[{index}]"), what));
                }
                from("frames", params.frames.into(), 0, 65_535)?;
                from("budget", params.budget.into(), 1, 65_535)?;
                from("bytes", params.bytes.into(), 1, 524_280)?;
                from("segments", params.segments.unwrap_or(1).into(), 1, 65_535)?;
            }
            StageSpec::Thin(params) => {
                from("every", params.every.into(), 2, 1000)?;
                some("hold", params.hold)?;
            }
            StageSpec::Pause(params) => {
                some("length", params.length)?;
                params.at.sort_unstable();
                if params.at.is_empty() {
                    return Err(wrong("at", "names no pause; write for instance [\"5s\"]"));
                }
                if let Some(pair) = params.at.windows(2).find(|pair| pair[1] < pair[0] + params.length) {
                    let what = format!("has a pause begin at {} that one of {} is not over", pair[1], params.length);
                    return Err(wrong("at", &what));
                }
            }
        }
    }
    match too_many_copies(&stages) {
        Some(what) => Err(Problem::at(path, what)),
        None => Ok(stages),
    }
}

/// One of a rate and a list; the list sorted, each number once.
pub(super) fn chosen(rate: Option<f64>, list: &mut Option<Vec<u64>>, path: impl Display) -> Result<(), Problem> {
    match (rate, list) {
        (Some(_), Some(_)) => Err(Problem::at(path, "has both `rate` and `list`; give one of them")),
        (None, None) => {
            let what = "has neither `rate` nor `list`; write rate = 0.01, or list = [15, 19]";
            Err(Problem::at(path, what))
        }
        (Some(rate), None) if !(0.0..=1.0).contains(&rate) => {
            Err(Problem::at(format_args!("{path}.rate"), "must be a probability from 0 to 1").given(rate))
        }
        (Some(_), None) => Ok(()),
        (None, Some(list)) => {
            list.sort_unstable();
            list.dedup();
            Ok(())
        }
    }
}
