//! The system calls that no crate of ours wraps, and descriptors that come in messages. The only file with `unsafe` in it.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use nix::sys::socket::{ControlMessageOwned, MsgFlags, UnixAddr, recvmsg};

use crate::sample;

fn checked(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Opens a new TUN device of that name in the calling thread's network namespace: IP packets without any header of the
/// device's own, reads that do not wait. It goes away with the descriptor.
pub fn open_tun(name: &str) -> io::Result<File> {
    let tun = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
    // SAFETY: `ifreq` is plain data, for which zeros are a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    // The last byte stays zero.
    for (to, from) in request.ifr_name[..libc::IFNAMSIZ - 1].iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: TUNSETIFF reads and writes one `ifreq`, which outlives the call; the descriptor is open.
    checked(unsafe { libc::ioctl(tun.as_raw_fd(), libc::TUNSETIFF, &raw mut request) })?;
    Ok(tun)
}

/// Another descriptor of an open file that has another owner.
pub fn copied(descriptor: i32) -> io::Result<OwnedFd> {
    // SAFETY: there is no address in it; what is no open descriptor is an error.
    let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) };
    checked(copy)?;
    // SAFETY: the kernel has just opened it for this process, and no other part of it knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// `TCP_INFO` of a socket: as much of it as the kernel has, up to [`sample::BYTES`].
pub fn tcp_info(socket: &impl AsFd, info: &mut [u8; sample::BYTES]) -> io::Result<usize> {
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `info`, which has as many, and the length into `length`.
    checked(unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    })?;
    Ok((length as usize).min(info.len()))
}

/// Gives the calling thread the lowest of the real-time priorities: it runs when it wants to, before all ordinary threads.
pub fn run_first() -> io::Result<()> {
    // SAFETY: `sched_param` is plain data, for which zeros are a value.
    let mut param: libc::sched_param = unsafe { std::mem::zeroed() };
    param.sched_priority = 1;
    // SAFETY: 0 is the calling thread; `param` outlives the call.
    checked(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const param) })
}

/// What a process may open: the rest of the file system is shut.
#[derive(Clone, Debug, Default)]
pub struct Fence {
    /// Files and folders that it reads, and whose programs it runs.
    pub read: Vec<PathBuf>,
    /// Those that it changes, too.
    pub write: Vec<PathBuf>,
}

impl Fence {
    /// Puts what the command starts behind the fence for ever (landlock(7)): it opens no other file, has no connections of TCP, and sends
    /// neither signals nor anything to abstract sockets of who is outside. Does as much of it as the machine's kernel knows; before
    /// Linux 5.13 that is nothing.
    ///
    /// # Errors
    /// The kernel knows fences, and refuses this one.
    pub fn around(&self, command: &mut Command) -> io::Result<()> {
        // What a folder's and a file's rights are, as each version added to them.
        const READ: u64 = 0xd;
        const OF_FILES: u64 = 0x4007;
        // SAFETY: without attributes and with this flag the call tells a version.
        let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0, 0, 1) };
        let files: u64 = match version {
            ..1 => return Ok(()),
            1 => 0x1fff,
            2 => 0x3fff,
            _ => 0x7fff,
        };
        let rules: [u64; 3] = [files, if version < 4 { 0 } else { 3 }, if version < 6 { 0 } else { 3 }];
        // SAFETY: the kernel reads the attributes, of the size that it is told; those that it does not know are zero.
        let rules =
            unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const rules, size_of_val(&rules), 0) };
        checked(rules as libc::c_int)?;
        // SAFETY: the kernel has just opened it for this process, and no other part of it knows it.
        let rules = unsafe { OwnedFd::from_raw_fd(rules as libc::c_int) };
        let reads = self.read.iter().map(|path| (path, READ));
        for (path, rights) in reads.chain(self.write.iter().map(|path| (path, files))) {
            let Ok(place) = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path) else { continue };
            let rights = if place.metadata()?.is_dir() { rights } else { rights & OF_FILES };
            let mut rule = [0; 12];
            rule[..8].copy_from_slice(&(rights & files).to_ne_bytes());
            rule[8..].copy_from_slice(&place.as_raw_fd().to_ne_bytes());
            // SAFETY: a rule of the first kind has twelve bytes, packed; they and its descriptor outlive the call.
            checked(unsafe {
                libc::syscall(libc::SYS_landlock_add_rule, rules.as_raw_fd(), 1, rule.as_ptr(), 0) as libc::c_int
            })?;
        }
        let close = move || {
            // SAFETY: there is no address in it.
            checked(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })?;
            // SAFETY: as before.
            checked(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) as libc::c_int })
        };
        // SAFETY: between fork and exec it makes two system calls, and takes no memory.
        unsafe { command.pre_exec(close) };
        Ok(())
    }
}

/// Reads from a socket, with the descriptors that come along, eight at most.
pub fn receive(socket: &impl AsFd, into: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut parts = [IoSliceMut::new(into)];
    let mut room = nix::cmsg_space!([i32; 8]);
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<UnixAddr>(socket.as_fd().as_raw_fd(), &mut parts, Some(&mut room), flags)?;
    let mut files = Vec::new();
    for control in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(descriptors) = control {
            // SAFETY: the kernel has just opened them for this process, and no other part of it knows them.
            files.extend(descriptors.into_iter().map(|one| unsafe { OwnedFd::from_raw_fd(one) }));
        }
    }
    Ok((message.bytes, files))
}

