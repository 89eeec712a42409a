//! Files of arrays: each array of a file, whole and in parts.

use std::path::Path;

use gls_formats::arrays::dgl_graphs::GraphFile;
use gls_formats::arrays::npz::{self, Archive};
use gls_formats::arrays::pickle::Id;
use gls_formats::arrays::torch::fused::{self, FusedGraph};
use gls_formats::arrays::torch::{self, frames, Loaded};
use gls_formats::arrays::{self, dgl, Bytes};
use gls_formats::failure::Failure;
use gls_formats::recipe::ArrayRef;

use crate::sink::read_array;
use crate::{import, put};

/// Arrays, graphs and values of a file to look at.
const MOST: usize = 64;
/// Types of a graph to look at.
const MOST_TYPES: usize = 4;

/// An array, its first row and second column, and its second and third row.
fn read(folder: &Path, array: &ArrayRef) {
    let parts = [
        array.clone(),
        ArrayRef {
            row: Some(0),
            ..array.clone()
        },
        ArrayRef {
            column: Some(1),
            ..array.clone()
        },
        ArrayRef {
            rows: Some([1, 3]),
            ..array.clone()
        },
    ];
    for part in parts {
        let _ = arrays::open(&part, folder).and_then(read_array);
    }
}

fn read_named(folder: &Path, file: &str, names: impl IntoIterator<Item = String>) {
    for name in names.into_iter().take(MOST) {
        read(folder, &ArrayRef::named(file, name));
    }
}

/// `.npy` and `.npz`.
pub fn numpy(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let file = put(folder, "x.npz", input)?;
    let path = folder.join(file);
    read(folder, &ArrayRef::of_file(file));
    let names = npz::names(&Archive::open(&path, &Bytes::map(&path)?)?);
    for name in names.iter().take(MOST) {
        let _ = npz::shape(&path, name);
    }
    read_named(folder, file, names);
    Ok(())
}

/// Tensors and graphs of DGL.
pub fn dgl(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let file = put(folder, "x.dgl", input)?;
    let path = folder.join(file);
    let bytes = Bytes::map(&path)?;
    if dgl::begins_with(&bytes, dgl::TENSORS_MAGIC) {
        let names = dgl::tensors(&path, &bytes)?.into_iter();
        read_named(folder, file, names.map(|(name, _)| name));
        return Ok(());
    }
    let graphs = GraphFile::of_bytes(&path, &bytes)?;
    let labels = graphs.labels.iter();
    read_named(
        folder,
        file,
        labels.map(|(name, _)| format!("labels/{name}")),
    );
    for index in 0..graphs.count().min(4) {
        if let Ok(graph) = graphs.graph(index) {
            let names = graph.arrays().into_iter();
            read_named(
                folder,
                file,
                names.map(|(name, _)| format!("{index}/{name}")),
            );
        }
        let _ = import("dgl", &path, &[&format!("graph={index}")]);
    }
    import("dgl", &path, &[])
}

/// Archives and pickles of torch.
pub fn torch(folder: &Path, input: &[u8]) -> Result<(), Failure> {
    let file = put(folder, "x.pt", input)?;
    let path = folder.join(file);
    read(folder, &ArrayRef::of_file(file));
    let _ = torch::shape_of_joined(&path);
    let _ = import("pyg", &path, &[]);
    let loaded = Loaded::open(&path)?;
    if fused::is_one(&loaded) {
        return read_fused(folder, file, &FusedGraph::of(&loaded)?);
    }
    if let Ok(names) = frames::names(&loaded) {
        read_named(folder, file, names);
    }
    let mut waiting: Vec<(String, Id)> = vec![(String::new(), loaded.tree().root())];
    let mut seen = 0;
    while let Some((name, id)) = waiting.pop() {
        seen += 1;
        if seen > MOST {
            break;
        }
        if let Ok(Some(tensor)) = loaded.tensor(id) {
            let _ = loaded.array(&tensor).and_then(read_array);
            let _ = loaded.find(&name);
            continue;
        }
        for (child, id) in loaded.children(id).into_iter().take(MOST) {
            waiting.push((format!("{name}.{child}"), id));
        }
    }
    Ok(())
}

/// The arrays of GraphBolt's graph.
fn read_fused(folder: &Path, file: &str, graph: &FusedGraph) -> Result<(), Failure> {
    let mut names = Vec::new();
    for known in graph.node_types.iter().take(MOST_TYPES) {
        let data = graph.node_data.iter();
        names.extend(data.map(|(name, _)| format!("nodes/{known}/{name}")));
    }
    for known in graph.edge_types.iter().take(MOST_TYPES) {
        let topology = ["indptr", "indices", "ids"];
        names.extend(topology.map(|name| format!("topology/{known}/{name}")));
        let data = graph.edge_data.iter();
        names.extend(data.map(|(name, _)| format!("edges/{known}/{name}")));
    }
    read_named(folder, file, names);
    Ok(())
}
