//! One graph, as `dgl.save_graphs` writes it.

use std::path::Path;

use super::file::{write_graph, NodeType, Relation, Tensor, Write};
use super::{total, TypeNames};
use crate::arrays::DType;
use crate::boundary::dataset::{ColumnInfo, Which};
use crate::export::ends::ends;
use crate::export::graph::Graph;
use crate::export::masks::{mask, masks};
use crate::export::place::Kind;
use crate::export::progress::Progress;
use crate::export::rows::Rows;
use crate::export::Plan;
use crate::failure::Failure;

pub struct Saved<'a>(pub Graph<'a>);

impl Plan for Saved<'_> {
    fn kind(&self) -> Kind {
        Kind::File
    }

    fn total(&self) -> u64 {
        total(&self.0)
    }

    fn write(&self, to: &Path, progress: &mut Progress<'_>) -> Result<(), Failure> {
        let graph = &self.0;
        let names = TypeNames::of(graph);
        let mut nodes = Vec::new();
        for (node, name) in graph.nodes.iter().zip(&names.nodes) {
            let columns = node.columns.iter();
            let mut data: Vec<Tensor<'_>> = columns
                .map(|column| self.column(Which::NodeColumn, &node.name, column))
                .collect();
            for (set, name) in masks(node)? {
                let write: Write<'_> = Box::new(move |out, progress| {
                    Rows::of_array(mask(graph, node, set, DType::U8)?).write(out, progress)
                });
                data.push(Tensor {
                    name,
                    dtype: DType::U8,
                    shape: vec![node.count],
                    write,
                });
            }
            nodes.push(NodeType {
                name: name.clone(),
                count: node.count,
                data,
            });
        }
        let mut relations = Vec::new();
        for (place, edge) in graph.edges.iter().enumerate() {
            let columns = edge.columns.iter();
            let (source, target) = names.ends[place];
            relations.push(Relation {
                name: names.relations[place].clone(),
                source,
                target,
                count: edge.count,
                ends: Box::new(move |out, progress, between| {
                    let [sources, targets] = ends(graph, edge, progress)?;
                    Rows::of_array(sources).write(out, progress)?;
                    between(out)?;
                    Rows::of_array(targets).write(out, progress)
                }),
                data: columns
                    .map(|column| self.column(Which::EdgeColumn, &edge.name, column))
                    .collect(),
            });
        }
        write_graph(to, &nodes, &relations, progress)
    }
}

impl Saved<'_> {
    fn column<'b>(&'b self, which: Which, of_type: &'b str, column: &'b ColumnInfo) -> Tensor<'b> {
        Tensor {
            name: column.name.clone(),
            dtype: column.dtype,
            shape: column.shape.clone(),
            write: Box::new(move |out, progress| {
                Rows::of_column(&self.0, which, of_type, column)?.write(out, progress)
            }),
        }
    }
}
