//! From a stack's name and a flow's overrides to complete rule tables.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use acklab_tcp::rules::{AckPolicyKind, Feedback, PhaseSource, ReceiverRules, SenderRules, Stack, SynAnswer, Wrong};

use super::conflicts::{check_both, check_receiver, check_sender};
use super::diagnose::diagnose_rule;
use super::error::{Problem, Problems};
use super::path::Path;
use super::suggest::{did_you_mean, listed};
use super::tables::{ReceiverTable, SenderTable, StackTable, StackTables};

/// The rules of a stack.
#[derive(Clone)]
struct Both {
    sender: SenderRules,
    receiver: ReceiverRules,
    /// Whether a table of the file says `sack`; else it follows the sender's recovery.
    says_sack: bool,
}

impl From<Stack> for Both {
    fn from(stack: Stack) -> Both {
        Both { sender: stack.sender(), receiver: stack.receiver(), says_sack: false }
    }
}

/// The stacks a file defines, resolved.
pub(super) struct Stacks {
    /// Their names, in file order.
    names: Vec<String>,
    own: HashMap<String, Both>,
}

/// Generations of built-in stacks (generations.toml).
static GENERATIONS: LazyLock<Vec<(String, Both)>> = LazyLock::new(|| {
    let StackTables(tables) = toml::from_str(include_str!("generations.toml")).expect("tables of stacks");
    let resolved = |(name, table): (String, StackTable)| {
        let base = table.base.as_deref().and_then(|base| Stack::ALL.into_iter().find(|stack| stack.name() == base));
        let rules = derived(base.expect("a built-in stack").into(), &table).expect("rules of its kinds");
        (name, rules)
    };
    tables.into_iter().map(resolved).collect()
});

fn built_in(name: &str) -> Option<Both> {
    let stack = Stack::ALL.into_iter().find(|stack| stack.name() == name).map(Both::from);
    stack.or_else(|| GENERATIONS.iter().find(|(known, _)| known == name).map(|(_, rules)| rules.clone()))
}

fn derived(mut base: Both, table: &StackTable) -> Result<Both, Wrong> {
    table.sender.apply(&mut base.sender)?;
    table.receiver.apply(&mut base.receiver)?;
    base.says_sack |= table.receiver.sack.is_some();
    Ok(base)
}

impl Stacks {
    /// Resolves every derived stack, each after the one it is derived from.
    pub fn new(StackTables(tables): StackTables) -> Result<Stacks, Problem> {
        let names = tables.iter().map(|(name, _)| name.clone()).collect();
        let mut stacks = Stacks { names, own: HashMap::with_capacity(tables.len()) };
        let mut open: HashMap<&str, &StackTable> = HashMap::new();
        let top = Path::Root.key("stack");
        for (name, table) in &tables {
            let path = top.key(name);
            if built_in(name).is_some() {
                return Err(Problem::at(path, "a built-in stack has this name; choose another"));
            }
            if open.insert(name, table).is_some() {
                return Err(Problem::at(path, "given twice"));
            }
        }
        for (name, _) in &tables {
            stacks.close(name, &mut open)?;
        }
        Ok(stacks)
    }

