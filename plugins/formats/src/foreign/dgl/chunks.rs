//! Whether the files of a chunked graph have as many rows as its description says.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::arrays::{npy, Bytes};
use crate::failure::Failure;
use crate::tables;

/// Larger files of text are not counted.
const MOST_TEXT_BYTES: u64 = 64 << 20;
const BUFFER_BYTES: usize = 1 << 16;

/// Checks the files of edges of one format.
pub struct Edges<'a> {
    pub format: &'a str,
    /// Bytes of text that may still be counted.
    left: u64,
}

impl<'a> Edges<'a> {
    pub fn new(format: &'a str) -> Self {
        Edges {
            format,
            left: MOST_TEXT_BYTES,
        }
    }

    /// A file that must have this number of edges.
    pub fn check(&mut self, path: &Path, count: i64) -> Result<(), Failure> {
        let found = match self.format {
            "numpy" => match npy::shape(path, Bytes::map(path)?.as_slice())?[..] {
                [rows, 2] => Some(rows),
                ref shape => {
                    let what = format!("the shape is {shape:?}, expected [{count}, 2]");
                    return Err(Failure::of_file(path, what));
                }
            },
            "parquet" => Some(tables::parquet_schema(path)?.1),
            "csv" => self.lines(path)?,
            _ => None,
        };
        match found {
            Some(found) if found != count => {
                let what = format!("it has {found} edges; the description says {count}");
                Err(Failure::of_file(path, what))
            }
            _ => Ok(()),
        }
    }

    /// Lines that are not blank; None: the file is too large, or no plain text.
    fn lines(&mut self, path: &Path) -> Result<Option<i64>, Failure> {
        let failed = |error: std::io::Error| Failure::io(path, &error);
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() || metadata.len() > self.left {
            return Ok(None);
        }
        self.left -= metadata.len();
        let mut text = BufReader::with_capacity(BUFFER_BYTES, file.take(metadata.len()));
        let (mut lines, mut blank) = (0, true);
        loop {
            let bytes = text.fill_buf().map_err(failed)?;
            if bytes.is_empty() {
                return Ok(Some(lines + i64::from(!blank)));
            }
            for &byte in bytes {
                match byte {
                    0 => return Ok(None),
                    b'\n' => {
                        lines += i64::from(!blank);
                        blank = true;
                    }
                    byte => blank &= byte.is_ascii_whitespace(),
                }
            }
            let size = bytes.len();
            text.consume(size);
        }
    }
}

/// The rows of an array of NumPy, whose shape its head says.
pub fn rows_of(path: &Path, shape: &[i64]) -> Result<i64, Failure> {
    let first = shape.first().copied();
    first.ok_or_else(|| Failure::of_file(path, "the array has no rows"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, RecordBatch};
    use parquet::arrow::ArrowWriter;

    use crate::failure::Failure;
    use crate::foreign::recipe_of;

    fn npy(shape: &str, count: usize) -> Vec<u8> {
        let header = format!("{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.bytes());
        out.resize(out.len() + 8 * count, 0);
        out
    }

    fn parquet_of(rows: usize) -> Vec<u8> {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![0; rows]));
        let columns = vec![("s", column.clone()), ("t", column)];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut out = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut out, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        out
    }

    fn described(format: &str, edges: &[u8], rows: usize) -> Result<(), Failure> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("edges"), edges).unwrap();
        let shape = format!("({rows},)");
        std::fs::write(folder.path().join("feat.npy"), npy(&shape, rows)).unwrap();
        let json = format!(
            r#"{{"graph_name": "g", "node_type": ["a"], "num_nodes_per_chunk": [[4]],
            "edge_type": ["a:r:a"], "num_edges_per_chunk": [[10]],
            "edges": {{"a:r:a": {{"format": {{"name": "{format}", "delimiter": " "}},
            "data": ["edges"]}}}}, "edge_data": {{}},
            "node_data": {{"a": {{"feat": {{"format": {{"name": "numpy"}}, "data": ["feat.npy"]}}}}}}}}"#
        );
        let path = folder.path().join("metadata.json");
        std::fs::write(&path, json).unwrap();
        recipe_of("dgl", &path, &[]).map(|_| ())
    }

    #[test]
    fn counts_are_compared_with_the_description() {
        for (format, edges, expected) in [
            ("numpy", npy("(10, 2)", 20), ""),
            ("numpy", npy("(2, 10)", 20), "expected [10, 2]"),
            ("numpy", npy("(9, 2)", 18), "has 9 edges"),
            ("numpy", npy("(20,)", 20), "expected [10, 2]"),
            ("parquet", parquet_of(10), ""),
            ("parquet", parquet_of(11), "has 11 edges"),
            ("csv", b"0 1\n".repeat(10), ""),
            ("csv", b"0 1\r\n\r\n".repeat(10), ""),
            ("csv", b"\n0 1".repeat(10), ""),
            ("csv", b"0 1\n".repeat(12), "has 12 edges"),
        ] {
            match described(format, &edges, 4) {
                Ok(()) => assert!(expected.is_empty(), "{format}: {expected}"),
                Err(error) => {
                    let message = error.message;
                    assert!(
                        !expected.is_empty() && message.contains(expected),
                        "{message}"
                    );
                }
            }
        }
        let message = described("numpy", &npy("(10, 2)", 20), 3)
            .unwrap_err()
            .message;
        assert!(message.contains("3 rows, expected 4"), "{message}");
    }
}
