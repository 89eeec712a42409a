//! Batches as a stream, on an executor of a few lines.
#![cfg(feature = "async")]
#![allow(clippy::incompatible_msrv)] // the crate is for older compilers than its tests

mod common;

use std::future::{poll_fn, Future};
use std::pin::{pin, Pin};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Wake};
use std::thread::{self, Thread};

use common::{context, ring};
use futures_core::Stream;
use gls::*;

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

fn next(stream: &mut BatchStream) -> Option<Result<Batch>> {
    block_on(poll_fn(|task| Pin::new(&mut *stream).poll_next(task)))
}

fn rest(stream: &mut BatchStream) -> Vec<Vec<i64>> {
    std::iter::from_fn(|| next(stream))
        .map(|batch| batch.unwrap().node::<i64>().unwrap().to_vec())
        .collect()
}

fn loader(dataset: &Dataset) -> NeighborLoader {
    let sampler = dataset.sampler().fanouts([2]).seed(3).build().unwrap();
    sampler
        .loader()
        .batch_size(10)
        .shuffle(true)
        .build()
        .unwrap()
}

fn nodes(loader: &mut NeighborLoader) -> Vec<Vec<i64>> {
    let nodes = |batch: Result<Batch>| batch.unwrap().node::<i64>().unwrap().to_vec();
    loader.map(nodes).collect()
}

#[test]
fn a_stream_gives_the_batches_of_its_loader() {
    let context = context();
    let dataset = ring(&context, 200, 2);
    let mut expected = loader(&dataset);
    let mut stream = loader(&dataset).into_stream().unwrap();
    assert_eq!(rest(&mut stream), nodes(&mut expected));
    assert!(next(&mut stream).is_none());
    for epoch in [5, 1] {
        stream.seek(epoch);
        assert_eq!(rest(&mut stream), nodes(expected.seek(epoch).unwrap()));
    }
    stream.seek(9);
    stream.seek(2); // the last one counts
    assert_eq!(rest(&mut stream), nodes(expected.seek(2).unwrap()));
}

#[test]
fn a_stream_tells_where_it_stands() {
    let context = context();
    let dataset = ring(&context, 200, 2);
    let mut stream = loader(&dataset).into_stream().unwrap();
    let begin = stream.save().unwrap();
    for _ in 0..7 {
        next(&mut stream).unwrap().unwrap();
    }
    let state = stream.save().unwrap();
    let mut other = loader(&dataset);
    assert_eq!(nodes(other.restore(&state).unwrap()), rest(&mut stream));
    assert_eq!(nodes(other.restore(&begin).unwrap()).len(), 20);
    stream.seek(1);
    assert!(matches!(stream.save(), Err(Error::InvalidState(_))));
}

#[test]
fn a_stream_is_cancelled_and_dropped_at_any_time() {
    let context = context();
    let dataset = ring(&context, 200, 2);
    let mut stream = loader(&dataset).into_stream().unwrap();
    next(&mut stream).unwrap().unwrap();
    let handle = stream.cancel_handle();
    handle.cancel();
    let errors = std::iter::from_fn(|| next(&mut stream)).filter(Result::is_err);
    assert_eq!(errors.count(), 1); // and then it ends
    stream.seek(0);
    assert_eq!(rest(&mut stream).len(), 20);
    drop(stream);
    assert!(!handle.cancel());
    for taken in 0..10 {
        let mut stream = loader(&dataset).into_stream().unwrap();
        for _ in 0..taken {
            next(&mut stream).unwrap().unwrap();
        }
    }
}
