//! Results of a run, at any instant.

use std::mem::take;

use super::Simulation;
use crate::outcome::{FlowRow, LinkRow, Outcome};
use crate::summary;

impl Simulation {
    /// The results so far; recorded rows are copied.
    pub fn outcome(&self) -> Outcome {
        let recorder = &self.net.recorder;
        Outcome {
            series: recorder.series.clone(),
            queue: recorder.queue.clone(),
            packets: recorder.packets.clone(),
            ..self.summary()
        }
    }

    /// Rows recorded and not given away.
    pub fn recorded(&self) -> usize {
        let recorder = &self.net.recorder;
        recorder.series.len() + recorder.queue.len() + recorder.packets.len()
    }

    /// The same without copying: the simulation gives its recorded rows away and goes on without them. Before the end, only
    /// after [`Simulation::commit`].
    pub fn give(&mut self) -> Outcome {
        let summary = self.summary();
        let recorder = &mut self.net.recorder;
        let (series, queue, packets) = (&mut recorder.series, &mut recorder.queue, &mut recorder.packets);
        Outcome { series: take(series), queue: take(queue), packets: take(packets), ..summary }
    }

    fn summary(&self) -> Outcome {
        let end = self.now();
        let mut flows = vec![FlowRow::default(); self.transfers as usize];
        for (transfer, row) in &self.earlier {
            flows[*transfer as usize] = row.clone();
        }
        for (row, stream) in self.stream_rows() {
            flows[row as usize] = stream;
        }
        for (id, flow) in self.flows.iter().enumerate() {
            flows[flow.transfer as usize] = summary::flow_row(&self.scenario, flow, id, &self.net);
        }
        let links = self.link_rows();
        Outcome {
            title: self.scenario.title.clone(),
            seed: self.scenario.seed,
            end_s: end.secs(),
            flows,
            checks: self.checks(&links),
            links,
            ..Outcome::default()
        }
    }

    /// The links' rows; on the way what was decided ahead is brought to the present.
    pub(super) fn link_rows(&self) -> Vec<LinkRow> {
        if self.ended || !self.ahead {
            return summary::link_rows(&self.scenario, &self.net);
        }
        let mut net = self.net.clone();
        net.settle();
        summary::link_rows(&self.scenario, &net)
    }
}
