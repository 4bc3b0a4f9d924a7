//! Registers the eBPF congestion control with the running kernel.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use super::btf::{Btf, TypeId};
use super::code::{LISTING, link};
use super::rules::Rules;
use crate::namespace::Trouble;
use crate::sys;

/// Where a kernel describes its types.
const BTF: &str = "/sys/kernel/btf/vmlinux";
/// The kernel's structure of a congestion control, and what a map of it holds.
const OPERATIONS: &str = "tcp_congestion_ops";
const VALUE: &str = "bpf_struct_ops_tcp_congestion_ops";
/// How many names are tried.
const NAMES: usize = 8;

const KERNEL: &str = "it needs Linux 6.4 or newer with CONFIG_DEBUG_INFO_BTF and CONFIG_BPF_JIT";
const PRIVILEGE: &str = "run it as root, or with CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN (a container: --privileged)";

/// Each registration of this process has a number.
static REGISTERED: AtomicU32 = AtomicU32::new(0);

/// A congestion control that is there as long as this is, and as sockets use it. It goes away with the process, too.
#[derive(Debug)]
pub struct Registered {
    name: String,
    _link: OwnedFd,
}

impl Registered {
    /// What a socket calls it (`TCP_CONGESTION`).
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Registers a sender with these rules under a name that nothing else has. Only sockets that choose it are touched.
///
/// # Errors
/// What the kernel refused, with the verifier's reason, and what helps.
pub fn register(rules: &Rules) -> Result<Registered, Trouble> {
    let what = "load an eBPF congestion control";
    let trouble = |why: String, fix: &str| Trouble { what: what.to_owned(), why, fix: fix.to_owned() };
    if cfg!(target_endian = "big") {
        return Err(trouble("it was compiled for little-endian machines".to_owned(), ""));
    }
    let bytes = fs::read(BTF).map_err(|error| Trouble::new(what, &error_of(BTF, &error), KERNEL))?;
    let btf = Btf::read(&bytes).map_err(|error| trouble(error.to_string(), KERNEL))?;
    let absent = |name: &str| trouble(format!("this kernel has no {name}"), KERNEL);
    let operations = btf.structure(OPERATIONS).ok_or_else(|| absent(OPERATIONS))?;
    let value = btf.structure(VALUE).ok_or_else(|| absent(VALUE))?;
    let (size, data) = btf.size(value).zip(btf.offset(value, "data")).ok_or_else(|| absent(VALUE))?;

    let mut number = |name: &str| number(&btf, rules, name);
    let programs = link(LISTING, &mut number).map_err(|name| absent(&name))?;
    let members = btf.members(operations);
    let mut table = vec![0_u8; size as usize];
    let mut loaded: Vec<OwnedFd> = Vec::new();
    for program in &programs {
        let place = members.iter().position(|member| member.name == program.name);
        let Some(place) = place else { return Err(absent(&format!("{OPERATIONS}.{}", program.name))) };
        let descriptor = load(program.name, &program.code, operations, place as u32)?;
        let at = (data + members[place].bits / 8) as usize;
        sys::put_descriptor(&mut table, at, &descriptor);
        loaded.push(descriptor);
    }
    let name_at = btf.offset(operations, "name").map(|at| (data + at) as usize);
    let described = sys::bpf_btf(&smallest_btf()).map_err(|error| refused(what, &error))?;
    for _ in 0..NAMES {
        // At most 15 characters, and no two processes' alike; but another namespace may have the same process number.
        let name = format!("ack_{}_{}", process::id(), REGISTERED.fetch_add(1, Ordering::Relaxed) % 1000);
        let room = name_at.and_then(|at| table.get_mut(at..at + 16)).ok_or_else(|| absent(OPERATIONS))?;
        room.fill(0);
        room.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
        match sys::bpf_register(&described, value, &table) {
            Ok(link) => return Ok(Registered { name, _link: link }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(refused("register an eBPF congestion control", &error)),
        }
    }
    Err(trouble("all its names are taken".to_owned(), ""))
}

/// A number of the listing: a parameter, STRUCT__FIELD, the field's byte, or STRUCT__FIELD__bit, its lowest bit there.
fn number(btf: &Btf<'_>, rules: &Rules, name: &str) -> Result<u64, String> {
    if let Some(value) = rules.number(name) {
        return Ok(value);
    }
    let found = name.split_once("__").and_then(|(of, field)| {
        let of = btf.structure(of)?;
        match field.strip_suffix("__bit") {
            Some(field) => btf.bits(of, field).map(|bits| bits % 8),
            None => btf.offset(of, field),
        }
    });
    found.map(u64::from).ok_or_else(|| name.replacen("__", ".", 1))
}

/// Loads one program.
fn load(name: &str, code: &[[u8; 8]], operations: TypeId, member: u32) -> Result<OwnedFd, Trouble> {
    let what = || format!("load an eBPF congestion control ({name})");
    sys::bpf_program(name, code, operations, member, &mut []).map_err(|error| {
        let mut log = vec![0_u8; 1 << 18];
        // Again, for what the verifier says about it.
        let again = sys::bpf_program(name, code, operations, member, &mut log);
        match verdict(&log).filter(|_| again.is_err()) {
            Some(verdict) => Trouble {
                what: what(),
                why: format!("the kernel's verifier says: {verdict}"),
                fix: "please report it, with the kernel's version (acklab doctor)".to_owned(),
            },
            None => refused(&what(), &error),
        }
    })
}

/// What a verifier's log comes to: its last line but the statistics.
fn verdict(log: &[u8]) -> Option<String> {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    let text = String::from_utf8_lossy(&log[..end]);
    let said = |line: &&str| !line.is_empty() && !line.starts_with("processed ") && !line.starts_with("stack depth");
    text.lines().map(str::trim).rfind(said).map(str::to_owned)
}

fn refused(what: &str, error: &io::Error) -> Trouble {
    let fix = match error.kind() {
        io::ErrorKind::PermissionDenied => PRIVILEGE,
        _ => KERNEL,
    };
    Trouble::new(what, error, fix)
}

fn error_of(path: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}

/// A description of one type: a map of this kind must come with one, whatever it says.
fn smallest_btf() -> Vec<u8> {
    let strings = b"\0int\0";
    let integer: [u32; 4] = [1, 1 << 24, 4, 32];
    let mut bytes = Vec::new();
    bytes.extend(0xeb9f_u16.to_ne_bytes());
    bytes.extend([1, 0]);
    for number in [24, 0, 16, 16, strings.len() as u32] {
        bytes.extend(number.to_ne_bytes());
    }
    integer.iter().for_each(|number| bytes.extend(number.to_ne_bytes()));
    bytes.extend(strings);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verifiers_last_word_is_its_verdict() {
        let log = b"0: R1=ctx() R10=fp0\n1: (79) r1 = *(u64 *)(r1 +0)\nfunc 'init' doesn't have 1-th argument\n\
            processed 1 insns (limit 1000000) max_states_per_insn 0\n\0\0";
        assert_eq!(verdict(log).as_deref(), Some("func 'init' doesn't have 1-th argument"));
        assert_eq!(verdict(b"\0"), None);
    }

    #[test]
    fn the_smallest_description_can_be_read() {
        assert_eq!(Btf::read(&smallest_btf()).unwrap().structure("int"), None);
    }
}
