//! Links as seeds, and negatives for them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use crate::common::{context, ring};
use gls::*;

const LIKES: &str = "user__likes__item";

/// Edge e goes from user e / 2 to item e / 2 + e % 2, at the time 10 * e; there are 5 users and 7
/// items, two of which nobody likes.
fn likes(context: &Context) -> Dataset {
    let mut builder = DatasetBuilder::new(context).unwrap();
    let user: Vec<i64> = (0..10).map(|e| e / 2).collect();
    let item: Vec<i64> = (0..10).map(|e| e / 2 + e % 2).collect();
    let times: Vec<i64> = (0..10).map(|e| 10 * e).collect();
    builder
        .add_node_type("user", 5, Ids::Dense)
        .unwrap()
        .add_node_type("item", 7, Ids::Dense)
        .unwrap()
        .add_edges(LIKES, user, item)
        .unwrap()
        .add_edge_column(LIKES, "time", times, Role::Time)
        .unwrap()
        .add_node_column(
            "item",
            "price",
            vec![0.0f32, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0],
            Role::Weight,
        )
        .unwrap()
        .add_node_column("item", "x", vec![1i64, 2, 3, 4, 5, 6, 7], Role::Feature)
        .unwrap();
    builder.build().unwrap()
}

/// Every edge there can be.
fn complete(context: &Context) -> Dataset {
    let mut builder = DatasetBuilder::new(context).unwrap();
    let source: Vec<i64> = (0..9).map(|e| e / 3).collect();
    let target: Vec<i64> = (0..9).map(|e| e % 3).collect();
    builder.add_edges("node__to__node", source, target).unwrap();
    builder.build().unwrap()
}

/// The dataset's ids of local ids.
fn of(local: &[i64], node: &[i64]) -> Vec<i64> {
    local.iter().map(|&i| node[i as usize]).collect()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, argument: &str) -> Error {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    assert_eq!(error.detail("argument"), Some(argument), "{error:?}");
    error
}

#[test]
fn links_are_seeds() {
    let context = context();
    let dataset = likes(&context);
    let sampler = dataset.sampler().fanouts([-1]).edge_ids(true).build();
    let sampler = sampler.unwrap();
    let request = sampler.request().links(LinkSet::ids(LIKES, [9, 0, 9]));
    let batch = request.sample().unwrap();
    let (users, items) = (batch.nodes("user"), batch.nodes("item"));
    assert_eq!(users.node::<i64>().unwrap()[..2], [4, 0]);
    assert_eq!(items.node::<i64>().unwrap()[..2], [5, 0]);
    assert_eq!(users.seed::<i64>().unwrap(), [0, 1, 0]);
    assert_eq!(batch.link_source::<i64>().unwrap(), [0, 1, 0]);
    assert_eq!(batch.edges(LIKES).link_target::<i64>().unwrap(), [0, 1, 0]);
    assert_eq!(batch.edge::<i64>().unwrap(), [9, 0]);
    for missing in [BatchArray::LinkNegative, BatchArray::LinkLabel] {
        let error = batch.view(missing, LIKES, None).unwrap_err();
        assert!(matches!(error, Error::NotFound(_)), "{error:?}");
    }
    let listed = |array| {
        let arrays = batch.arrays().unwrap();
        arrays.iter().any(|info| info.array == array)
    };
    assert!(listed(BatchArray::LinkSource) && listed(BatchArray::LinkTarget));
    assert!(!listed(BatchArray::LinkLabel));

    // Pairs need not be edges; labels may be of any number.
    let pairs = LinkSet::pairs(LIKES, &[0, 4], &[6, 0]);
    let pairs = pairs.labels(vec![0.25f64, 4.0]);
    let batch = sampler.request().links(pairs).sample().unwrap();
    assert_eq!(batch.link_label::<f64>().unwrap(), [0.25, 4.0]);
    let items = batch.nodes("item").node::<i64>().unwrap();
    assert_eq!(of(batch.link_target::<i64>().unwrap(), items), [6, 0]);
    let flags = LinkSet::ids(None, [1]).labels(vec![true]);
    let batch = sampler.request().links(flags).sample().unwrap();
    assert_eq!(batch.link_label::<u8>().unwrap(), [1]);

    // Where nodes are seeds there is nothing of links.
    let batch = sampler.request().seeds("user", &[1i64]).sample().unwrap();
    assert!(matches!(
        batch.link_source::<i64>(),
        Err(Error::NotFound(_))
    ));
}

