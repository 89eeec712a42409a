//! Batches as a stream, on executors of a few lines.
#![cfg(feature = "async")]
#![allow(clippy::incompatible_msrv)] // the crate is for older compilers than its tests

use std::future::{poll_fn, Future};
use std::pin::{pin, Pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Condvar, Mutex};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::thread::{self, Thread};

use crate::common::{context, ring};
use futures_core::Stream;
use gls::*;

// ---- executors and wakers ----

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut task = TaskContext::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut task) {
            Poll::Ready(out) => return out,
            Poll::Pending => thread::park(),
        }
    }
}

/// Polls the tasks that were woken, all on this thread, until all are done.
fn run_all(mut tasks: Vec<Pin<Box<dyn Future<Output = ()> + '_>>>) {
    struct Woken(usize, mpsc::Sender<usize>);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            let _ = self.1.send(self.0);
        }
    }
    let (sender, woken) = mpsc::channel();
    let waker = |index| Waker::from(Arc::new(Woken(index, sender.clone())));
    let wakers: Vec<_> = (0..tasks.len()).map(waker).collect();
    wakers.iter().for_each(Waker::wake_by_ref);
    let mut left = tasks.len();
    let mut done = vec![false; left];
    while left > 0 {
        let index = woken.recv().unwrap();
        let mut task = TaskContext::from_waker(&wakers[index]);
        if !done[index] && tasks[index].as_mut().poll(&mut task).is_ready() {
            done[index] = true;
            left -= 1;
        }
    }
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Count {
    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn poll(stream: &mut BatchStream, waker: &Waker) -> Poll<Option<Result<Batch>>> {
    Pin::new(stream).poll_next(&mut TaskContext::from_waker(waker))
}

fn next(stream: &mut BatchStream) -> Option<Result<Batch>> {
    block_on(poll_fn(|task| Pin::new(&mut *stream).poll_next(task)))
}

// ---- loaders ----

fn nodes_of(batch: Result<Batch>) -> Vec<i64> {
    batch.unwrap().node::<i64>().unwrap().to_vec()
}

fn rest(stream: &mut BatchStream) -> Vec<Vec<i64>> {
    std::iter::from_fn(|| next(stream)).map(nodes_of).collect()
}

fn nodes(loader: &mut NeighborLoader) -> Vec<Vec<i64>> {
    loader.batches().map(nodes_of).collect()
}

fn loader_of(dataset: &Dataset, seed: u64) -> NeighborLoader {
    let sampler = dataset.sampler().fanouts([2]).seed(seed).build().unwrap();
    sampler
        .loader()
        .batch_size(10)
        .shuffle(true)
        .build()
        .unwrap()
}

fn loader(dataset: &Dataset) -> NeighborLoader {
    loader_of(dataset, 3)
}

/// Keeps the only worker of a context busy until it is opened or dropped: no batch is made.
struct Hold {
    gate: Arc<Gate>,
    dataset: Dataset,
    /// One that waits in vain; dropping it does, too, so that is done when the worker is free.
    stream: BatchStream,
    _busy: BatchStream,
}

/// A waker that blocks, which no real one may do.
#[derive(Default)]
struct Gate {
    state: Mutex<(bool, bool)>, // entered, open
    changed: Condvar,
}

impl Wake for Gate {
    fn wake(self: Arc<Self>) {
        let mut state = self.state.lock().unwrap();
        state.0 = true;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.1).unwrap());
    }
}

impl Hold {
    fn new() -> Self {
        let context = Context::builder().num_threads(1).build().unwrap();
        let dataset = ring(&context, 200, 2);
        // Batches that take their time.
        let sampler = dataset.sampler().fanouts([20, 20]).disjoint(true);
        let sampler = sampler.replace(Replace::Always).build().unwrap();
        let slow = sampler
            .loader()
            .seeds(vec![0i64; 500])
            .batch_size(500)
            .no_columns();
        let mut busy = slow.build().unwrap().into_stream();
        let gate = Arc::new(Gate::default());
        // The batch might be made between two calls.
        for epoch in 0.. {
            busy.seek(epoch).unwrap();
            if poll(&mut busy, &gate.clone().into()).is_pending() {
                break;
            }
        }
        let entered = gate.state.lock().unwrap();
        drop(gate.changed.wait_while(entered, |state| !state.0).unwrap());
        Self {
            gate,
            stream: loader(&dataset).into_stream(),
            dataset,
            _busy: busy,
        }
    }

