//! Servers of parts of a graph, and the graph opened from them.

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use crate::common;
use crate::common::{context, ring, TempDir};
use gls::*;

const KEY: &str = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";

fn key_file(folder: &TempDir) -> PathBuf {
    let path = folder.join("key");
    fs::write(&path, KEY).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path
}

fn with_key(folder: &TempDir) -> Context {
    let context = context();
    context
        .set("net.key_file", key_file(folder).to_str().unwrap())
        .unwrap();
    context.set("cluster.same_host", "false").unwrap(); // so that there is a network
    context
}

fn cut(context: &Context, folder: &TempDir) -> (Dataset, PathBuf) {
    let whole = ring(context, 200, 4);
    let path = folder.join("parts");
    let options = PartitionOptions::new()
        .parts(2)
        .method(PartitionMethod::Hash);
    whole.partition(&path, options).unwrap();
    (whole, path)
}

fn contents(dataset: &Dataset) -> Vec<(Vec<i64>, Vec<i64>, Vec<f32>)> {
    contents_made_by(dataset, MadeBy::Here)
}

fn contents_made_by(dataset: &Dataset, by: MadeBy) -> Vec<(Vec<i64>, Vec<i64>, Vec<f32>)> {
    let sampler = dataset.sampler().fanouts([3, 2]).seed(7).build().unwrap();
    let loader = sampler.loader().batch_size(8).shuffle(true);
    loader
        .made_by(by)
        .build()
        .unwrap()
        .into_iter()
        .map(|batch| {
            let batch = batch.unwrap();
            let x = batch.column("x").unwrap();
            let x = x.as_slice::<f32>().unwrap().to_vec();
            let node = batch.node::<i64>().unwrap().to_vec();
            (node, batch.row::<i64>().unwrap().to_vec(), x)
        })
        .collect()
}

#[test]
fn gives_the_batches_of_the_whole() {
    let folder = TempDir::new();
    let context = with_key(&folder);
    let (whole, path) = cut(&context, &folder);
    let first = Server::options()
        .parts([0])
        .num_threads(1)
        .start(&context, &path)
        .unwrap();
    let second = Server::options()
        .listen("127.0.0.1:0")
        .parts([1])
        .servers([first.address()])
        .name("the second")
        .residency(Residency::All)
        .verify_checksums(true)
        .start(&context, &path)
        .unwrap();
    let place = format!("gls://{}", second.address());
    let far = Dataset::open(&context, &place).unwrap();
    let expected = contents(&whole);
    assert_eq!(expected.len(), 25);
    assert_eq!(contents(&far), expected);
    let ids = [9i64, 0, 9, 1, 2];
    let y = whole.rows(None, "y", &ids).unwrap();
    let rows = far.rows(None, "y", &ids).unwrap();
    assert_eq!(rows.as_slice::<i64>().unwrap(), y.as_slice().unwrap());
    let book = Partition::open(&context, &path).unwrap();
    let book = book.owners(None, &ids).unwrap();
    let owners = far.owners(None, &ids).unwrap();
    assert_eq!(owners.as_slice::<i32>().unwrap(), book.as_slice().unwrap());
    let info = first.info().unwrap();
    assert_eq!((info.parts, info.graph_parts, info.clients), (1, 2, 1));
    // The second one says to the first where it is; that is no client.
    assert!((1..=2).contains(&info.accepted));
    assert_eq!((info.admitted, info.failures), (info.accepted, 0));
    assert!(info.requests > 0);
    // The other server is a client of this one, then.
    assert_eq!(contents_made_by(&far, MadeBy::Servers), expected);

    let address = first.address().to_owned();
    first.stop(Some(Duration::from_secs(5))).unwrap();
    assert_eq!(first.info().unwrap().clients, 0);
    drop(first);
    let _first = Server::options()
        .listen(address)
        .parts([0])
        .start(&context, &path)
        .unwrap();
    assert_eq!(contents(&far), expected);
}

#[test]
fn one_server_alone() {
    let folder = TempDir::new();
    let context = with_key(&folder);
    let (_, path) = cut(&context, &folder);
    let server = Server::options()
        .parts([1])
        .name("the second")
        .start(&context, &path)
        .unwrap();
    let limit = Some(Duration::from_secs(10));
    let probe = Server::probe(&context, server.address(), limit).unwrap();
    assert_eq!(probe.name, "the second");
    assert_eq!(probe.parts, [1]);
    assert_eq!(probe.graph_parts, 2);
    let partition = Partition::open(&context, &path).unwrap();
    assert_eq!(probe.graph, partition.graph());
    let late = Server::probe(&context, server.address(), Some(Duration::ZERO));
    assert!(matches!(late, Err(Error::TimedOut(_))), "{late:?}");
    server.stop(limit).unwrap();
    let gone = Server::probe(&context, server.address(), None);
    assert!(matches!(gone, Err(Error::Io(_))), "{gone:?}");
}

