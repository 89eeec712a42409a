//! Seeds of several types in one loader.

use std::collections::BTreeMap;

use crate::common::context;
use gls::*;

fn shop() -> Dataset {
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    let users = (0..60).map(|i| i * 7 % 20).collect::<Vec<i64>>();
    let items = (0..60).map(|i| i * 11 % 30).collect::<Vec<i64>>();
    builder
        .add_edges("user__likes__item", users.clone(), items.clone())
        .unwrap()
        .add_edges("item__of__user", items, users)
        .unwrap();
    builder.build().unwrap()
}

#[test]
fn nodes_of_several_types_are_one_order() {
    let dataset = shop();
    let sampler = dataset.sampler().fanouts([2]).seed(4).build().unwrap();
    let users = [5i64, 19, 0, 7];
    let loader = || {
        let loader = sampler.loader().batch_size(5).shuffle(true);
        loader
            .seed_set(SeedSet::nodes("item"))
            .seed_set(SeedSet::nodes("user").ids(users.to_vec()))
    };
    let mut first = loader().build().unwrap();
    let mut seen: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    let mut sizes = Vec::new();
    for batch in first.batches() {
        let batch = batch.unwrap();
        let mut size = 0;
        for name in ["item", "user"] {
            let arrays = batch.nodes(name);
            let (input, seed) = (arrays.input_id().unwrap(), arrays.seed::<i64>().unwrap());
            let node = arrays.node::<i64>().unwrap();
            for (&at, &local) in input.iter().zip(seed) {
                let wanted = if name == "user" {
                    users[at as usize]
                } else {
                    at
                };
                assert_eq!(node[local as usize], wanted);
            }
            size += input.len();
            seen.entry(name).or_default().extend(input);
        }
        sizes.push(size);
    }
    assert_eq!(sizes, [5, 5, 5, 5, 5, 5, 4]);
    for (name, count) in [("item", 30), ("user", 4)] {
        let seen = seen.get_mut(name).unwrap();
        seen.sort_unstable();
        assert_eq!(*seen, (0..count).collect::<Vec<i64>>());
    }
    // What else says which the seeds are is refused, and so is padding.
    let error = loader().node_type("user").build().unwrap_err();
    assert!(error.message().contains("seed_set"), "{error}");
    let error = loader().pad(Pad::new()).build().unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error:?}");
    let error = loader()
        .seed_set(SeedSet::nodes("user"))
        .build()
        .unwrap_err();
    assert!(error.message().contains("given twice"), "{error}");
}

#[test]
fn links_of_several_types_have_arrays_of_their_own() {
    let dataset = shop();
    let negatives = Negatives::triplet().amount(2.0);
    let sampler = dataset.sampler().fanouts([2]).negatives(negatives);
    let sampler = sampler.build().unwrap();
    let loader = sampler
        .loader()
        .batch_size(7)
        .seed_set(SeedSet::links("user__likes__item").ids((0..10).collect::<Vec<i64>>()))
        .seed_set(SeedSet::links("item__of__user").pairs(&[1i64, 2], &[3, 4]));
    let mut counts = Vec::new();
    for batch in loader.build().unwrap() {
        let batch = batch.unwrap();
        for name in ["user__likes__item", "item__of__user"] {
            let links = batch.edges(name);
            let count = links.input_id().unwrap().len();
            assert_eq!(links.link_source::<i64>().unwrap().len(), count);
            assert_eq!(links.link_negative().unwrap().shape(), [count, 2]);
            counts.push(count);
        }
    }
    assert_eq!(counts, [7, 0, 3, 2]);
}