    /// Resolves `name` and what it is derived from, taking tables out of `open`.
    fn close<'t>(&mut self, name: &'t str, open: &mut HashMap<&'t str, &'t StackTable>) -> Result<(), Problem> {
        let mut chain: Vec<(&'t str, &'t StackTable)> = Vec::new();
        let mut next = name;
        while let Some(table) = open.remove(next) {
            chain.push((next, table));
            next = table.base.as_deref().unwrap_or(Stack::Rfc.name());
        }
        let Some(&(last, _)) = chain.last() else { return Ok(()) };
        if chain.iter().any(|(name, _)| *name == next) {
            let names: Vec<_> = chain.iter().map(|(name, _)| *name).chain([next]).take(8).collect();
            let path = Path::Root.key("stack");
            return Err(Problem::at(path.key(last).key("base"), "stacks are derived from each other in a circle")
                .given_text(next)
                .help(names.join(" -> ")));
        }
        let mut rules = self.find(next).map_err(|problem| {
            let path = Path::Root.key("stack");
            Problem { path: path.key(last).key("base").to_string(), ..problem }
        })?;
        for (name, table) in chain.into_iter().rev() {
            let path = Path::Root.key("stack");
            rules = derived(rules, table).map_err(|wrong| diagnose_rule("StackTable", &path.key(name), wrong))?;
            self.own.insert(name.to_owned(), rules.clone());
        }
        Ok(())
    }

    /// The stack called `name`.
    fn find(&self, name: &str) -> Result<Both, Problem> {
        if let Some(stack) = built_in(name) {
            return Ok(stack);
        }
        if let Some(stack) = self.own.get(name) {
            return Ok(stack.clone());
        }
        let generations = GENERATIONS.iter().map(|(name, _)| name.as_str());
        let known = Stack::ALL.map(Stack::name).into_iter().chain(generations);
        let known: Vec<&str> = known.chain(self.names.iter().map(String::as_str)).collect();
        let hint = did_you_mean(name, known.iter().copied()).unwrap_or_default();
        let problem = Problem::at("", format!("no such stack{hint}")).given_text(name);
        Err(problem.help(format!("stacks: {}; or define [stack.NAME]", listed(known))))
    }

    /// The rules of flow `index`, if nothing is wrong with any.
    pub fn rules(
        &self,
        index: usize,
        sender: &SenderTable,
        receiver: &ReceiverTable,
        found: &mut Problems,
    ) -> Option<(SenderRules, ReceiverRules)> {
        let flows = Path::Root.key("flow");
        let flow = flows.index(index);
        let (there, back) = (flow.key("sender"), flow.key("receiver"));
        let find = |side: &Path<'_>, name: &str| {
            self.find(name).map_err(|problem| Problem { path: side.key("stack").to_string(), ..problem })
        };
        let here = found.note(find(&there, sender.stack.as_deref().unwrap_or(Stack::Rfc.name())));
        let other = receiver.stack.as_ref().map(|name| found.note(find(&back, name)));
        let mut here = here?;
        if let Some(other) = other {
            let other = other?;
            (here.receiver, here.says_sack) = (other.receiver, other.says_sack);
        }
        let wrong = |wrong| diagnose_rule("SenderTable", &there, wrong);
        let ours = found.note(sender.rules.apply(&mut here.sender).map_err(wrong));
        let wrong = |wrong| diagnose_rule("ReceiverTable", &back, wrong);
        let theirs = found.note(receiver.rules.apply(&mut here.receiver).map_err(wrong));
        ours.and(theirs)?;
        complete(&mut here, sender, receiver);
        let before = found.0.len();
        found.0.extend(
            check_sender(&here.sender).into_iter().map(|(key, what)| Problem::at(format_args!("{there}.{key}"), what)),
        );
        let conflict = |(key, what)| Problem::at(format_args!("{back}.{key}"), what);
        found.note(check_receiver(&here.receiver).map_err(conflict));
        let conflict = |(side, key, what)| Problem::at(format_args!("{flow}.{side}.{key}"), what);
        found.note(check_both(&here.sender, &here.receiver).map_err(conflict));
        (found.0.len() == before).then_some((here.sender, here.receiver))
    }
}

/// Sets the rules that follow other rules where the tables leave them out.
fn complete(flow: &mut Both, sender: &SenderTable, receiver: &ReceiverTable) {
    let Both { sender: ours, receiver: theirs, says_sack } = flow;
    let (sender, receiver) = (&sender.rules, &receiver.rules);
    if !*says_sack && receiver.sack.is_none() {
        theirs.sack = ours.recovery.uses_sack();
    }
    if receiver.dsack.is_none() {
        let possible = theirs.sack && ours.recovery.takes_dsack();
        theirs.dsack = possible && (theirs.dsack || ours.recovery.uses_dsack());
    }
    if receiver.paws.is_none() {
        theirs.paws &= ours.timestamps;
    }
    if receiver.syn_answer.is_none() && !ours.handshake_ack {
        theirs.syn_answer = SynAnswer::Once {};
    }
    let gives = |key: &str| sender.recovery.as_ref().is_some_and(|recovery| recovery.gives(key));
    let control = ours.control.traits();
    if control.reduces_alone {
        ours.recovery.reduce_at_once(gives);
    }
    let quic = ours.recovery.times_packets() && matches!(theirs.ack, AckPolicyKind::Quic { .. });
    if let AckPolicyKind::Quic { max_ack_delay, packet_numbers, .. } = &mut theirs.ack {
        if !receiver.ack.as_ref().is_some_and(|ack| ack.gives("packet_numbers")) {
            *packet_numbers = quic;
        }
        ours.recovery.follow_quic(gives, *max_ack_delay);
    }
    if sender.ecn.is_none() {
        ours.ecn |= control.counts_marks || theirs.ack.reads_marks();
        if receiver.feedback.is_none() && theirs.ack.reads_marks() {
            theirs.feedback = Feedback::Refused;
        }
    }
    if sender.ect1.is_none() {
        ours.ect1 |= ours.ecn && control.expects_many_marks;
    }
    if receiver.echo_each_mark.is_none() {
        theirs.echo_each_mark |= control.counts_marks;
    }
    if receiver.feedback.is_none() && ours.ecn && ours.recovery.packet_numbers() {
        theirs.feedback = Feedback::Counts;
    } else if receiver.feedback.is_none() && ours.ecn && ours.accurate_ecn {
        theirs.feedback = Feedback::Accurate;
    }
    if sender.carry_phase.is_none() {
        ours.carry_phase |= asks_for_phase(theirs);
    }
    if sender.carry_window.is_none() {
        ours.carry_window |= theirs.ack.asks_for_window();
    }
    if sender.reads_window.is_none() {
        ours.reads_window |= theirs.ack.tells_window() && ours.sequence.in_bytes();
    }
    if sender.carry_allowance.is_none() {
        ours.carry_allowance |= theirs.ack.asks_for_allowance();
    }
}

