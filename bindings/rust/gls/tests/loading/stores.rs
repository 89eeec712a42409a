//! Columns and neighbours that code of the caller's answers.

use std::error::Error as StdError;
use std::io;
use std::panic;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::common::{context, ring};
use crate::digests::digest::Digest;
use gls::*;

const NODES: i64 = 120;
const DEGREE: i64 = 4;
const EDGES: &str = "node__to__node";

/// What of the ring is in arrays.
fn base(context: &Context, edges: bool, columns: bool) -> Dataset {
    let mut builder = DatasetBuilder::new(context).unwrap();
    builder
        .add_node_type("node", NODES as usize, Ids::Dense)
        .unwrap()
        .add_id_set("node", "train", (0..NODES).step_by(2).collect::<Vec<_>>())
        .unwrap();
    if edges {
        let target: Vec<i64> = (0..NODES * DEGREE).map(|e| e / DEGREE).collect();
        let source: Vec<i64> = (0..NODES * DEGREE).map(source_of).collect();
        builder.add_edges(EDGES, source, target).unwrap();
    }
    if columns {
        let x: Vec<f32> = (0..NODES).flat_map(row_of).collect();
        let x = Tensor::from_vec_with_shape(x, &[NODES as usize, 3]).unwrap();
        builder
            .add_node_column("node", "x", x, Role::Feature)
            .unwrap();
    }
    builder.build().unwrap()
}

fn source_of(edge: i64) -> i64 {
    (edge / DEGREE + 1 + edge % DEGREE) % NODES
}

fn row_of(node: i64) -> [f32; 3] {
    [node as f32, node as f32 + 0.25, -(node as f32)]
}

fn x() -> StoreColumn {
    StoreColumn::new("node", "x", DType::F32).row_shape(&[3])
}

fn write_x(ids: &[i64], rows: &mut [f32]) {
    assert_eq!(rows.len(), 3 * ids.len());
    assert!(rows.iter().all(|&value| value == 0.0));
    for (&id, row) in ids.iter().zip(rows.chunks_exact_mut(3)) {
        row.copy_from_slice(&row_of(id));
    }
}

fn lists_of(nodes: &[i64]) -> NeighborLists {
    let mut lists = NeighborLists::new();
    for node in nodes {
        let edges: Vec<i64> = (node * DEGREE..(node + 1) * DEGREE).collect();
        let sources: Vec<i64> = edges.iter().map(|&edge| source_of(edge)).collect();
        lists.push_with_edge_ids(&sources, &edges);
    }
    lists
}

fn in_edges() -> StoreNeighbors {
    StoreNeighbors::new(EDGES, (NODES * DEGREE) as usize, Layout::Csc).edge_ids(true)
}

/// The label is a number of another type; the weight is of edges.
fn other_columns(context: &Context) -> [Store; 3] {
    let options = StoreOptions::new();
    let label = StoreColumn::new("node", "y", DType::I64).role(Role::Label);
    let weight = StoreColumn::new(EDGES, "w", DType::F32).role(Role::Weight);
    let feature = StoreColumn::new(EDGES, "f", DType::F32).row_shape(&[2]);
    [
        Store::column(context, &label, options, |ids: &[i64], rows: &mut [i64]| {
            rows.iter_mut()
                .zip(ids)
                .for_each(|(row, id)| *row = 10 * id);
            Ok::<_, Error>(())
        })
        .unwrap(),
        Store::column(
            context,
            &weight,
            options,
            |ids: &[i64], rows: &mut [f32]| {
                let weights = ids.iter().map(|id| (1 + id % 3) as f32);
                rows.iter_mut()
                    .zip(weights)
                    .for_each(|(row, weight)| *row = weight);
                Ok::<_, Error>(())
            },
        )
        .unwrap(),
        // By the bytes.
        Store::column(
            context,
            &feature,
            options,
            |ids: &[i64], rows: &mut [u8]| {
                for (&id, row) in ids.iter().zip(rows.chunks_exact_mut(8)) {
                    row[..4].copy_from_slice(&(id as f32).to_ne_bytes());
                    row[4..].copy_from_slice(&(-(id as f32)).to_ne_bytes());
                }
                Ok::<_, Error>(())
            },
        )
        .unwrap(),
    ]
}

