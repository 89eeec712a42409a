//! The graph of a part, without types: its own nodes and edges, then its halo.

use std::path::Path;

use super::book::Halo;
use super::file::{i64, write_graph, NodeType, Relation, Tensor};
use super::numbered::Numbered;
use crate::arrays::DType;
use crate::export::progress::Progress;
use crate::failure::Failure;
use crate::tables::dgl::book::{ONLY_NODE_TYPE, ONLY_RELATION};

/// Bytes of an end.
const END_BYTES: u64 = 8;

impl Numbered<'_> {
    pub fn write_graph(
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

pub fn long<'a, I: Iterator<Item = i64>>(
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
