//! The clock, and everything that follows it: the earliest of all is next, and while it acts nothing else does.

use std::collections::VecDeque;
use std::fmt::Display;
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use acklab_packet::Time;
use serde::Serialize;

use super::card::{RECEIVE, TRANSMIT};
use super::frame;
use super::machine::{Event, Machine, Start};
use super::network::{Arrival, Network};
use super::schedule::{NEVER, Schedule};

/// The time of day of the scenario's first instant, which is the year 2000.
pub const EPOCH_NS: u64 = 946_684_800_000_000_000;
/// How long the kernels may go on after the run's end, to stop their programs and write their files.
pub const GRACE_NS: u64 = 5_000_000_000;
/// What the kernels are told at the run's end.
pub const STOP: &[u8] = b"stop";

/// Where kernels run.
#[derive(Clone, Debug)]
pub struct Places {
    /// A new directory with a short name, for sockets.
    pub directory: PathBuf,
    /// How long a kernel may compute while its clock stands.
    pub patience: Duration,
}

/// How kernels went.
#[derive(Debug)]
pub struct Went<N> {
    /// What lay between them.
    pub network: N,
    /// How each kernel ended.
    pub ended: Vec<Ended>,
    /// How often kernels were let run.
    pub grants: u64,
    /// Packets for which a kernel had no buffer until the end.
    pub overrun: u64,
}

/// How a kernel ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ended {
    /// Its exit status or signal; empty if it switched itself off.
    pub status: String,
    /// The end of what it said on its console.
    pub console: String,
}

/// What is due outside the simulation and the kernels.
#[derive(Debug)]
enum Item {
    /// What one first process tells the others.
    Tell { from: usize, payload: Vec<u8> },
    /// A card tells that its packets are gone.
    Interrupt(usize),
    /// A card in which frames wait looks for buffers again.
    Fill(usize),
}

/// Who is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Item,
    Simulation,
    Kernel(usize),
    Nobody,
}

struct World<N> {
    network: N,
    machines: Vec<Machine>,
    schedule: Schedule,
    /// Since the kernels' beginning.
    now: u64,
    /// For each kernel when it wants to run.
    wanted: Vec<u64>,
    /// In order of time.
    items: VecDeque<(u64, Item)>,
    arrivals: Vec<Arrival>,
    grants: u64,
    /// Whether the kernels were told that the run has ended, and until when they may go on.
    told: Option<u64>,
}

fn broken(error: impl Display) -> String {
    format!("the kernels' schedule: {error}")
}

