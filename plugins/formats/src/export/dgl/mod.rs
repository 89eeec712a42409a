//! DGL: the parts of a graph as `dgl.distributed.partition_graph` writes them, or a file of
//! `dgl.save_graphs`.

mod book;
mod file;
mod numbered;
mod part_graph;
mod parts;
mod saved;

use super::graph::Graph;
use super::masks::masks;
use super::rows::row_bytes;
use super::Plan;
use crate::arrays::DType;
use crate::failure::Failure;
use crate::foreign::choices::Choices;
use crate::tables::dgl::book::{ONLY_NODE_TYPE, ONLY_RELATION};
use parts::Split;

/// Numbers that DGL's tensors do not have.
const REFUSED: [DType; 3] = [DType::U16, DType::U32, DType::U64];
/// Of an edge's ends.
const ENDS_BYTES: u64 = 16;

pub fn prepare<'a>(graph: Graph<'a>, mut choices: Choices) -> Result<Box<dyn Plan + 'a>, Failure> {
    let split = match choices.take("form").as_deref() {
        None | Some("partitions") => Some(Split::of(&mut choices)?),
        Some("graph") => None,
        Some(other) => {
            let words = format!("choices: form={other}: expected partitions or graph");
            return Err(Failure::invalid(words));
        }
    };
    choices.finish("dgl")?;
    graph.refuse_numbers("DGL", &REFUSED)?;
    for node in &graph.nodes {
        masks(node)?;
    }
    match split {
        Some(split) => parts::prepare(graph, split),
        None => Ok(Box::new(saved::Saved(graph))),
    }
}

/// DGL's names of types: "node" and "to" become those of a graph without types.
struct TypeNames {
    nodes: Vec<String>,
    relations: Vec<String>,
    /// Places of each relation's ends.
    ends: Vec<(usize, usize)>,
}

impl TypeNames {
    fn of(graph: &Graph<'_>) -> Self {
        let plain = matches!(&graph.nodes[..], [node] if node.name == "node")
            && matches!(&graph.edges[..], [edge] if edge.relation == "to");
        let place = |name: &str| {
            let mut nodes = graph.nodes.iter();
            nodes.position(|node| node.name == name).unwrap_or(0)
        };
        let named = |name: &str, only: &str| if plain { only } else { name }.to_owned();
        let nodes = graph.nodes.iter();
        let edges = graph.edges.iter();
        TypeNames {
            nodes: nodes
                .map(|node| named(&node.name, ONLY_NODE_TYPE))
                .collect(),
            relations: edges
                .map(|edge| named(&edge.relation, ONLY_RELATION))
                .collect(),
            ends: graph
                .edges
                .iter()
                .map(|edge| (place(&edge.source), place(&edge.target)))
                .collect(),
        }
    }

    /// "source:relation:target".
    fn full(&self, relation: usize) -> String {
        let (source, target) = self.ends[relation];
        let (source, target) = (&self.nodes[source], &self.nodes[target]);
        format!("{source}:{}:{target}", self.relations[relation])
    }
}

/// Bytes of all columns, masks and ends.
fn total(graph: &Graph<'_>) -> u64 {
    let columns = graph.columns();
    let columns = columns
        .map(|(_, column)| column.shape[0] as u64 * row_bytes(column.dtype, &column.shape) as u64);
    let masks = graph
        .nodes
        .iter()
        .map(|node| node.count as u64 * node.sets.len() as u64);
    let edges = graph
        .edges
        .iter()
        .map(|edge| edge.count as u64 * ENDS_BYTES);
    columns.chain(masks).chain(edges).sum()
}
