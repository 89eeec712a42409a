//! Record batches of arrow as nodes and edges, and back.
#![cfg(feature = "arrow")]

use std::panic::panic_any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;

use crate::common::{context, TempDir};
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeListArray, Float32Array, Int32Array,
    Int64Array, LargeStringArray, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray,
    TimestampMicrosecondArray,
};
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Schema, SchemaRef};
use gls::*;

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn reader(batches: Vec<RecordBatch>) -> impl RecordBatchReader + Send {
    let schema = batches[0].schema();
    RecordBatchIterator::new(batches.into_iter().map(Ok), schema)
}

/// Keys, and a column of each kind.
fn users() -> RecordBatch {
    let item = Arc::new(ArrowField::new("item", DataType::Float32, true));
    let x = Float32Array::from(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let joined = vec![1_700_000_000_000_000, 0, -1];
    batch([
        (
            "name",
            Arc::new(StringArray::from(vec!["ada", "bob", "eve"])),
        ),
        ("age", Arc::new(Float32Array::from(vec![36.0, 41.5, 29.0]))),
        (
            "x",
            Arc::new(FixedSizeListArray::new(item, 2, Arc::new(x), None)),
        ),
        (
            "active",
            Arc::new(BooleanArray::from(vec![true, false, true])),
        ),
        (
            "joined",
            Arc::new(TimestampMicrosecondArray::from(joined).with_timezone("Europe/Berlin")),
        ),
    ])
}

fn keyed() -> ArrowOptions {
    ArrowOptions::new().key("name")
}

fn nodes(batches: Vec<RecordBatch>, options: &ArrowOptions) -> Result<Dataset> {
    let mut builder = DatasetBuilder::new(&context())?;
    builder.add_nodes_arrow("user", reader(batches), options)?;
    builder.build()
}

fn names_of(columns: &[Column<'_>]) -> Vec<String> {
    columns.iter().map(|column| column.name.into()).collect()
}

/// The rows of a stream, which must be one batch.
fn only_batch(stream: impl RecordBatchReader) -> RecordBatch {
    let batches: Vec<RecordBatch> = stream.collect::<Result<_, _>>().unwrap();
    assert_eq!(batches.len(), 1);
    batches.into_iter().next().unwrap()
}

#[test]
fn nodes_come_out_as_they_went_in() {
    let folder = TempDir::new();
    let users = users();
    let cut = vec![users.slice(0, 1), users.slice(1, 0), users.slice(1, 2)];
    let mut builder = DatasetBuilder::new(&context()).unwrap();
    builder
        .add_nodes_arrow("user", reader(cut.clone()), &keyed())
        .unwrap();
    let dataset = builder.build().unwrap();
    builder
        .add_nodes_arrow("user", reader(cut), &keyed())
        .unwrap();
    builder.write(folder.join("users")).unwrap();
    let opened = Dataset::open(&context(), folder.join("users")).unwrap();

    for dataset in [dataset, opened] {
        assert_eq!(dataset.find_node("user", "bob").unwrap(), 1);
        let columns = dataset.node_columns("user").unwrap();
        assert_eq!(names_of(&columns), ["age", "x", "active", "joined"]);
        let dtypes: Vec<DType> = columns.iter().map(|column| column.dtype).collect();
        assert_eq!(dtypes, [DType::F32, DType::F32, DType::Bool, DType::I64]);
        assert_eq!(columns[1].shape, [3, 2]);
        assert_eq!(columns[0].logical_type, None);
        assert_eq!(columns[3].logical_type, Some("tsu:Europe/Berlin"));

        // It is the reader that keeps the dataset.
        let age = dataset.node_column("user", "age").unwrap().as_ptr();
        let stream = dataset.nodes_to_arrow(None).unwrap();
        drop(dataset);
        let out = thread::spawn(|| only_batch(stream)).join().unwrap();
        let schema = out.schema();
        let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
        assert_eq!(names, ["_key", "age", "x", "active", "joined"]);
        let keys = LargeStringArray::from(vec!["ada", "bob", "eve"]);
        let key: &LargeStringArray = out.column(0).as_any().downcast_ref().unwrap();
        assert_eq!(key, &keys);
        assert_eq!(out.columns()[1..], users.columns()[1..]);
        let shown: &Float32Array = out.column(1).as_any().downcast_ref().unwrap();
        assert_eq!(shown.values().as_ptr().cast(), age); // in place
    }
}

#[test]
fn edges_name_their_ends_by_keys() {
    let source: ArrayRef = Arc::new(LargeStringArray::from(vec!["eve", "ada", "eve"]));
    let target: ArrayRef = Arc::new(LargeStringArray::from(vec!["ada", "bob", "bob"]));
    let weight: ArrayRef = Arc::new(Float32Array::from(vec![0.5, 1.0, 2.0]));
    let edges = batch([
        ("w", weight.clone()),
        ("to", target.clone()),
        ("from", source.clone()),
    ]);
    let options = ArrowOptions::new()
        .source("from")
        .target(1)
        .column(ArrowColumn::new("w").role(Role::Weight));
    let mut builder = DatasetBuilder::new(&context()).unwrap();
    builder
        .add_nodes_arrow("user", reader(vec![users()]), &keyed())
        .unwrap()
        .add_edges_arrow("user__knows__user", reader(vec![edges.clone()]), &options)
        .unwrap();
    let dataset = builder.build().unwrap();
    let (from, to) = dataset.find_edges(None, &[0i64, 1, 2]).unwrap();
    assert_eq!(from.as_slice::<i64>().unwrap(), [2, 0, 2]);
    assert_eq!(to.as_slice::<i64>().unwrap(), [0, 1, 1]);
    assert_eq!(dataset.edge_columns(None).unwrap()[0].role, Role::Weight);

    let out = only_batch(dataset.edges_to_arrow("user__knows__user").unwrap());
    let same = batch([("_source", source), ("_target", target), ("w", weight)]);
    assert_eq!(out.columns(), same.columns());
    for (field, expected) in out.schema().fields().iter().zip(same.schema().fields()) {
        assert_eq!(field.name(), expected.name());
    }

    // What came out goes in again.
    let again_options = ArrowOptions::new().add_reverse(true);
    let mut builder = DatasetBuilder::new(&context()).unwrap();
    builder
        .add_nodes_arrow(
            "user",
            dataset.nodes_to_arrow("user").unwrap(),
            &ArrowOptions::new().key("_key"),
        )
        .unwrap()
        .add_edges_arrow(
            "user__knows__user",
            dataset.edges_to_arrow(None).unwrap(),
            &again_options,
        )
        .unwrap();
    drop(dataset);
    let again = builder.build().unwrap();
    let out = only_batch(again.nodes_to_arrow(None).unwrap());
    assert_eq!(out.columns()[1..], users().columns()[1..]);
    let out = only_batch(again.edges_to_arrow(None).unwrap());
    assert_eq!(out.num_rows(), 6);
    assert_eq!(out.slice(0, 3).columns(), same.columns());
    assert_eq!(out.column(0).slice(3, 3).as_ref(), same.column(1).as_ref());

    // Without keys: node ids, and the first two fields.
    let from: ArrayRef = Arc::new(Int64Array::from(vec![0, 1]));
    let to: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let plain = batch([("_source", from), ("_target", to)]);
    let mut builder = DatasetBuilder::new(&context()).unwrap();
    builder
        .add_edges_arrow("a__e__a", reader(vec![plain.clone()]), &ArrowOptions::new())
        .unwrap();
    let dataset = builder.build().unwrap();
    assert_eq!(
        only_batch(dataset.edges_to_arrow(None).unwrap()).columns(),
        plain.columns()
    );
    let ids = only_batch(dataset.nodes_to_arrow(None).unwrap());
    assert_eq!(ids.schema().field(0).name(), "_id");
    let ids: &Int64Array = ids.column(0).as_any().downcast_ref().unwrap();
    assert_eq!(ids.values()[..], [0, 1, 2]);
}

#[test]
fn nulls_are_filled_masked_or_refused() {
    let age = Int32Array::from(vec![Some(36), None, Some(29)]);
    let table = batch([
        ("id", Arc::new(Int64Array::from(vec![0, 1, 2]))),
        ("age", Arc::new(age)),
    ]);
    let first = table.slice(0, 1);
    let with = |column: ArrowColumn| {
        let options = ArrowOptions::new().key("id").column(column);
        nodes(vec![first.clone(), table.slice(1, 2)], &options)
    };
    let error = with(ArrowColumn::new("age")).unwrap_err();
    assert!(matches!(error, Error::CorruptData(_)), "{error:?}");
    let words = "the Arrow stream of \"user\": row 1: field \"age\" is null";
    assert_eq!(error.message(), words);
    assert_eq!(error.detail("row"), Some("1"));
    assert_eq!(error.detail("field"), Some("age"));

    let filled = with(ArrowColumn::new("age").fill(-1).role(Role::Label)).unwrap();
    let column = filled.node_column(None, "age").unwrap();
    assert_eq!(column.as_slice::<i32>().unwrap(), [36, -1, 29]);
    assert_eq!(filled.node_columns(None).unwrap()[0].role, Role::Label);

    let column = ArrowColumn::new("age").name("years").dtype(DType::F64);
    let masked = with(column.clone().mask("known")).unwrap();
    let years = masked.node_column(None, "years").unwrap();
    assert_eq!(years.as_slice::<f64>().unwrap(), [36.0, 0.0, 29.0]);
    let known = masked.node_column(None, "known").unwrap();
    assert_eq!(known.dtype(), DType::Bool);
    assert_eq!(known.as_slice::<u8>().unwrap(), [1, 0, 1]);

    let both = with(column.fill(f32::NAN).mask("known")).unwrap();
    let years = both.node_column(None, "years").unwrap();
    assert!(years.as_slice::<f64>().unwrap()[1].is_nan());

    let error = with(ArrowColumn::new("age").dtype(DType::I8).fill(300)).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    assert!(error.message().contains("fill \"300\""), "{error}");
}

#[test]
fn masks_and_splits_become_id_sets() {
    let train = BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]);
    let split: DictionaryArray<Int8Type> = vec![Some("valid"), Some("test"), None, Some("valid")]
        .into_iter()
        .collect();
    let table = batch([
        ("train_mask", Arc::new(train)),
        ("split", Arc::new(split)),
        ("y", Arc::new(Int64Array::from(vec![7, 8, 9, 10]))),
    ]);
    let options = ArrowOptions::new()
        .column(ArrowColumn::id_set("train_mask").name("train").fill(false))
        .column(ArrowColumn::split("split"));
    for all_fields in [false, true] {
        let options = options.clone().all_fields(all_fields);
        let dataset = nodes(vec![table.clone()], &options).unwrap();
        let columns = dataset.node_columns(None).unwrap();
        assert_eq!(names_of(&columns), &["y"][..usize::from(all_fields)]);
        assert_eq!(dataset.id_sets(None).unwrap().len(), 3);
        for (name, ids) in [("train", [0, 3]), ("valid", [0, 3])] {
            let set = dataset.id_set(None, name).unwrap();
            assert_eq!(set.as_slice::<i64>().unwrap(), ids, "{name}");
        }
        let test = dataset.id_set(None, "test").unwrap();
        assert_eq!(test.as_slice::<i64>().unwrap(), [1]);
    }
    let mut builder = DatasetBuilder::new(&context()).unwrap();
    let error = builder
        .add_edges_arrow("a__e__a", reader(vec![table]), &options)
        .unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
}

