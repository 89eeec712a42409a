//! Seeds that are drawn or taken by clusters, and GraphSAINT's norms.

use std::ops::ControlFlow;

use crate::common::{context, ring};
use gls::*;

const NODES: usize = 40;

#[test]
fn norms_are_what_was_counted() {
    let dataset = ring(&context(), NODES as i64, 3);
    let walks = Walks::of_length(2);
    let sampler = dataset
        .sampler()
        .walks(walks)
        .subgraph(Subgraph::Induced)
        .edge_ids(true)
        .build()
        .unwrap();
    let loader = sampler
        .loader()
        .draw_seeds(SeedLaw::Uniform, 4)
        .batch_size(6)
        .build()
        .unwrap();
    let (mut nodes, mut edges) = (vec![0u32; NODES], vec![0u32; 3 * NODES]);
    for k in 0..10 {
        let batch = loader.sample((1 << 63) + k / 4, k % 4).unwrap();
        for &v in batch.node::<i64>().unwrap().iter() {
            nodes[v as usize] += 1;
        }
        for &e in batch.edge::<i64>().unwrap().iter() {
            edges[e as usize] += 1;
        }
    }
    let norms = loader.saint_norms(&NormOptions::new().batches(10)).unwrap();
    let of_nodes = norms.node.as_slice::<f32>().unwrap();
    for (&norm, &count) in of_nodes.iter().zip(&nodes) {
        let met = if count == 0 { 0.1 } else { f64::from(count) };
        assert_eq!(norm, (10.0 / met / NODES as f64) as f32);
    }
    let edge = norms.edge.unwrap();
    let of_edges = edge.as_slice::<f32>().unwrap();
    assert_eq!(of_edges.len(), 3 * NODES);
    for (e, &norm) in of_edges.iter().enumerate().filter(|&(e, _)| edges[e] > 0) {
        let expected = f64::from(nodes[e / 3]) / f64::from(edges[e]);
        assert_eq!(norm, expected as f32);
    }
    let only = NormOptions::new().coverage(1.5).nodes_only();
    assert!(loader.saint_norms(&only).unwrap().edge.is_none());
    let mut calls = 0;
    let stopped = loader.saint_norms_with_progress(&only, |_| {
        calls += 1;
        ControlFlow::Break(())
    });
    assert!(matches!(stopped, Err(Error::Canceled(_))));
    assert_eq!(calls, 1);
    let unknown = NormOptions::new().node_type("cheese");
    assert!(matches!(
        loader.saint_norms(&unknown),
        Err(Error::NotFound(_))
    ));
}

#[test]
fn clusters_stay_together() {
    let dataset = ring(&context(), NODES as i64, 3);
    let sampler = dataset
        .sampler()
        .subgraph(Subgraph::Induced)
        .build()
        .unwrap();
    let clusters: Vec<i64> = (0..NODES as i64).map(|v| v % 8).collect();
    let loader = sampler
        .loader()
        .clusters(clusters)
        .batch_size(2)
        .shuffle(true);
    let mut seen = Vec::new();
    for batch in loader.build().unwrap() {
        let batch = batch.unwrap();
        let input = batch.input_id().unwrap();
        assert_eq!(input.len(), 10);
        assert!(input
            .chunks(5)
            .all(|c| c.windows(2).all(|w| w[1] == w[0] + 8)));
        seen.extend_from_slice(input);
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..NODES as i64).collect::<Vec<_>>());
    // What is said last counts.
    let loader = sampler.loader().clusters(vec![0i64; 3]);
    let loader = loader.draw_seeds(SeedLaw::Degree, 3).batch_size(5);
    assert_eq!(loader.build().unwrap().into_iter().count(), 3);
}
