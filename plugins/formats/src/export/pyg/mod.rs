//! PyTorch Geometric: a `Data` or `HeteroData` in a file of torch, as `torch.save` writes it.

mod archive;
mod pickle;
mod target;

use std::path::Path;

use super::ends::ends;
use super::graph::{cannot, Graph};
use super::masks::{mask, mask_of, masks};
use super::place::Kind;
use super::progress::Progress;
use super::rows::{row_bytes, Rows};
use super::Plan;
use crate::arrays::DType;
use crate::boundary::dataset::{ColumnInfo, EdgeTypeInfo, NodeTypeInfo, Which};
use crate::failure::{Code, Failure};
use crate::foreign::choices::Choices;
use archive::Archive;
use pickle::Pickle;

const DATA: &str = "torch_geometric.data.data";
const STORAGE: &str = "torch_geometric.data.storage";
const EDGE_INDEX: &str = "edge_index";
const NUM_NODES: &str = "num_nodes";
const NUM_EDGES: &str = "num_edges";
/// By these names a `Data` knows attributes of edges.
const OF_EDGES: [&str; 4] = [EDGE_INDEX, "edge_attr", "edge_weight", "edge_type"];
/// Numbers of which torch had no storages before version 2.3.
const REFUSED: [DType; 3] = [DType::U16, DType::U32, DType::U64];

/// A tensor, whose number is that of its storage.
struct Tensor<'a> {
    dtype: DType,
    shape: Vec<i64>,
    from: From<'a>,
}

enum From<'a> {
    NodeColumn(&'a str, &'a ColumnInfo),
    EdgeColumn(&'a str, &'a ColumnInfo),
    Ends(&'a EdgeTypeInfo),
    Mask(&'a NodeTypeInfo, &'a str),
}

struct PyG<'a> {
    graph: Graph<'a>,
    hetero: bool,
}

pub fn prepare<'a>(graph: Graph<'a>, mut choices: Choices) -> Result<Box<dyn Plan + 'a>, Failure> {
    let form = match choices.take("form") {
        None => None,
        Some(form) if ["data", "hetero"].contains(&form.as_str()) => Some(form == "hetero"),
        Some(other) => {
            let words = format!("choices: form={other}: expected data or hetero");
            return Err(Failure::invalid(words));
        }
    };
    choices.finish("pyg")?;
    graph.refuse_numbers("torch", &REFUSED)?;
    for (of_type, column) in graph.columns() {
        if [EDGE_INDEX, NUM_NODES, NUM_EDGES].contains(&column.name.as_str()) {
            let full = format!("{of_type}.{}", column.name);
            return Err(cannot(
                &full,
                "PyTorch Geometric has another meaning of the name",
            ));
        }
    }
    for node in &graph.nodes {
        masks(node)?;
    }
    let why = why_not_data(&graph);
    let hetero = match (form, why) {
        (Some(true), _) => true,
        (None, why) => why.is_some(),
        (Some(false), None) => false,
        (Some(false), Some(why)) => {
            let words = format!("choices: form=data: {why}; form=hetero can have the graph");
            return Err(Failure::new(Code::Unsupported, words));
        }
    };
    Ok(Box::new(PyG { graph, hetero }))
}

/// Why a `Data`, which has no types, cannot have the graph. It tells attributes of nodes and edges apart
/// by their rows and names.
fn why_not_data(graph: &Graph<'_>) -> Option<String> {
    let ([node], [edge]) = (&graph.nodes[..], &graph.edges[..]) else {
        return Some("the graph has several types".to_owned());
    };
    let columns = node.columns.iter().map(|column| column.name.clone());
    let of_nodes: Vec<String> = columns
        .chain(node.sets.iter().map(|set| mask_of(set)))
        .collect();
    let same_count = node.count == edge.count;
    for column in &edge.columns {
        let name = &column.name;
        if of_nodes.contains(name) {
            return Some(format!("nodes and edges have \"{name}\""));
        }
        if same_count && !name.contains("edge") {
            let words =
                "there are as many edges as nodes, so names of edges' columns need \"edge\"";
            return Some(format!("{words}: \"{name}\" has not"));
        }
    }
    let odd = of_nodes.iter().find(|name| {
        let is_of_edges = OF_EDGES.contains(&name.as_str());
        is_of_edges || (same_count && name.contains("edge"))
    });
    if let Some(name) = odd {
        return Some(format!("\"{name}\" is of nodes and would be of edges"));
    }
    let of_edges = edge.columns.iter().map(|column| &column.name);
    let mut all = of_nodes.iter().chain(of_edges);
    let odd = all.find(|name| name.contains("index") || *name == "face");
    odd.map(|name| format!("\"{name}\" would be laid out as indices"))
}

impl Plan for PyG<'_> {
    fn kind(&self) -> Kind {
        Kind::File
    }

    fn total(&self) -> u64 {
        self.pickle().1.iter().map(Tensor::bytes).sum()
    }

    fn write(&self, to: &Path, progress: &mut Progress<'_>) -> Result<(), Failure> {
        let (pickle, tensors) = self.pickle();
        let mut out = Archive::create(to)?;
        out.member("data.pkl", &pickle)?;
        out.member("byteorder", b"little")?;
        for (number, tensor) in tensors.iter().enumerate() {
            out.begin(&format!("data/{number}"), tensor.bytes())?;
            self.numbers(tensor, &mut out, progress)?;
        }
        out.member("version", b"3\n")?;
        out.finish()
    }
}

