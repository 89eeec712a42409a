use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::Array;
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;

use super::*;

/// A folder of the files 0.csv, 1.csv, ...
fn folder(files: &[&[u8]]) -> tempfile::TempDir {
    let out = tempfile::tempdir().unwrap();
    for (i, text) in files.iter().enumerate() {
        std::fs::write(out.path().join(format!("{i}.csv")), text).unwrap();
    }
    out
}

fn read_as(files: &[&[u8]], fields: &[&str], header: Header) -> Result<RecordBatch, String> {
    let folder = folder(files);
    let fields: Vec<String> = fields.iter().map(|&field| field.into()).collect();
    let reader = open(&Request {
        paths: &[folder.path().display().to_string()],
        format: TableFormat::Csv,
        table: None,
        delimiter: None,
        header,
        fields: &fields,
        threads: 1,
    })
    .map_err(|failure| failure.message)?;
    let schema = reader.schema();
    let batches: Result<Vec<_>, _> = reader.collect();
    let batches = batches.map_err(|error| error.to_string())?;
    Ok(concat_batches(&schema, &batches).unwrap())
}

fn read(files: &[&[u8]], fields: &[&str]) -> Result<RecordBatch, String> {
    read_as(files, fields, Header::Yes)
}

fn ints(batch: &RecordBatch, name: &str) -> Vec<i64> {
    let column = batch.column_by_name(name).unwrap();
    column.as_primitive::<Int64Type>().values().to_vec()
}

fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).unwrap().as_string::<i32>();
    column.iter().map(|text| text.map(str::to_owned)).collect()
}

#[test]
fn later_files_are_read_by_their_own_headers() {
    let files: [&[u8]; 4] = [b"a,b\n1,0.5\n", b"", b"b,a\n1.5,2\n", b"a,b\n3,2.5\n"];
    for fields in [&[][..], &["a", "b"]] {
        let found = read(&files, fields).unwrap();
        assert_eq!(ints(&found, "a"), [1, 2, 3]);
        let floats = found.column(1).as_primitive::<Float64Type>();
        assert_eq!(floats.values(), &[0.5, 1.5, 2.5]);
    }
    let other: [&[u8]; 2] = [b"a,b\n1,2\n", b"c,x,a\ntext,3,4\n"];
    assert_eq!(ints(&read(&other, &["a"]).unwrap(), "a"), [1, 4]);
    for fields in [&[][..], &["b"]] {
        let message = read(&other, fields).unwrap_err();
        assert!(
            message.contains("1.csv: the header has the fields c, x, a")
                && message.contains("0.csv has a, b"),
            "{message}"
        );
    }
    let more: [&[u8]; 2] = [b"a,b\n1,2\n", b"a,b,c\n1,2,3\n"];
    assert!(read(&more, &[]).is_err() && read(&more, &["b", "a"]).is_ok());
    let twice: [&[u8]; 2] = [b"a,b\n1,2\n", b"a,a\n1,2\n"];
    assert!(read(&twice, &["a"]).is_err());
}

#[test]
fn without_a_header_fields_have_numbers() {
    let found = read_as(&[b"1,x\n", b"2,y\n"], &["#1"], Header::No).unwrap();
    assert_eq!(ints(&found, "#0"), [1, 2]);
    assert!(read_as(&[b"1,x\n", b"2\n"], &["#1"], Header::No).is_err());
}

#[test]
fn values_after_the_first_records_are_kept() {
    let mut text = b"a,b\n".to_vec();
    for i in 0..5000 {
        text.extend(format!("{i},\n").into_bytes());
    }
    text.extend(b"7,late\n");
    let found = read(&[&text], &[]).unwrap();
    assert_eq!(found.num_rows(), 5001);
    let late = texts(&found, "b");
    assert_eq!(
        (late[0].clone(), late[5000].as_deref()),
        (None, Some("late"))
    );
    // Other files show the type.
    let found = read(&[b"a,b\n", b"b,a\n1,\n", b"a,b\n2.5,2\n"], &[]).unwrap();
    assert_eq!(ints(&found, "b"), [1, 2]);
    let a = found.column(0);
    assert_eq!((a.data_type(), a.null_count()), (&DataType::Float64, 1));
}

#[test]
fn ids_with_zeros_before_them_are_text() {
    let found = read(&[b"a,b,c,d,e\n007,0,+5,-01,0.5\n12,10,6,3,0.25\n"], &[]).unwrap();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(texts(&found, "a"), [some("007"), some("12")]);
    assert_eq!(ints(&found, "b"), [0, 10]);
    assert_eq!(texts(&found, "c"), [some("+5"), some("6")]);
    assert_eq!(texts(&found, "d"), [some("-01"), some("3")]);
    assert_eq!(found.column(4).data_type(), &DataType::Float64);
}

#[test]
fn records_without_an_end_are_errors() {
    let gzip = |text: &[u8]| {
        let level = flate2::Compression::default();
        let mut out = flate2::write::GzEncoder::new(Vec::new(), level);
        out.write_all(text).unwrap();
        out.finish().unwrap()
    };
    let most = records::MOST_RECORD_BYTES as usize;
    for (begin, then) in [
        (&b"a,b\n1,\""[..], b"\n"),
        (b"a,b\n1,\"", b"x"),
        (b"\"", b"y"),
        (b"a,b\n1,2\n", b"\n"),
    ] {
        let text = [begin, &then.repeat(2 * most)].concat();
        for text in [gzip(&text), text] {
            let message = read(&[&text], &[]).unwrap_err();
            assert!(message.contains("record has more than"), "{message}");
        }
    }
    // Many records together may be larger.
    let text = [&b"a\n"[..], &b"\"1\n\"\n".repeat(most / 2)].concat();
    assert_eq!(read(&[&text], &[]).unwrap().num_rows(), most / 2);
}

#[test]
fn batches_end_between_records() {
    for end in ["\n", "\r\n", "\r"] {
        let mut text = format!("a,b{end}");
        let mut expected = Vec::new();
        for i in 0..4000_usize {
            let field = format!("{}{end}, \"\"{}", "x".repeat(i % 7), "\n\r".repeat(i % 3));
            text += &format!("{i},\"{field}\"{end}");
            expected.push(Some(field.replace("\"\"", "\"")));
        }
        let found = read(&[text.as_bytes()], &[]).unwrap();
        let numbers: Vec<i64> = (0..4000).collect();
        assert_eq!(ints(&found, "a"), numbers, "{end:?}");
        assert!(texts(&found, "b") == expected, "{end:?}");
    }
}

#[test]
fn changed_text_never_panics() {
    let given = b"a,b,c\n1,\"x, \"\"y\"\n,z\n\n3,,0.5\r\n";
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize
    };
    for _ in 0..1500 {
        let mut changed = given.to_vec();
        for _ in 0..=next() % 3 {
            let at = next() % changed.len();
            changed[at] = b"\"\",\n\r0x\xff"[next() % 8];
        }
        let _ = read(&[&changed[..next() % (changed.len() + 1)]], &[]);
        let _ = read_as(&[&changed], &[], Header::No);
    }
}
