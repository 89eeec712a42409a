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

use super::book::{at, Halo, Order, Shared};
use super::file::{i64, write_graph, write_tensors, NodeType, Relation, Tensor};
use super::{total, TypeNames};
use crate::arrays::{Array, DType};
use crate::boundary::dataset::{ColumnInfo, NodeTypeInfo, Which};
use crate::export::ends::ends;
use crate::export::graph::Graph;
use crate::export::masks::{mask, masks};
use crate::export::out::write_text;
use crate::export::place::Kind;
use crate::export::progress::Progress;
use crate::export::rows::Rows;
use crate::export::Plan;
use crate::failure::{Code, Failure};
use crate::foreign::choices::Choices;
use crate::tables::dgl::book::{ONLY_NODE_TYPE, ONLY_RELATION};

const BOOK: &str = "graph.json";
const MOST_PARTS: usize = 1 << 16;
/// Bytes of an end.
const END_BYTES: u64 = 8;

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

/// The whole graph with its new ids.
struct Numbered<'a> {
    graph: &'a Graph<'a>,
    names: TypeNames,
    parts: usize,
    nodes: Vec<Order>,
    edges: Vec<Order>,
    shared_nodes: Shared,
    shared_edges: Shared,
    /// By old ids.
    ends: Vec<[Array; 2]>,
}

impl Plan for Parts<'_> {
    fn kind(&self) -> Kind {
        Kind::Folder { mark: BOOK }
    }

    fn total(&self) -> u64 {
        total(&self.graph)
    }

    fn write(&self, to: &Path, progress: &mut Progress<'_>) -> Result<(), Failure> {
        let numbered = self.number(progress)?;
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

impl Parts<'_> {
    fn number<'b>(&'b self, progress: &mut Progress<'_>) -> Result<Numbered<'b>, Failure> {
        let graph = &self.graph;
        let names = TypeNames::of(graph);
        let mut nodes = Vec::new();
        for node in &graph.nodes {
            nodes.push(match &self.owners {
                None => Order::ranges(node.count, self.parts),
                Some(owners) => self.by_owner(node, owners)?,
            });
        }
        let (mut edges, mut all_ends) = (Vec::new(), Vec::new());
        for (edge, &(_, target)) in graph.edges.iter().zip(&names.ends) {
            let found = ends(graph, edge, progress)?;
            let counts = [&edge.source, &edge.target].map(|name| {
                let mut nodes = graph.nodes.iter();
                nodes
                    .find(|node| node.name == *name)
                    .map_or(0, |node| node.count)
            });
            for (end, count) in found.iter().zip(counts) {
                let mut in_range = true;
                end.for_each_i64(|id| in_range &= (0..count).contains(&id))?;
                if !in_range {
                    let words = format!("{}: an edge has an end that is no node", edge.name);
                    return Err(Failure::new(Code::Corrupt, words));
                }
            }
            let part_of = |id| {
                let order: &Order = &nodes[target];
                Ok(order.part_of_new(order.new_of(at(&found[1], id))))
            };
            edges.push(Order::by_part(edge.count, self.parts, part_of)?);
            all_ends.push(found);
        }
        Ok(Numbered {
            graph,
            names,
            parts: self.parts,
            shared_nodes: Shared::of(&nodes, self.parts),
            shared_edges: Shared::of(&edges, self.parts),
            nodes,
            edges,
            ends: all_ends,
        })
    }

    fn by_owner(&self, node: &NodeTypeInfo, owners: &str) -> Result<Order, Failure> {
        let array = self
            .graph
            .dataset
            .array(Which::NodeColumn, &node.name, owners)?;
        let array = array.into_aligned()?;
        let (bytes, size) = (array.bytes(), array.dtype.size());
        Order::by_part(node.count, self.parts, |id| {
            let begin = id as usize * size;
            let part = array.dtype.i64_of(&bytes[begin..begin + size]);
            let known = part.and_then(|part| usize::try_from(part).ok());
            known.filter(|&part| part < self.parts).ok_or_else(|| {
                Failure::invalid(format!(
                    "{}.{owners}: the owner of node {id} is {}, expected 0 to {}",
                    node.name,
                    part.map_or("too large".to_owned(), |part| part.to_string()),
                    self.parts - 1
                ))
            })
        })
    }
}