fn digests(dataset: &Dataset) -> Vec<u64> {
    let sampler = dataset
        .sampler()
        .fanouts([3, 2])
        .weight("w")
        .seed(7)
        .edge_ids(true);
    let loader = sampler.build().unwrap();
    let loader = loader.loader().id_set("train").batch_size(9).shuffle(true);
    let mut out = Vec::new();
    for batch in loader.columns(["x", "y", "f"]).build().unwrap() {
        let mut digest = Digest::default();
        digest.batch(&batch.unwrap()).unwrap();
        out.push(digest.0);
    }
    out
}

#[test]
fn batches_are_those_of_arrays() {
    let context = context();
    let expected = digests(&ring(&context, NODES, DEGREE));
    assert_eq!(expected.len(), 7);
    for options in [
        StoreOptions::new(),
        StoreOptions::new().max_ids(5).max_fetches(2),
        StoreOptions::new().cache_bytes(1 << 20).deadline(None),
    ] {
        let x = Store::column(&context, &x(), options, |ids: &[i64], rows: &mut [f32]| {
            write_x(ids, rows);
            Ok::<_, Error>(())
        })
        .unwrap();
        let neighbors = Store::neighbors(&context, &in_edges(), options, |nodes: &[i64]| {
            Ok::<_, Error>(lists_of(nodes))
        })
        .unwrap();
        let [y, w, f] = other_columns(&context);
        let with_edges = base(&context, true, false);
        let dataset = with_edges.with_stores(&[&x, &y, &w, &f]).unwrap();
        assert_eq!(digests(&dataset), expected);
        let nodes = base(&context, false, false);
        let all = nodes.with_stores(&[&x, &y, &neighbors, &w, &f]).unwrap();
        drop([neighbors, y, w, f]);
        drop((dataset, nodes));
        assert_eq!(all.num_edges(EDGES).unwrap(), (NODES * DEGREE) as usize);
        assert_eq!(digests(&all), expected);
        assert!(format!("{x:?}").contains("fetches"));
    }
}

/// Threads that answer what they get.
fn answering<Q: Send + 'static>(
    answer: impl Fn(Q) + Send + Sync + 'static,
) -> impl Fn(Q) + Send + Sync + 'static {
    let (sender, receiver): (Sender<Q>, Receiver<Q>) = mpsc::channel();
    let (sender, receiver) = (Mutex::new(sender), Mutex::new(receiver));
    let shared = Arc::new((receiver, answer));
    for _ in 0..2 {
        let shared = shared.clone();
        thread::spawn(move || loop {
            let next = shared.0.lock().unwrap().recv();
            match next {
                Ok(question) => shared.1(question),
                Err(_) => return,
            }
        });
    }
    move |question| sender.lock().unwrap().send(question).unwrap()
}

#[test]
fn threads_answer_later() {
    let context = context();
    let expected = digests(&ring(&context, NODES, DEGREE));
    let options = StoreOptions::new()
        .max_ids(50)
        .deadline(Some(Duration::from_secs(60)));
    let rows = answering(|mut question: FetchRows| {
        assert!(!question.is_canceled());
        let remaining = question.remaining().unwrap();
        assert!(remaining > Duration::from_secs(1) && remaining <= Duration::from_secs(60));
        assert_eq!(question.rows_mut().len(), 12 * question.ids().len());
        let refused = question.rows_as_mut::<f64>();
        assert!(matches!(refused, Err(Error::InvalidArgument(_))));
        let (ids, rows) = question.ids_and_rows::<f32>().unwrap();
        write_x(ids, rows);
        question.done().unwrap();
    });
    let lists = answering(|question: FetchNeighbors| {
        assert!(question.remaining().is_some() && !question.is_canceled());
        let lists = lists_of(question.nodes());
        question.done(&lists).unwrap();
    });
    let x = Store::column_later(&context, &x(), options, rows).unwrap();
    let neighbors = Store::neighbors_later(&context, &in_edges(), options, lists).unwrap();
    let [y, w, f] = other_columns(&context);
    let nodes = base(&context, false, false);
    let all = nodes.with_stores(&[&x, &y, &neighbors, &w, &f]).unwrap();
    assert_eq!(digests(&all), expected);
}

/// The errors of an epoch of batches of one seed each, with that seed.
fn errors(dataset: &Dataset) -> Vec<Option<Error>> {
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let loader = sampler
        .loader()
        .batch_size(1)
        .seeds((0..8).collect::<Vec<i64>>());
    loader
        .build()
        .unwrap()
        .into_iter()
        .map(Result::err)
        .collect()
}

type Failure = Box<dyn StdError + Send + Sync>;

