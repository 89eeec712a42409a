//! A builder that keeps what recipes give it, for tests.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;

use crate::arrays::Array;
use crate::boundary::builder::{Builder, FieldUse, Layout, Reader, StreamOptions};
use crate::failure::Failure;
use crate::recipe::{Codes, Ids, Role, Text, TextEnds};

#[derive(Default)]
pub struct Recorder {
    pub counts: BTreeMap<String, i64>,
    pub edges: BTreeMap<String, (Vec<i64>, Vec<i64>)>,
    /// By "type/column".
    pub node_columns: BTreeMap<String, (Array, Role)>,
    pub edge_columns: BTreeMap<String, (Array, Role)>,
    /// By "type/set".
    pub sets: BTreeMap<String, Vec<i64>>,
}

/// Text and codes are not what these tests need.
fn not_here() -> Failure {
    Failure::invalid("the recorder has no text")
}

impl Builder for Recorder {
    fn add_node_type(&mut self, name: &str, count: i64, _: Ids) -> Result<(), Failure> {
        self.counts.insert(name.into(), count);
        Ok(())
    }

    fn add_edges(
        &mut self,
        edge_type: &str,
        source: Array,
        target: Array,
        _: bool,
    ) -> Result<(), Failure> {
        let ends = (source.to_i64s()?, target.to_i64s()?);
        self.edges.insert(edge_type.into(), ends);
        Ok(())
    }

    fn add_topology(
        &mut self,
        edge_type: &str,
        layout: Layout,
        indptr: Array,
        indices: Array,
        edge_ids: Option<Array>,
    ) -> Result<(), Failure> {
        let (indptr, indices) = (indptr.to_i64s()?, indices.to_i64s()?);
        let ids = edge_ids.map_or_else(
            || Ok((0..indices.len() as i64).collect()),
            |ids| ids.to_i64s(),
        )?;
        let mut ends = (vec![-1; indices.len()], vec![-1; indices.len()]);
        for (row, pair) in indptr.windows(2).enumerate() {
            for at in pair[0] as usize..pair[1] as usize {
                let (other, id) = (indices[at], ids[at] as usize);
                let (source, target) = match layout {
                    Layout::Csc => (other, row as i64),
                    Layout::Csr => (row as i64, other),
                };
                (ends.0[id], ends.1[id]) = (source, target);
            }
        }
        self.edges.insert(edge_type.into(), ends);
        Ok(())
    }

    fn add_nodes_text(&mut self, _: &str, _: &str, _: &Text) -> Result<(), Failure> {
        Err(not_here())
    }

    fn add_edges_text(&mut self, _: &str, _: &str, _: &TextEnds, _: bool) -> Result<(), Failure> {
        Err(not_here())
    }

    fn add_nodes(
        &mut self,
        name: &str,
        reader: Reader,
        options: &StreamOptions,
    ) -> Result<(), Failure> {
        let mut row = 0;
        for batch in reader {
            let batch = batch.map_err(|error| Failure::invalid(error.to_string()))?;
            for field in &options.fields {
                assert_eq!(field.used_as, FieldUse::IdSet);
                let bits = batch.column_by_name(&field.field).unwrap().as_boolean();
                let set = field.name.as_ref().unwrap();
                let ids = self.sets.entry(format!("{name}/{set}")).or_default();
                let found = bits.values().iter().enumerate().filter(|(_, bit)| *bit);
                ids.extend(found.map(|(at, _)| row + at as i64));
            }
            row += batch.num_rows() as i64;
        }
        assert_eq!(self.counts[name], row);
        Ok(())
    }

    fn add_edge_rows(
        &mut self,
        edge_type: &str,
        reader: Reader,
        options: &StreamOptions,
    ) -> Result<(), Failure> {
        let (mut sources, mut targets) = (Vec::new(), Vec::new());
        for batch in reader {
            let batch = batch.map_err(|error| Failure::invalid(error.to_string()))?;
            let ends = [
                (&options.source, &mut sources),
                (&options.target, &mut targets),
            ];
            for (field, to) in ends {
                let column = batch.column_by_name(field.as_ref().unwrap()).unwrap();
                to.extend(column.as_primitive::<Int64Type>().values());
            }
        }
        self.edges.insert(edge_type.into(), (sources, targets));
        Ok(())
    }

    fn add_node_column(
        &mut self,
        name: &str,
        column: &str,
        role: Role,
        rows: Array,
        _: Option<&Codes>,
    ) -> Result<(), Failure> {
        assert_eq!(self.counts[name], rows.rows());
        self.node_columns
            .insert(format!("{name}/{column}"), (rows, role));
        Ok(())
    }

    fn add_edge_column(
        &mut self,
        edge_type: &str,
        column: &str,
        role: Role,
        rows: Array,
        _: Option<&Codes>,
    ) -> Result<(), Failure> {
        self.edge_columns
            .insert(format!("{edge_type}/{column}"), (rows, role));
        Ok(())
    }

    fn add_id_set(&mut self, name: &str, set: &str, ids: Array) -> Result<(), Failure> {
        self.sets.insert(format!("{name}/{set}"), ids.to_i64s()?);
        Ok(())
    }
}