#[test]
fn links_may_be_left_out_of_their_batch() {
    let context = context();
    let dataset = likes(&context);
    let options = dataset.sampler().fanouts([-1]).edge_ids(true);
    let edges = |options: &SamplerBuilder<'_>, links: LinkSet| {
        let sampler = options.build().unwrap();
        let batch = sampler.request().links(links).sample().unwrap();
        batch.edge::<i64>().unwrap().to_vec()
    };
    // Edges 1 and 2 come in to item 1.
    let link = || LinkSet::ids(LIKES, [2]);
    assert_eq!(edges(&options, link()), [1, 2]);
    let options = options.exclude_links(true);
    assert_eq!(edges(&options, link()), [1]);
    assert_eq!(edges(&options, LinkSet::pairs(LIKES, &[1], &[1])), [1]);
    let options = options.exclude(EdgeSet::ids(LIKES, [1]));
    assert_eq!(edges(&options, link()), []);
    assert_eq!(edges(&options.exclude_links(false), link()), [2]);
}

#[test]
fn negatives_are_drawn() {
    let context = context();
    let dataset = likes(&context);
    let options = dataset.sampler().fanouts([0]).seed(3);
    let sample = |negatives: Negatives, links: LinkSet| {
        let sampler = options.clone().negatives(negatives).build().unwrap();
        sampler.request().links(links).sample().unwrap()
    };
    let three = || LinkSet::ids(LIKES, [0, 5, 9]);

    // Pairs, rounded up over all links.
    let strict = Negatives::binary().amount(6.5).strict(true);
    let batch = sample(strict.clone(), three());
    let users = batch.nodes("user").node::<i64>().unwrap();
    let items = batch.nodes("item").node::<i64>().unwrap();
    let sources = of(batch.link_source::<i64>().unwrap(), users);
    let targets = of(batch.link_target::<i64>().unwrap(), items);
    assert_eq!((sources.len(), targets.len()), (3 + 20, 3 + 20));
    assert_eq!(
        (&sources[..3], &targets[..3]),
        (&[0, 2, 4][..], &[0, 3, 5][..])
    );
    for (user, item) in sources.iter().zip(&targets).skip(3) {
        assert!(
            !(*item == *user || *item == *user + 1),
            "{user} likes {item}"
        );
    }
    let label = batch.link_label::<f32>().unwrap();
    assert!(label[..3] == [1.0; 3] && label[3..] == [0.0; 20]);
    let given = sample(strict, three().labels([7i32, 8, 9]));
    let label = given.link_label::<i32>().unwrap();
    assert!(label[..3] == [7, 8, 9] && label[3..] == [0; 20]);

    // Targets of each link, all of the one item with a weight.
    let triplet = Negatives::triplet().amount(2.0).target_weight("price");
    let batch = sample(triplet, three());
    let negative = batch.link_negative().unwrap();
    assert_eq!((negative.shape(), negative.ndim()), (vec![3, 2], 2));
    let items = batch.nodes("item").node::<i64>().unwrap();
    for link in 0..3 {
        let row = negative.row::<i64>(link).unwrap();
        assert_eq!(of(row, items), [6, 6]);
    }
    #[cfg(feature = "ndarray")]
    assert_eq!(negative.array::<i64, ndarray::Ix2>().unwrap().dim(), (3, 2));
    assert_eq!(batch.link_source::<i64>().unwrap().len(), 3);
    assert!(batch.link_label::<f32>().is_err());

    // By degree: nobody likes item 6.
    let batch = sample(
        Negatives::triplet().amount(50.0).degree_power(0.75),
        three(),
    );
    let items = batch.nodes("item").node::<i64>().unwrap();
    assert!(!items.contains(&6) && items.len() > 3);
    // Options that are turned off again.
    let plain = Negatives::triplet().strict(true).allow_short(true);
    assert_eq!(plain.strict(false).allow_short(false), Negatives::triplet());
}

