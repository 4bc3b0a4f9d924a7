//! Who sends: a congestion control of the kernel's, or the scenario's own in it.

use crate::bpf::load::{Registered, register};
use crate::bpf::rules::Rules;
use crate::namespace::Trouble;
use crate::plan::{Plan, kernel_credit};

/// Each flow's sender, for one run.
#[derive(Debug)]
pub struct Senders {
    /// What each flow's socket chooses (`TCP_CONGESTION`).
    pub names: Vec<String>,
    /// What people are told of it.
    pub labels: Vec<String>,
    /// Differences from the plan, for people.
    pub notes: Vec<String>,
    /// Whether the kernel took what the scenario's flows bring.
    pub taken: bool,
    /// The registrations last as long as this.
    held: Vec<(Rules, Registered)>,
}

impl Senders {
    /// Registers what `plan` wants in the kernel. Where that cannot be the kernel's own sends, and a note says why, unless the
    /// plan insists.
    ///
    /// # Errors
    /// Where the plan insists: what was refused, and what helps.
    pub fn new(plan: &Plan) -> Result<Senders, Trouble> {
        let mut senders =
            Senders { names: Vec::new(), labels: Vec::new(), notes: Vec::new(), taken: true, held: Vec::new() };
        let mut refused: Option<Trouble> = None;
        for flow in &plan.flows {
            let Some(rules) = flow.ours.as_ref().filter(|_| refused.is_none()) else {
                senders.names.push(flow.control.clone());
                senders.labels.push(flow.control.clone());
                continue;
            };
            let known = senders.held.iter().find(|(held, _)| held == rules);
            let name = match known {
                Some((_, registered)) => registered.name().to_owned(),
                None => match register(rules) {
                    Ok(registered) => {
                        let name = registered.name().to_owned();
                        senders.held.push((rules.clone(), registered));
                        name
                    }
                    Err(trouble) if plan.insist => return Err(trouble),
                    Err(trouble) => {
                        refused = Some(trouble);
                        flow.control.clone()
                    }
                },
            };
            let label = if refused.is_some() { &flow.control } else { rules.label() };
            senders.labels.push(label.to_owned());
            senders.names.push(name);
        }
        if let Some(trouble) = refused {
            // All flows alike, or they could not be compared.
            senders.names = plan.flows.iter().map(|flow| flow.control.clone()).collect();
            senders.labels = senders.names.clone();
            senders.taken = false;
            senders.notes.push(format!("the kernel's own sender sends, not the scenario's: {trouble}"));
            senders.notes.push(kernel_credit());
        }
        Ok(senders)
    }
}
