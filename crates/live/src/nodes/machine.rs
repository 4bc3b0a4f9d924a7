//! One kernel: its process, its channel to the calendar, its card.

use std::fs::File;
use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::personality::{self, Persona};
use nix::sys::socket::{ControlMessage, MsgFlags, UnixAddr, sendmsg};

use super::card::{Card, Heard};
use super::memory::Fault;
use super::schedule::{MESSAGE, Message, Schedule, op};
use crate::sys::Fence;

/// How to start a kernel: a program, its words, and all of its environment. Two words more name its channels.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The program and its words.
    pub command: Vec<String>,
    /// Names and values.
    pub environment: Vec<(String, String)>,
    /// What it may open, if not everything: a program inside that has become the kernel gains no more.
    pub fence: Option<Fence>,
}

/// How much of the end of a console is kept.
const CONSOLE: usize = 64 << 10;
/// How often a wait asks whether to go on, in milliseconds.
const LOOK_MS: u8 = 50;

/// What happened while a kernel ran.
#[derive(Debug)]
pub enum Event {
    /// It waits for its next instant.
    Waits,
    /// It has ended.
    Gone,
    /// It sends frames, and stands until its card answers.
    Frames {
        /// Ethernet frames.
        frames: Vec<Vec<u8>>,
        /// Whether it wants an interrupt for them.
        interrupt: bool,
    },
}

/// Starts a process whose addresses are the same in every run, if the machine lets it: a container may not.
///
/// How much memory a kernel has follows from where its heap begins (`linux_main` in arch/um/kernel/um_arch.c), and from that the
/// largest receive buffer (`tcp_init`). Linux 7.3 does this by itself, and 6.12 does not.
fn at_fixed_addresses<T>(start: impl FnOnce() -> T) -> T {
    let before = personality::get().and_then(|before| personality::set(before | Persona::ADDR_NO_RANDOMIZE));
    let started = start();
    if let Ok(before) = before {
        let _ = personality::set(before); // it was the thread's
    }
    started
}

/// A kernel's process and its channels. It ends when this is dropped.
#[derive(Debug)]
pub struct Machine {
    number: u16,
    child: Child,
    card_door: UnixListener,
    calendar: Option<UnixStream>,
    /// Its first message, while it is not answered.
    start: Option<Message>,
    /// Its network card.
    pub card: Card,
    grants: u32,
    console: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
    patience: Duration,
}

fn broken(error: impl std::fmt::Display) -> Fault {
    error.to_string()
}