#[test]
fn fields_of_one_name_form_a_column() {
    let table = batch([
        ("a", Arc::new(Float32Array::from(vec![1.0, 2.0]))),
        ("b", Arc::new(Float32Array::from(vec![3.0, 4.0]))),
        ("c", Arc::new(Float32Array::from(vec![5.0, 6.0]))),
    ]);
    let options = ArrowOptions::new()
        .column(ArrowColumn::new(2).name("x"))
        .column(ArrowColumn::new("a").name("x"));
    let dataset = nodes(vec![table.clone()], &options).unwrap();
    let x = dataset.node_column(None, "x").unwrap();
    assert_eq!(x.shape(), [2, 2]);
    assert_eq!(x.as_slice::<f32>().unwrap(), [5.0, 1.0, 6.0, 2.0]);
    let none = ArrowOptions::new().all_fields(false);
    let dataset = nodes(vec![table.clone()], &none).unwrap();
    assert_eq!(dataset.num_nodes(None).unwrap(), 2);
    assert!(dataset.node_columns(None).unwrap().is_empty());
    let by_number = ArrowOptions::new().column(1);
    let dataset = nodes(vec![table], &by_number).unwrap();
    assert_eq!(names_of(&dataset.node_columns(None).unwrap()), ["b"]);
}