    fn open(&self) {
        self.gate.state.lock().unwrap().1 = true;
        self.gate.changed.notify_all();
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.open();
    }
}

// ---- tests ----

#[test]
fn a_stream_gives_the_batches_of_its_loader() {
    let context = context();
    let dataset = ring(&context, 200, 2);
    let mut expected = loader(&dataset);
    let mut stream = loader(&dataset).into_stream();
    for epoch in 0..3 {
        assert_eq!(rest(&mut stream), nodes(&mut expected)); // each is the next epoch
        assert_eq!(stream.loader().info().unwrap().epoch, epoch);
    }
    for epoch in [5, 1] {
        stream.seek(epoch).unwrap();
        assert_eq!(rest(&mut stream), nodes(expected.seek(epoch).unwrap()));
    }
    stream.seek(9).unwrap().seek(2).unwrap();
    assert_eq!(rest(&mut stream), nodes(expected.seek(2).unwrap()));
    assert_eq!(stream.loader().info().unwrap().epoch, 2);
}

#[test]
fn a_stream_tells_where_it_stands() {
    let context = context();
    let dataset = ring(&context, 200, 2);
    let mut stream = loader(&dataset).into_stream();
    let begin = stream.save().unwrap();
    for _ in 0..7 {
        next(&mut stream).unwrap().unwrap();
    }
    let state = stream.save().unwrap();
    let mut other = loader(&dataset);
    let left = nodes(other.restore(&state).unwrap());
    assert_eq!(left.len(), 13);
    assert_eq!(rest(&mut stream), left);
    assert_eq!(rest(stream.restore(&state).unwrap()), left);
    assert_eq!(nodes(other.restore(&begin).unwrap()).len(), 20);
    let error = stream.restore("{}").unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
}

#[test]
fn a_stream_is_cancelled_and_dropped_at_any_time() {
    let context = context();
    let dataset = ring(&context, 200, 2);
    let mut stream = loader(&dataset).into_stream();
    next(&mut stream).unwrap().unwrap();
    let handle = stream.cancel_handle();
    handle.cancel();
    let errors = std::iter::from_fn(|| next(&mut stream)).filter(Result::is_err);
    assert_eq!(errors.count(), 1); // and then it ends
    stream.seek(0).unwrap();
    assert_eq!(rest(&mut stream).len(), 20);
    drop(stream);
    assert!(!handle.cancel());
    for taken in 0..10 {
        let mut stream = loader(&dataset).into_stream();
        for _ in 0..taken {
            next(&mut stream).unwrap().unwrap();
        }
        let _ = poll(&mut stream, &Arc::new(Count::default()).into());
    }
}

#[test]
fn many_streams_share_a_thread() {
    let context = context();
    let dataset = ring(&context, 200, 2);
    let done = AtomicUsize::new(0);
    let task = |seed| {
        let (dataset, done) = (&dataset, &done);
        let future: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async move {
            let mut stream = loader_of(dataset, seed).into_stream();
            let mut expected = loader_of(dataset, seed);
            for epoch in 0..3 {
                stream.seek(epoch).unwrap();
                expected.seek(epoch).unwrap();
                while let Some(batch) = poll_fn(|t| Pin::new(&mut stream).poll_next(t)).await {
                    assert_eq!(nodes_of(batch), nodes_of(expected.next().unwrap()));
                }
                assert!(expected.next().is_none());
            }
            done.fetch_add(1, Ordering::SeqCst);
        });
        future
    };
    run_all((0..64).map(task).collect());
    assert_eq!(done.load(Ordering::SeqCst), 64);
}

#[test]
fn the_waker_of_the_last_poll_is_woken() {
    let mut hold = Hold::new();
    let (first, last) = (Arc::new(Count::default()), Arc::new(Count::default()));
    assert!(poll(&mut hold.stream, &first.clone().into()).is_pending());
    for _ in 0..3 {
        assert!(poll(&mut hold.stream, &last.clone().into()).is_pending());
    }
    assert_eq!(Arc::strong_count(&first), 1); // let go of
    assert_eq!(last.get(), 0); // a task that is polled again does not wake itself
    hold.open();
    assert_eq!(rest(&mut hold.stream), nodes(&mut loader(&hold.dataset)));
    drop(hold);
    assert_eq!(first.get(), 0);
    assert!(last.get() <= 1); // `rest` may have been there first
    assert_eq!(Arc::strong_count(&last), 1);
}

