//! The time that hosts take for what arrives.

use std::collections::HashSet;

use acklab_packet::Time;
use acklab_path::spec::LinkSpec;
use acklab_path::stage::{DelayDistribution, DelayOrder, JitterParams, StageSpec};

use crate::spec::{FlowSpec, ProgramSpec};

/// Gives every host a processing time of this mean.
///
/// It is the last stage of each link into a host, so it is the same before a simulated stack and before a kernel. A time that varies
/// parts events that would meet at the same nanosecond; a constant one shifts both. Where the host merges segments, the time passes
/// before that: merged ones leave together.
pub(super) fn process(links: &mut [LinkSpec], mean: Time, flows: &[FlowSpec], programs: &[ProgramSpec]) {
    if mean == Time::ZERO {
        return;
    }
    let ends = flows.iter().flat_map(|flow| [flow.from, flow.to]);
    let hosts: HashSet<u32> = ends.chain(programs.iter().map(|program| program.at)).collect();
    let (distribution, order) = (DelayDistribution::Uniform, DelayOrder::Kept);
    let time = StageSpec::Jitter(JitterParams { distribution, mean, most: None, order, only: None });
    for link in links.iter_mut().filter(|link| hosts.contains(&link.to)) {
        let merging = matches!(link.stages.last(), Some(StageSpec::Gro(_)));
        link.stages.insert(link.stages.len() - usize::from(merging), time.clone());
    }
}

#[cfg(test)]
mod tests {
    use acklab_path::stage::StageSpec;

    use crate::parse_toml;

    #[test]
    fn packets_meet_it_last_before_a_host_and_not_at_a_router() {
        let text = "stop.at = '1s'\nprocessing = '5us'\n\
                    [[link]]\nbetween = ['S', 'X']\nrate = '1Mbps'\ndelay = '1ms'\n\
                    [[link]]\nbetween = ['X', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n\
                    stages = [{ kind = 'jitter', mean = '1ms' }, { kind = 'gro' }]\n\
                    [[link]]\nbetween = ['X', 'P']\nrate = '1Mbps'\ndelay = '1ms'\n\
                    [[flow]]\nfrom = 'S'\nto = 'R'\n\
                    [[program]]\nat = 'P'\nrun = 'true'\n";
        let scenario = parse_toml(text, "t").unwrap();
        let stages = scenario.links.iter().map(|link| {
            let told = link.stages.iter().map(|stage| match stage {
                StageSpec::Jitter(params) => params.mean.secs(),
                _ => 0.0,
            });
            told.collect::<Vec<_>>()
        });
        assert_eq!(stages.collect::<Vec<_>>(), [vec![], vec![5e-6], vec![1e-3, 5e-6, 0.0], vec![], vec![5e-6], vec![]]);
    }
}