#[test]
fn options_that_do_not_fit_are_errors() {
    let invalid = |options: ArrowOptions, words: &str| {
        let error = nodes(vec![users()], &options).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
        assert!(error.message().contains(words), "{error}");
    };
    invalid(keyed().column("agee"), "did you mean \"age\"?");
    invalid(keyed().column("a\0"), "field: ");
    invalid(keyed().column(ArrowColumn::new("age").name("\0")), "name: ");
    invalid(keyed().column(ArrowColumn::new("age").fill('\0')), "fill: ");
    invalid(keyed().column(ArrowColumn::new("age").mask("\0")), "mask: ");
    invalid(keyed().label("\0"), "label: ");
    invalid(keyed().target("age"), "nodes have no targets");
    invalid(keyed().add_reverse(true), "add_reverse: ");
    let error = nodes(vec![users()], &ArrowOptions::new().label("users.parquet")).unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error:?}");
    assert!(
        error.message().starts_with("users.parquet: field \"name\""),
        "{error}"
    );

    let dataset = nodes(vec![users()], &keyed()).unwrap();
    for error in [
        dataset.nodes_to_arrow("usr").unwrap_err(),
        dataset.edges_to_arrow("user__knows__user").unwrap_err(),
    ] {
        assert!(matches!(error, Error::NotFound(_)), "{error:?}");
    }
    let error = dataset.nodes_to_arrow("\0").unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
}

