//! Functions that change the batches of a loader before they are handed out.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::{context, ring};
use gls::*;

fn sampler(context: &Context) -> Sampler {
    let dataset = ring(context, 100, 3);
    dataset.sampler().fanouts([2]).seed(7).build().unwrap()
}

#[test]
fn arrays_are_written_and_attached() {
    let context = context();
    let sampler = sampler(&context);
    let build = || sampler.loader().batch_size(9).shuffle(true);
    let mut loader = build()
        .transform(|batch| -> Result<()> {
            let info = batch.info()?;
            for value in batch.column_mut::<f32>("x")? {
                *value = -*value;
            }
            let twice: Vec<i64> = batch.node::<i64>()?.iter().map(|id| 2 * id).collect();
            batch.attach("twice", twice)?;
            batch.attach("where", vec![info.epoch, info.batch])?;
            assert!(matches!(
                batch.attach("where", vec![1i64]),
                Err(Error::AlreadyExists(_))
            ));
            assert!(matches!(
                batch.attach("", vec![1i64]),
                Err(Error::InvalidArgument(_))
            ));
            Ok(())
        })
        .build()
        .unwrap();
    let plain: Vec<Batch> = build()
        .build()
        .unwrap()
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(plain.len(), 12);
    for (number, expected) in plain.iter().enumerate() {
        let mut batch = loader.next().unwrap().unwrap();
        let again = loader.sample(0, number as u64).unwrap();
        for batch in [&batch, &again] {
            assert_eq!(batch.info().unwrap().batch, number as u64);
            let x: &[f32] = batch.column("x").unwrap().as_slice().unwrap();
            let was: &[f32] = expected.column("x").unwrap().as_slice().unwrap();
            assert!(x.iter().zip(was).all(|(x, was)| *x == -*was) && x.len() == was.len());
            let twice = batch.attached("twice").unwrap();
            let node = expected.node::<i64>().unwrap();
            assert!(twice
                .as_slice::<i64>()
                .unwrap()
                .iter()
                .zip(node)
                .all(|(t, n)| *t == 2 * n));
            let place = batch.attached("where").unwrap();
            assert_eq!(place.as_slice::<u64>().unwrap(), [0, number as u64]);
        }
        let arrays = batch.arrays().unwrap();
        let last = arrays.last().unwrap();
        assert_eq!((last.array, last.type_name), (BatchArray::Attached, ""));
        assert_eq!(last.column, Some("where"));
        assert!(matches!(batch.attached("none"), Err(Error::NotFound(_))));
        assert!(matches!(
            expected.attached("twice"),
            Err(Error::NotFound(_))
        ));
        // Attached arrays may be shown elsewhere.
        let refused = batch.slice_mut::<i64>(BatchArray::Attached, None, "twice");
        assert!(matches!(refused, Err(Error::Unsupported(_))));
        batch.column_mut::<f32>("x").unwrap()[0] = 5.0;
    }
    assert!(loader.next().is_none());
}

#[test]
fn errors_and_panics_fail_their_batch() {
    let context = context();
    let sampler = sampler(&context);
    let loader = sampler
        .loader()
        .batch_size(10)
        .transform(
            |batch| -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
                match batch.info()?.batch {
                    1 => Err("some words".into()),
                    2 => panic!("in batch {}", 2),
                    3 => std::panic::panic_any(3),
                    4 => Err(batch.column("none").unwrap_err().into()),
                    5 => Err("é\0".repeat(2000).into()),
                    6 => Err(batch.attach("", vec![0i64]).unwrap_err().into()),
                    _ => Ok(()),
                }
            },
        )
        .build()
        .unwrap();
    let items: Vec<_> = loader.into_iter().collect();
    assert_eq!(items.len(), 10);
    for (number, item) in items.iter().enumerate() {
        let error = match item {
            Ok(_) => {
                assert!(!(1..=6).contains(&number));
                continue;
            }
            Err(error) => error,
        };
        assert_eq!(error.detail("batch"), Some(number.to_string().as_str()));
        assert_eq!(error.detail("epoch"), Some("0"));
        let words = [
            "",
            "some words",
            "panicked: in batch 2",
            "no text",
            "none",
            "é ",
            "",
        ][number];
        assert!(error.message().contains(words), "{error}");
        match number {
            4 => assert!(matches!(error, Error::NotFound(_))),
            _ => assert!(matches!(error, Error::InvalidArgument(_))),
        }
    }
}

/// An error that says that the loader is over, of one batch alone.
#[test]
fn a_cancelled_batch_is_not_the_end() {
    let context = context();
    let sampler = sampler(&context);
    let loader = sampler
        .loader()
        .batch_size(50)
        .transform(|_| -> Result<()> {
            let context = self::context();
            let mut other = self::sampler(&context).loader().build()?;
            other.cancel_handle().cancel();
            other.next().unwrap().map(drop)
        })
        .build()
        .unwrap();
    let items: Vec<_> = loader.into_iter().collect();
    assert_eq!(items.len(), 2);
    assert!(items
        .iter()
        .all(|item| matches!(item, Err(Error::Canceled(_)))));
}

/// What is kept of a batch may be read by others: then none may be written any more.
#[test]
fn tensors_that_are_kept_cannot_be_written() {
    let context = context();
    let sampler = sampler(&context);
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keeps = kept.clone();
    let loader = sampler
        .loader()
        .batch_size(50)
        .transform(move |batch| -> Result<()> {
            keeps
                .lock()
                .unwrap()
                .push(batch.tensor(BatchArray::NodeColumn, None, "x")?);
            Ok(())
        })
        .build()
        .unwrap();
    let batches: Vec<_> = loader.into_iter().map(Result::unwrap).collect();
    for mut batch in batches {
        let refused = batch.column_mut::<f32>("x");
        assert!(matches!(refused, Err(Error::InvalidState(_))));
    }
    assert_eq!(kept.lock().unwrap().len(), 2);
}

struct Counts(Arc<AtomicUsize>);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn the_function_is_dropped_once() {
    let context = context();
    let sampler = sampler(&context);
    for fails in [false, true] {
        let drops = Arc::new(AtomicUsize::new(0));
        let counts = Counts(drops.clone());
        let builder = sampler
            .loader()
            .batch_size(5)
            .transform(move |_| -> Result<()> {
                let _ = &counts;
                Ok(())
            });
        if fails {
            assert!(builder.id_set("none").build().is_err());
        } else {
            let mut loader = builder.build().unwrap();
            let batch = loader.next().unwrap().unwrap();
            assert_eq!(drops.load(Ordering::SeqCst), 0);
            drop(loader);
            drop(batch);
        }
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn rows_of_labels() {
    let context = context();
    let sampler = sampler(&context);
    let labels: Vec<i16> = (0..300 * 4).collect();
    let labels = Tensor::from_vec_with_shape(labels, &[300, 2, 2]).unwrap();
    let loader = sampler.loader().links("node__to__node").labels(labels);
    for batch in loader.batch_size(64).shuffle(true).build().unwrap() {
        let batch = batch.unwrap();
        let links = batch.edges(None).input_id().unwrap();
        let view = batch.view(BatchArray::LinkLabel, None, None).unwrap();
        assert_eq!(view.shape(), [links.len(), 2, 2]);
        let expected = links
            .iter()
            .flat_map(|&link| (0..4).map(move |c| (4 * link + c) as i16));
        assert!(view.as_slice::<i16>().unwrap().iter().copied().eq(expected));
    }
}