#[test]
fn negatives_exist_at_the_time_of_their_link() {
    let context = context();
    let since: Vec<i64> = (0..50).map(|node| node * 7 % 50).collect();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    let edges: Vec<i64> = (0..50).collect();
    builder
        .add_edges("node__to__node", edges.clone(), edges)
        .unwrap()
        .add_node_column(
            None,
            "since",
            Tensor::from_vec(since.clone()).unwrap(),
            Role::Time,
        )
        .unwrap();
    let dataset = builder.build().unwrap();
    let sampler = |negatives: Negatives| {
        let options = dataset.sampler().fanouts([1]).node_time("since");
        options.negatives(negatives).build()
    };
    let links = || LinkSet::ids(None, [4, 5, 6]).times([20, 3, -1]);
    let negatives = Negatives::triplet().amount(30.0).in_time(true);
    let error = sampler(negatives.clone()).unwrap();
    let error = error.request().links(links()).sample().unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
    assert!(
        error.message().contains("link 2 has the time -1"),
        "{error}"
    );
    let oldest = sampler(negatives.clone().oldest(true)).unwrap();
    let batch = oldest.request().links(links()).sample().unwrap();
    let node = batch.node::<i64>().unwrap();
    let drawn = batch.link_negative().unwrap();
    let latest_of = |link: usize| {
        let row = drawn.row::<i64>(link).unwrap();
        let times = row
            .iter()
            .map(|&local| since[node[local as usize] as usize]);
        times.max().unwrap()
    };
    let latest = [0, 1, 2].map(latest_of);
    assert!(latest[0] <= 20 && latest[0] > 3, "{latest:?}");
    assert!(latest[1] <= 3 && latest[2] == 0, "{latest:?}");
    // Without times of nodes it has no meaning.
    let options = dataset.sampler().fanouts([1]).negatives(negatives);
    assert!(matches!(options.build(), Err(Error::InvalidArgument(_))));
}

#[test]
fn impossible_negatives_are_errors_or_left_out() {
    let context = context();
    let dataset = complete(&context);
    let options = |negatives: Negatives| {
        let negatives = negatives.strict(true).tries(9);
        dataset.sampler().fanouts([1]).negatives(negatives)
    };
    let link = || LinkSet::ids(None, [4]);
    for negatives in [Negatives::binary(), Negatives::triplet()] {
        let sampler = options(negatives.clone()).build().unwrap();
        let error = sampler.request().links(link()).sample().unwrap_err();
        assert!(matches!(error, Error::NotFound(_)), "{error:?}");
        assert!(error.message().contains("9 tries"), "{error}");
        // Of a loader it is the fault of each batch.
        let loader = sampler.loader().links("node__to__node").batch_size(5);
        let results: Vec<_> = loader.build().unwrap().into_iter().collect();
        assert_eq!(results.len(), 2);
        for result in results {
            assert!(matches!(result, Err(Error::NotFound(_))), "{result:?}");
        }
        let sampler = options(negatives.allow_short(true)).build().unwrap();
        let batch = sampler.request().links(link()).sample().unwrap();
        assert_eq!(batch.link_source::<i64>().unwrap(), [0]);
        match batch.link_negative() {
            Ok(negative) => assert_eq!(negative.as_slice::<i64>().unwrap(), [-1]),
            Err(_) => assert_eq!(batch.link_label::<f32>().unwrap(), [1.0]),
        }
    }
}

