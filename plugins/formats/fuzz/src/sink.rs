//! A builder that reads everything and keeps nothing.

use gls_formats::arrays::Array;
use gls_formats::boundary::builder::{Builder, Layout, Reader, StreamOptions};
use gls_formats::failure::Failure;
use gls_formats::recipe::{Codes, Ids, Role, Text, TextEnds};

/// A small file may stand for more rows than there is time to read.
const MOST_ROWS: usize = 1 << 18;

pub struct Sink;

/// Touches every element, laid out as the builder's tensors are.
pub fn read_array(array: Array) -> Result<(), Failure> {
    let array = array.into_aligned()?;
    let sum = array
        .bytes()
        .iter()
        .map(|&byte| u64::from(byte))
        .sum::<u64>();
    std::hint::black_box(sum);
    Ok(())
}

/// Reads the rows of a table.
pub fn read_rows(reader: Reader) -> Result<(), Failure> {
    let schema = reader.schema();
    let mut rows = 0;
    for batch in reader {
        let batch = batch.map_err(|error| Failure::invalid(error.to_string()))?;
        assert_eq!(batch.schema(), schema);
        rows += batch.num_rows();
        if rows > MOST_ROWS {
            break;
        }
    }
    Ok(())
}

impl Builder for Sink {
    fn add_node_type(&mut self, _: &str, _: i64, _: Ids) -> Result<(), Failure> {
        Ok(())
    }

    fn add_edges(&mut self, _: &str, source: Array, target: Array, _: bool) -> Result<(), Failure> {
        read_array(source)?;
        read_array(target)
    }

    fn add_topology(
        &mut self,
        _: &str,
        _: Layout,
        indptr: Array,
        indices: Array,
        edge_ids: Option<Array>,
    ) -> Result<(), Failure> {
        read_array(indptr)?;
        read_array(indices)?;
        edge_ids.map_or(Ok(()), read_array)
    }

    fn add_nodes_text(&mut self, _: &str, _: &str, _: &Text) -> Result<(), Failure> {
        Ok(())
    }

    fn add_edges_text(&mut self, _: &str, _: &str, _: &TextEnds, _: bool) -> Result<(), Failure> {
        Ok(())
    }

    fn add_nodes(&mut self, _: &str, reader: Reader, _: &StreamOptions) -> Result<(), Failure> {
        read_rows(reader)
    }

    fn add_edge_rows(&mut self, _: &str, reader: Reader, _: &StreamOptions) -> Result<(), Failure> {
        read_rows(reader)
    }

    fn add_node_column(
        &mut self,
        _: &str,
        _: &str,
        _: Role,
        rows: Array,
        _: Option<&Codes>,
    ) -> Result<(), Failure> {
        read_array(rows)
    }

    fn add_edge_column(
        &mut self,
        _: &str,
        _: &str,
        _: Role,
        rows: Array,
        _: Option<&Codes>,
    ) -> Result<(), Failure> {
        read_array(rows)
    }

    fn add_id_set(&mut self, _: &str, _: &str, ids: Array) -> Result<(), Failure> {
        read_array(ids)
    }
}
