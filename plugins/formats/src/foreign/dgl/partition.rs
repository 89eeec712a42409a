//! A graph that DGL partitioned: the whole graph, with the ids that DGL gave nodes and edges then.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use indexmap::IndexMap;
use serde_json::Value;

use super::folder_and_name;
use super::names::{edge_type, Names};
use super::roles::{Of, Roles, Use, ORIGINAL_ID};
use super::saved::{edge_table, mask_table};
use crate::arrays::dgl::tensors;
use crate::arrays::{Array, Bytes};
use crate::failure::Failure;
use crate::foreign::choices::Choices;
use crate::foreign::names::add_part;
use crate::recipe::{self, ArrayRef, Column, Recipe, Role};
use crate::tables::dgl::book::{Book, Part, Ranges};
use crate::tables::dgl::{graph_of_part, keeps_edge_ids};

const ORIGINAL_NODES: &str = "orig_nids.dgl";
const ORIGINAL_EDGES: &str = "orig_eids.dgl";

/// The tensors of a part by their type, with their names in the file and within the type.
type OfTypes = HashMap<String, Vec<(String, String, Array)>>;

/// A file of tensors in each part, whose rows are in the order of ids; None: a part has none.
type Files = Vec<Option<(String, OfTypes)>>;

pub fn describe(path: &Path, json: &Value, choices: &mut Choices) -> Result<Recipe, Failure> {
    let parts = choices.flag("parts")?;
    let book = Book::of_json(path, json)?;
    let (folder, file) = folder_and_name(path)?;
    let mut edges_are_known = true;
    for part in 0..book.parts.len() {
        graph_of_part(&book, part)?;
        edges_are_known &= keeps_edge_ids(&book, part)?;
    }
    let mut recipe = Recipe {
        folder: Some(folder),
        ..Default::default()
    };
    let notes = &mut recipe.notes;
    let nodes = book.node_types.iter().map(|known| known.name.as_str());
    let nodes: Vec<&str> = nodes.collect();
    let edges = book.edge_types.iter().map(|known| known.full_name.as_str());
    let edges: Vec<&str> = edges.collect();
    let node_feats = open_all(&book, &nodes, |part| part.node_feats.clone())?;
    // Without ids, there is no telling which edge a row belongs to.
    let rows_of_edges = |file: Option<String>| file.filter(|_| edges_are_known);
    let edge_feats = open_all(&book, &edges, |part| rows_of_edges(part.edge_feats.clone()))?;
    let original_nodes = open_all(&book, &nodes, |part| original(&book, part, ORIGINAL_NODES))?;
    let original_edges = open_all(&book, &edges, |part| {
        rows_of_edges(original(&book, part, ORIGINAL_EDGES))
    })?;
    let mut names = Names::default();
    let mut node_names = Vec::new();
    for node in &book.node_types {
        let name = names.node_type(&node.name, notes);
        let mut made = recipe::NodeType {
            count: Some(node.ranges.count()),
            ..Default::default()
        };
        let sets = add_columns(
            &book,
            &node_feats,
            &node.name,
            &node.ranges,
            Of::Nodes,
            &mut made.columns,
            notes,
        )?;
        add_original(&original_nodes, &node.name, &node.ranges, &mut made.columns);
        if parts {
            let count = |part: usize| node.ranges.count_in(part);
            let runs = (0..book.parts.len()).map(|part| [part as i64, count(part)]);
            let column = Column {
                runs: runs.collect(),
                ..Default::default()
            };
            add_part(&mut made.columns, column)?;
        }
        made.table = mask_table(&file, format!("nodes/{}", node.name), sets);
        recipe.nodes.insert(name.clone(), made);
        node_names.push(name);
    }
    let mut names = Names::default();
    for edge in &book.edge_types {
        let ends = [
            node_names[edge.source].as_str(),
            edge.relation.as_str(),
            node_names[edge.target].as_str(),
        ];
        let name = edge_type(&mut names, ends, notes);
        let mut made = recipe::EdgeType {
            table: Some(edge_table(&file, format!("edges/{}", edge.full_name))),
            ..Default::default()
        };
        add_columns(
            &book,
            &edge_feats,
            &edge.full_name,
            &edge.ranges,
            Of::Edges,
            &mut made.columns,
            notes,
        )?;
        add_original(
            &original_edges,
            &edge.full_name,
            &edge.ranges,
            &mut made.columns,
        );
        recipe.edges.insert(name, made);
    }
    notes.push("Ids are those of the partition: DGL renumbered nodes and edges.".into());
    if original_nodes.iter().all(Option::is_none) {
        notes.push(
            "The files do not hold the ids from before; partition_graph returns them with \
             return_mapping=True."
                .into(),
        );
    }
    if !edges_are_known {
        notes.push(
            "GraphBolt's graphs do not hold the ids of edges (store_eids=False): ids follow the \
             order of the files, and data of edges are dropped."
                .into(),
        );
    }
    notes.push("Copies of nodes and edges of other parts are dropped.".into());
    Ok(recipe)
}