/// Fails in a way that the seed chooses, which is the first id of a batch.
fn fails(seed: i64, context: &Context) -> std::result::Result<(), Failure> {
    match seed {
        1 => Err("some words".into()),
        2 => panic!("at {seed}"),
        3 => panic::panic_any(3),
        4 => Err(Dataset::open(context, "no/such/folder").unwrap_err().into()),
        5 => Err("é\0".repeat(2000).into()),
        6 => Err(Error::new(sys::GLS_ERR_TIMED_OUT, "too late").into()),
        7 => Err(io::Error::new(io::ErrorKind::ConnectionReset, "reset").into()),
        _ => Ok(()),
    }
}

#[test]
fn errors_and_panics_fail_their_batch() {
    let context = Arc::new(context());
    let nodes = base(&context, false, true);
    let graph = base(&context, true, false);
    let own = context.clone();
    let x = Store::column(
        &context,
        &x(),
        StoreOptions::new(),
        move |ids: &[i64], _: &mut [f32]| fails(ids[0], &own),
    )
    .unwrap();
    let own = context.clone();
    let neighbors = Store::neighbors(
        &context,
        &in_edges(),
        StoreOptions::new(),
        move |n: &[i64]| fails(n[0], &own).map(|()| lists_of(n)),
    )
    .unwrap();
    let with_x = graph.with_stores(&[&x]).unwrap();
    let with_neighbors = nodes.with_stores(&[&neighbors]).unwrap();
    for (dataset, name, store) in [
        (with_x, "column \"x\" of \"node\"", &x),
        (
            with_neighbors,
            "neighbours of \"node__to__node\"",
            &neighbors,
        ),
    ] {
        for (seed, error) in errors(&dataset).iter().enumerate() {
            let words = [
                "",
                "some words",
                "panicked: at 2",
                "no text",
                "no/such/folder",
                "é ",
                "too late",
                "reset",
            ];
            let error = match error {
                None => {
                    assert_eq!(seed, 0);
                    continue;
                }
                Some(error) => error,
            };
            assert_ne!(seed, 0, "{error}");
            assert!(error.message().contains(words[seed]), "{error}");
            assert!(error.message().contains(name), "{error}");
            match seed {
                4 => assert!(matches!(error, Error::NotFound(_))),
                6 => assert!(matches!(error, Error::TimedOut(_))),
                7 => assert!(matches!(error, Error::Io(_))),
                _ => assert!(matches!(error, Error::InvalidArgument(_))),
            }
        }
        assert_eq!(store.stats().unwrap().failures, 7);
    }
}

#[test]
fn code_of_the_caller_chooses_the_status() {
    let context = context();
    let graph = base(&context, true, false);
    // By the first id; an io::Error that was made of an error is that error.
    let x = Store::column(
        &context,
        &x(),
        StoreOptions::new(),
        |ids: &[i64], _: &mut [f32]| -> std::result::Result<(), Failure> {
            let error = Error::new(-ids[0] as i32, format!("words {}", ids[0]));
            match ids[0] % 2 {
                0 => Err(error.into()),
                _ => Err(io::Error::from(error).into()),
            }
        },
    );
    let dataset = graph.with_stores(&[&x.unwrap()]).unwrap();
    for id in 0..=12i64 {
        let error = dataset.rows("node", "x", &[id]).unwrap_err();
        let expected = match id {
            1..=10 => -id as i32,
            _ => sys::GLS_ERR_INTERNAL,
        };
        assert_eq!(error.status(), expected, "{error}");
        assert!(error.message().contains(&format!("words {id}")), "{error}");
    }
    assert_eq!(Error::new(5, "").status(), sys::GLS_ERR_INTERNAL);
}

#[test]
fn questions_that_are_dropped_or_failed_later_fail_their_batch() {
    let context = context();
    let graph = base(&context, true, false);
    let x = Store::column_later(
        &context,
        &x(),
        StoreOptions::new(),
        |mut question| match question.ids()[0] {
            1 => drop(question),
            2 => panic!("in the closure"),
            3 => question.fail("some words").unwrap(),
            _ => {
                assert!(format!("{question:?}").contains("ids"));
                let (ids, rows) = question.ids_and_rows().unwrap();
                write_x(ids, rows);
                question.done().unwrap();
            }
        },
    );
    let dataset = graph.with_stores(&[&x.unwrap()]).unwrap();
    for (seed, error) in errors(&dataset).iter().enumerate() {
        let error = error.as_ref();
        match seed {
            1 | 2 => {
                let error = error.unwrap();
                assert!(matches!(error, Error::Internal(_)));
                assert!(error.message().contains("without an answer"), "{error}");
            }
            3 => assert!(error.unwrap().message().contains("some words")),
            _ => assert!(error.is_none()),
        }
    }
}

