//! TGL: a folder with `edges.csv`, and tensors of features.

use std::path::Path;

use super::choices::Choices;
use super::names::note;
use crate::arrays;
use crate::arrays::text::first_line;
use crate::failure::Failure;
use crate::recipe::{
    ArrayRef, Column, EdgeTable, EdgeType, Header, NodeType, Recipe, Role, TableColumn, TableFormat,
};

const EDGES: &str = "edges.csv";
const NODE: &str = "node";
const EDGE: &str = "node__to__node";
const EDGE_FEATURES: &str = "edge_features.pt";
const NODE_FEATURES: &str = "node_features.pt";
/// Fields of edges, and what they are for.
const FIELDS: [(&str, Role); 3] = [
    ("time", Role::Time),
    ("int_roll", Role::Other),
    ("ext_roll", Role::Other),
];

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let mut recipe = Recipe {
        folder: path.to_str().map(str::to_owned),
        ..Default::default()
    };
    let at = path.join(EDGES);
    let header = first_line(&at)?;
    let fields: Vec<&str> = header.trim().split(',').map(str::trim).collect();
    for field in ["src", "dst"] {
        if !fields.contains(&field) {
            let what = format!("the first line has no {field:?}: {fields:?}");
            return Err(Failure::of_file(&at, what));
        }
    }
    let known = FIELDS.iter().filter(|(field, _)| fields.contains(field));
    let columns = known.map(|&(field, role)| TableColumn {
        field: field.to_owned(),
        role,
        ..Default::default()
    });
    let mut edge = EdgeType {
        table: Some(EdgeTable {
            files: vec![EDGES.to_owned()],
            format: TableFormat::Csv,
            header: Header::Yes,
            source: "src".to_owned(),
            target: "dst".to_owned(),
            columns: Some(columns.collect()),
            ..Default::default()
        }),
        // TGL's script asks the same: --add_reverse.
        undirected: choices.flag("undirected")?,
        ..Default::default()
    };
    let mut node = NodeType::default();
    if path.join(EDGE_FEATURES).exists() {
        let features = Column::of(ArrayRef::of_file(EDGE_FEATURES), Role::Feature);
        edge.columns.insert("edge_features".to_owned(), features);
    }
    if path.join(NODE_FEATURES).exists() {
        let features = ArrayRef::of_file(NODE_FEATURES);
        node.count = Some(arrays::open(&features, path)?.rows());
        let features = Column::of(features, Role::Feature);
        node.columns.insert("node_features".to_owned(), features);
    }
    if path.join("labels.csv").exists() {
        let words = "The file \"labels.csv\" is not read: a node has a label at each of its times.";
        note(&mut recipe.notes, words.to_owned());
    }
    recipe.nodes.insert(NODE.to_owned(), node);
    recipe.edges.insert(EDGE.to_owned(), edge);
    Ok(recipe)
}

#[cfg(test)]
mod tests {
    use super::super::drain::{damage, golden, import};

    #[test]
    fn the_golden_folder_is_read() {
        let found = import("tgl", &golden("tgl-edges"), &["undirected=true"]).unwrap();
        assert_eq!(found.rows("edges node__to__node"), Some(80));
    }

    #[test]
    fn damaged_files_are_no_panic() {
        damage("tgl", "tgl-edges", &[], "edges.csv", 7, 300);
    }
}
