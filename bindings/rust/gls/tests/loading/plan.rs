//! A plan of an epoch says what its loader then samples and reads.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::{json, Value};

use crate::common::{context, ring, TempDir};
use gls::*;

const MEMORY: u64 = 2000;

fn parsed(plan: Result<String>) -> Value {
    serde_json::from_str(&plan.unwrap()).unwrap()
}

fn is_argument(error: &Error, name: &str) -> bool {
    matches!(error, Error::InvalidArgument(_)) && error.detail("argument") == Some(name)
}

type Sums = BTreeMap<String, Vec<i64>>;

fn add(sums: &mut Sums, of: &str, counts: &[i64]) {
    let sum = sums.entry(of.to_owned()).or_default();
    sum.resize(counts.len(), 0);
    for (total, count) in sum.iter_mut().zip(counts) {
        *total += count;
    }
}

/// The totals of a plan per hop, by kind and type.
fn totals(plan: &Value) -> Sums {
    let mut out = Sums::new();
    for of in ["nodes", "edges"] {
        for one in plan[of].as_array().unwrap() {
            let hops = one["hops"].as_array().unwrap().iter();
            let hops: Vec<i64> = hops.map(|hop| hop["total"].as_i64().unwrap()).collect();
            assert_eq!(one["total"], hops.iter().sum::<i64>());
            out.insert(format!("{of} {}", one["type"].as_str().unwrap()), hops);
        }
    }
    out
}

#[test]
fn counts_are_those_of_the_batches() {
    let mut builder = DatasetBuilder::new(&context()).unwrap();
    let users: Vec<i64> = (0..120).map(|e| e % 40).collect();
    let items: Vec<i64> = (0..120).map(|e| e * 7 % 30).collect();
    builder
        .add_edges("item__of__user", items.clone(), users.clone())
        .unwrap()
        .add_edges("user__of__item", users, items)
        .unwrap();
    let dataset = builder.build().unwrap();
    let sampler = dataset.sampler().fanouts([2, 2]).seed(4).build().unwrap();
    let loader = sampler.loader().node_type("user").batch_size(6);
    let mut loader = loader.shuffle(true).build().unwrap();
    for (epoch, batches) in [(0, 0), (5, 3)] {
        let options = PlanOptions::new().epoch(epoch).batches(batches);
        let plan = parsed(loader.plan(&options));
        let planned = if batches == 0 { 7 } else { batches };
        assert_eq!(plan["batches"], json!({"epoch": 7, "planned": planned}));
        assert_eq!(plan["epoch"], epoch);
        let (mut sums, mut seeds) = (Sums::new(), 0);
        loader.seek(epoch).unwrap();
        for _ in 0..planned {
            let batch = loader.next().unwrap().unwrap();
            for of in ["user", "item"] {
                let counts = batch.nodes(of).num_sampled_nodes().unwrap();
                add(&mut sums, &format!("nodes {of}"), counts);
            }
            for of in ["item__of__user", "user__of__item"] {
                let counts = batch.edges(of).num_sampled_edges().unwrap();
                add(&mut sums, &format!("edges {of}"), counts);
            }
            seeds += batch.nodes("user").input_id().unwrap().len();
        }
        assert_eq!(totals(&plan), sums);
        assert_eq!(plan["seeds"], seeds);
    }
}

#[test]
fn reads_are_those_of_the_loader() {
    let context = context();
    let folder = TempDir::new();
    let path = folder.join("ring");
    ring(&context, 1000, 2).save(&path).unwrap();
    context.set("storage.way", "planned").unwrap();
    context.set("storage.memory", &MEMORY.to_string()).unwrap();
    let dataset = Dataset::open(&context, &path).unwrap();
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let loader = sampler.loader().columns(["x"]).batch_size(8);
    let mut loader = loader.build().unwrap();
    let plan = parsed(loader.plan(&PlanOptions::new().memory([MEMORY])));
    assert_eq!(loader.batches().map(Result::unwrap).count(), 125);
    let stats = loader.stats().unwrap();
    assert!(stats.disk_rows > 0 && stats.disk_read_bytes > 0);
    let sizes = plan["memory"].as_array().unwrap();
    assert_eq!(sizes.len(), 1);
    assert_eq!(sizes[0]["bytes"], MEMORY);
    assert_eq!(sizes[0]["uses"], stats.host_rows);
    assert_eq!(sizes[0]["missed_rows"], stats.disk_rows);
    assert_eq!(sizes[0]["missed_bytes"], stats.disk_row_bytes);
    assert_eq!(sizes[0]["read_bytes"], stats.disk_read_bytes);
    assert_eq!(sizes[0]["packed_bytes"], stats.disk_packed_bytes);
    let several = parsed(loader.plan(&PlanOptions::new().batches(1).memory([1 << 30, MEMORY])));
    assert_eq!(several["memory"].as_array().unwrap().len(), 2);
    let default = parsed(loader.plan(&PlanOptions::new().batches(1)));
    assert_eq!(default["memory"].as_array().unwrap().len(), 5);
}

#[test]
fn what_is_refused() {
    let context = context();
    let dataset = ring(&context, 100, 2);
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let loader = sampler.loader().batch_size(8).build().unwrap();
    let many = loader.plan(&PlanOptions::new().batches(14)).unwrap_err();
    assert!(is_argument(&many, "batches"));
    let none = loader.plan(&PlanOptions::new().memory([1 << 20, 0]));
    assert!(is_argument(&none.unwrap_err(), "memory"));
    let empty = sampler.loader().seeds(Vec::<i64>::new()).build().unwrap();
    let nothing = empty.plan(&PlanOptions::new()).unwrap_err();
    assert!(is_argument(&nothing, "loader"));
    let folder = TempDir::new();
    let path = folder.join("feed.sock");
    let feed = Feed::builder(&loader, &path).build().unwrap();
    let attached = Attach::to(&path).connect(&context).unwrap();
    assert!(matches!(
        attached.plan(&PlanOptions::new()),
        Err(Error::Unsupported(_))
    ));
    drop(attached);
    drop(feed);
}

#[test]
fn progress_ends_a_plan() {
    let dataset = ring(&context(), 100, 2);
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let loader = sampler.loader().batch_size(8).build().unwrap();
    let mut seen = Vec::new();
    let plan = loader.plan_with_progress(&PlanOptions::new(), |progress| {
        assert_eq!((progress.stage, progress.unit), ("sample", "batches"));
        assert_eq!(progress.total, Some(13));
        seen.push(progress.done);
        ControlFlow::Continue(())
    });
    assert_eq!(parsed(plan)["seeds"], 100);
    assert_eq!(seen, (1..=13).collect::<Vec<u64>>());
    let mut calls = 0;
    let stopped = loader.plan_with_progress(&PlanOptions::new(), |progress| {
        calls += 1;
        if progress.done == 3 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    assert!(matches!(stopped, Err(Error::Canceled(_))));
    assert_eq!(calls, 3);
}
