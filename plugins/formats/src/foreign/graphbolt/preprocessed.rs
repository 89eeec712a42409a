//! The graph of a dataset that GraphBolt preprocessed: one file of torch.

use std::path::Path;

use super::metadata::Topology;
use super::{Reader, EDGE, NODE, PREPROCESSED};
use crate::arrays::torch::fused::{FusedGraph, ORIGINAL_EDGE_ID};
use crate::failure::Failure;
use crate::foreign::names::{edge_type, note, plain};
use crate::foreign::paths::inside;
use crate::recipe::{self, ArrayRef, EdgeType, NodeType};

const KIND: &str = "FusedCSCSamplingGraph";

impl Reader<'_> {
    pub(super) fn add_fused(&mut self, topology: &Topology) -> Result<(), Failure> {
        self.not_read("graph_topology", &topology.more);
        if topology.kind != KIND {
            let what = format!("graph_topology: the type {:?}", topology.kind);
            return Err(Failure::unsupported(self.at, what));
        }
        // Names are relative to the dataset, not to this folder in it.
        let mut folder = self.folder;
        if self.at.ends_with(PREPROCESSED) {
            folder = self.at.parent().and_then(Path::parent).unwrap_or(folder);
        }
        if folder == Path::new("") {
            folder = Path::new(".");
        }
        self.folder = folder;
        self.recipe.folder = folder.to_str().map(str::to_owned);
        self.preprocessed = true;
        let file = inside(self.at, &topology.path)?;
        let graph = FusedGraph::open(&folder.join(&file))?;
        self.edges_are_known = graph.edge_array(ORIGINAL_EDGE_ID).is_some();
        self.add_types(&graph, &file)
    }

    fn add_types(&mut self, graph: &FusedGraph, file: &str) -> Result<(), Failure> {
        let typed = graph.type_per_edge.is_some();
        let array = |name: String| ArrayRef::named(file, name);
        for known in &graph.node_types {
            let [begin, end] = graph.nodes_of(known)?;
            let name = match typed {
                true => plain(known, &mut self.recipe.notes),
                false => NODE.to_owned(),
            };
            let node = NodeType {
                count: Some(end - begin),
                ..Default::default()
            };
            if self.recipe.nodes.insert(name.clone(), node).is_some() {
                return Err(self.wrong(format!("two node types are called \"{name}\"")));
            }
            for (column, _) in &graph.node_data {
                let values = array(format!("nodes/{known}/{column}"));
                self.add_column("node", &name, column, values)?;
            }
            let kind = if typed { known.as_str() } else { "" };
            self.node_types.insert(kind.to_owned(), name);
        }
        for known in &graph.edge_types {
            let words: Vec<&str> = known.split(':').collect();
            let name = match words[..] {
                [source, relation, target] if typed => {
                    edge_type([source, relation, target], &mut self.recipe.notes)
                }
                _ => EDGE.to_owned(),
            };
            let topology = |name: &str| array(format!("topology/{known}/{name}"));
            let edge = EdgeType {
                csc: Some(recipe::Topology {
                    indptr: topology("indptr"),
                    indices: topology("indices"),
                    edge_ids: self.edges_are_known.then(|| topology("ids")),
                }),
                ..Default::default()
            };
            if self.recipe.edges.insert(name.clone(), edge).is_some() {
                return Err(self.wrong(format!("two edge types are called \"{name}\"")));
            }
            for (column, _) in &graph.edge_data {
                match column.as_str() {
                    ORIGINAL_EDGE_ID => {}
                    _ if !self.edges_are_known => self.drop_data(column, &name),
                    _ => {
                        let values = array(format!("edges/{known}/{column}"));
                        self.add_column("edge", &name, column, values)?;
                    }
                }
            }
            let kind = if typed { known.as_str() } else { "" };
            self.edge_types.insert(kind.to_owned(), name);
        }
        if !self.edges_are_known {
            let what =
                "GraphBolt did not keep the ids of edges; here they are places in its graph.";
            note(&mut self.recipe.notes, what.to_owned());
        }
        Ok(())
    }

    pub(super) fn drop_data(&mut self, name: &str, owner: &str) {
        let words = format!(
            "The data {name:?} of {owner} are left out: the graph was made without \
             include_original_edge_id, so their edges are not known."
        );
        note(&mut self.recipe.notes, words);
    }
}