/// Lets kernels run with a network between them, until they have switched off or its time is up. `go_on` says no to stop it.
///
/// # Errors
/// Why it could not be, or broke off, in one line.
pub fn drive<N: Network>(
    network: N,
    starts: &[Start],
    places: &Places,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Went<N>, String> {
    let mut world = World::new(network, starts, places, go_on)?;
    world.go(go_on)?;
    Ok(world.finish())
}

impl<N: Network> World<N> {
    fn new(network: N, starts: &[Start], places: &Places, go_on: &mut dyn FnMut() -> bool) -> Result<World<N>, String> {
        let place = places.directory.join("schedule");
        let file = File::options().read(true).write(true).create_new(true).open(place).map_err(broken)?;
        let schedule = Schedule::new(file, starts.len() as u16).map_err(broken)?;
        let mut machines = Vec::new();
        for (number, start) in (0..).zip(starts) {
            let machine = Machine::new(number, start, &places.directory, places.patience, go_on);
            machines
                .push(machine.map_err(|fault| format!("the kernel of {}: {fault}", network.name(number as usize)))?);
        }
        Ok(World {
            network,
            wanted: vec![0; starts.len()],
            machines,
            schedule,
            now: 0,
            items: VecDeque::new(),
            arrivals: Vec::new(),
            grants: 0,
            told: None,
        })
    }

    fn go(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<(), String> {
        while self.machines.iter().any(Machine::is_there) {
            if !go_on() {
                return Err("interrupted".to_owned());
            }
            let (at, next) = self.next();
            if self.told.is_some_and(|until| at > until) {
                return Ok(());
            }
            match next {
                Next::Nobody => return Err("all kernels sleep for ever".to_owned()),
                Next::Item => self.item(at)?,
                Next::Simulation => self.step(at)?,
                Next::Kernel(kernel) => self.grant(kernel, at, go_on)?,
            }
        }
        Ok(())
    }

    /// An instant of the network on the kernels' clock.
    fn on_clock(&self, time: Time) -> u64 {
        self.network.boot_ns().saturating_add((time.secs() * 1e9).round() as u64).min(NEVER)
    }

    /// Who is next, and when. At one instant what is due comes first, then the network, then the kernels in their order.
    fn next(&mut self) -> (u64, Next) {
        let mut best = (NEVER, Next::Nobody);
        if let Some((at, _)) = self.items.front() {
            best = (*at, Next::Item);
        }
        if let Some(due) = self.network.due().map(|due| self.on_clock(due))
            && due < best.0
        {
            best = (due, Next::Simulation);
        }
        for (kernel, &wanted) in self.wanted.iter().enumerate() {
            if wanted < best.0 && self.machines[kernel].is_there() {
                best = (wanted, Next::Kernel(kernel));
            }
        }
        (best.0.max(self.now), best.1)
    }

    /// What a kernel's fault is told as.
    fn fault(&self, kernel: usize) -> impl Fn(String) -> String + use<N> {
        let name = self.network.name(kernel);
        move |fault| format!("the kernel of {name}: {fault}")
    }

    /// Lets a kernel run, until it waits.
    fn grant(&mut self, kernel: usize, at: u64, go_on: &mut dyn FnMut() -> bool) -> Result<(), String> {
        self.now = at;
        self.grants += 1;
        self.wanted[kernel] = NEVER;
        if self.machines[kernel].card.waiting() > 0 {
            // Due at this instant, it also keeps the kernel from going on by itself: how far it went it would not tell.
            self.items.push_back((at, Item::Fill(kernel)));
        }
        let fault = self.fault(kernel);
        let until = self.next().0;
        self.schedule.runs(Some(kernel as u16), at, until).map_err(broken)?;
        self.machines[kernel].run(at, &self.schedule).map_err(&fault)?;
        loop {
            match self.machines[kernel]
                .hear(&self.schedule, EPOCH_NS - self.network.boot_ns(), go_on)
                .map_err(&fault)?
            {
                Event::Gone => return Ok(()),
                Event::Waits => {
                    self.wanted[kernel] = self.schedule.wanted(kernel as u16).map_err(broken)?;
                    return Ok(());
                }
                Event::Frames { frames, interrupt } => {
                    let told = self.schedule.now().map_err(broken)?;
                    if told < self.now || told >= until.max(at + 1) {
                        return Err(fault(format!(
                            "it says {told} ns at {} ns, and was free until {until} ns",
                            self.now
                        )));
                    }
                    self.now = told;
                    for frame in &frames {
                        self.sent(kernel, frame)?;
                    }
                    if interrupt {
                        self.items.push_back((self.now, Item::Interrupt(kernel)));
                    }
                    let until = self.next().0;
                    self.schedule.free_until(until).map_err(broken)?;
                    self.machines[kernel].card.answer().map_err(&fault)?;
                }
            }
        }
    }

    /// A kernel sends a frame.
    fn sent(&mut self, kernel: usize, frame: &[u8]) -> Result<(), String> {
        let at = self.now.checked_sub(self.network.boot_ns()).map(|since| Time::from_secs(since as f64 / 1e9));
        match self.network.sent(kernel, frame, at, self.of_day())? {
            Some(payload) => self.items.push_back((self.now, Item::Tell { from: kernel, payload })),
            None => self.collect()?,
        }
        Ok(())
    }

    /// Nanoseconds since 1970 on the kernels' clock.
    fn of_day(&self) -> u64 {
        EPOCH_NS + self.now.saturating_sub(self.network.boot_ns())
    }

    /// The simulation handles what is due.
    fn step(&mut self, at: u64) -> Result<(), String> {
        self.now = at;
        let Some(due) = self.network.due() else { return Ok(()) };
        self.network.step(due)?;
        self.collect()?;
        if self.network.ended() && self.told.is_none() {
            self.told = Some(at + GRACE_NS);
            for kernel in 0..self.machines.len() {
                self.tell(kernel, STOP)?;
            }
        }
        Ok(())
    }

    /// What has left the network goes to the kernels.
    fn collect(&mut self) -> Result<(), String> {
        let mut all = std::mem::take(&mut self.arrivals);
        self.network.arrivals(&mut all);
        for Arrival { node, bytes, .. } in all.drain(..) {
            self.network.capture(node, &bytes, self.of_day())?;
            self.deliver(node, &bytes)?;
        }
        self.arrivals = all;
        Ok(())
    }

    /// Tells a kernel's first process something.
    fn tell(&mut self, kernel: usize, payload: &[u8]) -> Result<(), String> {
        self.deliver(kernel, &frame::told(self.network.number(kernel), payload))
    }

    /// Puts a packet into a kernel's memory, and interrupts it.
    fn deliver(&mut self, kernel: usize, bytes: &[u8]) -> Result<(), String> {
        if !self.machines[kernel].is_there() {
            return Ok(());
        }
        self.machines[kernel].card.receive(&frame::frame(bytes, self.network.number(kernel)));
        self.fill(kernel)
    }

    fn fill(&mut self, kernel: usize) -> Result<(), String> {
        if self.machines[kernel].card.fill().map_err(self.fault(kernel))? {
            self.interrupt(kernel, RECEIVE)?;
        }
        Ok(())
    }

    fn interrupt(&mut self, kernel: usize, ring: usize) -> Result<(), String> {
        if !self.machines[kernel].is_there() {
            return Ok(());
        }
        let fault = self.fault(kernel);
        self.schedule.runs(None, self.now, self.now).map_err(broken)?;
        self.machines[kernel].interrupt(ring).map_err(fault)?;
        self.wanted[kernel] = self.schedule.wanted(kernel as u16).map_err(broken)?;
        Ok(())
    }

    fn item(&mut self, at: u64) -> Result<(), String> {
        self.now = at;
        match self.items.pop_front() {
            Some((_, Item::Interrupt(kernel))) => self.interrupt(kernel, TRANSMIT)?,
            Some((_, Item::Fill(kernel))) => self.fill(kernel)?,
            Some((_, Item::Tell { from, payload })) => {
                for kernel in (0..self.machines.len()).filter(|&kernel| kernel != from) {
                    self.tell(kernel, &payload)?;
                }
            }
            None => {}
        }
        Ok(())
    }

    fn finish(mut self) -> Went<N> {
        let ended = |machine: &mut Machine| {
            let (status, console) = machine.end();
            let status = status.filter(|status| !status.success()).map(|status| status.to_string());
            Ended { status: status.unwrap_or_default(), console }
        };
        let overrun = self.machines.iter().map(|machine| machine.card.waiting() as u64).sum();
        let ended = self.machines.iter_mut().map(ended).collect();
        Went { network: self.network, ended, grants: self.grants, overrun }
    }
}
