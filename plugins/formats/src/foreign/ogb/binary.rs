//! Raw files of NumPy's archives.

use super::{triple_of, Owner, Raw, EDGE, NODE};
use crate::arrays::{self, npz, Array, Bytes};
use crate::failure::Failure;
use crate::recipe::{ArrayRef, EdgeType, NodeType};

const DATA: &str = "raw/data.npz";
const LABELS: &str = "raw/node-label.npz";
const NODES: &str = "raw/num_nodes_dict.npz";
const ENDS: &str = "raw/edge_index_dict.npz";
/// What OGB puts after the names of dictionaries.
const DICT: &str = "_dict";

pub fn one_type(raw: &mut Raw<'_>) -> Result<(), Failure> {
    let node = NodeType {
        count: Some(single_number(raw, DATA, "num_nodes_list")?),
        ..Default::default()
    };
    raw.recipe.nodes.insert(NODE.to_owned(), node);
    raw.types.push((String::new(), NODE.to_owned()));
    let edge = EdgeType {
        arrays: vec![ArrayRef::named(DATA, "edge_index")],
        undirected: raw.undirected,
        ..Default::default()
    };
    raw.recipe.edges.insert(EDGE.to_owned(), edge);
    for name in names(raw, DATA)? {
        match name.as_str() {
            "edge_index" | "num_nodes_list" | "num_edges_list" => {}
            _ if name.starts_with("node_") => add(raw, Owner::Node(NODE), &name, DATA, &name)?,
            _ if name.starts_with("edge_") => add(raw, Owner::Edge(EDGE), &name, DATA, &name)?,
            _ => raw.note(format!("The array {name:?} of {DATA} is not read.")),
        }
    }
    if raw.has(LABELS) {
        add(raw, Owner::Node(NODE), "node_label", LABELS, "node_label")?;
    }
    Ok(())
}

pub fn types(raw: &mut Raw<'_>) -> Result<(), Failure> {
    for name in names(raw, NODES)? {
        let count = single_number(raw, NODES, &name)?;
        crate::foreign::paths::inside(&raw.folder.join(NODES), &name)?;
        raw.add_nodes(NODES, &name, count)?;
    }
    let mut edges = Vec::new();
    for name in names(raw, ENDS)? {
        let Some(triple) = triple_of(&name) else {
            return Err(raw.wrong(ENDS, format!("{name:?} is not source___relation___target")));
        };
        let edge = EdgeType {
            arrays: vec![ArrayRef::named(ENDS, name.as_str())],
            ..Default::default()
        };
        let edge = raw.add_edges(ENDS, triple, edge)?;
        edges.push((name.clone(), edge));
    }
    for file in raw.names_in("raw")? {
        let Some(name) = file.strip_suffix(".npz") else {
            raw.note(format!("The file \"raw/{file}\" is not read."));
            continue;
        };
        let name = name.strip_suffix(DICT).unwrap_or(name).replace('-', "_");
        let file = format!("raw/{file}");
        if [NODES, ENDS, "raw/num_edges_dict.npz"].contains(&file.as_str()) {
            continue;
        }
        let of_nodes = name.contains("node_");
        let owners = if of_nodes {
            raw.types.clone()
        } else {
            edges.clone()
        };
        for key in names(raw, &file)? {
            let Some((_, owner)) = owners.iter().find(|(theirs, _)| *theirs == key) else {
                raw.note(format!("The array {key:?} of {file} is not read."));
                continue;
            };
            let owner = if of_nodes {
                Owner::Node(owner)
            } else {
                Owner::Edge(owner)
            };
            add(raw, owner, &name, &file, &key)?;
        }
    }
    Ok(())
}

fn names(raw: &Raw<'_>, file: &str) -> Result<Vec<String>, Failure> {
    let path = raw.folder.join(file);
    let archive = npz::Archive::open(&path, &Bytes::map(&path)?)?;
    Ok(npz::names(&archive))
}

fn open(raw: &Raw<'_>, file: &str, array: &str) -> Result<Array, Failure> {
    arrays::open(&ArrayRef::named(file, array), raw.folder)
}

fn add(
    raw: &mut Raw<'_>,
    owner: Owner<'_>,
    name: &str,
    file: &str,
    array: &str,
) -> Result<(), Failure> {
    let shape = npz::shape(&raw.folder.join(file), array)?;
    let width = (shape.len() > 1).then(|| shape[1..].iter().product());
    raw.add_column(owner, name, ArrayRef::named(file, array), width)
}

/// The number of nodes of the only graph.
fn single_number(raw: &Raw<'_>, file: &str, array: &str) -> Result<i64, Failure> {
    let counts = open(raw, file, array)?;
    if counts.count() != 1 {
        let what = format!(
            "{array}: {:?} graphs; GLS reads datasets of one",
            counts.shape
        );
        return Err(Failure::unsupported(&raw.folder.join(file), what));
    }
    let mut found = 0;
    counts.for_each_i64(|count| found = count)?;
    if found < 0 {
        return Err(raw.wrong(file, format!("{array}: {found} nodes")));
    }
    Ok(found)
}