#[test]
fn faults_of_negatives_are_named() {
    let context = context();
    let dataset = likes(&context);
    let build = |negatives| dataset.sampler().fanouts([1]).negatives(negatives).build();
    let binary = Negatives::binary;
    refused(build(binary().degree_power(0.3)), "degree_power");
    refused(build(binary().degree_power(-0.25)), "degree_power");
    refused(build(binary().degree_power(2.25)), "degree_power");
    refused(build(binary().degree_power(f64::NAN)), "degree_power");
    refused(build(binary().amount(-1.0)), "amount");
    refused(build(binary().amount(f64::NAN)), "amount");
    refused(build(binary().amount(f64::INFINITY)), "amount");
    refused(build(Negatives::triplet().amount(1.5)), "amount");
    refused(build(Negatives::triplet().amount(0.5)), "amount");
    refused(build(binary().tries(2049)), "tries");
    refused(build(binary().tries(u32::MAX)), "tries");
    refused(
        build(Negatives::triplet().source_weight("x")),
        "source_weight",
    );
    refused(
        build(binary().degree_power(1.0).target_weight("price")),
        "degree_power",
    );
    refused(build(binary().source_weight("a\0b")), "source_weight");
    refused(build(binary().target_weight("a\0b")), "target_weight");
    build(binary().degree_power(2.0).tries(2048)).unwrap();
    // Which type they are of only the links say.
    let sampler = build(binary().target_weight("none")).unwrap();
    let request = sampler.request().links(LinkSet::ids(LIKES, [0]));
    let error = request.sample().unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
    assert_eq!(error.detail("argument"), Some("target_weight"));
}

#[test]
fn faults_of_links_are_named() {
    let context = context();
    let dataset = likes(&context);
    let sampler = dataset.sampler().fanouts([1]).build().unwrap();
    let sample = |links: LinkSet| sampler.request().links(links).sample();
    let error = refused(sample(LinkSet::ids(LIKES, [0, 10])), "links");
    assert!(error.message().contains("10 at index 1"), "{error}");
    refused(sample(LinkSet::ids(LIKES, [-1])), "links");
    let error = refused(sample(LinkSet::pairs(LIKES, &[5], &[0])), "links");
    assert!(error.message().contains("source 5 at index 0"), "{error}");
    let error = refused(sample(LinkSet::pairs(LIKES, &[0, 4], &[0, 7])), "links");
    assert!(error.message().contains("target 7 at index 1"), "{error}");
    let error = refused(sample(LinkSet::pairs(LIKES, &[0, 4], &[0])), "links");
    assert!(
        error.message().contains("2 sources and 1 targets"),
        "{error}"
    );
    refused(sample(LinkSet::ids("a\0b", [0])), "links");
    let error = sample(LinkSet::ids("user__sells__item", [0])).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
    let one = || LinkSet::ids(LIKES, [0]);
    refused(sample(one().labels(vec![1i64, 2])), "labels");
    refused(sample(one().labels(Vec::<f32>::new())), "labels");
    let tall = Tensor::from_vec_with_shape(vec![1i64, 2], &[2, 1]).unwrap();
    refused(sample(one().labels(tall)), "labels");
    struct Broken;
    impl IntoTensor for Broken {
        fn into_tensor(self) -> Result<Tensor> {
            Tensor::from_vec_with_shape(vec![1i64], &[2])
        }
    }
    refused(sample(one().labels(Broken)), "shape");
    refused(sample(one().times([7])), "times"); // without need
    let both = sampler.request().seeds("user", &[0i64]).links(one());
    refused(both.sample(), "links");
    // A second set replaces the first.
    let second = sampler.request().links(LinkSet::ids(LIKES, [99]));
    assert!(second.links(one()).sample().is_ok());
    let timed = dataset.sampler().fanouts([1]).edge_time("time").build();
    let timed = timed.unwrap();
    refused(timed.request().links(one()).sample(), "times");
    let many = timed.request().links(one().times(vec![1, 2]));
    refused(many.sample(), "times");
}

#[test]
fn links_have_times() {
    let context = context();
    let dataset = likes(&context);
    let options = dataset.sampler().fanouts([-1]).edge_time("time");
    let options = options.negatives(Negatives::binary().amount(2.0));
    let sampler = options.edge_ids(true).build().unwrap();
    let links = LinkSet::ids(LIKES, [2, 2]).times([15, 25]);
    let batch = sampler.request().links(links).sample().unwrap();
    let expected = [15, 25, 15, 25, 15, 25];
    assert_eq!(batch.nodes("user").seed_time().unwrap(), expected);
    assert_eq!(batch.nodes("item").seed_time().unwrap(), expected);
    let edges = batch.edge::<i64>().unwrap();
    assert_eq!(edges[..3], [1, 1, 2]); // edge 2 is of the time 20
}