/// Waits until one of these can be read; `None` if `go_on` says no, or nothing comes for `patience`.
fn readable(channels: &[BorrowedFd<'_>], patience: Duration, go_on: &mut dyn FnMut() -> bool) -> Result<usize, Fault> {
    let since = Instant::now();
    loop {
        let mut fds: Vec<PollFd<'_>> = channels.iter().map(|&one| PollFd::new(one, PollFlags::POLLIN)).collect();
        match poll(&mut fds, PollTimeout::from(LOOK_MS)) {
            Ok(0) | Err(nix::errno::Errno::EINTR) => {}
            Ok(_) => {
                let ready = |fd: &PollFd<'_>| fd.revents().is_some_and(|events| !events.is_empty());
                if let Some(first) = fds.iter().position(ready) {
                    return Ok(first);
                }
            }
            Err(error) => return Err(broken(error)),
        }
        if !go_on() {
            return Err("interrupted".to_owned());
        }
        if since.elapsed() > patience {
            return Err(format!(
                "it has computed for {} s without its clock going on; a program that never sleeps or waits holds the clock",
                patience.as_secs()
            ));
        }
    }
}

impl Machine {
    /// Starts the kernel of that number; its channels stand in `directory`. It does nothing until [`Machine::begin`].
    ///
    /// # Errors
    /// It does not start, or does not ask for the calendar.
    pub fn new(
        number: u16,
        start: &Start,
        directory: &Path,
        patience: Duration,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Machine, Fault> {
        let place = |what: &str| directory.join(format!("{what}{number}"));
        let [calendar_door, card_door] =
            [place("clock"), place("card")].map(|path| UnixListener::bind(&path).map_err(broken));
        let (calendar_door, card_door) = (calendar_door?, card_door?);
        let [program, words @ ..] = start.command.as_slice() else { return Err("no kernel is named".to_owned()) };
        let (reader, writer) = io::pipe().map_err(broken)?;
        let mut command = Command::new(program);
        command
            .arg(format!("time-travel=ext:{number}:{}", place("clock").display()))
            .arg(format!("virtio_uml.device={}:1", place("card").display()))
            .args(words)
            .env_clear()
            .envs(start.environment.iter().map(|(name, value)| (name, value)))
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(writer.try_clone().map_err(broken)?)
            .stderr(writer);
        start.fence.as_ref().map_or(Ok(()), |fence| fence.around(&mut command)).map_err(broken)?;
        let child = at_fixed_addresses(|| command.spawn());
        let child = child.map_err(|error| format!("cannot start the kernel {program}: {error}"))?;
        drop(command); // with it our end of the pipe
        let console = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&console);
        let reader = std::thread::spawn(move || keep_end(reader, &kept));
        let mut machine = Machine {
            number,
            child,
            card_door,
            calendar: None,
            start: None,
            card: Card::default(),
            grants: 0,
            console,
            reader: Some(reader),
            patience,
        };
        machine.connect(&calendar_door, go_on).map_err(|fault| {
            let (status, console) = machine.end();
            let status = status.filter(|status| !status.success());
            let how = status.map_or(String::new(), |status| format!(" ({status})"));
            let full = match status.and_then(|status| status.signal()) {
                Some(libc::SIGBUS) => "; is the disk for temporary files full?",
                _ => "",
            };
            let last = console.lines().map(str::trim).rfind(|line| !line.is_empty());
            format!("{fault}{how}{full}{}", last.map_or(String::new(), |last| format!(": {last}")))
        })?;
        Ok(machine)
    }

    fn connect(&mut self, door: &UnixListener, go_on: &mut dyn FnMut() -> bool) -> Result<(), Fault> {
        // A kernel that cannot start never knocks.
        let child = &mut self.child;
        let mut ended = None;
        let waited = readable(&[door.as_fd()], self.patience, &mut || {
            ended = child.try_wait().ok().flatten();
            ended.is_none() && go_on()
        });
        if ended.is_some() {
            return Err("it ended at once".to_owned());
        }
        waited?;
        let (calendar, _) = door.accept().map_err(broken)?;
        self.calendar = Some(calendar);
        self.start =
            Some(self.message()?.filter(|message| message.op == op::START).ok_or("it does not ask for the time")?);
        Ok(())
    }

    fn message(&mut self) -> Result<Option<Message>, Fault> {
        let Some(calendar) = &mut self.calendar else { return Ok(None) };
        let mut bytes = [0; MESSAGE];
        match calendar.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(Message::read(&bytes))),
            Err(_) => Ok(None),
        }
    }

    fn tell(&mut self, message: Message) -> Result<(), Fault> {
        // A kernel that is gone is found out by its silence.
        let _ = self.calendar.as_mut().map(|calendar| calendar.write_all(&message.bytes()));
        Ok(())
    }

    /// Whether it has not ended.
    pub fn is_there(&self) -> bool {
        self.calendar.is_some()
    }

    /// It runs at `now`, on from its request, or from its beginning; the schedule says so already.
    ///
    /// # Errors
    /// The schedule cannot be handed over.
    pub fn run(&mut self, now: u64, schedule: &Schedule) -> Result<(), Fault> {
        self.grants = self.grants.wrapping_add(1);
        let Some(start) = self.start.take() else {
            return self.tell(Message { op: op::RUN, number: self.grants, time: now });
        };
        let Some(calendar) = &self.calendar else { return Ok(()) };
        let answer = Message { op: op::ACK, number: start.number, time: u64::from(self.number) + 1 }.bytes();
        let log = File::options().write(true).open("/dev/null").map_err(broken)?;
        let files = [schedule.file().as_raw_fd(), log.as_raw_fd()];
        let rights = [ControlMessage::ScmRights(&files)];
        let sent =
            sendmsg::<UnixAddr>(calendar.as_raw_fd(), &[IoSlice::new(&answer)], &rights, MsgFlags::empty(), None);
        sent.map(|_| ()).map_err(broken)
    }

    /// Listens to a kernel that runs until something happens; `tod` is the time of day at instant 0.
    ///
    /// # Errors
    /// It says what makes no sense, computes without end, or `go_on` says no.
    pub fn hear(&mut self, schedule: &Schedule, tod: u64, go_on: &mut dyn FnMut() -> bool) -> Result<Event, Fault> {
        loop {
            let Some(calendar) = &self.calendar else { return Ok(Event::Gone) };
            let card = self.card.channel().map_or(self.card_door.as_fd(), AsFd::as_fd);
            if readable(&[card, calendar.as_fd()], self.patience, go_on)? == 0 {
                if self.card.channel().is_none() {
                    self.card.connect(self.card_door.accept().map_err(broken)?.0);
                    continue;
                }
                match self.card.hear().map_err(|fault| format!("its network card was told of {fault}"))? {
                    Heard::Frames { frames, interrupt } => return Ok(Event::Frames { frames, interrupt }),
                    Heard::Closed => {
                        // With its card it ends: it is switching off.
                        self.calendar = None;
                        return Ok(Event::Gone);
                    }
                    Heard::Nothing => continue,
                }
            }
            let Some(Message { op, number, .. }) = self.message()? else {
                self.calendar = None;
                return Ok(Event::Gone);
            };
            let answer = match op {
                op::ACK => continue,
                op::WAIT if !schedule.knows(self.number).map_err(broken)? => {
                    return Err("it knows no shared schedule; Linux 6.12 and newer do".to_owned());
                }
                op::WAIT => return Ok(Event::Waits),
                op::GET => schedule.now().map_err(broken)?,
                op::GET_TOD => tod,
                _ => 0,
            };
            self.tell(Message { op: op::ACK, number, time: answer })?;
        }
    }

    /// Interrupts it for a ring of its card, at the schedule's time.
    ///
    /// # Errors
    /// It does not answer.
    pub fn interrupt(&mut self, ring: usize) -> Result<(), Fault> {
        self.card.limit(self.patience);
        self.card.interrupt(ring)
    }

    /// Ends it; its exit status, and the end of what it said on its console.
    pub fn end(&mut self) -> (Option<ExitStatus>, String) {
        self.calendar = None;
        // One that is switching off is let do so.
        let since = Instant::now();
        let mut status = None;
        while status.is_none() && since.elapsed() < Duration::from_secs(2) {
            status = self.child.try_wait().ok().flatten();
            if status.is_none() {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        let _ = self.child.kill();
        let status = status.or_else(|| self.child.wait().ok());
        let _ = self.reader.take().map(JoinHandle::join);
        let console = self.console.lock().unwrap_or_else(PoisonError::into_inner);
        (status, String::from_utf8_lossy(&console).into_owned())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads to the end and keeps the last of it.
fn keep_end(mut from: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&bytes[..read]);
        let surplus = kept.len().saturating_sub(CONSOLE);
        kept.drain(..surplus);
    }
}
