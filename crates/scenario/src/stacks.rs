//! From a stack's name and a flow's overrides to complete rule tables.

use std::collections::HashMap;
use std::sync::Arc;

use acklab_tcp::rules::{AckPolicyKind, OutOfRange, PhaseSource, ReceiverRules, RecoveryKind, SenderRules, Stack};

use super::conflicts::{check_numbers, check_receiver, check_sender};
use super::error::Problem;
use super::path::Path;
use super::suggest::{did_you_mean, listed};
use super::tables::{ReceiverTable, SenderTable, StackTable, StackTables};
use super::unasked::silence;

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

fn built_in(name: &str) -> Option<Stack> {
    Stack::ALL.into_iter().find(|stack| stack.name() == name)
}

fn derived(mut base: Both, table: &StackTable) -> Both {
    table.sender.apply(&mut base.sender);
    table.receiver.apply(&mut base.receiver);
    base.says_sack |= table.receiver.sack.is_some();
    base
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
            let wrong = table.sender.out_of_range().or_else(|| table.receiver.out_of_range());
            if let Some(wrong) = wrong {
                return Err(out_of_range(path, &wrong));
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
            let way: Vec<_> = chain.iter().map(|(name, _)| *name).chain([next]).take(8).collect();
            let path = Path::Root.key("stack");
            return Err(Problem::at(path.key(last).key("base"), "stacks are derived from each other in a circle")
                .given_text(next)
                .help(way.join(" -> ")));
        }
        let mut rules = self.find(next).map_err(|problem| {
            let path = Path::Root.key("stack");
            Problem { path: path.key(last).key("base").to_string(), ..problem }
        })?;
        for (name, table) in chain.into_iter().rev() {
            rules = derived(rules, table);
            self.own.insert(name.to_owned(), rules.clone());
        }
        Ok(())
    }

    /// The stack called `name`.
    fn find(&self, name: &str) -> Result<Both, Problem> {
        if let Some(stack) = built_in(name) {
            return Ok(stack.into());
        }
        if let Some(stack) = self.own.get(name) {
            return Ok(stack.clone());
        }
        let known: Vec<&str> =
            Stack::ALL.map(Stack::name).into_iter().chain(self.names.iter().map(String::as_str)).collect();
        let hint = did_you_mean(name, known.iter().copied()).unwrap_or_default();
        let problem = Problem::at("", format!("no such stack{hint}")).given_text(name);
        Err(problem.help(format!("stacks: {}; or define [stack.NAME]", listed(known))))
    }

    /// The rules of flow `index`.
    pub fn rules(
        &self,
        index: usize,
        sender: &SenderTable,
        receiver: &ReceiverTable,
    ) -> Result<(SenderRules, ReceiverRules), Problem> {
        let at = |side: &str, key: &str| format!("flow[{index}].{side}{}{key}", if key.is_empty() { "" } else { "." });
        let find =
            |side: &str, name: &str| self.find(name).map_err(|problem| Problem { path: at(side, "stack"), ..problem });
        if let Some(wrong) = sender.rules.out_of_range() {
            return Err(out_of_range(at("sender", ""), &wrong));
        }
        if let Some(wrong) = receiver.rules.out_of_range() {
            return Err(out_of_range(at("receiver", ""), &wrong));
        }
        let mut here = find("sender", sender.stack.as_deref().unwrap_or(Stack::Rfc.name()))?;
        if let Some(name) = &receiver.stack {
            let there = find("receiver", name)?;
            (here.receiver, here.says_sack) = (there.receiver, there.says_sack);
        }
        sender.rules.apply(&mut here.sender);
        receiver.rules.apply(&mut here.receiver);
        if !here.says_sack && receiver.rules.sack.is_none() {
            here.receiver.sack = here.sender.recovery.uses_sack();
        }
        if receiver.rules.dsack.is_none() {
            let possible = here.receiver.sack && here.sender.recovery != RecoveryKind::Sack;
            here.receiver.dsack = possible && (here.receiver.dsack || asks_for_dsack(&here.sender));
        }
        let quic = matches!(here.receiver.ack, AckPolicyKind::Quic { .. });
        let numbers = quic && here.sender.recovery == RecoveryKind::Rfc9002;
        if sender.rules.packet_numbers.is_none() {
            here.sender.packet_numbers = numbers;
        }
        if receiver.rules.packet_numbers.is_none() {
            here.receiver.packet_numbers = numbers;
        }
        if let AckPolicyKind::Quic { max_ack_delay, .. } = here.receiver.ack
            && sender.rules.max_ack_delay.is_none()
        {
            here.sender.max_ack_delay = max_ack_delay;
        }
        let marks = here.sender.control.counts_marks();
        if sender.rules.ecn.is_none() {
            here.sender.ecn |= marks;
        }
        if receiver.rules.echo_each_mark.is_none() {
            here.receiver.echo_each_mark |= marks;
        }
        if sender.rules.tell_phase.is_none() {
            here.sender.tell_phase |= asks_for_phase(&here.receiver);
        }
        if sender.rules.tell_window.is_none() {
            here.sender.tell_window |= here.receiver.ack.asks_for_window();
        }
        let dsack = here.receiver.dsack;
        silence(&sender.rules, &mut here.sender, dsack).map_err(|(key, what)| Problem::at(at("sender", key), what))?;
        check_sender(&here.sender).map_err(|(key, what)| Problem::at(at("sender", key), what))?;
        check_receiver(&here.receiver).map_err(|(key, what)| Problem::at(at("receiver", key), what))?;
        check_numbers(&here.sender, &here.receiver, numbers)
            .map_err(|(side, key, what)| Problem::at(at(side, key), what))?;
        if here.receiver.dsack && !here.receiver.sack {
            let what = "is true, but only sack = true asks for it; must be false";
            return Err(Problem::at(at("receiver", "dsack"), what));
        }
        if here.receiver.dsack && here.sender.recovery == RecoveryKind::Sack {
            let what = "is true, but a sender with recovery = \"sack\" takes such a report for a hole; must be false";
            return Err(Problem::at(at("receiver", "dsack"), what));
        }
        Ok((here.sender, here.receiver))
    }
}