#[test]
fn lists_that_do_not_fit_fail_their_batch() {
    let context = context();
    let nodes = base(&context, false, true);
    let wrong = |node: i64| match node {
        1 => NeighborLists::from_counts(vec![1, 2], vec![5, 6, 7]).with_edge_ids(vec![4, 5, 6]),
        2 => NeighborLists::from_counts(vec![2], vec![5]).with_edge_ids(vec![8, 9]),
        3 => NeighborLists::from_counts(vec![1], vec![NODES]).with_edge_ids(vec![12]),
        4 => NeighborLists::from_counts(vec![1], vec![5]),
        5 => NeighborLists::from_counts(vec![1], vec![5]).with_edge_ids(vec![NODES * DEGREE]),
        other => lists_of(&[other]),
    };
    let now = Store::neighbors(
        &context,
        &in_edges(),
        StoreOptions::new(),
        move |n: &[i64]| Ok::<_, Error>(wrong(n[0])),
    );
    let later = Store::neighbors_later(
        &context,
        &in_edges(),
        StoreOptions::new(),
        move |question| {
            let node = question.nodes()[0];
            let result = question.done(&wrong(node));
            assert_eq!(result.is_err(), (1..=5).contains(&node));
        },
    );
    for store in [now.unwrap(), later.unwrap()] {
        let dataset = nodes.with_stores(&[&store]).unwrap();
        for (seed, error) in errors(&dataset).iter().enumerate() {
            let argument = [
                "",
                "counts",
                "neighbors",
                "neighbors",
                "edge_ids",
                "edge_ids",
            ]
            .get(seed);
            match argument {
                None | Some(&"") => assert!(error.is_none(), "{error:?}"),
                Some(argument) => {
                    let error = error.as_ref().unwrap();
                    assert!(matches!(error, Error::InvalidArgument(_)));
                    assert!(error.message().contains(argument), "{error}");
                    assert!(!error.message().contains("GLS_"), "{error}");
                }
            }
        }
    }
}

#[test]
fn an_answer_that_does_not_come_is_an_error() {
    let context = context();
    let graph = base(&context, true, false);
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keeps = kept.clone();
    let options = StoreOptions::new()
        .deadline(Some(Duration::from_millis(20)))
        .max_fetches(1);
    let x = Store::column_later(&context, &x(), options, move |question| {
        keeps.lock().unwrap().push(question);
    });
    let dataset = graph.with_stores(&[&x.unwrap()]).unwrap();
    let error = dataset.rows("node", "x", &[3i64]).map(drop).unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)), "{error}");
    assert!(error.message().contains("column \"x\""), "{error}");
    let mut question: FetchRows = kept.lock().unwrap().pop().unwrap();
    assert!(question.is_canceled());
    assert_eq!(question.remaining(), Some(Duration::ZERO));
    drop(dataset);
    drop(graph);
    question.rows_as_mut::<f32>().unwrap().fill(1.0); // the question has its memory
    question.done().unwrap();
}

/// Also of answers that other threads give.
#[test]
fn an_answered_question_is_counted() {
    let context = context();
    let graph = base(&context, true, false);
    let fails = answering(|question: FetchRows| question.fail("no more").unwrap());
    let x = Store::column_later(&context, &x(), StoreOptions::new(), fails).unwrap();
    let dataset = graph.with_stores(&[&x]).unwrap();
    for count in 1..=300 {
        assert!(dataset.rows("node", "x", &[3i64]).is_err());
        assert_eq!(x.stats().unwrap().failures, count);
    }
}

struct Features {
    scale: f32,
    dropped: Arc<AtomicUsize>,
}

