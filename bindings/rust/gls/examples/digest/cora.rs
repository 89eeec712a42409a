//! Cora, from the arrays in examples/data/cora of the source tree.

use std::path::Path;
use std::process::Command;

use gls::{Context, DatasetBuilder, Role, Tensor};

type Failure = Box<dyn std::error::Error>;

/// The array of a `.npy` file of float32 that gzip compressed.
fn unpack(path: &Path) -> Result<Vec<f32>, Failure> {
    let done = Command::new("gzip").arg("-dc").arg(path).output()?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into());
    }
    // The length of the header follows eight bytes of magic string and version.
    let header = match done.stdout.get(8..10) {
        Some(length) => 10 + usize::from(u16::from_le_bytes([length[0], length[1]])),
        None => return Err(format!("{} has no header", path.display()).into()),
    };
    let values = done.stdout.get(header..).unwrap_or_default();
    let values = values.chunks_exact(4);
    Ok(values
        .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect())
}

/// A builder with Cora.
pub fn cora(context: &Context, folder: &Path) -> Result<DatasetBuilder, Failure> {
    let array = |name: &str| Tensor::map_npy(folder.join(name).with_extension("npy"));
    let edges = array("edges")?.to_vec::<i32>()?;
    let (source, target) = edges.split_at(edges.len() / 2);
    let y = array("y")?;
    let x = unpack(&folder.join("x.npy.gz"))?;
    let shape = [y.len(), x.len() / y.len()];
    let x = Tensor::from_vec_with_shape(x, &shape)?;
    let mut builder = DatasetBuilder::new(context)?;
    builder
        .add_edges("node__to__node", source, target)?
        .add_node_column("node", "x", x, Role::Feature)?
        .add_node_column("node", "y", y, Role::Label)?;
    for name in ["train", "valid", "test"] {
        builder.add_id_set("node", name, array(name)?)?;
    }
    Ok(builder)
}
