//! Stages of a link direction, checked.

use std::fmt::Display;

use acklab_path::stage::StageSpec;

use super::error::Problem;
use super::limits::too_many_copies;

/// Whether the stages written at `path` make sense.
pub(super) fn checked(mut stages: Vec<StageSpec>, path: impl Display) -> Result<Vec<StageSpec>, Problem> {
    if stages.iter().filter(|stage| !stage.at_far_end()).count() > 1 {
        return Err(Problem::at(path, "has `header-compression` twice; a wire has one"));
    }
    let count = stages.len();
    for (index, stage) in stages.iter_mut().enumerate() {
        if stage.is_last() && index + 1 < count {
            let what = "merges segments for the host behind the link; it must be the last stage";
            return Err(Problem::at(format_args!("{path}[{index}]"), what));
        }
        stage.check().map_err(|wrong| Problem::below(format_args!("{path}[{index}]"), wrong))?;
    }
    match too_many_copies(&stages) {
        Some(what) => Err(Problem::at(path, what)),
        None => Ok(stages),
    }
}
