//! Work done by several threads, whose results come in the order of the work.

use std::collections::HashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{channel, sync_channel, Receiver, SyncSender};
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::failure::{Code, Failure};

/// Results that a thread may be ahead of the reader.
const AHEAD: usize = 2;

/// Where a task puts its results; false: the reader is gone, and the task ends.
pub type Put<'a, T> = dyn FnMut(T) -> bool + 'a;

type Run<T> = dyn Fn(usize, &mut Put<'_, T>) -> Result<(), Failure> + Send + Sync;

/// The results of numbered tasks: all of task 0, then all of task 1, ... Each thread takes the next
/// task, so the threads that work are always on the first unfinished ones, and none waits for ever.
/// The first call of `next` starts the threads.
pub struct Ordered<T> {
    announced: Receiver<(usize, Receiver<Result<T, Failure>>)>,
    waiting: HashMap<usize, Receiver<Result<T, Failure>>>,
    task: usize,
    tasks: usize,
    stop: Arc<AtomicBool>,
    /// How many threads to start, and their work; None: they are started.
    to_start: Option<(usize, Arc<Run<T>>)>,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Send + 'static> Ordered<T> {
    pub fn new<F>(tasks: usize, threads: usize, run: F) -> Self
    where
        F: Fn(usize, &mut Put<'_, T>) -> Result<(), Failure> + Send + Sync + 'static,
    {
        Ordered {
            announced: channel().1,
            waiting: HashMap::new(),
            task: 0,
            tasks,
            stop: Arc::new(AtomicBool::new(false)),
            to_start: Some((threads.min(tasks), Arc::new(run))),
            threads: Vec::new(),
        }
    }

    fn start(&mut self, threads: usize, run: &Arc<Run<T>>) -> Result<(), Failure> {
        let (announce, announced) = channel();
        self.announced = announced;
        let next = Arc::new(AtomicUsize::new(0));
        let tasks = self.tasks;
        for _ in 0..threads {
            let (announce, stop, next, run) = (
                announce.clone(),
                self.stop.clone(),
                next.clone(),
                run.clone(),
            );
            let thread = std::thread::Builder::new()
                .name("gls-formats".into())
                .spawn(move || loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    if task >= tasks || stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let (sender, receiver) = sync_channel(AHEAD);
                    if announce.send((task, receiver)).is_err() {
                        return;
                    }
                    run_task(&*run, task, &sender, &stop);
                });
            let thread =
                thread.map_err(|error| Failure::new(Code::Io, format!("a thread: {error}")))?;
            self.threads.push(thread);
        }
        Ok(())
    }
}

fn run_task<T>(
    run: &Run<T>,
    task: usize,
    sender: &SyncSender<Result<T, Failure>>,
    stop: &AtomicBool,
) {
    let mut put = |result| !stop.load(Ordering::Relaxed) && sender.send(Ok(result)).is_ok();
    let done = catch_unwind(AssertUnwindSafe(|| run(task, &mut put)))
        .unwrap_or_else(|panic| Err(Failure::of_panic(&panic)));
    if let Err(failure) = done {
        let _ = sender.send(Err(failure)); // the reader may be gone
    }
}

impl<T: Send + 'static> Iterator for Ordered<T> {
    type Item = Result<T, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some((threads, run)) = self.to_start.take() {
            if let Err(failure) = self.start(threads, &run) {
                self.task = self.tasks;
                return Some(Err(failure));
            }
        }
        while self.task < self.tasks {
            while !self.waiting.contains_key(&self.task) {
                let Ok((task, results)) = self.announced.recv() else {
                    self.task = self.tasks;
                    let words = "the threads that read have ended";
                    return Some(Err(Failure::new(Code::Io, words)));
                };
                self.waiting.insert(task, results);
            }
            match self.waiting[&self.task].recv() {
                Ok(Ok(result)) => return Some(Ok(result)),
                Ok(Err(failure)) => {
                    self.task = self.tasks; // nothing after an error
                    return Some(Err(failure));
                }
                Err(_) => {
                    self.waiting.remove(&self.task);
                    self.task += 1;
                }
            }
        }
        None
    }
}

impl<T> Drop for Ordered<T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.waiting.clear();
        // With it go the receivers in it, so threads that wait to send go on and end.
        self.announced = channel().1;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(task: usize, put: &mut Put<'_, usize>) -> Result<(), Failure> {
        for i in 0..(task * 7) % 5 {
            if task % 3 == 0 {
                std::thread::yield_now();
            }
            if !put(task * 10 + i) {
                return Ok(());
            }
        }
        Ok(())
    }

    #[test]
    fn results_come_in_the_order_of_tasks() {
        let expected: Vec<usize> = (0..100)
            .flat_map(|task| (0..(task * 7) % 5).map(move |i| task * 10 + i))
            .collect();
        for threads in [1, 2, 5] {
            let found: Result<Vec<_>, _> = Ordered::new(100, threads, numbers).collect();
            assert_eq!(found.unwrap(), expected);
        }
        assert_eq!(Ordered::new(0, 3, numbers).count(), 0);
    }

    #[test]
    fn no_thread_runs_before_the_first_result_is_wanted() {
        let ran = Arc::new(AtomicBool::new(false));
        let seen = ran.clone();
        let mut found = Ordered::new(1, 1, move |task, put: &mut Put<'_, usize>| {
            seen.store(true, Ordering::Relaxed);
            put(task);
            Ok(())
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(found.threads.is_empty() && !ran.load(Ordering::Relaxed));
        assert_eq!(found.next().unwrap().unwrap(), 0);
        assert!(ran.load(Ordering::Relaxed) && found.next().is_none());
    }

    #[test]
    fn errors_and_panics_come_in_their_place_and_end_it() {
        for panics in [false, true] {
            let mut found = Ordered::new(50, 3, move |task, put: &mut Put<'_, usize>| {
                if task == 20 && panics {
                    panic!("twenty");
                }
                if task >= 20 {
                    return Err(Failure::new(Code::Io, format!("task {task}")));
                }
                put(task);
                Ok(())
            });
            for task in 0..20 {
                assert_eq!(found.next().unwrap().unwrap(), task);
            }
            let message = found.next().unwrap().unwrap_err().message;
            let expected = if panics {
                "the reader gave up: twenty"
            } else {
                "task 20"
            };
            assert_eq!(message, expected);
            assert!(found.next().is_none());
        }
    }

    #[test]
    fn a_reader_that_goes_away_ends_all_threads() {
        for taken in [0, 1, 50] {
            let endless = |_: usize, put: &mut Put<'_, usize>| {
                while put(1) {}
                Ok(())
            };
            let mut found = Ordered::new(1000, 4, endless);
            for _ in 0..taken {
                found.next().unwrap().unwrap();
            }
            drop(found); // returns only when they have ended
        }
    }
}
