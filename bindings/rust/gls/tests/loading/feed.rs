//! Sampling in processes of its own; here both ends are in one.

use std::time::Duration;

use crate::common::{context, ring, TempDir};
use gls::*;

fn loader(dataset: &Dataset, rank: u32, world_size: u32) -> NeighborLoader {
    let sampler = dataset.sampler().fanouts([3, 2]).seed(7).build().unwrap();
    let loader = sampler.loader().batch_size(8).shuffle(true);
    loader.trainer(rank, world_size).build().unwrap()
}

fn contents(loader: &mut NeighborLoader) -> Vec<(Vec<i64>, Vec<i64>, Vec<f32>)> {
    loader
        .batches()
        .map(|batch| {
            let batch = batch.unwrap();
            let x = batch
                .column("x")
                .unwrap()
                .as_slice::<f32>()
                .unwrap()
                .to_vec();
            let node = batch.node::<i64>().unwrap().to_vec();
            (node, batch.row::<i64>().unwrap().to_vec(), x)
        })
        .collect()
}

#[test]
fn gives_the_batches_of_the_loader() {
    let dataset = ring(&context(), 200, 4);
    let folder = TempDir::new();
    let paths = [folder.join("one.sock"), folder.join("two.sock")];
    let like = [loader(&dataset, 0, 1), loader(&dataset, 0, 1)];
    let feeds: Vec<Feed> = (0..2)
        .map(|i| {
            let feed = Feed::builder(&like[i], &paths[i]);
            feed.consumers(2)
                .bytes(1 << 20)
                .prefetch(3)
                .mode(0o600)
                .build()
                .unwrap()
        })
        .collect();
    let mut attached: Vec<NeighborLoader> = (0..2)
        .map(|rank| {
            let attach = Attach::to(&paths[0]).and(&paths[1]).trainer(rank, 0);
            attach
                .timeout(Duration::from_secs(20))
                .connect(&context())
                .unwrap()
        })
        .collect();
    for epoch in 0..2 {
        for rank in 0..2 {
            let mut alone = loader(&dataset, rank, 2);
            alone.seek(epoch).unwrap();
            let got = &mut attached[rank as usize];
            got.seek(epoch).unwrap();
            assert_eq!(contents(got), contents(&mut alone));
        }
    }
    assert!(!feeds[0].wait(Some(Duration::ZERO)).unwrap());
    let state = attached[0].save().unwrap();
    attached[0].restore(&state).unwrap();
    assert!(attached[0].sample(0, 0).is_err());
    drop(attached);
    assert!(feeds[0].wait(Some(Duration::from_secs(20))).unwrap());
    let info = feeds[0].info().unwrap();
    assert_eq!((info.attached, info.consumers, info.lost), (2, 0, 0));
    assert!(info.batches >= 24 && info.batch_bytes > 0);
}

#[test]
fn arrays_outlive_everything_and_cannot_be_written() {
    let dataset = ring(&context(), 200, 4);
    let folder = TempDir::new();
    let path = folder.join("feed.sock");
    let own = loader(&dataset, 0, 1);
    let feed = Feed::builder(&own, &path).build().unwrap();
    let mut attached = Attach::to(&path).connect(&context()).unwrap();
    let batch = attached.next().unwrap().unwrap();
    let x = batch.tensor(BatchArray::NodeColumn, "node", "x").unwrap();
    assert!(x.is_read_only());
    drop((batch, attached, feed, own, dataset));
    let values = x.as_slice::<f32>().unwrap();
    assert_eq!(values[1], values[0] + 0.25);
}

#[test]
fn says_what_is_wrong() {
    let dataset = ring(&context(), 200, 4);
    let folder = TempDir::new();
    let path = folder.join("feed.sock");
    let soon = || Attach::to(&path).timeout(Duration::from_millis(5));
    let missing = soon().connect(&context()).unwrap_err();
    assert!(matches!(missing, Error::TimedOut(_)), "{missing}");
    let half = loader(&dataset, 0, 2);
    let refused = Feed::builder(&half, &path).build().unwrap_err();
    assert!(matches!(refused, Error::InvalidArgument(_)), "{refused}");
    let own = loader(&dataset, 0, 1);
    let feed = Feed::builder(&own, &path).bytes(20_000).build().unwrap();
    let second = Feed::builder(&own, &path).build().unwrap_err();
    assert!(matches!(second, Error::AlreadyExists(_)), "{second}");
    let unpinned = soon().pin(10_000).connect(&context()).unwrap_err();
    assert!(matches!(unpinned, Error::Unsupported(_)), "{unpinned}");
    assert_eq!(feed.info().unwrap().copied_bytes, 0);
    let stall = soon()
        .timeout(Duration::from_secs(20))
        .stall(Duration::from_millis(100));
    let mut attached = stall.connect(&context()).unwrap();
    let mut held = Vec::new();
    let full = loop {
        match attached.next_batch(None) {
            Ok(Step::Batch(batch)) => held.push(batch),
            Ok(step) => panic!("{step:?}"),
            Err(error) => break error,
        }
    };
    assert!(matches!(full, Error::OutOfMemory(_)), "{full}");
    drop(held);
    assert!(attached.next().unwrap().is_ok());
    drop(feed);
    let gone = std::iter::from_fn(|| attached.next())
        .find_map(Result::err)
        .unwrap();
    assert!(matches!(gone, Error::Io(_)), "{gone}");
}
