//! Nodes drawn from budgets: loaders, and what is refused.

use crate::common::{context, ring};
use gls::{Error, Hgt};

#[test]
fn loaders_draw_nodes() {
    let dataset = ring(&context(), 50, 3);
    let sampler = dataset.sampler().hgt(Hgt::of([2, 1])).build().unwrap();
    let mut loader = sampler.loader().batch_size(20).build().unwrap();
    let mut seen = 0;
    for batch in loader.seek(0).unwrap() {
        let batch = batch.unwrap();
        let counts = batch.num_sampled_nodes().unwrap();
        assert_eq!(counts[1..], [2, 1]);
        assert_eq!(
            batch.node::<i64>().unwrap().len(),
            counts.iter().sum::<i64>() as usize
        );
        seen += counts[0];
    }
    assert_eq!(seen, 50);
}

#[test]
fn what_cannot_be_is_refused() {
    let dataset = ring(&context(), 10, 3);
    let with = |hgt| dataset.sampler().hgt(hgt).build();
    for wanted in [Hgt::of([]), Hgt::of([-2]), Hgt::of([1]).most_neighbors(0)] {
        assert!(matches!(with(wanted), Err(Error::InvalidArgument(_))));
    }
    let unknown = with(Hgt::of([1]).samples("person", [1]));
    assert!(matches!(unknown, Err(Error::NotFound(_))));
    let both = dataset.sampler().fanouts([1]).hgt(Hgt::of([1])).build();
    assert!(matches!(both, Err(Error::InvalidArgument(_))));
    with(Hgt::of([3]).samples("node", [-1]).most_neighbors(2)).unwrap();
}
