//! The parts of a graph, as `dgl.distributed.partition_graph` writes them. A part has the edges to its
//! nodes. Their sources in other parts are its halo.
//!
//! | file | what |
//! | --- | --- |
//! | `graph.json` | the description |
//! | `partN/graph.dgl` | nodes and edges without types: the part's own, then the halo |
//! | `partN/node_feat.dgl`, `partN/edge_feat.dgl` | columns and masks of the part's own |
//! | `partN/orig_nids.dgl`, `partN/orig_eids.dgl` | ids from before, where they differ |

use std::path::Path;

use serde_json::{json, Map, Value};

use super::book::{Order, Shared};
use super::file::{write_tensors, Tensor};
use super::numbered::Numbered;
use super::part_graph::long;
use super::total;
use crate::arrays::DType;
use crate::boundary::dataset::{ColumnInfo, NodeTypeInfo, Which};
use crate::export::graph::Graph;
use crate::export::masks::{mask, masks};
use crate::export::out::write_text;
use crate::export::place::Kind;
use crate::export::progress::Progress;
use crate::export::rows::Rows;
use crate::export::Plan;
use crate::failure::{Code, Failure};
use crate::foreign::choices::Choices;

const BOOK: &str = "graph.json";
const MOST_PARTS: usize = 1 << 16;

/// How nodes are split: into ranges, or by a column of parts.
pub struct Split {
    parts: usize,
    owners: Option<String>,
}

impl Split {
    pub fn of(choices: &mut Choices) -> Result<Self, Failure> {
        let given = choices.take("parts");
        let owners = choices.take("owners");
        if owners.is_some() && given.is_none() {
            let words = "choices: owners needs parts=N, the number of parts";
            return Err(Failure::invalid(words));
        }
        let parts = match given {
            None => 1,
            Some(text) => text
                .parse()
                .ok()
                .filter(|parts| (1..=MOST_PARTS).contains(parts))
                .ok_or_else(|| {
                    let words = format!("expected a number from 1 to {MOST_PARTS}");
                    Failure::invalid(format!("choices: parts={text}: {words}"))
                })?,
        };
        Ok(Split { parts, owners })
    }
}

struct Parts<'a> {
    graph: Graph<'a>,
    parts: usize,
    owners: Option<String>,
}

pub fn prepare<'a>(graph: Graph<'a>, split: Split) -> Result<Box<dyn Plan + 'a>, Failure> {
    let Split { parts, owners } = split;
    let nodes = graph.nodes.iter().map(|node| &node.name);
    for name in nodes.chain(graph.edges.iter().map(|edge| &edge.name)) {
        if name.contains([':', '/']) {
            let words = format!("{name}: DGL joins names by ':' and '/', so none may have them");
            return Err(Failure::new(Code::Unsupported, words));
        }
    }
    if let Some(owners) = &owners {
        for node in &graph.nodes {
            check_owners(node, owners)?;
        }
    }
    Ok(Box::new(Parts {
        graph,
        parts,
        owners,
    }))
}

fn check_owners(node: &NodeTypeInfo, owners: &str) -> Result<(), Failure> {
    let mut columns = node.columns.iter();
    match columns.find(|column| column.name == owners) {
        Some(column) if column.shape.len() == 1 && column.dtype.is_integer() => Ok(()),
        Some(column) => Err(Failure::invalid(format!(
            "choices: owners={owners}: {}.{owners} is {} {:?}, expected one integer a node",
            node.name, column.dtype, column.shape
        ))),
        None => Err(Failure::invalid(format!(
            "choices: owners={owners}: {} has no such column",
            node.name
        ))),
    }
}

impl Plan for Parts<'_> {
    fn kind(&self) -> Kind {
        Kind::Folder {
            format: "dgl",
            has: |name| name == BOOK || is_part(name),
        }
    }

    fn total(&self) -> u64 {
        total(&self.graph)
    }

    fn write(&self, to: &Path, progress: &mut Progress<'_>) -> Result<(), Failure> {
        let numbered = Numbered::of(&self.graph, self.parts, self.owners.as_deref(), progress)?;
        for part in 0..self.parts {
            let folder = to.join(format!("part{part}"));
            numbered.write_graph(part, &folder.join("graph.dgl"), progress)?;
            numbered.write_columns(part, &folder, progress)?;
            numbered.write_originals(part, &folder, progress)?;
        }
        let book = serde_json::to_string_pretty(&numbered.book())
            .map_err(|error| Failure::of_file(&to.join(BOOK), error))?;
        write_text(&to.join(BOOK), &(book + "\n"))
    }
}

