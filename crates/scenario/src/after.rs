//! Flows that follow others: checks of `after`.

use super::error::Problem;
use super::file::FlowTable;
use super::suggest::{did_you_mean, listed};
use crate::spec::{FlowSpec, Size};

/// Most names that an error lists.
const MOST_LISTED: usize = 20;

/// The table that the flows of this one follow, among those above it; `size`, if that is known, is what each of them sends.
pub(super) fn checked(
    index: usize,
    table: &FlowTable,
    size: Option<Size>,
    above: &[FlowSpec],
) -> Result<Option<u32>, Problem> {
    let Some(name) = &table.after else { return Ok(None) };
    let wrong = |key: &str, what: String| Err(Problem::at(format_args!("flow[{index}].{key}"), what).given_text(name));
    let Some((place, leader)) = (0..).zip(above).find(|(_, flow)| flow.name == *name) else {
        let names: Vec<&str> = above.iter().map(|flow| flow.name.as_str()).collect();
        let mean = did_you_mean(name, names.iter().copied()).unwrap_or_default();
        let known = match &names[..] {
            [] => "this one is the first".to_owned(),
            names => format!("these are {}", listed(names.iter().copied().take(MOST_LISTED))),
        };
        return wrong("after", format!("is no flow listed above this one; {known}{mean}"));
    };
    if !leader.finite() {
        return wrong("after", "never ends, so nothing can follow it".to_owned());
    }
    if !table.count.is_multiple_of(leader.count.into()) {
        let what = format!("is no multiple of {}, the count of flow `{name}`, which it follows", leader.count);
        return Err(Problem::at(format_args!("flow[{index}].count"), what).given(table.count));
    }
    if table.repeat.is_some() {
        return wrong(
            "after",
            "can not be given together with `repeat`; this flow repeats with the one it follows".to_owned(),
        );
    }
    if leader.repeat.is_some() && table.source.is_some() {
        return wrong("after", "repeats, and a flow with a source can not".to_owned());
    }
    if leader.repeat.is_some() && size == Some(Size::Unlimited) {
        return wrong("after", "repeats once this flow has ended, which is unlimited".to_owned());
    }
    Ok(Some(place))
}