/// Counts how often it is dropped.
struct Counted<R> {
    reader: R,
    drops: Arc<AtomicUsize>,
}

impl<R: Iterator> Iterator for Counted<R> {
    type Item = R::Item;

    fn next(&mut self) -> Option<R::Item> {
        self.reader.next()
    }
}

impl<R: RecordBatchReader> RecordBatchReader for Counted<R> {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }
}

impl<R> Drop for Counted<R> {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_reader_is_dropped_once() {
    let drops = Arc::new(AtomicUsize::new(0));
    let counted = || Counted {
        reader: reader(vec![users()]),
        drops: drops.clone(),
    };
    let dropped = || drops.swap(0, Ordering::SeqCst);
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();

    // When the call that adds it fails, before the library and in it.
    let bad_label = keyed().label("\0");
    let text = ArrowOptions::new();
    let (nul, reserved) = ("a\0b", "_");
    for (name, options) in [
        ("user", &bad_label),
        ("user", &text),
        (nul, &keyed()),
        (reserved, &keyed()),
    ] {
        let added = builder.add_nodes_arrow(name, counted(), options);
        assert!(added.is_err(), "{name:?} {options:?}");
        assert_eq!(dropped(), 1);
    }
    let added = builder.add_edges_arrow("no edge type", counted(), &keyed());
    assert!(matches!(added, Err(Error::InvalidArgument(_))));
    assert_eq!(dropped(), 1);

    // When it was read.
    builder
        .add_nodes_arrow("user", counted(), &keyed())
        .unwrap();
    let again = builder.add_nodes_arrow("user", counted(), &keyed());
    assert!(matches!(again, Err(Error::AlreadyExists(_))));
    assert_eq!(dropped(), 1);
    let dataset = builder.build().unwrap();
    assert_eq!(dropped(), 1);
    drop((dataset, builder));
    assert_eq!(dropped(), 0);

    // With a builder that has not read it.
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_nodes_arrow("user", counted(), &keyed())
        .unwrap();
    assert_eq!(dropped(), 0);
    thread::spawn(move || drop(builder)).join().unwrap();
    assert_eq!(dropped(), 1);

