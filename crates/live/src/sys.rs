//! The three system calls that no crate of ours wraps. The only file with `unsafe` in it.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;

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