/// Whether a folder's name is that of a part.
fn is_part(name: &str) -> bool {
    let number = name.strip_prefix("part");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

impl Numbered<'_> {
    fn write_columns(
        &self,
        part: usize,
        folder: &Path,
        progress: &mut Progress<'_>,
    ) -> Result<(), Failure> {
        let mut of_nodes = Vec::new();
        for (kind, node) in self.graph.nodes.iter().enumerate() {
            let (order, name) = (&self.nodes[kind], &self.names.nodes[kind]);
            for column in &node.columns {
                let which = Which::NodeColumn;
                of_nodes.push(self.column(part, order, name, which, &node.name, column));
            }
            for (set, mask_name) in masks(node)? {
                of_nodes.push(Tensor {
                    name: format!("{name}/{mask_name}"),
                    dtype: DType::U8,
                    shape: vec![order.first[part + 1] - order.first[part]],
                    write: Box::new(move |out, progress| {
                        let rows = Rows::of_array(mask(self.graph, node, set, DType::U8)?);
                        let old = order.of_part(part).map(|new| order.old_of(new));
                        rows.write_some(old, out, progress)
                    }),
                });
            }
        }
        write_tensors(&folder.join("node_feat.dgl"), &of_nodes, progress)?;
        let mut of_edges = Vec::new();
        for (kind, edge) in self.graph.edges.iter().enumerate() {
            let (order, name) = (&self.edges[kind], self.names.full(kind));
            for column in &edge.columns {
                let which = Which::EdgeColumn;
                of_edges.push(self.column(part, order, &name, which, &edge.name, column));
            }
        }
        write_tensors(&folder.join("edge_feat.dgl"), &of_edges, progress)
    }

    fn column<'b>(
        &'b self,
        part: usize,
        order: &'b Order,
        name: &str,
        which: Which,
        of_type: &'b str,
        column: &'b ColumnInfo,
    ) -> Tensor<'b> {
        let mut shape = column.shape.clone();
        shape[0] = order.first[part + 1] - order.first[part];
        Tensor {
            name: format!("{name}/{}", column.name),
            dtype: column.dtype,
            shape,
            write: Box::new(move |out, progress| {
                let rows = Rows::of_column(self.graph, which, of_type, column)?;
                let old = order.of_part(part).map(|new| order.old_of(new));
                rows.write_some(old, out, progress)
            }),
        }
    }

    /// The ids from before, of all types if one has others.
    fn write_originals(
        &self,
        part: usize,
        folder: &Path,
        progress: &mut Progress<'_>,
    ) -> Result<(), Failure> {
        let nodes = (0..self.nodes.len()).map(|kind| self.names.nodes[kind].clone());
        let edges = (0..self.edges.len()).map(|kind| self.names.full(kind));
        let (nodes, edges): (Vec<_>, Vec<_>) = (nodes.collect(), edges.collect());
        for (orders, names, file) in [
            (&self.nodes, nodes, "orig_nids.dgl"),
            (&self.edges, edges, "orig_eids.dgl"),
        ] {
            if !orders.iter().any(Order::is_moved) {
                continue;
            }
            let tensors = orders.iter().zip(&names).map(|(order, name)| {
                let count = order.first[part + 1] - order.first[part];
                long(name, count, move || {
                    order.of_part(part).map(|new| order.old_of(new))
                })
            });
            let tensors: Vec<_> = tensors.collect();
            write_tensors(&folder.join(file), &tensors, progress)?;
        }
        Ok(())
    }

    fn book(&self) -> Value {
        let map = |names: &[String], shared: &Shared| {
            let mut all = Map::new();
            for (kind, name) in names.iter().enumerate() {
                let ranges = (0..self.parts).map(|part| shared.range(part, kind));
                all.insert(name.clone(), json!(ranges.collect::<Vec<_>>()));
            }
            all
        };
        let numbers = |names: &[String]| {
            let names = names.iter().enumerate();
            names
                .map(|(kind, name)| (name.clone(), json!(kind)))
                .collect::<Map<_, _>>()
        };
        let edges: Vec<String> = (0..self.edges.len())
            .map(|kind| self.names.full(kind))
            .collect();
        let mut book = json!({
            "graph_name": "graph",
            "num_nodes": self.shared_nodes.count(),
            "num_edges": self.shared_edges.count(),
            "part_method": "gls",
            "num_parts": self.parts,
            "halo_hops": 1,
            "node_map": map(&self.names.nodes, &self.shared_nodes),
            "edge_map": map(&edges, &self.shared_edges),
            "ntypes": numbers(&self.names.nodes),
            "etypes": numbers(&edges),
        });
        for part in 0..self.parts {
            book[format!("part-{part}")] = json!({
                "node_feats": format!("part{part}/node_feat.dgl"),
                "edge_feats": format!("part{part}/edge_feat.dgl"),
                "part_graph": format!("part{part}/graph.dgl"),
            });
        }
        book
    }
}
