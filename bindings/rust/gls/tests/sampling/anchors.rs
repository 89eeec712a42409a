//! Anchors through samplers and loaders.

use crate::common::context;
use gls::*;

const LABEL: &str = "node__label__node";

/// Labels of nodes 9 to 12, and a ring of 16.
fn splitter() -> Dataset {
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_edges(
            LABEL,
            vec![9i64, 10, 10, 10, 10, 11, 11, 12, 12],
            vec![8i64, 7, 10, 11, 15, 12, 13, 10, 11],
        )
        .unwrap()
        .add_edges(
            "node__to__node",
            (0..16).collect::<Vec<i64>>(),
            (0..16).map(|v| (v + 1) % 16).collect::<Vec<i64>>(),
        )
        .unwrap();
    let options = WriteOptions::new().layouts([Layout::Csc, Layout::Csr]);
    builder.build_with(options).unwrap()
}

#[test]
fn labels_are_padded_rows() {
    let dataset = splitter();
    let sampler = dataset.sampler().fanouts([2]);
    let sampler = sampler.supervision(Supervision::of(LABEL)).build().unwrap();
    let batch = sampler.sample(&[9i64, 10, 11, 12]).unwrap();
    let labels = batch.positives(LABEL).unwrap();
    let node = batch.node::<i64>().unwrap();
    let expected = [
        [8, -1, -1, -1],
        [7, 10, 11, 15],
        [12, 13, -1, -1],
        [10, 11, -1, -1],
    ];
    for (i, expected) in expected.iter().enumerate() {
        let row = labels.row::<i64>(i).unwrap();
        let ids: Vec<i64> = row
            .iter()
            .map(|&l| if l < 0 { -1 } else { node[l as usize] })
            .collect();
        assert_eq!(ids, expected);
    }
    assert!(batch.edges(LABEL).row::<i64>().unwrap().is_empty());
    assert!(matches!(batch.negatives(LABEL), Err(Error::NotFound(_))));
    let empty = sampler.sample::<i64>(&[]).unwrap();
    assert_eq!(empty.positives(LABEL).unwrap().shape(), [0, 0]);
}

#[test]
fn loaders_have_anchors() {
    let dataset = splitter();
    let sampler = dataset
        .sampler()
        .fanouts([2])
        .supervision(Supervision::given("own").negative(true))
        .supervision(Supervision::of(LABEL).max_labels(2))
        .build()
        .unwrap();
    let rows = || {
        let rows = (0..16).flat_map(|v| [v, -1]).collect::<Vec<i64>>();
        Tensor::from_vec_with_shape(rows, &[16, 2]).unwrap()
    };
    let refused = sampler.loader().anchor_labels([None, Some(rows())]).build();
    assert!(matches!(refused, Err(Error::InvalidArgument(_))));
    let loader = sampler.loader().anchor_labels([Some(rows()), None]);
    let mut seen = Vec::new();
    for batch in loader.batch_size(5).shuffle(true).build().unwrap() {
        let batch = batch.unwrap();
        let node = batch.node::<i64>().unwrap();
        let own = batch.negatives("own").unwrap();
        assert_eq!(batch.positives(LABEL).unwrap().shape()[1], 2);
        for (i, &input) in batch.input_id().unwrap().iter().enumerate() {
            let row = own.row::<i64>(i).unwrap();
            assert_eq!((node[row[0] as usize], row[1]), (input, -1));
            seen.push(input);
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..16).collect::<Vec<i64>>());
}

#[test]
fn what_makes_no_labels_is_refused() {
    let dataset = splitter();
    let with = |supervision| dataset.sampler().fanouts([2]).supervision(supervision);
    assert!(matches!(
        with(Supervision::of("a__b__c")).build(),
        Err(Error::NotFound(_))
    ));
    let traversed = with(Supervision::of(LABEL)).fanouts_of(LABEL, [1]).build();
    assert!(matches!(traversed, Err(Error::InvalidArgument(_))));
    let twice = with(Supervision::of(LABEL)).supervision(Supervision::of(LABEL));
    assert!(matches!(twice.build(), Err(Error::InvalidArgument(_))));
    let typed = with(Supervision::of(LABEL).node_type("node")).build();
    assert!(matches!(typed, Err(Error::InvalidArgument(_))));
}