impl Tensor<'_> {
    fn bytes(&self) -> u64 {
        self.shape[0] as u64 * row_bytes(self.dtype, &self.shape) as u64
    }
}

impl PyG<'_> {
    fn numbers(
        &self,
        tensor: &Tensor<'_>,
        out: &mut Archive<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<(), Failure> {
        let column = |which, of_type, column| Rows::of_column(&self.graph, which, of_type, column);
        match tensor.from {
            From::NodeColumn(name, info) => {
                column(Which::NodeColumn, name, info)?.write(out, progress)
            }
            From::EdgeColumn(name, info) => {
                column(Which::EdgeColumn, name, info)?.write(out, progress)
            }
            From::Mask(node, set) => {
                Rows::of_array(mask(&self.graph, node, set, DType::Bool)?).write(out, progress)
            }
            From::Ends(edge) => {
                for end in ends(&self.graph, edge, progress)? {
                    Rows::of_array(end).write(out, progress)?;
                }
                Ok(())
            }
        }
    }

    /// The object, and its tensors in the order of their storages.
    fn pickle(&self) -> (Vec<u8>, Vec<Tensor<'_>>) {
        let mut out = Pickle::new();
        let mut tensors = Vec::new();
        if self.hetero {
            self.hetero(&mut out, &mut tensors);
        } else {
            self.data(&mut out, &mut tensors);
        }
        (out.finish(), tensors)
    }

    fn data<'b>(&'b self, out: &mut Pickle, tensors: &mut Vec<Tensor<'b>>) {
        let (node, edge) = (&self.graph.nodes[0], &self.graph.edges[0]);
        out.object(DATA, "Data");
        out.is_parent();
        out.state(|out| {
            out.text("_edge_attr_cls");
            out.class(DATA, "DataEdgeAttr");
            out.text("_tensor_attr_cls");
            out.class(DATA, "DataTensorAttr");
            out.text("_store");
            store(
                out,
                "GlobalStorage",
                |_| (),
                |out| {
                    of_nodes(out, tensors, node);
                    of_edges(out, tensors, edge);
                },
            );
        });
    }

    fn hetero<'b>(&'b self, out: &mut Pickle, tensors: &mut Vec<Tensor<'b>>) {
        out.object("torch_geometric.data.hetero_data", "HeteroData");
        out.is_parent();
        out.state(|out| {
            out.text("_edge_attr_cls");
            out.class("torch_geometric.data.graph_store", "EdgeAttr");
            out.text("_tensor_attr_cls");
            out.class("torch_geometric.data.feature_store", "TensorAttr");
            out.text("_global_store");
            store(out, "BaseStorage", |_| (), |_| ());
            out.text("_node_store_dict");
            out.dict(|out| {
                for node in &self.graph.nodes {
                    out.text(&node.name);
                    let key = |out: &mut Pickle| out.text(&node.name);
                    let key = |out: &mut Pickle| named(out, key);
                    store(out, "NodeStorage", key, |out| of_nodes(out, tensors, node));
                }
            });
            out.text("_edge_store_dict");
            out.dict(|out| {
                for edge in &self.graph.edges {
                    let words = |out: &mut Pickle| {
                        out.tuple(|out| {
                            for word in [&edge.source, &edge.relation, &edge.target] {
                                out.text(word);
                            }
                        });
                    };
                    words(out);
                    let key = |out: &mut Pickle| named(out, words);
                    store(out, "EdgeStorage", key, |out| of_edges(out, tensors, edge));
                }
            });
        });
    }
}

/// A storage of attributes, with entries of its state besides them.
fn store(
    out: &mut Pickle,
    class: &str,
    more: impl FnOnce(&mut Pickle),
    attributes: impl FnOnce(&mut Pickle),
) {
    out.object(STORAGE, class);
    out.state(|out| {
        out.text("_mapping");
        out.dict(attributes);
        out.text("_parent");
        out.parent();
        more(out);
    });
}

fn named(out: &mut Pickle, key: impl FnOnce(&mut Pickle)) {
    out.text("_key");
    key(out);
}

fn add<'b>(out: &mut Pickle, tensors: &mut Vec<Tensor<'b>>, name: &str, tensor: Tensor<'b>) {
    out.text(name);
    out.tensor(tensors.len(), tensor.dtype, &tensor.shape);
    tensors.push(tensor);
}

fn of_nodes<'b>(out: &mut Pickle, tensors: &mut Vec<Tensor<'b>>, node: &'b NodeTypeInfo) {
    for column in &node.columns {
        let tensor = Tensor {
            dtype: column.dtype,
            shape: column.shape.clone(),
            from: From::NodeColumn(&node.name, column),
        };
        add(out, tensors, &column.name, tensor);
    }
    for set in &node.sets {
        let tensor = Tensor {
            dtype: DType::Bool,
            shape: vec![node.count],
            from: From::Mask(node, set),
        };
        add(out, tensors, &mask_of(set), tensor);
    }
    out.text(NUM_NODES);
    out.int(node.count);
}

fn of_edges<'b>(out: &mut Pickle, tensors: &mut Vec<Tensor<'b>>, edge: &'b EdgeTypeInfo) {
    let tensor = Tensor {
        dtype: DType::I64,
        shape: vec![2, edge.count],
        from: From::Ends(edge),
    };
    add(out, tensors, EDGE_INDEX, tensor);
    for column in &edge.columns {
        let tensor = Tensor {
            dtype: column.dtype,
            shape: column.shape.clone(),
            from: From::EdgeColumn(&edge.name, column),
        };
        add(out, tensors, &column.name, tensor);
    }
}