fn original(book: &Book, part: &Part, name: &str) -> Option<String> {
    let graph = part.graph.as_ref().or(part.fused.as_ref())?;
    let beside = Path::new(graph).with_file_name(name);
    let beside = beside.to_str()?.to_owned();
    book.beside(&beside).is_file().then_some(beside)
}

fn open_all(
    book: &Book,
    types: &[&str],
    file: impl Fn(&Part) -> Option<String>,
) -> Result<Files, Failure> {
    let known: HashSet<&str> = types.iter().copied().collect();
    let open = |part: &Part| -> Result<_, Failure> {
        let Some(file) = file(part) else {
            return Ok(None);
        };
        let path = book.beside(&file);
        let mut of_types = OfTypes::new();
        for (name, array) in tensors(&path, &Bytes::map(&path)?)? {
            let splits = [name.split_once('/'), name.rsplit_once('/')];
            let typed = splits
                .into_iter()
                .flatten()
                .find(|(type_name, _)| known.contains(type_name));
            // Ids from before have only types for names; very old files have no types in names.
            let (type_name, column) = match (typed, types) {
                (Some(typed), _) => typed,
                (None, _) if known.contains(name.as_str()) => (name.as_str(), ""),
                (None, [only]) => (*only, name.as_str()),
                (None, _) => continue,
            };
            let (type_name, column) = (type_name.to_owned(), column.to_owned());
            let named = of_types.entry(type_name).or_default();
            named.push((name, column, array));
        }
        Ok(Some((file, of_types)))
    };
    book.parts.iter().map(open).collect()
}

/// Columns in the order of their names; the masks among them are returned.
fn add_columns(
    book: &Book,
    files: &Files,
    type_name: &str,
    ranges: &Ranges,
    of: Of,
    columns: &mut IndexMap<String, Column>,
    notes: &mut Vec<String>,
) -> Result<Vec<(String, &'static str)>, Failure> {
    let mut found: IndexMap<String, (Vec<recipe::Part>, &Array)> = IndexMap::new();
    let mut filled = 0;
    for (number, file) in files.iter().enumerate() {
        let count = ranges.count_in(number);
        if count == 0 {
            continue;
        }
        let Some((file, of_types)) = file else {
            if found.is_empty() {
                filled += 1;
                continue;
            }
            let what = format!("part {number} has no features, and others have");
            return Err(Failure::of_file(&book.path, what));
        };
        let damaged = |what: String| Failure::of_file(&book.beside(file), what);
        for (name, column, array) in of_types.get(type_name).into_iter().flatten() {
            if array.shape.is_empty() || array.rows() != count {
                return Err(damaged(format!(
                    "\"{name}\" is {:?}, expected {count} rows",
                    array.shape
                )));
            }
            let entry = found
                .entry(column.clone())
                .or_insert_with(|| (Vec::new(), array));
            let first = entry.1;
            if array.dtype != first.dtype || array.shape[1..] != first.shape[1..] {
                return Err(damaged(format!(
                    "\"{name}\" is {} {:?}, and {} {:?} in another part",
                    array.dtype, array.shape, first.dtype, first.shape
                )));
            }
            entry.0.push(recipe::Part {
                rows: None,
                values: ArrayRef::named(file.as_str(), name.as_str()),
            });
        }
        filled += 1;
    }
    found.sort_keys();
    let mut roles = Roles::new(of);
    let mut sets = Vec::new();
    for (name, (parts, first)) in found {
        if parts.len() != filled {
            let what = format!("\"{type_name}/{name}\" is not in all parts, or twice in one");
            return Err(Failure::of_file(&book.path, what));
        }
        match roles.of(&name, first.dtype, &first.shape, notes) {
            Use::Column(column, role) => {
                columns.insert(column, of_parts(parts, role));
            }
            Use::Set(set) => sets.push((name, set)),
        }
    }
    Ok(sets)
}

fn of_parts(parts: Vec<recipe::Part>, role: Role) -> Column {
    match <[_; 1]>::try_from(parts) {
        Ok([only]) => Column::of(only.values, role),
        Err(parts) => Column {
            role,
            parts,
            ..Default::default()
        },
    }
}

/// The ids from before, where all parts have them.
fn add_original(
    files: &Files,
    type_name: &str,
    ranges: &Ranges,
    columns: &mut IndexMap<String, Column>,
) {
    let mut parts = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let count = ranges.count_in(number);
        if count == 0 {
            continue;
        }
        let Some((file, of_types)) = file else {
            return;
        };
        let mut named = of_types.get(type_name).into_iter().flatten();
        if !named.any(|(name, _, array)| name == type_name && array.shape == [count]) {
            return;
        }
        parts.push(recipe::Part {
            rows: None,
            values: ArrayRef::named(file.as_str(), type_name),
        });
    }
    if !parts.is_empty() && !columns.contains_key(ORIGINAL_ID) {
        columns.insert(ORIGINAL_ID.into(), of_parts(parts, Role::Other));
    }
}