#[test]
fn a_loader_goes_over_links() {
    let context = context();
    let dataset = ring(&context, 50, 2); // edge e goes from e / 2 + 1 + e % 2 to e / 2
    let sampler = dataset.sampler().fanouts([2]).seed(11).build().unwrap();
    let labels: Vec<f64> = (0..100).map(|i| f64::from(i) / 4.0).collect();
    // Three ways to say the same.
    let ids: Vec<i32> = (0..100).collect();
    let ends = |e: i64| ((e / 2 + 1 + e % 2) % 50, e / 2);
    let (sources, targets): (Vec<i64>, Vec<i64>) = (0..100).map(ends).unzip();
    let both = Tensor::from_vec_with_shape([&sources[..], &targets].concat(), &[2, 100]).unwrap();
    let all = || sampler.loader().links("node__to__node");
    let mut first: Option<Vec<i64>> = None;
    for loader in [
        all(),
        all().seeds(ids),
        all().link_pairs(&sources, &targets),
        all().seeds(both),
    ] {
        let loader = loader.labels(labels.clone()).batch_size(30).shuffle(true);
        let mut loader = loader.build().unwrap();
        assert_eq!(loader.info().unwrap().num_seeds, 100);
        let mut order = Vec::new();
        for batch in loader.seek(1).unwrap() {
            let batch = batch.unwrap();
            let (node, input) = (batch.node::<i64>().unwrap(), batch.input_id().unwrap());
            let label = batch.link_label::<f64>().unwrap();
            let source = of(batch.link_source::<i64>().unwrap(), node);
            let target = of(batch.link_target::<i64>().unwrap(), node);
            assert_eq!(batch.edges("node__to__node").input_id().unwrap(), input);
            let of_nodes = batch.nodes("node").input_id();
            assert!(matches!(of_nodes, Err(Error::NotFound(_))));
            for (i, &position) in input.iter().enumerate() {
                assert_eq!(label[i], position as f64 / 4.0);
                assert_eq!((source[i], target[i]), ends(position));
            }
            // Labels of nodes are those of the distinct seeds.
            let y = batch.column("y").unwrap();
            assert_eq!(y.len(), batch.batch_size().unwrap());
            order.extend_from_slice(input);
        }
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert_ne!(sorted, order);
        assert_eq!(*first.get_or_insert_with(|| order.clone()), order);
    }
}

#[test]
fn a_loader_over_links_is_resumed() {
    let context = context();
    let dataset = likes(&context);
    let options = dataset.sampler().fanouts([2]).edge_time("time");
    let options = options.negatives(Negatives::triplet().amount(3.0));
    let sampler = options.build().unwrap();
    let make = || {
        let loader = sampler
            .loader()
            .links(LIKES)
            .times((0i64..10).collect::<Vec<_>>());
        let loader = loader.labels((0u8..10).collect::<Vec<_>>());
        loader.batch_size(3).shuffle(true).build().unwrap()
    };
    let seen = |batch: Result<Batch>| {
        let batch = batch.unwrap();
        let label = batch.link_label::<u8>().unwrap().to_vec();
        let times = batch.nodes("user").seed_time().unwrap().to_vec();
        assert_eq!(times, label.iter().map(|&x| x.into()).collect::<Vec<i64>>());
        let negative = batch.link_negative().unwrap().to_vec::<i64>().unwrap();
        (label, negative)
    };
    let mut one = make();
    seen(one.next().unwrap());
    let state = one.save().unwrap();
    let rest: Vec<_> = std::iter::from_fn(|| one.next()).map(seen).collect();
    let resumed: Vec<_> = make()
        .restore(&state)
        .unwrap()
        .batches()
        .map(seen)
        .collect();
    assert_eq!(rest, resumed);
    assert_eq!(rest.len(), 3);
    // Negatives are of links alone.
    let nodes = sampler.loader().node_type("user").times(vec![0i64; 5]);
    let error = nodes.batch_size(3).build().unwrap_err();
    assert_eq!(error.detail("argument"), Some("negatives"), "{error}");
}

