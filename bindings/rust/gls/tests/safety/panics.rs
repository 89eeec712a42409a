//! Closures that panic, or ask to stop: nothing unwinds through the library.

use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use crate::common::{context, ring, ring_builder, TempDir};
use gls::*;

/// The message of the panic in `function`.
fn panic_of<R>(function: impl FnOnce() -> R) -> String {
    let payload = match catch_unwind(AssertUnwindSafe(function)) {
        Ok(_) => panic!("expected a panic"),
        Err(payload) => payload,
    };
    payload.downcast_ref::<&str>().unwrap().to_string()
}

#[test]
fn a_panic_of_a_progress_function_goes_on_after_the_call() {
    let folder = TempDir::new();
    let context = context();
    let mut builder = ring_builder(&context, 1000, 2);
    let path = folder.join("written");
    let said = panic_of(|| {
        let options = WriteOptions::new().progress(|_| panic!("in write"));
        builder.write_with(&path, options)
    });
    assert_eq!(said, "in write");
    assert!(!path.exists());
    // A failed call changed nothing: the builder is as full as before.
    builder.write(&path).unwrap();

    let said = panic_of(|| {
        Dataset::options()
            .verify_checksums(true)
            .progress(|_| panic!("in open"))
            .open(&context, &path)
    });
    assert_eq!(said, "in open");
    let dataset = Dataset::open(&context, &path).unwrap();
    let said = panic_of(|| dataset.verify_with_progress(|_| panic!("in verify")));
    assert_eq!(said, "in verify");
    let copy = folder.join("copy");
    let said =
        panic_of(|| dataset.save_with(&copy, WriteOptions::new().progress(|_| panic!("in save"))));
    assert_eq!(said, "in save");
    assert!(!copy.exists());
    let said = panic_of(|| {
        let options = WriteOptions::new().progress(|_| panic!("in build"));
        ring_builder(&context, 1000, 2)
            .build_with(options)
            .map(drop)
    });
    assert_eq!(said, "in build");
    let parts = folder.join("parts");
    let said = panic_of(|| {
        let options = PartitionOptions::new().parts(2).owners([[0u8; 1000]]);
        dataset.partition(&parts, options.progress(|_| panic!("in partition")))
    });
    assert_eq!(said, "in partition");
    assert!(!parts.exists());
    dataset.verify().unwrap();
}

#[test]
fn a_progress_function_may_ask_to_stop() {
    let folder = TempDir::new();
    let context = context();
    let dataset = ring(&context, 1000, 2);
    let path = folder.join("stopped");
    let mut calls = 0;
    let stop = |_: &Progress<'_>| {
        calls += 1;
        ControlFlow::Break(())
    };
    let error = dataset
        .save_with(&path, WriteOptions::new().progress(stop))
        .unwrap_err();
    assert!(matches!(error, Error::Canceled(_)), "{error:?}");
    assert_eq!(calls, 1);
    assert!(!path.exists());
    dataset.save(&path).unwrap();
    let result = Dataset::options()
        .residency(Residency::All)
        .progress(|_| ControlFlow::Break(()))
        .open(&context, &path);
    assert!(matches!(result, Err(Error::Canceled(_))));
}

struct CountDrops(Arc<AtomicUsize>);

impl Drop for CountDrops {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn log_lines_arrive_and_the_function_is_dropped_once() {
    let drops = Arc::new(AtomicUsize::new(0));
    let lines = Arc::new(AtomicUsize::new(0));
    let (guard, count) = (CountDrops(drops.clone()), lines.clone());
    let context = Context::builder()
        .num_threads(2)
        .log_level(LogLevel::Trace)
        .log(move |level, component, text| {
            let _ = &guard;
            assert!(level <= LogLevel::Trace && !component.is_empty() && !text.is_empty());
            count.fetch_add(1, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    let dataset = ring(&context, 100, 2);
    let folder = TempDir::new();
    dataset.save(folder.join("logged")).unwrap();
    Dataset::open(&context, folder.join("logged")).unwrap();
    assert!(lines.load(Ordering::SeqCst) > 0);
    drop(dataset);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(context);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    let guard = CountDrops(drops.clone());
    let refused = Context::builder()
        .num_threads(u32::MAX)
        .log(move |_, _, _| _ = &guard)
        .build();
    assert!(matches!(refused, Err(Error::InvalidArgument(_))));
    assert_eq!(drops.load(Ordering::SeqCst), 2);
}

#[test]
fn a_panic_of_a_log_function_loses_the_line_only() {
    struct PanicsWhenDropped;
    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let lines = Arc::new(AtomicUsize::new(0));
    let count = lines.clone();
    let guard = PanicsWhenDropped;
    let context = Context::builder()
        .num_threads(2)
        .log_level(LogLevel::Trace)
        .log(move |_, _, _| {
            let _ = &guard;
            count.fetch_add(1, Ordering::SeqCst);
            panic!("in log");
        })
        .build()
        .unwrap();
    let dataset = ring(&context, 100, 2);
    let folder = TempDir::new();
    dataset.save(folder.join("logged")).unwrap();
    Dataset::open(&context, folder.join("logged")).unwrap();
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    assert_eq!(
        sampler
            .loader()
            .batch_size(10)
            .build()
            .unwrap()
            .into_iter()
            .count(),
        10
    );
    assert!(lines.load(Ordering::SeqCst) > 0);
}
