//! Random walks through samplers and loaders.

use crate::common::{context, ring};
use gls::*;

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, argument: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    assert_eq!(error.detail("argument"), Some(argument), "{error:?}");
}

#[test]
fn every_step_is_an_edge() {
    let dataset = ring(&context(), 50, 3); // node v has edges from v + 1, v + 2, v + 3
    let walks = Walks::of_length(6).per_seed(4).biases(0.5, 2.0);
    let sampler = dataset.sampler().walks(walks).edge_ids(true).seed(3);
    let batch = sampler.build().unwrap().sample(&[7i64, 7, 30]).unwrap();
    let (walk, edge) = (batch.walk().unwrap(), batch.walk_edge().unwrap());
    assert_eq!((walk.shape(), edge.shape()), (vec![12, 7], vec![12, 6]));
    let node = batch.node::<i64>().unwrap();
    for i in 0..12 {
        let ids: Vec<i64> = walk
            .row::<i64>(i)
            .unwrap()
            .iter()
            .map(|&l| node[l as usize])
            .collect();
        assert_eq!(ids[0], [7, 7, 30][i / 4]);
        for (step, &e) in edge.row::<i64>(i).unwrap().iter().enumerate() {
            assert_eq!(e / 3, ids[step]);
            assert_eq!((e / 3 + 1 + e % 3) % 50, ids[step + 1]);
        }
    }
    assert_eq!(batch.num_sampled_nodes().unwrap()[0], 2);
    assert!(batch.row::<i64>().unwrap().is_empty());
    assert!(matches!(
        batch.nodes(None).seed_time(),
        Err(Error::NotFound(_))
    ));
}

#[test]
fn loaders_walk() {
    let dataset = ring(&context(), 50, 3);
    let walks = Walks::of_length(5).stop(0.2).restart(0.1);
    let sampler = dataset.sampler().walks(walks).build().unwrap();
    let mut loader = sampler
        .loader()
        .batch_size(20)
        .shuffle(true)
        .build()
        .unwrap();
    let mut seen = Vec::new();
    for batch in loader.seek(2).unwrap() {
        let batch = batch.unwrap();
        let walk = batch.walk().unwrap();
        let node = batch.node::<i64>().unwrap();
        assert_eq!(batch.column("x").unwrap().shape(), [node.len(), 3]);
        for i in 0..walk.shape()[0] {
            seen.push(node[walk.row::<i64>(i).unwrap()[0] as usize]);
        }
        assert!(batch.walk_edge().is_err());
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..50).collect::<Vec<i64>>());
}

#[test]
fn what_makes_no_walk_is_refused() {
    let dataset = ring(&context(), 10, 3);
    let with = |walks| dataset.sampler().walks(walks).build();
    refused(with(Walks::of_length(0)), "length");
    refused(with(Walks::of_length(3).per_seed(0)), "walks");
    refused(with(Walks::of_length(3).biases(0.0, 1.0)), "p");
    refused(with(Walks::of_length(3).biases(1.0, -1.0)), "q");
    refused(with(Walks::of_length(3).restart(1.5)), "restart");
    refused(with(Walks::of_length(3).stop(f64::NAN)), "stop");
    assert!(matches!(
        with(Walks::along(["a__b__c"])),
        Err(Error::NotFound(_))
    ));
    let both = dataset.sampler().fanouts([3]).walks(Walks::of_length(2));
    refused(both.build(), "fanouts");
    let walks = dataset.sampler().walks(Walks::along(["node__to__node"]));
    let batch = walks.build().unwrap().sample(&[1i64]).unwrap();
    assert_eq!(batch.walk().unwrap().shape(), [1, 2]);
    let none = dataset.sampler().fanouts([1]).build().unwrap();
    assert!(matches!(
        none.sample(&[1i64]).unwrap().walk(),
        Err(Error::NotFound(_))
    ));
}
