//! Blocks against the whole batch.

use crate::common::{context, ring};
use gls::*;

fn first(counts: &[i64], count: usize) -> usize {
    counts[..count].iter().sum::<i64>() as usize
}

#[test]
fn layers_are_beginnings() {
    let dataset = ring(&context(), 100, 5);
    let sampler = dataset.sampler().fanouts([3, 2, 2]).edge_ids(true);
    let sampler = sampler.build().unwrap();
    let batch = sampler.request().seeds("node", &[3i64, 50, 7]).sample();
    let batch = batch.unwrap();
    let blocks = batch.blocks().unwrap();
    assert_eq!(blocks.len(), 3);
    let (nodes, edges) = (batch.nodes(None), batch.edges(None));
    for (l, block) in blocks.into_iter().enumerate() {
        assert_eq!(block.layer(), l as u64);
        let counts = nodes.num_sampled_nodes().unwrap();
        let (inputs, outputs) = (first(counts, 4 - l), first(counts, 3 - l));
        let count = first(edges.num_sampled_edges().unwrap(), 3 - l);
        let ids = nodes.node::<i64>().unwrap();
        assert_eq!(block.input_nodes::<i64>(None).unwrap(), &ids[..inputs]);
        assert_eq!(block.output_nodes::<i64>("node").unwrap(), &ids[..outputs]);
        let dst: &[i64] = block.dst(None).unwrap();
        assert_eq!(dst, &edges.col::<i64>().unwrap()[..count]);
        let src: &[i64] = block.src("node__to__node").unwrap();
        assert_eq!(src, &edges.row::<i64>().unwrap()[..count]);
        let ids: &[i64] = block.edge(None).unwrap();
        assert_eq!(ids, &edges.edge::<i64>().unwrap()[..count]);
        let indptr = block.indptr(None).unwrap();
        let expected: Vec<i64> = (0..=outputs as i64)
            .map(|v| dst.iter().filter(|&&d| d < v).count() as i64)
            .collect();
        assert_eq!(indptr.as_slice::<i64>().unwrap(), expected);
    }
}

#[test]
fn slices_outlive_the_block() {
    let dataset = ring(&context(), 100, 5);
    let sampler = dataset.sampler().fanouts([3, 2]).int32(true).build();
    let batch = sampler.unwrap().request().seeds("node", &[3i64]).sample();
    let batch = batch.unwrap();
    let ids: &[i32] = batch.blocks().unwrap()[1].output_nodes(None).unwrap();
    assert_eq!(ids, [3]);
    let indptr = batch.blocks().unwrap()[1].indptr(None).unwrap();
    drop(batch);
    assert_eq!(indptr.as_slice::<i32>().unwrap(), [0, 3]);
}

#[test]
fn some_batches_have_none() {
    let dataset = ring(&context(), 100, 5);
    let induced = dataset.sampler().fanouts([2]).subgraph(Subgraph::Induced);
    let induced = induced.build().unwrap();
    let batch = induced.request().seeds("node", &[3i64]).sample().unwrap();
    assert!(matches!(batch.blocks(), Err(Error::Unsupported(_))));
    let plain = dataset.sampler().fanouts([2]).build().unwrap();
    let batch = plain.request().seeds("node", &[3i64]).sample().unwrap();
    let block = batch.blocks().unwrap()[0];
    assert!(matches!(block.edge::<i64>(None), Err(Error::NotFound(_))));
    let wrong = block.src::<i64>("node");
    assert!(matches!(wrong, Err(Error::NotFound(_))));
}
