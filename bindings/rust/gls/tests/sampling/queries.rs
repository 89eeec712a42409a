//! Questions about the graph, and batches by number.

use crate::common::{context, ring};
use gls::*;

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, argument: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    assert_eq!(error.detail("argument"), Some(argument), "{error:?}");
}

#[test]
fn ends_of_edges() {
    let dataset = ring(&context(), 10, 3); // edge 3 v + j goes from v + 1 + j to v
    let (source, target) = dataset.find_edges(None, &[29i32, 0, 4, 4]).unwrap();
    assert_eq!(source.as_slice::<i64>().unwrap(), [2, 1, 3, 3]);
    assert_eq!(target.as_slice::<i64>().unwrap(), [9, 0, 1, 1]);
    let (source, _) = dataset.find_edges("node__to__node", &[0i64; 0]).unwrap();
    assert_eq!(source.shape(), [0]);
    refused(dataset.find_edges(None, &[0i64, 30]), "edges");
    assert!(matches!(
        dataset.find_edges("a__b__c", &[0i64]),
        Err(Error::NotFound(_))
    ));
}

#[test]
fn edges_between_nodes() {
    let dataset = ring(&context(), 10, 3);
    let found = dataset
        .has_edges(None, &[1i64, 3, 4, 0, 0, 5], &[0i32, 0, 0, 9, 1, 5])
        .unwrap();
    assert_eq!(found, [true, true, false, true, false, false]);
    refused(dataset.has_edges(None, &[1i64, 2], &[1i64]), "target");
    refused(dataset.has_edges(None, &[-1i64], &[1i64]), "source");
}

#[test]
fn degrees() {
    let dataset = ring(&context(), 10, 3);
    let all = dataset.all_degrees(None, Direction::Out).unwrap();
    assert_eq!(all.as_slice::<i64>().unwrap(), [3; 10]);
    let some = dataset.degrees(None, Direction::In, &[9i64, 0]).unwrap();
    assert_eq!(some.as_slice::<i64>().unwrap(), [3, 3]);
    refused(dataset.degrees(None, Direction::In, &[10i64]), "nodes");
}

#[test]
fn rows_and_owners() {
    let dataset = ring(&context(), 10, 3);
    let all = dataset
        .rows(None, "x", &(0..10).collect::<Vec<i64>>())
        .unwrap();
    let some = dataset.rows("node", "x", &[4i32, 0, 4]).unwrap();
    let width = all.shape()[1];
    assert_eq!(some.shape(), [3, width]);
    let (all, some) = (
        all.as_slice::<f32>().unwrap(),
        some.as_slice::<f32>().unwrap(),
    );
    assert_eq!(some[..width], all[4 * width..5 * width]);
    assert_eq!(some[width..2 * width], all[..width]);
    assert_ne!(some[..width], some[width..2 * width]);
    refused(dataset.rows(None, "x", &[0i64, 10]), "ids");
    assert!(matches!(
        dataset.rows(None, "none", &[0i64]),
        Err(Error::NotFound(_))
    ));
    let owners = dataset.owners("node__to__node", &[29i64, 0]).unwrap();
    assert_eq!(owners.as_slice::<i32>().unwrap(), [0, 0]);
    refused(dataset.owners(None, &[10i64]), "ids");
}

#[test]
fn shares_of_what_is_in_no_parts() {
    let dataset = ring(&context(), 10, 3);
    let some = dataset.share_ids(None, &[4i32, 0, 4], 0, 2, None).unwrap();
    assert_eq!(some.as_slice::<i64>().unwrap(), [4, 0]);
    let placed = dataset.share_all_ids("node", 1, 4, Some(&[0; 4])).unwrap();
    assert_eq!(placed.as_slice::<i64>().unwrap(), [3, 4, 5]);
    let edges = dataset.share_all_ids("node__to__node", 7, 8, None).unwrap();
    assert_eq!(edges.as_slice::<i64>().unwrap(), [27, 28, 29]);
    refused(dataset.share_ids(None, &[10i64], 0, 1, None), "ids");
    refused(dataset.share_all_ids(None, 2, 2, None), "rank");
    refused(dataset.share_all_ids(None, 0, 0, None), "world_size");
    refused(dataset.share_all_ids(None, 0, 1, Some(&[1])), "rank_parts");
    refused(dataset.share_all_ids(None, 0, 1, Some(&[])), "rank_parts");
    assert!(matches!(
        dataset.share_all_ids("none", 0, 1, None),
        Err(Error::NotFound(_))
    ));
}

fn image(batch: &Batch) -> (u64, u64, Vec<i64>, Vec<i64>, Vec<f32>) {
    let info = batch.info().unwrap();
    (
        info.epoch,
        info.batch,
        batch.node::<i64>().unwrap().to_vec(),
        batch.row::<i64>().unwrap().to_vec(),
        batch.column("x").unwrap().as_slice().unwrap().to_vec(),
    )
}

#[test]
fn batches_by_number() {
    let dataset = ring(&context(), 100, 5);
    let sampler = dataset.sampler().fanouts([3, 2]).seed(1).build().unwrap();
    let options = || sampler.loader().batch_size(32).shuffle(true);
    let mut whole = options().build().unwrap();
    let half = options().trainer(1, 2).build().unwrap();
    let expected: Vec<Vec<_>> = (0..2)
        .map(|epoch| {
            let batches = whole.seek(epoch).unwrap();
            batches
                .batches()
                .map(|batch| image(&batch.unwrap()))
                .collect()
        })
        .collect();
    assert_eq!(half.info().unwrap().num_global_batches, 4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (epoch, batch) in [(1, 3), (0, 0), (1, 0), (0, 3)] {
                    let found = half.sample(epoch, batch).unwrap();
                    assert_eq!(image(&found), expected[epoch as usize][batch as usize]);
                }
            });
        }
    });
    assert_eq!(half.stats().unwrap().batches, 0);
    refused(half.sample(0, 4), "batch");
}
