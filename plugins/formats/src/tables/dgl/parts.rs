//! The graph of a part: a file of `dgl.save_graphs`, or GraphBolt's where a part has nothing else.

use std::path::{Path, PathBuf};

use super::book::{Book, EdgeType};
use super::order::Numbers;
use super::SHARED_ID;
use crate::arrays::bytes::Scratch;
use crate::arrays::dgl_graphs::{Edges, Format, GraphFile};
use crate::arrays::torch::fused::FusedGraph;
use crate::arrays::{Array, DType};
use crate::failure::Failure;

const INNER_EDGE: &str = "inner_edge";
/// Stands for the id of an edge that is not wanted.
const NONE: i64 = -1;

pub struct Part {
    pub path: PathBuf,
    /// Shared ids, one a node and one an edge of the file.
    pub node_ids: Array,
    pub edge_ids: Array,
    /// Whether an edge is the part's own. None: its id tells it.
    pub inner: Option<Array>,
    pub edges: Edges,
}

/// The path of a part's graph.
pub fn graph_of_part(book: &Book, part: usize) -> Result<PathBuf, Failure> {
    let files = &book.parts[part];
    match files.graph.as_ref().or(files.fused.as_ref()) {
        Some(file) => Ok(book.beside(file)),
        None => {
            let what = format!("part {part} has no \"part_graph\"");
            Err(Failure::unsupported(&book.path, what))
        }
    }
}

/// Whether a part's edges have the ids that rows of data belong to.
pub fn keeps_edge_ids(book: &Book, part: usize) -> Result<bool, Failure> {
    if book.parts[part].graph.is_some() {
        return Ok(true);
    }
    let graph = FusedGraph::open(&graph_of_part(book, part)?)?;
    Ok(graph.edge_array(SHARED_ID).is_some())
}

/// `wanted`: the type whose edges are needed.
pub fn open(book: &Book, wanted: &EdgeType, part: usize) -> Result<Part, Failure> {
    let path = graph_of_part(book, part)?;
    if book.parts[part].graph.is_some() {
        of_dgl(path)
    } else {
        of_graphbolt(path, book, wanted, part)
    }
}

fn integers(path: &Path, name: &str, found: Option<&Array>) -> Result<Array, Failure> {
    found
        .filter(|array| array.shape.len() == 1 && array.dtype.is_integer())
        .cloned()
        .ok_or_else(|| Failure::of_file(path, format!("there are no integers \"{name}\"")))?
        .into_aligned()
}

fn of_dgl(path: PathBuf) -> Result<Part, Failure> {
    let mut graph = GraphFile::open(&path)?.graph(0)?;
    let ([node_type], [relation]) = (graph.node_types.as_slice(), graph.relations.as_mut_slice())
    else {
        let what = "a part has one type of nodes and edges";
        return Err(Failure::of_file(&path, what));
    };
    let find = |data: &[(String, Array)], name: &str| {
        let found = data.iter().find(|(known, _)| known == name);
        found.map(|(_, array)| array.clone())
    };
    let needed = |data, name| integers(&path, name, find(data, name).as_ref());
    Ok(Part {
        node_ids: needed(&node_type.data, SHARED_ID)?,
        edge_ids: needed(&relation.data, SHARED_ID)?,
        inner: match find(&relation.data, INNER_EDGE) {
            Some(_) => Some(needed(&relation.data, INNER_EDGE)?),
            None => None,
        },
        edges: relation.edges.swap_remove(0),
        path,
    })
}

fn of_graphbolt(
    path: PathBuf,
    book: &Book,
    wanted: &EdgeType,
    part: usize,
) -> Result<Part, Failure> {
    let graph = FusedGraph::open(&path)?;
    let node_ids = integers(&path, SHARED_ID, graph.node_array(SHARED_ID))?;
    let edge_ids = match graph.edge_array(SHARED_ID) {
        Some(ids) => integers(&path, SHARED_ID, Some(ids))?,
        None => counted(&path, &graph, &node_ids, book, wanted, part)?,
    };
    let inner = graph.edge_array(INNER_EDGE);
    Ok(Part {
        inner: inner
            .map(|inner| integers(&path, INNER_EDGE, Some(inner)))
            .transpose()?,
        edges: Edges {
            format: Format::Csc,
            sources: graph.num_nodes(),
            targets: graph.num_nodes(),
            first: graph.indptr.clone(),
            second: graph.indices.clone(),
            ids: None,
        },
        node_ids,
        edge_ids,
        path,
    })
}

/// Ids for edges without: those of the wanted type at the part's own nodes, in the order of the file.
fn counted(
    path: &Path,
    graph: &FusedGraph,
    node_ids: &Array,
    book: &Book,
    wanted: &EdgeType,
    part: usize,
) -> Result<Array, Failure> {
    graph.check_looks(book.edge_types.len())?;
    let wrong = |what: &str| Failure::of_file(path, format!("{}: {what}", wanted.full_name));
    let place = |known: &String| *known == wanted.full_name;
    let types = match &graph.type_per_edge {
        Some(types) => {
            let number = graph.edge_types.iter().position(place);
            Some((types, number.ok_or_else(|| wrong("there is no such type"))?))
        }
        None => None,
    };
    let [own, end] = book.node_types[wanted.target].ranges.shared[part];
    let count = graph.num_edges();
    let mut scratch = Scratch::new(count as usize * 8)?;
    let (nodes, indptr) = (Numbers::of(node_ids), Numbers::of(&graph.indptr));
    let mut next = wanted.ranges.shared[part][0];
    let mut node = 0;
    for (at, to) in (0..).zip(scratch.bytes_mut().chunks_exact_mut(8)) {
        while indptr.at(node + 1).is_some_and(|last| last <= at) {
            node += 1;
        }
        let of_type = types
            .is_none_or(|(types, number)| Numbers::of(types).at(at) == i64::try_from(number).ok());
        let inner = nodes.at(node).is_some_and(|id| (own..end).contains(&id));
        let id = if of_type && inner { next } else { NONE };
        next += i64::from(id != NONE);
        to.copy_from_slice(&id.to_ne_bytes());
    }
    Array::new(DType::I64, vec![count], scratch.finish()).map_err(|what| wrong(&what))
}
