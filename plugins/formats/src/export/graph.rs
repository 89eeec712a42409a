//! What of a dataset is written: all of it, without what the caller leaves out.

use crate::arrays::{Array, DType};
use crate::boundary::dataset::{ColumnInfo, Dataset, EdgeTypeInfo, NodeTypeInfo, Which};
use crate::failure::{Code, Failure};
use crate::recipe::did_you_mean;

pub struct Graph<'a> {
    pub dataset: &'a dyn Dataset,
    pub nodes: Vec<NodeTypeInfo>,
    pub edges: Vec<EdgeTypeInfo>,
}

impl<'a> Graph<'a> {
    /// `leave_out`: names of columns and id sets, or "type.name", with commas between them.
    pub fn new(dataset: &'a dyn Dataset, leave_out: Option<String>) -> Result<Self, Failure> {
        let mut graph = Graph {
            dataset,
            nodes: dataset.node_types().to_vec(),
            edges: dataset.edge_types().to_vec(),
        };
        let Some(given) = leave_out else {
            return Ok(graph);
        };
        for left in given.split(',') {
            graph.leave_out(left)?;
        }
        Ok(graph)
    }

    fn leave_out(&mut self, left: &str) -> Result<(), Failure> {
        let mut known = Vec::new();
        let mut found = false;
        let mut keep = |of_type: &str, name: &str| {
            known.push(name.to_owned());
            let full = left
                .strip_prefix(of_type)
                .and_then(|rest| rest.strip_prefix('.'));
            let this = left == name || full == Some(name);
            found |= this;
            !this
        };
        for node in &mut self.nodes {
            node.columns.retain(|column| keep(&node.name, &column.name));
            node.sets.retain(|set| keep(&node.name, set));
        }
        for edge in &mut self.edges {
            edge.columns.retain(|column| keep(&edge.name, &column.name));
        }
        if found {
            return Ok(());
        }
        Err(Failure::invalid(format!(
            "choices: leave_out={left}: there is no such column or id set{}",
            did_you_mean(left, known.iter().map(String::as_str))
        )))
    }

    /// All columns with their types' names.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &ColumnInfo)> {
        let of_nodes = self.nodes.iter().map(|node| (&node.name, &node.columns));
        let of_edges = self.edges.iter().map(|edge| (&edge.name, &edge.columns));
        of_nodes
            .chain(of_edges)
            .flat_map(|(name, columns)| columns.iter().map(move |column| (name.as_str(), column)))
    }

    /// An error for the first column whose numbers the format does not have.
    pub fn refuse_numbers(&self, format: &str, refused: &[DType]) -> Result<(), Failure> {
        for (of_type, column) in self.columns() {
            if refused.contains(&column.dtype) {
                let name = &column.name;
                return Err(cannot(
                    &format!("{of_type}.{name}"),
                    &format!("{format} has no {}", column.dtype),
                ));
            }
        }
        Ok(())
    }

    /// The type at an end of edges.
    pub fn node(&self, name: &str) -> Result<&NodeTypeInfo, Failure> {
        let found = self.nodes.iter().find(|node| node.name == name);
        found.ok_or_else(|| Failure::new(Code::Corrupt, format!("there is no node type {name}")))
    }

    /// The ids of a set.
    pub fn set(&self, node: &NodeTypeInfo, set: &str) -> Result<Array, Failure> {
        self.dataset.array(Which::IdSet, &node.name, set)
    }
}

/// What a format cannot have, and how to go on without it.
pub fn cannot(full_name: &str, what: &str) -> Failure {
    let words = format!("{full_name}: {what}; leave it out by the choice leave_out={full_name}");
    Failure::new(Code::Unsupported, words)
}
