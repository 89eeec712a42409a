//! Memory stays flat. In a program of its own with one test, as it looks at the whole process.

mod common;

use std::path::Path;

use common::{context, resident, ring, TempDir};
use gls::*;

/// Does `again` so often before it looks, and then so often more.
fn stays_flat(what: &str, warm: usize, count: usize, mut again: impl FnMut()) {
    (0..warm).for_each(|_| again());
    let before = resident();
    (0..count).for_each(|_| again());
    let more = resident().saturating_sub(before);
    assert!(more < 4 << 20, "{more} bytes more after {count} {what}");
}

fn cycle(context: &Context, path: &Path) {
    let dataset = Dataset::open(context, path).unwrap();
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let mut loader = sampler.loader().batch_size(8).build().unwrap();
    let batch = loader.next().unwrap().unwrap();
    let tensor = batch.tensor(BatchArray::NodeColumn, None, "x").unwrap();
    let error = Dataset::open(context, "/no/such/folder").unwrap_err();
    assert!(error.details().count() > 0);
    drop(loader);
    assert!(!tensor.is_empty());
}

#[test]
fn batches_and_objects_leave_nothing_behind() {
    let folder = TempDir::new();
    let path = folder.join("ring");
    let context = context();
    let dataset = ring(&context, 1000, 2);
    dataset.save(&path).unwrap();

    // 100 epochs of 1000 batches.
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let loader = || sampler.loader().batch_size(1).shuffle(true);
    let mut epoch = 0;
    let mut batches = loader().build().unwrap();
    stays_flat("epochs of 1000 batches", 10, 100, || {
        epoch += 1;
        for batch in batches.seek(epoch).unwrap() {
            let batch = batch.unwrap();
            let x = batch.tensor(BatchArray::NodeColumn, None, "x").unwrap();
            assert_eq!(x.len(), batch.node::<i64>().unwrap().len());
        }
    });
    #[cfg(feature = "async")]
    {
        let mut stream = loader().build().unwrap().into_stream();
        stays_flat("epochs of a stream", 2, 10, || {
            epoch += 1;
            stream.seek(epoch).unwrap();
            assert_eq!(drain(&mut stream), 1000);
        });
    }

    stays_flat("cycles", 1000, 9000, || cycle(&context, &path));
    stays_flat("contexts", 50, 500, || {
        let context = Context::builder().num_threads(1).log(|_, _, _| ()).build();
        cycle(&context.unwrap(), &path);
    });
}

/// Counts the batches left; it waits by asking again and again.
#[cfg(feature = "async")]
fn drain(stream: &mut BatchStream) -> usize {
    use std::task::{Context, Poll, Wake};
    struct Nobody;
    impl Wake for Nobody {
        fn wake(self: std::sync::Arc<Self>) {}
    }
    let waker = std::sync::Arc::new(Nobody).into();
    let mut count = 0;
    loop {
        let stream = std::pin::Pin::new(&mut *stream);
        match futures_core::Stream::poll_next(stream, &mut Context::from_waker(&waker)) {
            Poll::Ready(Some(batch)) => count += usize::from(batch.is_ok()),
            Poll::Ready(None) => return count,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}
