use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::Array;
use arrow_schema::DataType;

use super::example::{made, Value};
use super::*;
use crate::recipe::{Header, TableFormat};

fn read(paths: &[String], fields: &[&str]) -> Result<Vec<RecordBatch>, String> {
    let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
    let reader = open(&Request {
        paths,
        format: TableFormat::Tfrecord,
        table: None,
        delimiter: None,
        header: Header::Yes,
        fields: &fields,
        threads: 2,
    })
    .map_err(|failure| failure.message)?;
    reader
        .map(|batch| batch.map_err(|error| error.to_string()))
        .collect()
}

/// Examples with an int, two floats and a text; the second lacks the floats.
fn file() -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0..3 {
        let name = format!("n{i}");
        let floats = [Value::Float(i as f32), Value::Float(0.5)];
        let floats: &[Value] = if i == 1 { &[] } else { &floats };
        out.extend(frames::framed(&made::example(&[
            ("id", &[Value::Bytes(name.as_bytes())]),
            ("x", floats),
            ("y", &[Value::Int64(-i)]),
        ])));
    }
    out
}

#[test]
fn features_are_fields() {
    let folder = tempfile::tempdir().unwrap();
    for i in 0..2 {
        let name = format!("a.tfrecords-0000{i}-of-00002");
        std::fs::write(folder.path().join(name), file()).unwrap();
    }
    let of = |name: &str| vec![format!("{}/{name}", folder.path().display())];
    let whole = vec![folder.path().display().to_string()];
    for paths in [of("a.tfrecords@2"), of("a.tfrecords-*"), whole] {
        let batches = read(&paths, &[]).unwrap();
        assert_eq!(batches.len(), 2);
        for batch in &batches {
            let names: Vec<_> = batch
                .schema_ref()
                .fields()
                .iter()
                .map(|f| f.name().clone())
                .collect();
            assert_eq!(names, ["id", "x", "y"]);
            assert_eq!(batch.column(0).as_string::<i32>().value(2), "n2");
            let x = batch.column(1).as_fixed_size_list();
            assert!(x.is_null(1) && x.is_valid(0));
            assert_eq!(
                x.value(2).as_primitive::<Float32Type>().values(),
                &[2.0, 0.5]
            );
            assert_eq!(
                batch.column(2).as_primitive::<Int64Type>().values(),
                &[0, -1, -2]
            );
        }
    }
    let batches = read(&of("a.tfrecords@2"), &["y"]).unwrap();
    assert_eq!(batches[0].num_columns(), 1);
    assert_eq!(
        batches[0].schema_ref().field(0).data_type(),
        &DataType::Int64
    );
    let missing = read(&of("a.tfrecords@2"), &["z"]).unwrap_err();
    assert!(missing.contains("no feature \"z\""), "{missing}");
    assert!(read(&of("a.tfrecords@3"), &[]).is_err());
    assert!(read(&of("a.tfrecords@999999999999"), &[]).is_err());
}

#[test]
fn lists_of_other_lengths_and_kinds_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    let one = made::example(&[("x", &[Value::Int64(1), Value::Int64(2)])]);
    for (other, expected) in [
        (made::example(&[("x", &[Value::Int64(1)])]), "has 1 values"),
        (
            made::example(&[("x", &[Value::Int64(1); 3])]),
            "has 3 values",
        ),
        (
            made::example(&[("x", &[Value::Float(1.0)])]),
            "another kind",
        ),
        (b"\x0a\xff".to_vec(), "not a tf.train.Example"),
    ] {
        let bytes = [frames::framed(&one), frames::framed(&other)].concat();
        std::fs::write(&path, bytes).unwrap();
        let message = read(&[path.display().to_string()], &["x"]).unwrap_err();
        assert!(
            message.contains(expected) && message.contains("record 2"),
            "{message}"
        );
    }
}

#[test]
fn changed_messages_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    let first = made::example(&[("x", &[Value::Int64(1), Value::Int64(2)])]);
    let given = made::example(&[
        ("x", &[Value::Int64(5), Value::Int64(6)]),
        ("t", &[Value::Bytes(b"text")]),
    ]);
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize
    };
    for _ in 0..800 {
        let mut changed = given.clone();
        for _ in 0..=next() % 3 {
            let at = next() % changed.len();
            changed[at] = next() as u8;
        }
        let bytes = [frames::framed(&first), frames::framed(&changed)].concat();
        std::fs::write(&path, bytes).unwrap();
        if let Err(message) = read(&[path.display().to_string()], &[]) {
            assert!(!message.contains("gave up"), "{message}");
        }
    }
}

#[test]
fn many_features_are_read_at_once() {
    const FEATURES: usize = 30_000;
    let names: Vec<String> = (0..FEATURES).map(|i| format!("a-feature-{i}")).collect();
    let one = [Value::Int64(1)];
    let features: Vec<(&str, &[Value])> = names.iter().map(|name| (&name[..], &one[..])).collect();
    let record = frames::framed(&made::example(&features));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord").display().to_string();
    std::fs::write(&path, record.repeat(3)).unwrap();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let batches = read(&[path], &names).unwrap();
    assert_eq!(
        (batches[0].num_rows(), batches[0].num_columns()),
        (3, FEATURES)
    );
}
