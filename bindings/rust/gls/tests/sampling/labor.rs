//! Neighbours picked by layer.

use crate::common::{context, ring};
use gls::*;

fn nodes(builder: SamplerBuilder<'_>, batch: u64) -> usize {
    let sampler = builder.build().unwrap();
    let seeds: Vec<i64> = (10..20).collect();
    let request = sampler.request().seeds("node", &seeds).batch(batch);
    let batch = request.sample().unwrap();
    batch.node::<i64>().unwrap().len()
}

#[test]
fn batches_have_fewer_nodes() {
    let dataset = ring(&context(), 200, 30);
    let apart = || dataset.sampler().fanouts([3, 3]).seed(5);
    let layer = || apart().pick(Pick::Layer);
    let sum = |counts: Vec<usize>| counts.into_iter().sum::<usize>();
    let of_apart = sum((0..20).map(|b| nodes(apart(), b)).collect());
    let of_layer = sum((0..20).map(|b| nodes(layer(), b)).collect());
    let of_layers = sum((0..20)
        .map(|b| nodes(layer().layer_dependent(true), b))
        .collect());
    assert!(of_layer < of_apart * 2 / 3, "{of_layer} and {of_apart}");
    assert!(of_layers < of_layer, "{of_layers} and {of_layer}");
}

#[test]
fn batches_depend_on_each_other() {
    let dataset = ring(&context(), 200, 100);
    let picked = |dependency: u32, batch: u64| -> Vec<i64> {
        let sampler = dataset
            .sampler()
            .fanouts([10])
            .edge_ids(true)
            .pick(Pick::Layer)
            .batch_dependency(dependency)
            .build()
            .unwrap();
        let batch = sampler.request().seeds("node", &[7i64]).batch(batch);
        let batch = batch.sample().unwrap();
        batch.edge::<i64>().unwrap().to_vec()
    };
    let kept = |one: &[i64], other: &[i64]| one.iter().filter(|e| other.contains(e)).count();
    let first = picked(1000, 3000);
    assert!(kept(&first, &picked(1000, 3001)) >= 8);
    assert!(kept(&first, &picked(1, 3001)) < 6);
    assert_eq!(picked(0, 4), picked(1, 4));
}

#[test]
fn what_does_not_fit_is_refused() {
    let dataset = ring(&context(), 20, 3);
    let refused = |builder: SamplerBuilder<'_>, argument: &str| {
        let error = builder.build().unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
        assert_eq!(error.detail("argument"), Some(argument), "{error:?}");
    };
    let plain = || dataset.sampler().fanouts([2]);
    refused(plain().pick(Pick::Layer).replace(Replace::Always), "pick");
    refused(plain().batch_dependency(2), "batch_dependency");
    refused(plain().layer_dependent(true), "layer_dependent");
}