#[test]
fn says_what_is_wrong() {
    let folder = TempDir::new();
    let context = with_key(&folder);
    let (_, path) = cut(&context, &folder);
    let bad = Server::options().parts([2]).start(&context, &path);
    assert!(matches!(bad, Err(Error::InvalidArgument(_))));
    let bad = Server::options().listen("somewhere").start(&context, &path);
    assert!(matches!(bad, Err(Error::InvalidArgument(_))));
    let bad = Server::options().start(&context, folder.join("nowhere"));
    assert!(matches!(bad, Err(Error::NotFound(_))));
    let server = Server::options().parts([0]).start(&context, &path).unwrap();
    let taken = Server::options()
        .listen(server.address())
        .start(&context, &path);
    assert!(matches!(taken, Err(Error::AlreadyExists(_))));
    let place = format!("gls://{}", server.address());
    let bad = Dataset::options()
        .residency(Residency::All)
        .open(&context, &place);
    assert!(matches!(bad, Err(Error::Unsupported(_))));
    let bare = common::context();
    bare.set("net.key_variable", "").unwrap();
    let open = Dataset::open(&bare, &place);
    assert!(matches!(open, Err(Error::InvalidArgument(_))));

    context.set("cluster.open_timeout_ms", "1500").unwrap();
    let missing = Dataset::open(&context, &place).unwrap_err();
    assert!(matches!(missing, Error::TimedOut(_)));
    assert!(missing.message().contains("nobody serves part 1 of 2"));
    let mut looks = 0;
    let stopped = Dataset::options()
        .progress(|progress| {
            assert_eq!(progress.stage, "finding servers");
            looks += 1;
            ControlFlow::Break(())
        })
        .open(&context, &place);
    assert!(matches!(stopped, Err(Error::Canceled(_))));
    assert_eq!(looks, 1);
}

#[test]
fn waiting_for_a_lost_server_can_be_interrupted() {
    let folder = TempDir::new();
    let context = with_key(&folder);
    context.set("cluster.request_timeout_ms", "0").unwrap(); // without limit
    context.set("cluster.open_timeout_ms", "0").unwrap();
    let (_whole, path) = cut(&context, &folder);
    let start = |listen: &str, part: u32| {
        let options = Server::options().listen(listen).parts([part]);
        options.start(&context, &path).unwrap()
    };
    let first = start("127.0.0.1:0", 0);
    let second = start("127.0.0.1:0", 1);
    let place = format!("gls://{},{}", first.address(), second.address());
    let far = Dataset::open(&context, &place).unwrap();
    let ids: Vec<i64> = (0..50).collect();
    let address = second.address().to_string();
    drop(second);

    let asked = std::cell::Cell::new(0);
    let third_time = || {
        asked.set(asked.get() + 1);
        match asked.get() % 3 {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let rows = || far.rows(None, "x", &ids);
    for times in 1..3 {
        let ended = interruptible(third_time, rows);
        assert!(matches!(ended, Err(Error::Canceled(_))), "{ended:?}");
        assert_eq!(asked.get(), 3 * times);
    }
    // Scopes nest, and an inner one that never ends a call leaves that to the time limit.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("gls://{}", silent.local_addr().unwrap());
    let ended = interruptible(third_time, || {
        context.set("cluster.open_timeout_ms", "500").unwrap();
        let inner = interruptible(
            || ControlFlow::Continue(()),
            || Dataset::open(&context, &silent),
        );
        assert!(matches!(inner, Err(Error::TimedOut(_))), "{inner:?}");
        context.set("cluster.open_timeout_ms", "0").unwrap();
        Dataset::open(&context, &silent)
    });
    assert!(matches!(ended, Err(Error::Canceled(_))), "{ended:?}");
    let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        interruptible(|| panic!("in check"), rows)
    }));
    let payload = panics.unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"in check"));

    let _again = start(&address, 1);
    assert_eq!(rows().unwrap().shape()[0], 50); // goes on
}