/// Whether segments must carry their sender's phase for this receiver.
fn asks_for_phase(rules: &ReceiverRules) -> bool {
    rules.ack.phase_source() == Some(PhaseSource::Option)
}

/// Shares the tables of like flows, which are usually neighbours.
pub(super) fn shared<T: PartialEq>(table: T, last: Option<&Arc<T>>) -> Arc<T> {
    match last {
        Some(last) if **last == table => Arc::clone(last),
        _ => Arc::new(table),
    }
}

#[cfg(test)]
mod tests {
    use super::built_in;
    use crate::parse_toml;
    use crate::spec::FlowSpec;
    use acklab_tcp::rules::{Segmentation, SenderRules as Rules};

    /// The flows of a scenario with these stacks and these keys, one line a flow.
    fn flows(stacks: &str, keys: &[&str]) -> Vec<FlowSpec> {
        let link = "[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n";
        let flows: String = keys.iter().map(|keys| format!("[[flow]]\nfrom = 'S'\nto = 'R'\n{keys}\n")).collect();
        parse_toml(&format!("stop.at = '1s'\n{link}{flows}{stacks}"), "t").unwrap().flows
    }

    #[test]
    fn generations_differ_from_their_base_in_named_rules() {
        let rules = |name: &str| built_in(name).unwrap();
        let (newest, old) = (rules("linux"), rules("linux-6.1"));
        assert!(rules("linux-6.12").sender == newest.sender && rules("linux-6.12").receiver == newest.receiver);
        assert_eq!((newest.sender.linear_syn_timeouts, newest.sender.fin_beyond_window), (4, false));
        let changed = Rules { linear_syn_timeouts: 0, fin_beyond_window: true, ..newest.sender };
        assert!(old.sender == changed && old.receiver == newest.receiver);
        // A kernel's defaults: a receiver that tells its window has a sender that reads it.
        for (name, base, segmentation, most) in [
            ("linux-6.1-defaults", "linux-6.1", Segmentation::Linux61, 6 << 20),
            ("linux-6.12-defaults", "linux", Segmentation::Linux, 6 << 20),
            ("linux-7.3-defaults", "linux", Segmentation::Linux, 32 << 20),
        ] {
            let flow = &flows("", &[&format!("sender.stack = '{name}'")])[0];
            let linux = Rules { segmentation, ..rules(base).sender };
            assert_eq!(*flow.sender, Rules { reads_window: true, ..linux });
            assert!(
                matches!(flow.receiver.ack, acklab_tcp::rules::AckPolicyKind::Linux { memory: 131_072, most_memory, .. } if most_memory == most)
            );
        }
        // Linux 6.19 compresses SACKs for longer, and less late.
        let (linux, later) = (rules("linux").receiver, rules("linux-6.19"));
        let acklab_tcp::rules::AckPolicyKind::Linux { sack_share, sack_slack, sack_delay, sack_most, timer, .. } =
            later.receiver.ack
        else {
            panic!("another policy")
        };
        assert_eq!(
            (sack_share, sack_slack.secs(), sack_delay.secs(), sack_most, timer.secs()),
            (0.33, 1e-5, 1e-3, 44, 0.2)
        );
        assert!(
            later.sender == rules("linux").sender
                && acklab_tcp::rules::ReceiverRules { ack: linux.ack.clone(), ..later.receiver } == linux
        );
    }

