//! Stages of a link direction, checked.

use std::fmt::Display;

use acklab_packet::Time;
use acklab_path::stage::StageSpec;

use super::error::Problem;

/// Whether the stages written at `path` make sense.
pub(super) fn checked(stages: Vec<StageSpec>, path: impl Display) -> Result<Vec<StageSpec>, Problem> {
    let compressing = |stage: &&StageSpec| matches!(stage, StageSpec::HeaderCompression(_));
    if stages.iter().filter(compressing).count() > 1 {
        return Err(Problem::at(path, "has `header-compression` twice; a wire has one"));
    }
    for (index, stage) in stages.iter().enumerate() {
        let wrong = |key: &str, what: &str| Problem::at(format_args!("{path}[{index}].{key}"), what.to_owned());
        let from = |key: &str, value: u64, least: u64, most: u64| match value {
            _ if (least..=most).contains(&value) => Ok(()),
            _ => Err(wrong(key, &format!("must be from {least} to {most}")).given(value)),
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
            StageSpec::Rbscp(params) => from("pieces", params.pieces.into(), 2, 64)?,
            StageSpec::Spack(params) => {
                from("pieces", params.pieces.into(), 2, 64)?;
                if params.timer == Time::ZERO {
                    return Err(wrong("timer", "must be longer than 0s").given_text(params.timer));
                }
            }
        }
    }
    Ok(stages)
}
