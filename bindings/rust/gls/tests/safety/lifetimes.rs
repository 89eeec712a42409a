//! Objects dropped in any order, batches and tensors that outlive the rest, cancelling, threads.

use std::any::Any;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::common::{context, ring};
use gls::*;

/// All orders of `n` things (Heap's algorithm).
fn permutations(n: usize) -> Vec<Vec<usize>> {
    fn rest(k: usize, order: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
        if k <= 1 {
            out.push(order.clone());
            return;
        }
        for i in 0..k {
            rest(k - 1, order, out);
            order.swap(if k % 2 == 0 { i } else { 0 }, k - 1);
        }
    }
    let mut out = Vec::new();
    rest(n, &mut (0..n).collect(), &mut out);
    out
}

#[test]
fn objects_may_be_dropped_in_any_order() {
    let orders = permutations(6);
    assert_eq!(orders.len(), 720);
    for order in orders {
        let context = Context::builder().num_threads(1).build().unwrap();
        let dataset = ring(&context, 8, 2);
        let sampler = dataset.sampler().fanouts([2]).build().unwrap();
        let mut loader = sampler.loader().batch_size(2).build().unwrap();
        let batch = loader.next().unwrap().unwrap();
        let tensor = batch.tensor(BatchArray::NodeColumn, None, "x").unwrap();
        let mut objects: Vec<Option<Box<dyn Any>>> = vec![
            Some(Box::new(context)),
            Some(Box::new(dataset)),
            Some(Box::new(sampler)),
            Some(Box::new(loader)),
            Some(Box::new(batch)),
            Some(Box::new(tensor)),
        ];
        for index in order {
            objects[index] = None;
        }
    }
}

#[test]
fn batches_and_tensors_outlive_everything() {
    let (batch, tensor, column) = {
        let context = context();
        let dataset = ring(&context, 50, 2);
        let sampler = dataset.sampler().fanouts([2, 2]).build().unwrap();
        let mut loader = sampler.loader().batch_size(5).build().unwrap();
        let first = loader.next().unwrap().unwrap();
        let tensor = first.tensor(BatchArray::NodeColumn, None, "x").unwrap();
        let column = dataset.node_column(None, "y").unwrap();
        (loader.next().unwrap().unwrap(), tensor, column)
    };
    assert_eq!(&batch.node::<i64>().unwrap()[..5], [5, 6, 7, 8, 9]);
    assert_eq!(tensor.view().row::<f32>(3).unwrap(), [3.0, 3.25, -3.0]);
    assert_eq!(column.as_slice::<i64>().unwrap()[7], 70);
    // Also on another thread.
    let sum = thread::spawn(move || tensor.as_slice::<f32>().unwrap().iter().sum::<f32>());
    assert!(sum.join().unwrap().is_finite());
}

#[test]
fn a_cancelled_loader_says_so_until_it_is_sought() {
    let context = context();
    let dataset = ring(&context, 100, 2);
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let mut loader = sampler.loader().batch_size(5).build().unwrap();
    let handle = loader.cancel_handle();
    loader.next().unwrap().unwrap();
    assert!(handle.clone().cancel());
    assert!(matches!(loader.next(), Some(Err(Error::Canceled(_)))));
    assert!(loader.next().is_none()); // and not the same error for ever
    assert!(matches!(loader.next_batch(None), Err(Error::Canceled(_))));
    assert_eq!(
        loader
            .seek(0)
            .unwrap()
            .batches()
            .map(Result::unwrap)
            .count(),
        20
    );
    let state = loader.seek(1).unwrap().save().unwrap();
    handle.cancel();
    assert!(loader.next().unwrap().is_err());
    assert_eq!(loader.restore(&state).unwrap().batches().count(), 20);
    drop(loader);
    assert!(!handle.cancel());
}

#[test]
fn cancelling_from_another_thread_ends_the_iteration() {
    let context = context();
    let dataset = ring(&context, 1000, 2);
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let mut loader = sampler.loader().batch_size(1).build().unwrap();
    let handle = loader.cancel_handle();
    let (sender, receiver) = mpsc::channel();
    let worker = thread::spawn(move || {
        let mut epoch = 0;
        loop {
            for batch in loader.seek(epoch).unwrap() {
                match batch {
                    Ok(_) => {
                        let _ = sender.send(());
                    }
                    Err(error) => return error,
                }
            }
            epoch += 1;
        }
    });
    receiver.recv().unwrap();
    // A seek may end the cancelled state before it was seen: cancel until it is.
    while !worker.is_finished() {
        handle.cancel();
        thread::sleep(Duration::from_millis(1));
    }
    assert!(matches!(worker.join().unwrap(), Error::Canceled(_)));
}

#[test]
fn a_loader_is_dropped_while_others_cancel_it() {
    let context = context();
    let dataset = ring(&context, 100, 2);
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    for taken in 0..100 {
        let loader = sampler.loader().batch_size(5).build().unwrap();
        let handle = loader.cancel_handle();
        thread::scope(|scope| {
            for _ in 0..2 {
                let handle = handle.clone();
                // Not until it is gone: two that never stop might keep it for each other.
                scope.spawn(move || (0..200).take_while(|_| handle.cancel()).count());
            }
            // Batches, or that it was cancelled; then it is dropped.
            scope.spawn(move || loader.into_iter().take(taken % 10).count());
        });
        assert!(!handle.cancel());
    }
}

#[test]
fn a_batch_is_read_by_several_threads() {
    let context = context();
    let dataset = ring(&context, 100, 2);
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let batch = sampler.loader().build().unwrap().next().unwrap().unwrap();
    let x = batch.column("x").unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(x.row::<f32>(9).unwrap()[0], 9.0));
            scope.spawn(|| assert_eq!(batch.node::<i64>().unwrap()[9], 9));
        }
    });
}
