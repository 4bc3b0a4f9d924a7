//! Kernels as nodes of a simulated network, all under one virtual clock.
//!
//! Each node is a user-mode Linux whose clock asks an outside calendar for every instant (`time-travel=ext`), with one network
//! card that the kernel takes for a vhost-user device. Here are the calendar and the cards; the network between them is
//! [`acklab_sim::Simulation`], by its seam for outside nodes. One of all these acts at a time, and the earliest is next, so a
//! run is a function of its scenario, its programs and its kernels.
//!
//! Whatever a kernel sends is checked before it is used. Its memory is read and written through the file that it shares, so a
//! wrong address is an error and nothing else. The crates that serve vhost-user devices have no notifications in band, which a
//! virtual clock needs: a card has to be heard before the clock goes on.
//!
//! * [`memory`], [`ring`], [`card`]: a kernel's shared memory, its rings, its network card;
//! * [`schedule`], [`machine`]: what calendar and kernel tell each other; one kernel's process and its channels;
//! * [`frame`]: from bytes to what a path needs to know of a packet, and back;
//! * [`key`]: by which packets are counted together;
//! * [`streams`]: what became of the packets, by protocol, addresses and ports;
//! * [`traffic`]: all of that on its way through the simulated network;
//! * [`network`]: what the one with the clock asks of a network; [`run`]: the clock, and everything together;
//! * [`pair`]: a plan of one sender's side and one receiver's between two kernels; [`host`]: what either does inside;
//! * [`wall`]: the same with nodes of this machine, by its clock.

pub mod card;
pub mod frame;
pub mod host;
pub mod key;
pub mod machine;
pub mod memory;
pub mod network;
pub mod pair;
pub mod ring;
pub mod run;
pub mod schedule;
pub mod streams;
pub mod traffic;
pub mod wall;