/// What `bpf(2)` is told, by the byte at which each number stands (`union bpf_attr` of linux/bpf.h, whose fields never move).
struct Attributes([u8; 144]);

impl Attributes {
    fn new(numbers: &[(usize, u32)]) -> Attributes {
        let mut attributes = Attributes([0; 144]);
        for &(at, number) in numbers {
            attributes.0[at..at + 4].copy_from_slice(&number.to_ne_bytes());
        }
        attributes
    }

    fn pointing(mut self, at: usize, bytes: &[u8]) -> Attributes {
        self.0[at..at + 8].copy_from_slice(&(bytes.as_ptr() as u64).to_ne_bytes());
        self
    }

    fn named(mut self, at: usize, name: &str) -> Attributes {
        self.0[at..at + 15].iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
        self
    }

    /// # Safety
    /// Every address among them must be that of memory as long as the command takes it to be, which outlives the call. What
    /// the command writes to must be borrowed mutably meanwhile.
    unsafe fn call(&self, command: libc::c_int) -> io::Result<libc::c_int> {
        // SAFETY: the kernel reads as many bytes as there are; for the rest the caller answers.
        let result = unsafe { libc::syscall(libc::SYS_bpf, command, self.0.as_ptr(), self.0.len()) } as libc::c_int;
        checked(result).map(|()| result)
    }

    /// # Safety
    /// As [`Attributes::call`], for a command that gives a descriptor.
    unsafe fn open(&self, command: libc::c_int) -> io::Result<OwnedFd> {
        // SAFETY: the caller answers for the call; what it gives is open and has no other owner.
        unsafe { self.call(command).map(|fd| OwnedFd::from_raw_fd(fd)) }
    }
}

/// Writes the number of a descriptor where a map of callbacks wants a program.
pub fn put_descriptor(table: &mut [u8], at: usize, descriptor: &OwnedFd) {
    if let Some(room) = table.get_mut(at..at + size_of::<usize>()) {
        room.copy_from_slice(&(descriptor.as_raw_fd() as usize).to_ne_bytes());
    }
}

/// Gives the kernel a description of types (`BPF_BTF_LOAD`).
pub fn bpf_btf(bytes: &[u8]) -> io::Result<OwnedFd> {
    let attributes = Attributes::new(&[(16, bytes.len() as u32)]).pointing(0, bytes);
    // SAFETY: the kernel reads `bytes`, of the length it is told.
    unsafe { attributes.open(18) }
}

/// Loads a program for one callback of a kernel's type; with room for a log, what the verifier says goes there
/// (`BPF_PROG_LOAD`, `BPF_PROG_TYPE_STRUCT_OPS`).
pub fn bpf_program(name: &str, code: &[[u8; 8]], of: u32, member: u32, log: &mut [u8]) -> io::Result<OwnedFd> {
    let level = u32::from(!log.is_empty());
    let numbers = [(0, 27), (4, code.len() as u32), (24, level), (28, log.len() as u32), (68, member), (108, of)];
    let mut attributes = Attributes::new(&numbers).named(48, name).pointing(8, code.as_flattened());
    // The kernel's own functions are for programs of which the source may be had.
    let licence = b"Dual MIT/GPL\0";
    attributes = attributes.pointing(16, licence);
    if level > 0 {
        attributes.0[32..40].copy_from_slice(&(log.as_mut_ptr() as u64).to_ne_bytes());
    }
    // SAFETY: the kernel reads the code and the licence, and writes to the log, which is borrowed mutably; all have the
    // lengths it is told and outlive the call.
    unsafe { attributes.open(5) }
}

/// Registers a table of callbacks of a kernel's type, until the descriptor is closed. Makes a map for it, `btf` being any
/// description of types (`BPF_MAP_CREATE`, `BPF_MAP_TYPE_STRUCT_OPS`), puts it there (`BPF_MAP_UPDATE_ELEM`), and links it
/// (`BPF_LINK_CREATE`, `BPF_STRUCT_OPS`).
pub fn bpf_register(btf: &OwnedFd, of: u32, table: &[u8]) -> io::Result<OwnedFd> {
    let (length, linked, key) = (table.len() as u32, 1 << 13, 0_u32.to_ne_bytes());
    let numbers = [(0, 26), (4, 4), (8, length), (12, 1), (16, linked), (48, btf.as_raw_fd() as u32), (60, of)];
    // SAFETY: there is no address in it.
    let map = unsafe { Attributes::new(&numbers).named(28, "acklab").open(0) }?;
    let number = map.as_raw_fd() as u32;
    let attributes = Attributes::new(&[(0, number)]).pointing(8, &key).pointing(16, table);
    // SAFETY: the kernel reads a key of four bytes and a value of the table's length, both of which the map was made with.
    unsafe { attributes.call(2) }?;
    // SAFETY: there is no address in it.
    unsafe { Attributes::new(&[(0, number), (8, 44)]).open(28) }
}