impl Drop for Features {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

impl ColumnFetch<f32> for Features {
    fn fetch(&self, ids: &[i64], rows: &mut [f32]) -> std::result::Result<(), Failure> {
        for (&id, row) in ids.iter().zip(rows.chunks_exact_mut(3)) {
            row.fill(self.scale * id as f32);
        }
        Ok(())
    }
}

struct Follows;

impl NeighborFetch for Follows {
    fn fetch(&self, nodes: &[i64]) -> std::result::Result<NeighborLists, Failure> {
        Ok(lists_of(nodes))
    }
}

#[test]
fn a_type_of_the_caller_answers_and_is_counted() {
    let context = context();
    let dropped = Arc::new(AtomicUsize::new(0));
    let features = |scale| Features {
        scale,
        dropped: dropped.clone(),
    };
    let options = StoreOptions::new().cache_bytes(1 << 20);
    let x = Store::column(&context, &x(), options, features(2.0)).unwrap();
    let neighbors = Store::neighbors(&context, &in_edges(), StoreOptions::new(), Follows).unwrap();
    let dataset = base(&context, false, false)
        .with_stores(&[&x, &neighbors])
        .unwrap();
    for _ in 0..2 {
        let rows = dataset.rows("node", "x", &[3i64, 5]).unwrap();
        assert_eq!(
            rows.as_slice::<f32>().unwrap(),
            [6.0, 6.0, 6.0, 10.0, 10.0, 10.0]
        );
    }
    let stats = x.stats().unwrap();
    assert_eq!((stats.fetches, stats.ids, stats.cached_ids), (1, 2, 2));
    assert!(stats.fetch_ns > 0 && stats.cache_bytes > 0 && stats.failures == 0);
    assert_eq!(neighbors.stats().unwrap().fetches, 0);
    drop(x);
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    drop(dataset);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    // Also when no store is made.
    let refused = Store::column(
        &context,
        &self::x().row_shape(&[usize::MAX]),
        options,
        features(1.0),
    );
    assert!(matches!(refused, Err(Error::InvalidArgument(_))));
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
}

/// The closure may still run when all that the library has is gone.
#[test]
fn a_closure_outlives_its_answer() {
    let context = context();
    let graph = base(&context, true, false);
    let (answered, wait) = mpsc::channel();
    let (go_on, gone) = mpsc::channel::<()>();
    let (answered, gone) = (Mutex::new(answered), Mutex::new(gone));
    let whole = Arc::new(AtomicBool::new(false));
    let own = whole.clone();
    let x = Store::column_later(&context, &x(), StoreOptions::new(), move |mut question| {
        question.rows_mut().fill(0);
        question.done().unwrap();
        answered.lock().unwrap().send(()).unwrap();
        own.store(gone.lock().unwrap().recv().is_err(), Ordering::SeqCst);
    });
    let dataset = graph.with_stores(&[&x.unwrap()]).unwrap();
    let reader = thread::spawn(move || dataset.rows("node", "x", &[3i64]).map(drop));
    wait.recv().unwrap();
    drop((graph, go_on));
    reader.join().unwrap().unwrap();
    assert!(whole.load(Ordering::SeqCst));
}

#[test]
fn what_does_not_fit_is_refused() {
    let context = context();
    let graph = base(&context, true, true);
    let options = StoreOptions::new();
    let column = |column: &StoreColumn, options| {
        Store::column(&context, column, options, |_: &[i64], _: &mut [f32]| {
            Ok::<_, Error>(())
        })
    };
    let zero = options.deadline(Some(Duration::ZERO));
    let f64s = StoreColumn::new("node", "z", DType::F64);
    for (refused, argument) in [
        (column(&x(), zero), "deadline"),
        (column(&f64s, options), "dtype"),
        (column(&x(), options.max_fetches(u32::MAX)), "max_fetches"),
        (
            column(&StoreColumn::new("no\0de", "z", DType::F32), options),
            "type",
        ),
        (
            column(&StoreColumn::new("node", "z\0", DType::F32), options),
            "name",
        ),
    ] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
        assert_eq!(error.detail("argument"), Some(argument));
    }
    let neighbors = Store::neighbors(&context, &in_edges(), options, Follows).unwrap();
    let there = [
        column(&x(), options).unwrap(), // the graph has it
        neighbors,
    ];
    for store in &there {
        assert!(matches!(
            graph.with_stores(&[store]),
            Err(Error::AlreadyExists(_))
        ));
    }
    let no_type = column(&StoreColumn::new("nodes", "z", DType::F32), options).unwrap();
    assert!(matches!(
        graph.with_stores(&[&no_type]),
        Err(Error::NotFound(_))
    ));
    let only = column(&StoreColumn::new(None, "z", DType::F32), options).unwrap();
    let dataset = graph.with_stores(&[&only]).unwrap();
    assert_eq!(dataset.node_columns(None).unwrap()[1].name, "z");
    let saved = dataset.save("nowhere/at/all");
    assert!(matches!(saved, Err(Error::Unsupported(_))));
    let exported = dataset.export("parquet", "nowhere/at/all");
    assert!(matches!(exported, Err(Error::Unsupported(_))));
}
