//! Masks of nodes: DGL's files have them as numbers, one a node; here they are bools.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::book::Book;
use super::no_table;
use super::order::Numbers;
use crate::arrays::dgl_graphs::Graph;
use crate::arrays::{dgl, Array, Bytes, DType};
use crate::boundary::builder::Reader;
use crate::failure::{Code, Failure};

const BATCH_ROWS: i64 = 1 << 16;

/// Whether an array may be a mask.
pub fn may_be_mask(array: &Array) -> bool {
    array.shape.len() == 1 && (array.dtype.is_integer() || array.dtype == DType::Bool)
}

/// The masks of some rows, one for each field.
struct Rows {
    masks: Vec<Array>,
    count: i64,
}

/// All rows, in pieces.
struct Masks {
    schema: SchemaRef,
    pieces: VecDeque<Rows>,
    next: i64,
}

pub fn of_graph(
    path: &Path,
    graph: &Graph,
    name: &str,
    fields: &[String],
) -> Result<Reader, Failure> {
    let found = graph.node_types.iter().find(|known| known.name == name);
    let node_type = found.ok_or_else(|| no_table(path, name))?;
    let rows = rows(path, &node_type.data, fields, "", node_type.count)?;
    reader(fields, VecDeque::from([rows]))
}

pub fn of_book(book: Book, name: &str, fields: &[String]) -> Result<Reader, Failure> {
    let found = book.node_types.iter().find(|known| known.name == name);
    let ranges = &found.ok_or_else(|| no_table(&book.path, name))?.ranges;
    let mut pieces = VecDeque::new();
    for (number, part) in book.parts.iter().enumerate() {
        let count = ranges.count_in(number);
        if count == 0 {
            continue;
        }
        let Some(file) = &part.node_feats else {
            let what =
                format!("part {number} has {count} nodes \"{name}\" and no file of features");
            return Err(Failure::of_file(&book.path, what));
        };
        let path = book.beside(file);
        let all = dgl::tensors(&path, &Bytes::map(&path)?)?;
        pieces.push_back(rows(&path, &all, fields, &format!("{name}/"), count)?);
    }
    reader(fields, pieces)
}

fn rows(
    path: &Path,
    all: &[(String, Array)],
    fields: &[String],
    prefix: &str,
    count: i64,
) -> Result<Rows, Failure> {
    let mut masks = Vec::new();
    for field in fields {
        let name = format!("{prefix}{field}");
        // Very old files of features have no types in names.
        let found = all
            .iter()
            .find(|(known, _)| *known == name || (known == field && !prefix.is_empty()));
        let Some((_, mask)) = found else {
            let words = format!("{}: there is no array \"{name}\"", path.display());
            return Err(Failure::new(Code::NotFound, words));
        };
        if !may_be_mask(mask) || mask.rows() != count {
            let what = format!(
                "\"{name}\" is {} {:?}, and no mask of {count} nodes",
                mask.dtype, mask.shape
            );
            return Err(Failure::of_file(path, what));
        }
        masks.push(mask.clone());
    }
    Ok(Rows { masks, count })
}

fn reader(fields: &[String], pieces: VecDeque<Rows>) -> Result<Reader, Failure> {
    let fields = fields.iter();
    let fields: Vec<Field> = fields
        .map(|field| Field::new(field, DataType::Boolean, false))
        .collect();
    Ok(Box::new(Masks {
        schema: Arc::new(Schema::new(fields)),
        pieces,
        next: 0,
    }))
}

impl Iterator for Masks {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.pieces.front()?.count <= self.next {
            self.pieces.pop_front();
            self.next = 0;
        }
        let rows = self.pieces.front()?;
        let (begin, end) = (self.next, (self.next + BATCH_ROWS).min(rows.count));
        self.next = end;
        let column = |mask: &Array| -> ArrayRef {
            let numbers = Numbers::of(mask);
            let bits = (begin..end).map(|row| numbers.at(row).map(|number| number != 0));
            Arc::new(BooleanArray::from_iter(bits))
        };
        let columns = rows.masks.iter().map(column).collect();
        let options = RecordBatchOptions::new().with_row_count(Some((end - begin) as usize));
        Some(RecordBatch::try_new_with_options(
            self.schema.clone(),
            columns,
            &options,
        ))
    }
}

impl RecordBatchReader for Masks {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_with_nodes_needs_its_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let path = root.join("tests/formats/golden/dgl/part-hetero/g.json");
        let fields = ["train_mask".to_owned()];
        let mut book = Book::read(&path).unwrap();
        let rows: usize = of_book(book.clone(), "user", &fields)
            .unwrap()
            .map(|batch| batch.unwrap().num_rows())
            .sum();
        assert_eq!(rows, 20);
        book.parts[1].node_feats = None;
        let message = of_book(book, "user", &fields).err().unwrap().message;
        assert!(message.contains("part 1 has 10 nodes"), "{message}");
    }
}