impl Numbered<'_> {
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
    fn ends_of_part(&self, part: usize, which: usize) -> impl Iterator<Item = i64> + '_ {
        self.edges
            .iter()
            .enumerate()
            .flat_map(move |(relation, order)| {
                let new = order.of_part(part);
                new.map(move |new| self.end(relation, which, new))
            })
    }

    fn write_graph(
        &self,
        part: usize,
        path: &Path,
        progress: &mut Progress<'_>,
    ) -> Result<(), Failure> {
        let inner = self.shared_nodes.of_part(part);
        let mut halo = Halo::new(self.shared_nodes.count());
        for id in self.ends_of_part(part, 0) {
            if !inner.contains(&id) {
                halo.add(id);
            }
        }
        halo.close();
        let (halo, inner) = (&halo, &inner);
        let own = inner.end - inner.start;
        let count = own + halo.count();
        let ids = move || inner.clone().chain(halo.ids());
        let place = |id| {
            (
                self.shared_nodes.place_of(id).0,
                self.shared_nodes.place_of(id).1,
            )
        };
        let typed = self.graph.nodes.len() > 1 || self.graph.edges.len() > 1;
        let mut data = vec![
            long("_ID", count, ids),
            long("part_id", count, move || {
                ids().map(move |id| place(id).0 as i64)
            }),
            byte("inner_node", count, move || {
                (0..count).map(move |at| u8::from(at < own))
            }),
        ];
        let edges = self.shared_edges.of_part(part);
        let edge_count = edges.end - edges.start;
        let mut edge_data = vec![
            long("_ID", edge_count, move || edges.clone()),
            byte("inner_edge", edge_count, move || (0..edge_count).map(|_| 1)),
        ];
        if typed {
            data.push(int("_TYPE", count, move || {
                ids().map(move |id| place(id).1 as i32)
            }));
            edge_data.push(int("_TYPE", edge_count, move || {
                let orders = self.edges.iter().enumerate();
                orders.flat_map(move |(kind, order)| order.of_part(part).map(move |_| kind as i32))
            }));
        }
        let node = NodeType {
            name: ONLY_NODE_TYPE.to_owned(),
            count,
            data,
        };
        let relation = Relation {
            name: ONLY_RELATION.to_owned(),
            source: 0,
            target: 0,
            count: edge_count,
            ends: Box::new(move |out, progress, between| {
                for which in [0, 1] {
                    for id in self.ends_of_part(part, which) {
                        let local = if inner.contains(&id) {
                            id - inner.start
                        } else {
                            own + halo.place(id)
                        };
                        i64(out, local)?;
                        progress.add(END_BYTES)?;
                    }
                    if which == 0 {
                        between(out)?;
                    }
                }
                Ok(())
            }),
            data: edge_data,
        };
        let (nodes, relations) = ([node], [relation]);
        write_graph(path, &nodes, &relations, progress)
    }

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

/// A tensor of numbers that are made when they are written.
fn tensor<'a, const SIZE: usize, I: Iterator<Item = [u8; SIZE]>>(
    name: &str,
    dtype: DType,
    count: i64,
    numbers: impl Fn() -> I + 'a,
) -> Tensor<'a> {
    Tensor {
        name: name.to_owned(),
        dtype,
        shape: vec![count],
        write: Box::new(move |out, _| numbers().try_for_each(|number| out.put(&number))),
    }
}

fn long<'a, I: Iterator<Item = i64>>(
    name: &str,
    count: i64,
    numbers: impl Fn() -> I + 'a,
) -> Tensor<'a> {
    tensor(name, DType::I64, count, move || {
        numbers().map(i64::to_le_bytes)
    })
}

fn int<'a, I: Iterator<Item = i32>>(
    name: &str,
    count: i64,
    numbers: impl Fn() -> I + 'a,
) -> Tensor<'a> {
    tensor(name, DType::I32, count, move || {
        numbers().map(i32::to_le_bytes)
    })
}

fn byte<'a, I: Iterator<Item = u8>>(
    name: &str,
    count: i64,
    numbers: impl Fn() -> I + 'a,
) -> Tensor<'a> {
    tensor(name, DType::U8, count, move || numbers().map(|byte| [byte]))
}