    // With a builder that failed to read it, which it tries once.
    let mut builder = DatasetBuilder::new(&context).unwrap();
    let narrow = keyed().column(ArrowColumn::new("joined").dtype(DType::I32));
    builder.add_nodes_arrow("user", counted(), &narrow).unwrap();
    let error = builder.build().unwrap_err();
    assert!(matches!(error, Error::CorruptData(_)), "{error:?}");
    assert!(
        error.message().contains("row 0: field \"joined\""),
        "{error}"
    );
    let error = builder.build().unwrap_err();
    assert!(matches!(error, Error::InvalidState(_)), "{error:?}");
    drop(builder);
    assert_eq!(dropped(), 1);
}

/// A reader of one batch, and then of what a function gives.
fn then(
    next: impl FnMut() -> Option<Result<RecordBatch, ArrowError>> + Send + 'static,
) -> impl RecordBatchReader + Send {
    let users = users();
    let schema = users.schema();
    RecordBatchIterator::new(
        [Ok(users)].into_iter().chain(std::iter::from_fn(next)),
        schema,
    )
}

fn build_error(reader: impl RecordBatchReader + Send + 'static) -> Error {
    let mut builder = DatasetBuilder::new(&context()).unwrap();
    let options = keyed().label("users.parquet");
    builder.add_nodes_arrow("user", reader, &options).unwrap();
    builder.build().unwrap_err()
}

#[test]
fn an_error_of_a_reader_is_one_of_the_build() {
    let fails = |error: fn() -> ArrowError| build_error(then(move || Some(Err(error()))));
    let error = fails(|| ArrowError::ExternalError("the warehouse burnt down".into()));
    assert!(matches!(error, Error::Io(_)), "{error:?}");
    assert!(error.message().starts_with("users.parquet: "), "{error}");
    assert!(
        error.message().contains("the warehouse burnt down"),
        "{error}"
    );
    let error = fails(|| ArrowError::ParseError("at \0, line 5".into()));
    assert!(matches!(error, Error::Io(_)), "{error:?}");
    assert!(error.message().contains("at  , line 5"), "{error}");
    let error = fails(|| ArrowError::MemoryError("all is used".into()));
    assert!(matches!(error, Error::OutOfMemory(_)), "{error:?}");
}

#[test]
fn a_panic_of_a_reader_is_an_error_of_the_build() {
    let error = build_error(then(|| panic!("in the reader")));
    assert!(matches!(error, Error::Io(_)), "{error:?}");
    assert!(
        error.message().contains("panicked: in the reader"),
        "{error}"
    );
    let error = build_error(then(|| panic_any(String::from("a\0b"))));
    assert!(error.message().contains("panicked: a b"), "{error}");

    struct PanicsWhenDropped;
    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let guard = PanicsWhenDropped;
    let reader = then(move || {
        let _ = &guard;
        None
    });
    let mut builder = DatasetBuilder::new(&context()).unwrap();
    builder.add_nodes_arrow("user", reader, &keyed()).unwrap();
    assert_eq!(builder.build().unwrap().num_nodes(None).unwrap(), 3);
}

#[test]
fn a_reader_that_breaks_its_word_is_refused() {
    let other = users().project(&[0, 1, 1, 3, 4]).unwrap();
    let fewer = users().project(&[0, 1, 2, 3]).unwrap();
    for wrong in [other, fewer] {
        let mut wrong = Some(Ok(wrong));
        let error = build_error(then(move || wrong.take()));
        assert!(matches!(error, Error::Io(_)), "{error:?}");
        assert!(
            error.message().contains("other types than the schema"),
            "{error}"
        );
    }
    let zone = DataType::Timestamp(arrow_schema::TimeUnit::Second, Some("a\0".into()));
    let inner = ArrowField::new("in\0ner", DataType::Int8, false);
    for field in [
        ArrowField::new("a\0b", DataType::Int64, false),
        ArrowField::new("t", zone, false),
        ArrowField::new("l", DataType::FixedSizeList(Arc::new(inner), 2), false),
    ] {
        let schema = Arc::new(Schema::new(vec![field]));
        let none: [Result<RecordBatch, ArrowError>; 0] = [];
        let reader = RecordBatchIterator::new(none, schema);
        let mut builder = DatasetBuilder::new(&context()).unwrap();
        let error = builder
            .add_nodes_arrow("user", reader, &ArrowOptions::new())
            .unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
        assert_eq!(error.detail("argument"), Some("reader"));
    }
}