#[test]
fn dropping_a_waiting_stream_wakes_nobody() {
    let hold = Hold::new();
    let mut stream = loader(&hold.dataset).into_stream();
    let waker = Arc::new(Count::default());
    assert!(poll(&mut stream, &waker.clone().into()).is_pending());
    // Dropping waits for the worker, which is held.
    let dropping = thread::spawn(move || drop(stream));
    while Arc::strong_count(&waker) > 1 {
        thread::yield_now();
    }
    hold.open();
    dropping.join().unwrap();
    assert_eq!(waker.get(), 0);
}

#[test]
fn cancelling_and_seeking_wake_the_task() {
    let mut hold = Hold::new();
    let mut stream = loader(&hold.dataset).into_stream();
    let handle = stream.cancel_handle();
    let waiting = thread::spawn(move || (next(&mut stream), stream));
    // It may not be waiting yet: then it finds the loader cancelled.
    let canceller = thread::spawn(move || handle.cancel());
    assert!(canceller.join().unwrap());
    let (item, stream) = waiting.join().unwrap();
    hold.stream = stream;
    assert!(matches!(item, Some(Err(Error::Canceled(_)))));
    assert!(next(&mut hold.stream).is_none());

    hold.stream.seek(0).unwrap();
    let waker = Arc::new(Count::default());
    assert!(poll(&mut hold.stream, &waker.clone().into()).is_pending());
    let handle = hold.stream.cancel_handle();
    thread::spawn(move || handle.cancel()).join().unwrap();
    assert_eq!(waker.get(), 1);
    let item = poll(&mut hold.stream, &waker.clone().into());
    assert!(matches!(item, Poll::Ready(Some(Err(Error::Canceled(_))))));

    hold.stream.seek(1).unwrap();
    assert!(poll(&mut hold.stream, &waker.clone().into()).is_pending());
    hold.stream.seek(2).unwrap();
    assert_eq!(waker.get(), 2);
    hold.open();
    let mut expected = loader(&hold.dataset);
    assert_eq!(rest(&mut hold.stream), nodes(expected.seek(2).unwrap()));
}

#[test]
fn a_waker_that_panics_harms_nobody() {
    #[derive(Default)]
    struct Panics(AtomicUsize);
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
            panic!("in wake");
        }
    }
    let mut hold = Hold::new();
    let waker = Arc::new(Panics::default());
    assert!(poll(&mut hold.stream, &waker.clone().into()).is_pending());
    hold.open();
    while waker.0.load(Ordering::SeqCst) == 0 {
        thread::yield_now();
    }
    assert_eq!(rest(&mut hold.stream), nodes(&mut loader(&hold.dataset)));
    // Also on the thread that seeks.
    let mut hold = Hold::new();
    assert!(poll(&mut hold.stream, &waker.clone().into()).is_pending());
    hold.stream.seek(1).unwrap();
    assert_eq!(waker.0.load(Ordering::SeqCst), 2);
}

/// The executor is gone, and so the waker is the last to own the task, and the task its stream.
#[test]
fn a_waker_may_drop_its_stream() {
    #[derive(Default)]
    struct Task(Mutex<Option<BatchStream>>);
    impl Wake for Task {
        fn wake(self: Arc<Self>) {}
    }
    let hold = Hold::new();
    let task = Arc::new(Task::default());
    let mut stream = loader(&hold.dataset).into_stream();
    let handle = stream.cancel_handle();
    assert!(poll(&mut stream, &task.clone().into()).is_pending());
    *task.0.lock().unwrap() = Some(stream);
    let alive = Arc::downgrade(&task);
    drop(task);
    hold.open();
    while alive.strong_count() > 0 || handle.cancel() {
        thread::yield_now();
    }
    // The worker was not left waiting for itself.
    assert_eq!(nodes(&mut loader(&hold.dataset)).len(), 20);
}
