//! Worker threads that answer lines, the answers in the lines' order.
//!
//! Workers take lines in order, so the oldest unanswered line is always being worked on and an answer waits only for
//! older ones. Two bounds keep memory flat. At most [`WINDOW`] lines a thread are under way. While finished
//! answers that no one has taken exceed [`HELD_BYTES`], only the oldest line is worked on.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Lines under way, a thread.
const WINDOW: usize = 256;
/// Bytes of finished answers that may wait to be taken.
const HELD_BYTES: usize = 64 << 20;
/// Finished answers that are worth waking the taker for; fewer wait for [`PATIENCE`] or for the last line given.
const WORTH_TAKING: usize = 64;
/// How long to wait before looking around again.
const PATIENCE: Duration = Duration::from_millis(20);

/// What became of a line.
pub(crate) struct Answer {
    /// One line of JSON, without its line end.
    pub(crate) json: Vec<u8>,
    /// Whether the line was a scenario that ran.
    pub(crate) ending: Ending,
}

/// Whether a line was a scenario that ran.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It was.
    Ran,
    /// It was not a legal scenario.
    BadScenario,
    /// It was, but the run failed.
    Failed,
}

/// A line of input.
pub(crate) struct Line {
    /// Its place in the input, from 1.
    pub(crate) number: u64,
    /// Its bytes, without the line end.
    pub(crate) bytes: Vec<u8>,
}

/// What answers a line; ends early, with any answer, once the flag is up.
pub(crate) type Work = dyn Fn(&Line, &AtomicBool) -> Answer + Send + Sync;

/// A pool of threads and the lines they work on.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    window: usize,
    /// Where there are no threads: who takes an answer makes it first.
    alone: Option<Arc<Work>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Workers wait for lines.
    lines: Condvar,
    /// The feeder waits for room.
    room: Condvar,
    /// The taker waits for answers.
    answers: Condvar,
    stop: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Lines not yet taken by a worker: the last ones of those in `answers`.
    lines: VecDeque<Line>,
    /// Answers in order of the lines, from line `first` on; `None` while not yet there.
    answers: VecDeque<Option<Answer>>,
    first: u64,
    finished: usize,
    held_bytes: usize,
    closed: bool,
}

impl State {
    /// Number of the line the next worker takes.
    fn next_line(&self) -> u64 {
        self.first + (self.answers.len() - self.lines.len()) as u64
    }

    /// Whether a worker may take a line.
    fn may_work(&self) -> bool {
        !self.lines.is_empty() && (self.held_bytes < HELD_BYTES || self.next_line() == self.first)
    }

    /// Whether the oldest line has its answer.
    fn may_take(&self) -> bool {
        self.answers.front().is_some_and(Option::is_some)
    }

    /// Whether all lines there will ever be have been answered and taken.
    fn is_over(&self) -> bool {
        self.closed && self.answers.is_empty()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code that may panic runs under the lock, so a poisoned state is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Waits on `condition` once, at most [`PATIENCE`].
    fn pause<'a>(condition: &Condvar, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        condition.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner).0
    }

    /// A worker's life.
    fn labour(&self, work: &Work) {
        let mut state = self.state();
        while !self.stopped() {
            if !state.may_work() {
                if state.closed && state.lines.is_empty() {
                    return;
                }
                state = Self::pause(&self.lines, state);
                continue;
            }
            state = self.answer(state, work);
            if state.may_take() && (state.lines.is_empty() || state.finished >= WORTH_TAKING) {
                self.answers.notify_one();
            }
        }
    }

    /// Works on the next line, if there is one.
    fn answer<'a>(&'a self, mut state: MutexGuard<'a, State>, work: &Work) -> MutexGuard<'a, State> {
        let number = state.next_line();
        let Some(line) = state.lines.pop_front() else { return state };
        drop(state);
        let answer = work(&line, &self.stop);
        state = self.state();
        state.held_bytes += answer.json.len();
        state.finished += 1;
        let place = (number - state.first) as usize;
        state.answers[place] = Some(answer);
        state
    }
}

impl Pool {
    /// Starts `threads` workers, at least one.
    pub(crate) fn new(threads: usize, work: Arc<Work>) -> std::io::Result<Pool> {
        if cfg!(target_os = "emscripten") {
            return Ok(Pool { shared: Arc::default(), window: usize::MAX, alone: Some(work) });
        }
        let threads = threads.max(1);
        let pool = Pool { shared: Arc::default(), window: WINDOW * threads, alone: None };
        for number in 0..threads {
            let (shared, work) = (pool.shared.clone(), work.clone());
            thread::Builder::new().name(format!("run-{number}")).spawn(move || shared.labour(&*work))?;
        }
        Ok(pool)
    }

    /// Adds lines, waiting for room while `patient` says so; whether all were added.
    pub(crate) fn feed(&self, lines: Vec<Line>, mut patient: impl FnMut() -> bool) -> bool {
        let mut lines = lines.into_iter().peekable();
        while lines.peek().is_some() {
            let mut state = self.shared.state();
            if state.answers.len() >= self.window {
                drop(Shared::pause(&self.shared.room, state));
                if self.shared.stopped() || !patient() {
                    return false;
                }
                continue;
            }
            for line in lines.by_ref().take(self.window - state.answers.len()) {
                state.lines.push_back(line);
                state.answers.push_back(None);
            }
            drop(state);
            self.shared.lines.notify_all();
        }
        true
    }

    /// No more lines will come.
    pub(crate) fn close(&self) {
        self.shared.state().closed = true;
        self.shared.lines.notify_all();
        self.shared.answers.notify_one();
    }

    /// The answers that are next in order, waiting for at least one while `patient` says so. None when all lines
    /// have been answered and no more will come, or the pool was stopped.
    pub(crate) fn take(&self, mut patient: impl FnMut() -> bool) -> Vec<Answer> {
        let mut waited = false;
        loop {
            let mut state = self.shared.state();
            if let Some(work) = &self.alone {
                state = self.shared.answer(state, &**work);
            }
            let worth = waited || self.alone.is_some() || state.lines.is_empty() || state.finished >= WORTH_TAKING;
            if state.may_take() && worth {
                let mut taken = Vec::new();
                while let Some(answer) = state.answers.front_mut().and_then(Option::take) {
                    state.answers.pop_front();
                    state.first += 1;
                    state.finished -= 1;
                    state.held_bytes -= answer.json.len();
                    taken.push(answer);
                }
                drop(state);
                self.shared.room.notify_one();
                self.shared.lines.notify_all();
                return taken;
            }
            if state.is_over() || self.shared.stopped() {
                return Vec::new();
            }
            drop(Shared::pause(&self.shared.answers, state));
            waited = true;
            if !patient() {
                return Vec::new();
            }
        }
    }

    /// Whether another line would have to wait for room.
    pub(crate) fn is_full(&self) -> bool {
        self.shared.state().answers.len() >= self.window
    }

    /// Gives up: wakes waiting threads and tells runs under way to end.
    pub(crate) fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for condition in [&self.shared.lines, &self.shared.room, &self.shared.answers] {
            condition.notify_all();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop();
    }
}
