//! A graph with the ids that DGL gives its nodes and edges.

use super::book::{at, Order, Shared};
use super::TypeNames;
use crate::arrays::Array;
use crate::boundary::dataset::{NodeTypeInfo, Which};
use crate::export::ends::ends;
use crate::export::graph::Graph;
use crate::export::progress::Progress;
use crate::failure::Failure;

/// The whole graph with its new ids.
pub struct Numbered<'a> {
    pub graph: &'a Graph<'a>,
    pub names: TypeNames,
    pub parts: usize,
    pub nodes: Vec<Order>,
    pub edges: Vec<Order>,
    pub shared_nodes: Shared,
    pub shared_edges: Shared,
    /// By old ids.
    ends: Vec<[Array; 2]>,
}

impl<'a> Numbered<'a> {
    /// `owners`: the column of parts; None: ranges.
    pub fn of(
        graph: &'a Graph<'a>,
        parts: usize,
        owners: Option<&str>,
        progress: &mut Progress<'_>,
    ) -> Result<Self, Failure> {
        let names = TypeNames::of(graph);
        let mut nodes = Vec::new();
        for node in &graph.nodes {
            nodes.push(match owners {
                None => Order::ranges(node.count, parts),
                Some(owners) => by_owner(graph, node, owners, parts)?,
            });
        }
        let (mut edges, mut all_ends) = (Vec::new(), Vec::new());
        for (edge, &(_, target)) in graph.edges.iter().zip(&names.ends) {
            let found = ends(graph, edge, progress)?;
            let part_of = |id| {
                let order: &Order = &nodes[target];
                Ok(order.part_of_new(order.new_of(at(&found[1], id))))
            };
            edges.push(Order::by_part(edge.count, parts, part_of)?);
            all_ends.push(found);
        }
        Ok(Numbered {
            graph,
            names,
            parts,
            shared_nodes: Shared::of(&nodes, parts),
            shared_edges: Shared::of(&edges, parts),
            nodes,
            edges,
            ends: all_ends,
        })
    }

    /// The shared id of an end of an edge with a new id.
    fn end(&self, relation: usize, which: usize, new: i64) -> i64 {
        let ends = self.names.ends[relation];
        let kind = if which == 0 { ends.0 } else { ends.1 };
        let old = at(
            &self.ends[relation][which],
            self.edges[relation].old_of(new),
        );
        let order = &self.nodes[kind];
        self.shared_nodes.of_new(order, kind, order.new_of(old))
    }

    /// The shared ids of the ends of a part's edges.
    pub fn ends_of_part(&self, part: usize, which: usize) -> impl Iterator<Item = i64> + '_ {
        self.edges
            .iter()
            .enumerate()
            .flat_map(move |(relation, order)| {
                let new = order.of_part(part);
                new.map(move |new| self.end(relation, which, new))
            })
    }
}

fn by_owner(
    graph: &Graph<'_>,
    node: &NodeTypeInfo,
    owners: &str,
    parts: usize,
) -> Result<Order, Failure> {
    let array = graph.dataset.array(Which::NodeColumn, &node.name, owners)?;
    let array = array.into_aligned()?;
    let (bytes, size) = (array.bytes(), array.dtype.size());
    Order::by_part(node.count, parts, |id| {
        let begin = id as usize * size;
        let part = array.dtype.i64_of(&bytes[begin..begin + size]);
        let known = part.and_then(|part| usize::try_from(part).ok());
        known.filter(|&part| part < parts).ok_or_else(|| {
            Failure::invalid(format!(
                "{}.{owners}: the owner of node {id} is {}, expected 0 to {}",
                node.name,
                part.map_or("too large".to_owned(), |part| part.to_string()),
                parts - 1
            ))
        })
    })
}
