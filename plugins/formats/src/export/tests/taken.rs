//! A builder that keeps what recipes give it, as Arrow arrays.

use std::collections::BTreeMap;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::ArrayRef;
use arrow_select::concat::concat_batches;

use crate::arrays::rows::ArrayRows;
use crate::arrays::{Array, Bytes, DType};
use crate::boundary::builder::{Builder, FieldUse, Layout, Reader, StreamOptions};
use crate::failure::Failure;
use crate::recipe::{self, Codes, Ids, Recipe, Role, Text, TextEnds};

#[derive(Default)]
pub struct Taken {
    pub nodes: Vec<(String, i64)>,
    pub keys: BTreeMap<String, Vec<i64>>,
    /// In the order of edge ids, by node ids.
    pub edges: BTreeMap<String, Vec<(i64, i64)>>,
    /// By "type.column".
    pub columns: BTreeMap<String, (ArrayRef, Role, Option<Codes>)>,
    /// By "type.set".
    pub sets: BTreeMap<String, Vec<i64>>,
}

/// Arrow has no bfloat16; its bits are uint16 here.
pub fn arrow(array: Array) -> ArrayRef {
    let array = match array.dtype {
        DType::BF16 => {
            let bytes = Bytes::of_vec(array.bytes().to_vec());
            Array::new(DType::U16, array.shape, bytes).unwrap()
        }
        _ => array,
    };
    let rows = array.rows();
    let all: Vec<_> = ArrayRows::new(vec![("x".into(), array)]).unwrap().collect();
    if rows == 0 {
        return std::sync::Arc::new(arrow_array::NullArray::new(0));
    }
    all.into_iter().next().unwrap().unwrap().column(0).clone()
}

/// What a recipe gives.
pub fn take(recipe: &Recipe, folder: &Path) -> Taken {
    let mut taken = Taken::default();
    recipe::run(recipe, folder, 1, &mut taken).unwrap();
    taken
}

impl Taken {
    fn id(&self, of_type: &str, key: i64) -> i64 {
        match self.keys.get(of_type) {
            None => key,
            Some(keys) => keys.iter().position(|&known| known == key).unwrap() as i64,
        }
    }

    fn add(&mut self, name: &str, sources: &[i64], targets: &[i64]) {
        let parts: Vec<&str> = name.split("__").collect();
        let pairs = sources.iter().zip(targets);
        let ids = pairs.map(|(&s, &t)| (self.id(parts[0], s), self.id(parts[2], t)));
        let ids = ids.collect();
        self.edges.insert(name.into(), ids);
    }

    fn stream(&mut self, name: &str, reader: Reader, options: &StreamOptions) -> Vec<Vec<i64>> {
        assert!(!options.all_fields);
        let schema = reader.schema();
        let batches: Vec<_> = reader.map(Result::unwrap).collect();
        let batch = concat_batches(&schema, &batches).unwrap();
        for field in &options.fields {
            let column = batch.column_by_name(&field.field).unwrap().clone();
            let full = format!("{name}.{}", field.name.as_ref().unwrap_or(&field.field));
            if field.used_as == FieldUse::IdSet {
                let bits = column.as_boolean().values().iter().enumerate();
                let ids = bits.filter(|(_, bit)| *bit).map(|(at, _)| at as i64);
                self.sets.insert(full, ids.collect());
            } else {
                self.columns.insert(full, (column, field.role, None));
            }
        }
        let ids = options.source.iter().chain(&options.target);
        ids.map(|field| {
            let column = batch.column_by_name(field).unwrap();
            column.as_primitive::<Int64Type>().values().to_vec()
        })
        .collect()
    }
}

fn not_here() -> Failure {
    Failure::invalid("exports have no text")
}

impl Builder for Taken {
    fn add_node_type(&mut self, name: &str, count: i64, _: Ids) -> Result<(), Failure> {
        self.nodes.push((name.into(), count));
        Ok(())
    }

    fn add_edges(&mut self, name: &str, from: Array, to: Array, _: bool) -> Result<(), Failure> {
        let ends = [from.to_i64s()?, to.to_i64s()?];
        self.add(name, &ends[0], &ends[1]);
        Ok(())
    }

    fn add_topology(
        &mut self,
        _: &str,
        _: Layout,
        _: Array,
        _: Array,
        _: Option<Array>,
    ) -> Result<(), Failure> {
        Err(not_here())
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
        let mut ids = self.stream(name, reader, options);
        if let Some(keys) = ids.pop() {
            self.keys.insert(name.into(), keys);
        }
        Ok(())
    }

    fn add_edge_rows(
        &mut self,
        name: &str,
        reader: Reader,
        options: &StreamOptions,
    ) -> Result<(), Failure> {
        let ends = self.stream(name, reader, options);
        self.add(name, &ends[0], &ends[1]);
        Ok(())
    }

    fn add_node_column(
        &mut self,
        name: &str,
        column: &str,
        role: Role,
        rows: Array,
        codes: Option<&Codes>,
    ) -> Result<(), Failure> {
        let full = format!("{name}.{column}");
        self.columns
            .insert(full, (arrow(rows), role, codes.cloned()));
        Ok(())
    }

    fn add_edge_column(
        &mut self,
        name: &str,
        column: &str,
        role: Role,
        rows: Array,
        codes: Option<&Codes>,
    ) -> Result<(), Failure> {
        self.add_node_column(name, column, role, rows, codes)
    }

    fn add_id_set(&mut self, name: &str, set: &str, ids: Array) -> Result<(), Failure> {
        self.sets.insert(format!("{name}.{set}"), ids.to_i64s()?);
        Ok(())
    }
}