/// Whether this sender learns from reports of duplicates.
fn asks_for_dsack(sender: &SenderRules) -> bool {
    sender.recovery.uses_dsack() || (sender.undo.uses_dsack() && sender.recovery.undoes())
}

/// Whether segments must carry their sender's phase for this receiver.
fn asks_for_phase(rules: &ReceiverRules) -> bool {
    rules.ack.phase_source() == Some(PhaseSource::Option)
}

fn out_of_range(path: impl std::fmt::Display, wrong: &OutOfRange) -> Problem {
    let what = format!("must be from {}", wrong.allowed.replace('_', ""));
    Problem::at(format_args!("{path}.{}", wrong.name), what).given(&wrong.value)
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
    use crate::parse_toml;
    use crate::spec::FlowSpec;

    /// The flows of a scenario with these stacks and these keys, one line a flow.
    fn flows(stacks: &str, keys: &[&str]) -> Vec<FlowSpec> {
        let link = "[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n";
        let flows: String = keys.iter().map(|keys| format!("[[flow]]\nfrom = 'S'\nto = 'R'\n{keys}\n")).collect();
        parse_toml(&format!("stop.at = '1s'\n{link}{flows}{stacks}"), "t").unwrap().flows
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
    fn what_a_stack_says_and_nothing_asks_for_is_off() {
        let flows =
            flows("", &["sender = { stack = 'linux', recovery = 'newreno', control = 'reno', sequence = 'segments' }"]);
        let (rules, plain) = (&*flows[0].sender, acklab_tcp::rules::Stack::Rfc.sender());
        assert_eq!((rules.undo, rules.frto, rules.recovery_window), (plain.undo, plain.frto, plain.recovery_window));
        assert_eq!((rules.slow_start, rules.nagle), (plain.slow_start, plain.nagle));
    }

    #[test]
    fn like_neighbours_share_their_tables() {
        let flows = flows("", &["", "", "sender = { packet = 500 }"]);
        assert!(std::sync::Arc::ptr_eq(&flows[0].sender, &flows[1].sender));
        assert!(!std::sync::Arc::ptr_eq(&flows[1].sender, &flows[2].sender));
        assert!(std::sync::Arc::ptr_eq(&flows[1].receiver, &flows[2].receiver));
    }
}
