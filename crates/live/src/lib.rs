//! Real time: the simulator's paths and ACK policies between real TCP endpoints.
//!
//! A live run makes two network namespaces with a TUN device each, lets a kernel's TCP talk through them, and carries every
//! packet over the scenario's links. The scenario, its loss models, queues and
//! ACK filters ([`acklab_path`]) are the simulator's code. So is the receiver with its ACK policy
//! ([`acklab_tcp::receiver`]), which here only says when an ACK leaves. The endpoints and the clock are not.
//!
//! * [`plan`]: what of a scenario a live run can do, and the refusal of the rest. [`settings`]: what is set in the
//!   kernels. [`ignored`]: the rules that they do not follow.
//! * [`ip`], [`header`], [`numbers`], [`packet`]: real packets, as [`acklab_path::Carried`] wants them; [`checksum`].
//! * [`hops`]: links in virtual time. They own no clock.
//! * [`bpf`]: the scenario's sender in a kernel.
//! * [`edge`]: the ACK shaper at the receiver's edge, which owns no clock either.
//! * [`ledger`]: what passing packets tell of a flow; [`outcome`]: the rows.
//! * [`duty`]: what happens at the ends of a direction; [`sample`]: what a kernel tells; [`tape`]: captures.
//! * On Linux: `nodes`, kernels as nodes of a simulated network in virtual time; `namespace`, `clock`, `endpoint`, `kernel`, `senders` and `run`, where time is real; [`lateness`] says how real.

pub mod bpf;
pub mod checksum;
pub mod duty;
pub mod edge;
pub mod header;
pub mod hops;
pub mod ignored;
pub mod ip;
pub mod lateness;
pub mod ledger;
pub mod numbers;
pub mod outcome;
pub mod packet;
pub mod plan;
pub mod rows;
pub mod settings;
pub mod tape;
pub mod way;

#[cfg(target_os = "linux")]
pub mod clock;
#[cfg(target_os = "linux")]
pub mod endpoint;
#[cfg(target_os = "linux")]
pub mod kernel;
#[cfg(target_os = "linux")]
pub mod namespace;
#[cfg(target_os = "linux")]
pub mod nodes;
#[cfg(target_os = "linux")]
pub mod probe;
#[cfg(target_os = "linux")]
pub mod run;
pub mod sample;
#[cfg(target_os = "linux")]
pub mod senders;
#[cfg(target_os = "linux")]
pub mod sys;
