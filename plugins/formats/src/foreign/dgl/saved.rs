//! A file of `dgl.save_graphs`: one of its graphs.

use std::path::Path;

use super::names::{edge_type, Names};
use super::roles::{Of, Roles, Use};
use super::{folder_and_name, Choices};
use crate::arrays::dgl_graphs::{Edges, Format, Graph, GraphFile, NodeType, Relation};
use crate::arrays::{Bytes, DType};
use crate::failure::Failure;
use crate::recipe::{self, ArrayRef, Column, EdgeTable, NodeTable, Recipe, TableFormat, TableSet};
use crate::tables::dgl::{SOURCE, TARGET};

pub fn describe(path: &Path, bytes: &Bytes, choices: &mut Choices) -> Result<Recipe, Failure> {
    let file = GraphFile::of_bytes(path, bytes)?;
    let index = chosen(path, file.count(), choices.take("graph"))?;
    let graph = file.graph(index)?;
    let (folder, name) = folder_and_name(path)?;
    let mut recipe = Recipe {
        folder: Some(folder),
        ..Default::default()
    };
    let saved = Saved { name, index };
    let mut names = Names::default();
    let mut node_names = Vec::new();
    for node in &graph.node_types {
        let name = names.node_type(&node.name, &mut recipe.notes);
        let made = saved.node_type(node, &mut recipe.notes);
        recipe.nodes.insert(name.clone(), made);
        node_names.push(name);
    }
    let mut names = Names::default();
    for relation in &graph.relations {
        let ends = [
            node_names[relation.source].as_str(),
            relation.name.as_str(),
            node_names[relation.target].as_str(),
        ];
        let name = edge_type(&mut names, ends, &mut recipe.notes);
        let made = saved.edge_type(&graph, relation, &mut recipe.notes);
        recipe.edges.insert(name, made);
    }
    if !file.labels.is_empty() {
        let labels: Vec<_> = file.labels.iter().map(|label| label.0.as_str()).collect();
        recipe.notes.push(format!(
            "Labels of whole graphs are dropped: {}.",
            labels.join(", ")
        ));
    }
    Ok(recipe)
}

fn chosen(path: &Path, count: usize, given: Option<String>) -> Result<usize, Failure> {
    let Some(last) = count.checked_sub(1) else {
        return Err(Failure::of_file(path, "the file has no graph"));
    };
    match given {
        None if count == 1 => Ok(0),
        None => Err(Failure::invalid(format!(
            "choices: the file has {count} graphs; choose one by graph=0 to graph={last}"
        ))),
        Some(text) => text
            .parse()
            .ok()
            .filter(|&index| index < count)
            .ok_or_else(|| {
                Failure::invalid(format!(
                    "choices: graph={text}: expected a number from 0 to {last}"
                ))
            }),
    }
}

/// A graph in a file.
struct Saved {
    name: String,
    index: usize,
}

impl Saved {
    fn array(&self, rest: &str) -> ArrayRef {
        ArrayRef::named(self.name.as_str(), format!("{}/{rest}", self.index))
    }

    fn node_type(&self, node: &NodeType, notes: &mut Vec<String>) -> recipe::NodeType {
        let mut made = recipe::NodeType {
            count: Some(node.count),
            ..Default::default()
        };
        let mut roles = Roles::new(Of::Nodes);
        let mut sets = Vec::new();
        for (name, array) in &node.data {
            match roles.of(name, array.dtype, &array.shape, notes) {
                Use::Column(column, role) => {
                    let values = self.array(&format!("nodes/{}/{name}", node.name));
                    made.columns.insert(column, Column::of(values, role));
                }
                Use::Set(set) => sets.push((name.clone(), set)),
            }
        }
        made.table = mask_table(
            &self.name,
            format!("{}/nodes/{}", self.index, node.name),
            sets,
        );
        made
    }

    fn edge_type(
        &self,
        graph: &Graph,
        relation: &Relation,
        notes: &mut Vec<String>,
    ) -> recipe::EdgeType {
        let full = graph.full_name(relation);
        let mut made = recipe::EdgeType::default();
        let one = |format| relation.edges.iter().find(|edges| edges.format == format);
        let ready = |edges: &&Edges| edges.first.dtype == DType::I64;
        let array = |rest: &str| self.array(&format!("topology/{full}/{rest}"));
        let topology = |name: &str, edges: &Edges| recipe::Topology {
            indptr: array(&format!("{name}/indptr")),
            indices: array(&format!("{name}/indices")),
            edge_ids: edges.ids.as_ref().map(|_| array(&format!("{name}/ids"))),
        };
        if one(Format::Coo).is_some_and(|edges| edges.ids.is_none()) {
            made.arrays = vec![array("coo/row"), array("coo/col")];
        } else if let Some(edges) = one(Format::Csc).filter(ready) {
            made.csc = Some(topology("csc", edges));
        } else if let Some(edges) = one(Format::Csr).filter(ready) {
            made.csr = Some(topology("csr", edges));
        } else {
            made.table = Some(edge_table(
                &self.name,
                format!("{}/edges/{full}", self.index),
            ));
        }
        let mut roles = Roles::new(Of::Edges);
        for (name, data) in &relation.data {
            if let Use::Column(column, role) = roles.of(name, data.dtype, &data.shape, notes) {
                let values = self.array(&format!("edges/{full}/{name}"));
                made.columns.insert(column, Column::of(values, role));
            }
        }
        made
    }
}

/// The edges of one table of a graph or partition.
pub fn edge_table(file: &str, table: String) -> EdgeTable {
    EdgeTable {
        files: vec![file.to_owned()],
        format: TableFormat::Dgl,
        table: Some(table),
        source: SOURCE.into(),
        target: TARGET.into(),
        columns: Some(Vec::new()),
        ..Default::default()
    }
}

/// Masks by their names, and the id sets that they become.
pub fn mask_table(
    file: &str,
    table: String,
    sets: Vec<(String, &'static str)>,
) -> Option<NodeTable> {
    if sets.is_empty() {
        return None;
    }
    let sets = sets.into_iter().map(|(field, name)| TableSet {
        field,
        name: Some(name.to_owned()),
    });
    Some(NodeTable {
        files: vec![file.to_owned()],
        format: TableFormat::Dgl,
        table: Some(table),
        columns: Some(Vec::new()),
        sets: sets.collect(),
        ..Default::default()
    })
}
