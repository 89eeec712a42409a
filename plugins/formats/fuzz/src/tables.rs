//! Files of rows.

use std::path::Path;

use gls_formats::arrays;
use gls_formats::arrays::parquet as columns;
use gls_formats::failure::Failure;
use gls_formats::recipe::{ArrayRef, Header, TableFormat};
use gls_formats::tables::{open_format, Request};

use crate::sink::{read_array, read_rows};
use crate::{import, put};

const HEADERS: [Header; 3] = [Header::Detect, Header::Yes, Header::No];
const DELIMITERS: [&str; 5] = [",", "tab", " ", "|", "\""];

fn read(folder: &Path, file: &str, format: TableFormat) -> Result<(), Failure> {
    read_delimited(folder, file, format, None, Header::Detect)
}

fn read_delimited(
    folder: &Path,
    file: &str,
    format: TableFormat,
    delimiter: Option<&str>,
    header: Header,
) -> Result<(), Failure> {
    let reader = open_format(&Request {
        paths: &[folder.join(file).to_string_lossy().into_owned()],
        format,
        table: None,
        delimiter,
        header,
        fields: &[],
        threads: 1,
    })?;
    read_rows(reader)
}

/// How to read the text, in a byte, and then the text.
pub fn csv(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let Some((&how, text)) = input.split_first() else {
        return Ok(());
    };
    let file = put(folder, "x.csv", text)?;
    let header = HEADERS[usize::from(how) % HEADERS.len()];
    let delimiter = DELIMITERS[usize::from(how) / HEADERS.len() % DELIMITERS.len()];
    for format in [TableFormat::Csv, TableFormat::SparkCsv] {
        let _ = read_delimited(folder, file, format, Some(delimiter), header);
    }
    for dtype in [None, Some("float32")] {
        let array = ArrayRef {
            delimiter: Some(delimiter.to_owned()),
            dtype: dtype.map(str::to_owned),
            ..ArrayRef::of_file(file)
        };
        let _ = arrays::open(&array, folder).and_then(read_array);
    }
    import("snap", &folder.join(file), &[])
}

pub fn ipc(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let file = put(folder, "x.arrow", input)?;
    read(folder, file, TableFormat::Detect)
}

pub fn parquet(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let file = put(folder, "x.parquet", input)?;
    let path = folder.join(file);
    let _ = read(folder, file, TableFormat::Detect);
    for name in columns::names(&path)? {
        let _ = columns::read(&path, &name).and_then(read_array);
    }
    Ok(())
}

pub fn matrix_market(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let path = folder.join(put(folder, "x.mtx", input)?);
    let _ = import("mtx", &path, &["bipartite=true", "weights=true"]);
    import("mtx", &path, &[])
}

pub fn ntriples(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let path = folder.join(put(folder, "x.nq", input)?);
    let _ = import("ntriples", &path, &["predicates=single"]);
    import("ntriples", &path, &["predicates=each"])
}

/// The file, and the file as the only record of one whose checksums are right.
pub fn tfrecord(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let file = put(folder, "x.tfrecord", input)?;
    let _ = read(folder, file, TableFormat::Tfrecord);
    let length = (input.len() as u64).to_le_bytes();
    let mut framed = length.to_vec();
    framed.extend(masked(&length));
    framed.extend(input);
    framed.extend(masked(input));
    let file = put(folder, "y.tfrecord", &framed)?;
    read(folder, file, TableFormat::Tfrecord)
}

/// TFRecord's checksum.
fn masked(bytes: &[u8]) -> [u8; 4] {
    let crc = crc32c::crc32c(bytes);
    crc.rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}
