//! Forked children: what was made before the fork answers InvalidState, may be dropped, and the child
//! may start anew. A program of its own with one test, as a child has only the thread that forked.
#![cfg(unix)]

mod common;

use std::fmt::Debug;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;

use common::{ring, ring_builder};
use gls::*;

extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn alarm(seconds: u32) -> u32;
    fn _exit(status: i32) -> !;
}

/// Runs `child` in a forked process and expects it to end well, and at all.
fn in_child(child: impl FnOnce()) {
    // SAFETY: no thread of this program holds a lock that the child needs: the others are those of
    // the library, and one of the test harness that waits.
    let pid = unsafe { fork() };
    assert!(pid >= 0);
    if pid == 0 {
        // SAFETY: takes a number.
        unsafe { alarm(60) };
        panic::set_hook(Box::new(|info| {
            let _ = writeln!(std::io::stderr(), "in the child: {info}");
        }));
        let result = panic::catch_unwind(AssertUnwindSafe(child));
        // SAFETY: takes a number.
        unsafe { _exit(i32::from(result.is_err())) }
    }
    let mut status = -1;
    // SAFETY: writes a number.
    assert_eq!(unsafe { waitpid(pid, &mut status, 0) }, pid);
    assert_eq!(status, 0, "the child failed");
}

struct Objects {
    context: Context,
    dataset: Dataset,
    builder: DatasetBuilder,
    sampler: Sampler,
    loader: NeighborLoader,
    #[cfg(feature = "async")]
    stream: BatchStream,
    table: Table,
    batch: Batch,
    of_batch: Tensor,
    of_dataset: Tensor,
    error: Error,
}

fn make() -> Objects {
    let context = Context::builder().num_threads(2).build().unwrap();
    let dataset = ring(&context, 200, 4);
    let sampler = dataset.sampler().fanouts([2, 2]).build().unwrap();
    let loader = || sampler.loader().batch_size(10).build().unwrap();
    let mut started = loader();
    let batch = started.next().unwrap().unwrap();
    Objects {
        builder: ring_builder(&context, 10, 1),
        of_batch: batch.tensor(BatchArray::Node, None, None).unwrap(),
        of_dataset: dataset.node_column(None, "y").unwrap(),
        error: Dataset::open(&context, "/no/such/folder").unwrap_err(),
        #[cfg(feature = "async")]
        stream: {
            let mut stream = loader().into_stream();
            let _ = poll(&mut stream); // work has begun, and the waker may be promised a call
            stream
        },
        table: dataset.table(None, "e", &TableOptions::new(2)).unwrap(),
        batch,
        loader: started,
        sampler,
        dataset,
        context,
    }
}

fn refused<T: Debug>(result: Result<T>) {
    match result {
        Err(Error::InvalidState(info)) => assert!(info.message().contains("fork"), "{info:?}"),
        other => panic!("expected InvalidState, got {other:?}"),
    }
}

#[cfg(feature = "async")]
fn poll(stream: &mut BatchStream) -> std::task::Poll<Option<Result<Batch>>> {
    use futures_core::Stream;
    struct Nobody;
    impl std::task::Wake for Nobody {
        fn wake(self: std::sync::Arc<Self>) {}
    }
    let waker = std::sync::Arc::new(Nobody).into();
    std::pin::Pin::new(stream).poll_next(&mut std::task::Context::from_waker(&waker))
}

fn refuse_everything(mut all: Objects) {
    refused(all.context.get("threads"));
    refused(all.context.set("threads", "1"));
    refused(Dataset::open(&all.context, "/"));
    refused(DatasetBuilder::new(&all.context));
    refused(all.builder.add_node_type("a", 2, Ids::Dense).map(drop));
    refused(all.builder.write("/no/such/folder"));
    refused(all.builder.build());

    refused(all.dataset.node_types());
    refused(all.dataset.node_column(None, "x"));
    refused(all.dataset.find_node(None, "1"));
    refused(all.dataset.verify());
    refused(all.dataset.sampler().fanouts([1]).build());

    refused(all.sampler.sample(&[0i64]));
    refused(all.sampler.loader().build());
    refused(all.loader.info());
    refused(all.loader.stats());
    refused(all.loader.save());
    refused(all.loader.seek(0).map(drop));
    refused(all.loader.restore("{}").map(drop));
    assert!(all.loader.cancel_handle().cancel());
    refused(all.loader.next().unwrap());
    assert!(all.loader.next().is_none());
    #[cfg(feature = "async")]
    {
        match poll(&mut all.stream) {
            std::task::Poll::Ready(Some(item)) => refused(item),
            other => panic!("expected an error, got {other:?}"),
        }
        assert!(matches!(
            poll(&mut all.stream),
            std::task::Poll::Ready(None)
        ));
        refused(all.stream.seek(0).map(drop));
    }
    refused(all.table.info());
    refused(all.table.rows(&[0i64]));
    refused(all.table.save("/no/such/folder"));
    refused(all.batch.info());
    refused(all.batch.node::<i64>());

    // Tensors and errors are the child's own.
    assert_eq!(all.of_batch.as_slice::<i64>().unwrap()[3], 3);
    assert_eq!(all.of_dataset.as_slice::<i64>().unwrap()[3], 30);
    assert!(matches!(all.error, Error::NotFound(_)));
    assert!(all.error.detail("file").is_some());
}

fn sample_anew() -> Vec<i64> {
    let mut all = make();
    let batches = all.loader.seek(3).unwrap();
    batches
        .batches()
        .flat_map(|batch| batch.unwrap().node::<i64>().unwrap().to_vec())
        .collect()
}

#[test]
fn objects_of_before_a_fork_are_refused_and_dropped() {
    let mut all = make();
    let expected = sample_anew();
    for _ in 0..10 {
        in_child(|| {
            // SAFETY: the child never returns to where its copy of `all` would be dropped again.
            refuse_everything(unsafe { ptr::read(&all) });
            assert_eq!(sample_anew(), expected);
            in_child(|| assert_eq!(sample_anew(), expected));
        });
        all.loader.next().unwrap().unwrap(); // workers are at work
    }
    // The parent goes on.
    assert_eq!(
        std::iter::from_fn(|| all.loader.next())
            .map(Result::unwrap)
            .count(),
        9
    );
    all.builder.build().unwrap();
}
