//! What the tests share.
#![allow(dead_code)] // each test uses a part of it

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use gls::{Context, Dataset, DatasetBuilder, Ids, Layout, Role, Tensor, WriteOptions};

/// The root of the source tree.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

pub fn context() -> Context {
    Context::builder().num_threads(2).build().unwrap()
}

/// As in the tests of the C ABI: node v has `degree` edges from v + 1, v + 2, ... (modulo `nodes`).
/// Columns: "x" float32 [nodes, 3], {v, v + 0.25, -v}; "y" int64, 10 * v, a label; of edges "w"
/// float32, 1 + e % 3, a weight, and "f" float32 [edges, 2], {e, -e}, a feature. Id set "train":
/// the even nodes. Both layouts.
pub fn ring_builder(context: &Context, nodes: i64, degree: i64) -> DatasetBuilder {
    let edges = nodes * degree;
    let target: Vec<i64> = (0..edges).map(|e| e / degree).collect();
    let source: Vec<i64> = (0..edges)
        .map(|e| (e / degree + 1 + e % degree) % nodes)
        .collect();
    let x: Vec<f32> = (0..nodes)
        .flat_map(|v| [v as f32, v as f32 + 0.25, -(v as f32)])
        .collect();
    let f: Vec<f32> = (0..edges).flat_map(|e| [e as f32, -(e as f32)]).collect();
    let w: Vec<f32> = (0..edges).map(|e| (1 + e % 3) as f32).collect();
    let y: Vec<i64> = (0..nodes).map(|v| 10 * v).collect();
    let train: Vec<i64> = (0..nodes).step_by(2).collect();
    let x = Tensor::from_vec_with_shape(x, &[nodes as usize, 3]).unwrap();
    let f = Tensor::from_vec_with_shape(f, &[edges as usize, 2]).unwrap();
    let mut builder = DatasetBuilder::new(context).unwrap();
    builder
        .add_node_type("node", nodes as usize, Ids::Dense)
        .unwrap()
        .add_edges("node__to__node", source, target)
        .unwrap()
        .add_node_column("node", "x", x, Role::Feature)
        .unwrap()
        .add_node_column("node", "y", y, Role::Label)
        .unwrap()
        .add_edge_column("node__to__node", "w", w, Role::Weight)
        .unwrap()
        .add_edge_column("node__to__node", "f", f, Role::Feature)
        .unwrap()
        .add_id_set("node", "train", train)
        .unwrap();
    builder
}

pub fn ring(context: &Context, nodes: i64, degree: i64) -> Dataset {
    ring_builder(context, nodes, degree)
        .build_with(WriteOptions::new().layouts([Layout::Csc, Layout::Csr]))
        .unwrap()
}

/// A folder that is gone when this is dropped.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gls-rust-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Resident memory of this process in bytes.
pub fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}
