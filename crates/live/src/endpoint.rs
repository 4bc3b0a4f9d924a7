//! The two ends of a transfer: a source that writes, and a sink that reads. What lies between is the kernel's TCP.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use acklab_packet::Time;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl::set_timerslack;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockType, SockaddrIn, connect, getsockopt, send, setsockopt, socket, sockopt,
};

use crate::clock::Clock;
use crate::namespace::Trouble;
use crate::plan::PlannedFlow;
use crate::settings::address;

/// How often a waiting end looks whether the run is over.
const PATIENCE: Duration = Duration::from_millis(50);
/// Longest sleep before a start or a write.
const LOOK: Duration = Duration::from_millis(5);
/// What is written stays until a segment is full, or more comes.
const MORE: MsgFlags = MsgFlags::from_bits_retain(libc::MSG_MORE);

/// What an end and the run share.
#[derive(Debug, Default)]
pub struct Shared {
    /// The source's connection, once it is open.
    pub stream: OnceLock<TcpStream>,
    /// Everything was written and the sink has closed.
    pub done: AtomicBool,
}

/// The sources and sinks of a run, each on a thread that begins in its caller's namespace. They end when this is dropped.
#[derive(Debug, Default)]
pub struct Ends {
    stop: Arc<AtomicBool>,
    trouble: Arc<Mutex<Option<Trouble>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Ends {
    /// Begins to listen for a flow; see [`listen`].
    ///
    /// # Errors
    /// As of [`listen`].
    pub fn sink(&mut self, flow: &PlannedFlow, buffer: u64) -> Result<(), Trouble> {
        let (listener, stop) = (listen(flow, buffer)?, self.stop.clone());
        self.threads.push(thread::spawn(move || sink(&listener, &stop)));
        Ok(())
    }

    /// Sends a flow's data from its start on.
    pub fn source(&mut self, flow: &PlannedFlow, control: &str, clock: Clock, state: &Arc<Shared>) {
        let (flow, control, state) = (flow.clone(), control.to_owned(), state.clone());
        let (stop, trouble) = (self.stop.clone(), self.trouble.clone());
        self.threads.push(thread::spawn(move || {
            sleep_until(Time::from_secs(flow.start_s), clock, &stop);
            if let Err(why) = source(&flow, &control, clock, &state, &stop) {
                trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
            }
        }));
    }

    /// Lets them end: what goes wrong from now on is no trouble.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The first thing that went wrong, if something did.
    ///
    /// # Errors
    /// That.
    pub fn check(&self) -> Result<(), Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        self.stop();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn over(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}

/// An answer that only says "not yet".
fn not_yet(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Waits a while until `socket` is ready.
fn ready(socket: &impl AsFd, flags: PollFlags) -> bool {
    let mut waited = [PollFd::new(socket.as_fd(), flags)];
    let patience = PollTimeout::try_from(PATIENCE).unwrap_or(PollTimeout::ZERO);
    matches!(poll(&mut waited, patience), Ok(ready) if ready > 0)
}

/// A flow's listening socket, in the calling thread's namespace. One that stands apart has so many bytes of buffer, which stay.
///
/// # Errors
/// Where the system says no.
fn listen(flow: &PlannedFlow, buffer: u64) -> Result<TcpListener, Trouble> {
    let (port, place) = (flow.port, address(1 - flow.side, flow.apart));
    let bound = TcpListener::bind((Ipv4Addr::from(place), port));
    let listener = bound.and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    let listener = listener.map_err(|error| Trouble::new(format!("listen on port {port}"), &error, ""))?;
    if flow.apart {
        // The kernel takes it twice.
        let half = usize::try_from(buffer / 2).unwrap_or(usize::MAX);
        setsockopt(&listener, sockopt::RcvBufForce, &half)
            .map_err(|errno| Trouble::new(format!("set a receive buffer of {buffer} bytes"), &errno.into(), ""))?;
    }
    Ok(listener)
}

/// Reads what the first connection brings, to its end.
fn sink(listener: &TcpListener, stop: &AtomicBool) {
    let stream = loop {
        match listener.accept() {
            Ok((stream, _)) => break stream,
            Err(_) if over(stop) => return,
            Err(_) => ready(listener, PollFlags::POLLIN),
        };
    };
    if stream.set_nonblocking(false).and(stream.set_read_timeout(Some(PATIENCE))).is_err() {
        return;
    }
    let mut buffer = vec![0; 1 << 18];
    while !over(stop) {
        match (&stream).read(&mut buffer) {
            Ok(0) => return, // closing answers the sender's FIN
            Ok(_) => {}
            Err(error) if not_yet(&error) => {}
            Err(_) => return,
        }
    }
}

/// Connects a flow to its sink with this congestion control and writes what it has (or until the run is over).
///
/// # Errors
/// Where the kernel has no such congestion control, or the connection breaks.
fn source(flow: &PlannedFlow, control: &str, clock: Clock, shared: &Shared, stop: &AtomicBool) -> Result<(), Trouble> {
    let port = flow.port;
    let Some(opened) = open((address(1 - flow.side, flow.apart), port), control, stop)? else { return Ok(()) };
    let stream = shared.stream.get_or_init(|| opened);
    let broke = |error: io::Error| Trouble::new(format!("send on port {port}"), &error, "");
    stream.set_write_timeout(Some(PATIENCE)).and(stream.set_read_timeout(Some(PATIENCE))).map_err(broke)?;
    if let Some(writes) = flow.writes {
        // Without it a sleep ends up to 50 us late.
        let _ = set_timerslack(1);
        let mut done = 0;
        while done < writes.times && !over(stop) {
            let at = |number: u32| Time::from_secs(flow.start_s + f64::from(number) * writes.every.secs());
            sleep_until(at(done), clock, stop);
            let due = (done..writes.times).take_while(|&number| at(number) <= clock.now()).count() as u32;
            done += due;
            // The FIN goes with what is left of the last write.
            let more = if done == writes.times { MORE } else { MsgFlags::empty() };
            write(stream, writes.write.get() * u64::from(due), more, stop).map_err(broke)?;
        }
    } else {
        write(stream, flow.bytes.unwrap_or(u64::MAX), MsgFlags::empty(), stop).map_err(broke)?;
    }
    if over(stop) || stream.shutdown(Shutdown::Write).is_err() {
        return Ok(());
    }
    let mut nothing = [0];
    while !over(stop) {
        match (&*stream).read(&mut nothing) {
            Err(error) if not_yet(&error) => {}
            _ => break,
        }
    }
    shared.done.store(true, Ordering::Relaxed);
    Ok(())
}

/// Sleeps until `at`, or the end of the run.
fn sleep_until(at: Time, clock: Clock, stop: &AtomicBool) {
    while clock.now() < at && !over(stop) {
        thread::sleep(clock.until(at).min(LOOK));
    }
}

/// Writes so many bytes, or until the run is over.
fn write(stream: &TcpStream, mut left: u64, flags: MsgFlags, stop: &AtomicBool) -> io::Result<()> {
    let zeros = [0; 1 << 16];
    while left > 0 && !over(stop) {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(zeros.len());
        match send(stream.as_raw_fd(), &zeros[..most], flags | MsgFlags::MSG_NOSIGNAL).map_err(io::Error::from) {
            Ok(written) => left -= written as u64,
            Err(error) if not_yet(&error) => {}
            Err(_) if over(stop) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The connection; none if the run was over before.
fn open((address, port): ([u8; 4], u16), control: &str, stop: &AtomicBool) -> Result<Option<TcpStream>, Trouble> {
    let what = || format!("connect to port {port}");
    let failed = |errno: Errno| Trouble::new(what(), &errno.into(), "");
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let socket = socket(AddressFamily::Inet, SockType::Stream, flags, None).map_err(failed)?;
    choose_control(&socket, control)?;
    let [a, b, c, d] = address;
    match connect(socket.as_raw_fd(), &SockaddrIn::new(a, b, c, d, port)) {
        Ok(()) | Err(Errno::EINPROGRESS) => {}
        Err(errno) => return Err(failed(errno)),
    }
    while !ready(&socket, PollFlags::POLLOUT) {
        if over(stop) {
            return Ok(None);
        }
    }
    match getsockopt(&socket, sockopt::SocketError).map_err(failed)? {
        0 => {}
        error => return Err(failed(Errno::from_raw(error))),
    }
    let stream = TcpStream::from(socket);
    stream.set_nonblocking(false).map_err(|error| Trouble::new(what(), &error, ""))?;
    Ok(Some(stream))
}

/// Sets a socket's congestion control.
///
/// # Errors
/// Where the kernel has none of that name.
pub fn choose_control(socket: &impl AsFd, control: &str) -> Result<(), Trouble> {
    setsockopt(socket, sockopt::TcpCongestion, &OsString::from(control)).map_err(|errno| {
        let what = format!("choose the congestion control `{control}`");
        let there = available_controls().join(", ");
        let fix = format!("this kernel has {there}; modprobe tcp_{control}, or choose another with --control");
        Trouble::new(what, &errno.into(), fix)
    })
}

/// The congestion controls this kernel has.
pub fn available_controls() -> Vec<String> {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}
