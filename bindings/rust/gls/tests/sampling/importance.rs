//! Importance neighbours and personalised PageRank through samplers and loaders.

use crate::common::{context, ring};
use gls::*;

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, argument: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    assert_eq!(error.detail("argument"), Some(argument), "{error:?}");
}

#[test]
fn importance_counts_visits() {
    let dataset = ring(&context(), 50, 3); // node v has edges from v + 1, v + 2, v + 3
    let wanted = Importance::of(9).walks(20).traversals(1);
    let sampler = dataset.sampler().importance(wanted).build().unwrap();
    let batch = sampler.sample(&[7i64, 30, 7]).unwrap();
    assert_eq!(batch.num_sampled_nodes().unwrap(), [2, 6]);
    let node = batch.node::<i64>().unwrap();
    let scores = batch.near_score().unwrap();
    let mut visits = [0.0; 2];
    let seeds = batch.near_seed::<i64>().unwrap();
    for (i, &seed) in seeds.iter().enumerate() {
        let near = node[batch.near_node::<i64>().unwrap()[i] as usize];
        assert!((1..=3).contains(&(near - node[seed as usize])));
        let row = scores.row::<f32>(i).unwrap();
        assert_eq!(row[0], row[1] / 20.0);
        visits[seed as usize] += row[1];
    }
    assert_eq!(visits, [20.0, 20.0]);
    assert!(batch.row::<i64>().unwrap().is_empty());
    assert!(matches!(batch.walk(), Err(Error::NotFound(_))));
}

#[test]
fn loaders_push() {
    let dataset = ring(&context(), 50, 3);
    let sampler = dataset.sampler().ppr(Ppr::of(4)).build().unwrap();
    let mut loader = sampler.loader().batch_size(20).build().unwrap();
    let mut seen = 0;
    for batch in loader.seek(0).unwrap() {
        let batch = batch.unwrap();
        let node = batch.node::<i64>().unwrap();
        assert_eq!(batch.column("x").unwrap().shape(), [node.len(), 3]);
        let near = batch.near_node::<i64>().unwrap();
        for (i, &seed) in batch.near_seed::<i64>().unwrap().iter().enumerate() {
            let row = batch.near_score().unwrap().row::<f32>(i).unwrap().to_vec();
            if i % 4 == 0 {
                assert_eq!(near[i], seed); // a seed is the first of its own neighbours
                assert_eq!(row[1], 1.0);
                seen += 1;
            } else {
                assert_eq!(row[1], 0.5);
            }
        }
    }
    assert_eq!(seen, 50);
}

#[test]
fn channels_push_by_themselves() {
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    let (a, b) = ("node__a__node", "node__b__node");
    builder
        .add_edges(a, vec![1i64, 2, 0], vec![0i64, 1, 2])
        .unwrap();
    builder
        .add_edges(b, vec![3i64, 4, 0], vec![0i64, 3, 4])
        .unwrap();
    let dataset = builder.build().unwrap();
    let ppr = Ppr::of(3).channel(0.7, [a]).channel(0.3, [b]);
    let sampler = dataset.sampler().ppr(ppr).build().unwrap();
    let batch = sampler.sample(&[0i64]).unwrap();
    // Two of the first, the seed among them, and the best of the other.
    assert_eq!(batch.node::<i64>().unwrap(), [0, 1, 3]);
    let scores = batch.near_score().unwrap();
    assert_eq!(scores.shape(), [3, 8]);
    for i in 0..3 {
        let row = scores.row::<f32>(i).unwrap();
        assert_eq!(row[4], if i == 2 { 0.0 } else { 1.0 });
        assert_eq!(row[7], if i == 1 { 0.0 } else { 1.0 });
        assert_eq!(row[0], row[2].max(row[5]));
        assert_eq!(row[1], if i == 0 { 1.0 } else { 0.5 });
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let dataset = ring(&context(), 10, 3);
    let with = |importance| dataset.sampler().importance(importance).build();
    refused(with(Importance::of(0)), "neighbors");
    refused(with(Importance::of(1).walks(0)), "walks");
    refused(with(Importance::of(1).traversals(0)), "traversals");
    refused(with(Importance::of(1).hops(0)), "hops");
    refused(with(Importance::of(1).stop(1.5)), "stop");
    assert!(matches!(
        with(Importance::of(1).along(["a__b__c"])),
        Err(Error::NotFound(_))
    ));
    let with = |ppr| dataset.sampler().ppr(ppr).build();
    refused(with(Ppr::of(0)), "neighbors");
    refused(with(Ppr::of(1).alpha(0.0)), "alpha");
    refused(with(Ppr::of(1).alpha(2.0)), "alpha");
    refused(with(Ppr::of(1).epsilon(0.0)), "epsilon");
    refused(with(Ppr::of(1).max_edges(0)), "max_edges");
    let name = "node__to__node";
    refused(with(Ppr::of(1).along([name, name])), "edge_types");
    refused(with(Ppr::of(1).channel(1.0, [""; 0])), "channels");
    refused(with(Ppr::of(1).channel(0.5, [name])), "channels");
    refused(
        with(Ppr::of(1).channel(0.0, [name]).channel(1.0, [name])),
        "channels",
    );
    refused(with(Ppr::of(1).channel(1.0, [name, name])), "channels");
    refused(with(Ppr::of(1).channel(1.0, ["a\0b"])), "channels");
    let twice = Ppr::of(1).channel(0.5, [name]).channel(0.5, [name]);
    with(twice).unwrap();
    let both = dataset
        .sampler()
        .ppr(Ppr::of(1))
        .importance(Importance::of(1));
    refused(both.build(), "ppr");
    let none = dataset.sampler().fanouts([1]).build().unwrap();
    let batch = none.sample(&[1i64]).unwrap();
    assert!(matches!(batch.near_score(), Err(Error::NotFound(_))));
}