#[test]
fn faults_of_a_loader_over_links_are_named() {
    let context = context();
    let dataset = likes(&context);
    let sampler = dataset.sampler().fanouts([1]).build().unwrap();
    let all = || sampler.loader().links(LIKES);
    let error = refused(all().seeds(vec![0i64, 10]).build(), "seeds");
    assert!(error.message().contains("10 at index 1"), "{error}");
    refused(all().link_pairs(&[0i64, 5], &[0, 0]).build(), "seeds");
    refused(all().link_pairs(&[0i32], &[7]).build(), "seeds");
    let error = refused(all().link_pairs(&[0i32], &[1, 2]).build(), "seeds");
    assert!(
        error.message().contains("1 sources and 2 targets"),
        "{error}"
    );
    let three = Tensor::from_vec_with_shape(vec![0i64; 6], &[3, 2]).unwrap();
    refused(all().seeds(three).build(), "seeds");
    refused(all().seeds(vec![0.5f32]).build(), "seeds");
    let nodes = sampler.loader().node_type("user");
    refused(nodes.link_pairs(&[0i64], &[0]).build(), "seeds");
    refused(all().labels(vec![1i64; 9]).build(), "labels");
    refused(
        all().seeds(vec![3i64]).labels(vec![1i64; 10]).build(),
        "labels",
    );
    refused(
        sampler.loader().node_type("user").labels([1i64; 5]).build(),
        "labels",
    );
    refused(all().node_type("user").build(), "node_type");
    refused(all().id_set("train").build(), "id_set");
    refused(all().times([1i64; 10]).build(), "times"); // without need
    refused(sampler.loader().links("a\0b").build(), "links");
    let error = sampler.loader().links("user__sells__item").build();
    assert!(matches!(error, Err(Error::NotFound(_))), "{error:?}");
    let timed = dataset.sampler().fanouts([1]).edge_time("time").build();
    refused(timed.unwrap().loader().links(LIKES).build(), "times");
}

#[test]
fn labels_are_released_once() {
    struct Counted(Vec<i64>, Arc<AtomicUsize>);
    impl AsRef<[i64]> for Counted {
        fn as_ref(&self) -> &[i64] {
            &self.0
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::SeqCst);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let dropped = || drops.swap(0, Ordering::SeqCst);
    let counted = |values: &[i64]| {
        let owner = Counted(values.to_vec(), drops.clone());
        Tensor::from_owner(owner, &[values.len()]).unwrap()
    };
    let context = context();
    let dataset = likes(&context);
    let sampler = dataset.sampler().fanouts([1]).build().unwrap();
    let options = || sampler.loader().links(LIKES).no_columns();
    // By the loader that took them.
    let loader = options().seeds(counted(&[1, 8])).labels(counted(&[5, 6]));
    let mut loader = loader.build().unwrap();
    let batch = loader.next().unwrap().unwrap();
    assert_eq!(batch.link_label::<i64>().unwrap(), [5, 6]);
    assert_eq!(dropped(), 0);
    drop(loader);
    assert_eq!(dropped(), 2);
    assert_eq!(batch.link_label::<i64>().unwrap(), [5, 6]); // of its own
    drop(batch);
    // By a call that fails.
    for (seeds, labels) in [(&[1, 8][..], &[5][..]), (&[1, 99], &[5, 6])] {
        let loader = options().seeds(counted(seeds)).labels(counted(labels));
        assert!(loader.build().is_err());
        assert_eq!(dropped(), 2);
    }
    // By one that this crate refuses, by another setting, and by one that is never made.
    let loader = options().link_pairs(&[0i64], &[]).labels(counted(&[5]));
    assert!(loader.build().is_err());
    assert_eq!(dropped(), 1);
    let loader = options().labels(counted(&[5])).labels(counted(&[6]));
    assert_eq!(dropped(), 1);
    drop(loader);
    assert_eq!(dropped(), 1);
    // Requests only borrow.
    for labels in [&[5][..], &[5, 6]] {
        let links = LinkSet::ids(LIKES, [3]).labels(counted(labels));
        let result = sampler.request().links(links).sample();
        assert_eq!((dropped(), result.is_ok()), (1, labels.len() == 1));
    }
}