    #[test]
    fn a_stack_takes_what_it_does_not_say_from_its_base_in_any_order_of_the_file() {
        let stacks =
            "[stack.a]\nbase = 'b'\ndup_thresh = 5\n[stack.b]\nbase = 'ns2-1998'\ndup_thresh = 4\nack_size = 52\n";
        let flow = &flows(stacks, &["sender = { stack = 'a', packet = 500 }"])[0];
        let (sender, base) = (&flow.sender, acklab_tcp::rules::Stack::Ns2In1998.sender());
        assert_eq!((sender.dup_thresh, sender.packet, sender.initial_rto), (5, 500, base.initial_rto));
        assert_eq!(flow.receiver.ack_size, 52);
    }

    #[test]
    fn a_receiver_is_of_its_senders_stack_unless_it_says_another() {
        let sender = "sender = { stack = 'ns2-1998' }";
        let other = format!("{sender}\nreceiver = {{ stack = 'rfc' }}");
        let flows = flows("", &[sender, &other, ""]);
        assert_eq!(flows.iter().map(|flow| flow.receiver.immediate_on_gap).collect::<Vec<_>>(), [false, true, true]);
    }

    #[test]
    fn sack_follows_the_sender_unless_a_table_says_it() {
        let flows = flows(
            "[stack.deaf]\nsack = false\n",
            &[
                "",
                "sender = { recovery = 'reno' }",
                "sender = { recovery = 'reno' }\nreceiver = { sack = true }",
                "receiver = { stack = 'deaf' }",
                "sender = { stack = 'deaf' }\nreceiver = { sack = true }",
            ],
        );
        assert_eq!(flows.iter().map(|flow| flow.receiver.sack).collect::<Vec<_>>(), [true, false, true, false, true]);
    }

    #[test]
    fn a_parameter_left_out_has_the_stacks_value_in_the_same_variant_and_else_its_default() {
        use acklab_tcp::rules::{AckPolicyKind, ControlKind, Frto, Stack, Variants, named};
        let linux = Stack::Linux.sender();
        let recovery = |frto: Frto| linux.recovery.with("frto", frto);
        let flows = flows(
            "[stack.mine]\nbase = 'linux'\nrecovery.frto = 'off'\n",
            &[
                "sender = { stack = 'linux', recovery = 'rack', control = 'cubic' }",
                "sender = { stack = 'linux', recovery = { kind = 'rack', frto = 'off' }, control.beta = 0.8 }",
                "sender = { stack = 'linux', recovery.frto = 'off' }",
                "sender = { stack = 'mine', recovery.undo = 'both' }",
                "sender = { stack = 'mine', recovery = 'rfc6675', control = 'vegas' }",
                "sender = { recovery = 'rack', control = 'cubic' }",
                "receiver = { ack.segments = 3 }",
                "receiver = { ack = 'every' }",
                "receiver = { stack = 'quic', ack = { policy = 'delayed' } }",
            ],
        );
        let recoveries = [recovery(Frto::Linux), recovery(Frto::Off), recovery(Frto::Off), recovery(Frto::Off)];
        let plain = [named("rfc6675"), named("rack")];
        for (flow, expected) in flows.iter().zip(recoveries.into_iter().chain(plain)) {
            assert_eq!(flow.sender.recovery, expected, "{}", flow.name);
        }
        let ControlKind::Cubic { c, fast_convergence, reno_friendly, alpha_rises, alpha, seek, slow_start, .. } =
            linux.control
        else {
            panic!()
        };
        let faster =
            ControlKind::Cubic { c, beta: 0.8, fast_convergence, reno_friendly, alpha_rises, alpha, seek, slow_start };
        let controls = [&linux.control, &faster, &linux.control, &linux.control, &named("vegas"), &named("cubic")]
            .map(Clone::clone);
        assert_eq!(flows.iter().take(6).map(|flow| flow.sender.control.clone()).collect::<Vec<_>>(), controls);
        let AckPolicyKind::Delayed { timer, heartbeat, phase, .. } = Stack::Rfc.receiver().ack else { panic!() };
        let three = AckPolicyKind::Delayed { timer, segments: 3, heartbeat, phase };
        assert_eq!(
            [&flows[6], &flows[7], &flows[8]].map(|flow| flow.receiver.ack.clone()),
            [three, named("every"), named("delayed")]
        );
    }

    #[test]
    fn like_neighbours_share_their_tables() {
        let flows = flows("", &["", "", "sender = { packet = 500 }"]);
        assert!(std::sync::Arc::ptr_eq(&flows[0].sender, &flows[1].sender));
        assert!(!std::sync::Arc::ptr_eq(&flows[1].sender, &flows[2].sender));
        assert!(std::sync::Arc::ptr_eq(&flows[1].receiver, &flows[2].receiver));
    }
}
