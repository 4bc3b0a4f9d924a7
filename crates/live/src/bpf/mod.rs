//! The scenario's sender in a Linux kernel: an eBPF congestion control (struct_ops) that follows its rules.
//!
//! The C sources in `bpf/` are compiled beforehand to a listing, `sender.code`, that is part of this crate. Where the
//! running kernel keeps its fields, and what the scenario's parameters are, is put in when the program is loaded. So
//! neither a compiler nor a library is needed when it runs, only a kernel that describes its own types (BTF) and lets
//! us load programs.
//!
//! * [`rules`]: which senders it can be, and their parameters as the listing's numbers.
//! * [`code`]: the listing. [`btf`]: the kernel's description of its types.
//! * On Linux, `load`: registers it under a name of its own. The registration is held by a descriptor: it goes away
//!   with the process, however that ends.

pub mod btf;
pub mod code;
#[cfg(target_os = "linux")]
pub mod load;
pub mod rules;
