//! What fuzzing begins with: the golden files of the format tests, and the corpus.

use std::fs;
use std::path::{Path, PathBuf};

use gls_formats::failure::Failure;

use crate::dataset::{pack, Entry};

/// Files with golden ones' contents, which recipes may name.
pub const FILES: [(&str, &str); 8] = [
    ("edges.npy", "graphbolt-heterogeneous/edges/cites.npy"),
    ("ids.npy", "graphbolt-heterogeneous/year.npy"),
    ("raw.npz", "ogb-binary/raw/data.npz"),
    ("t.csv", "tgl-edges/edges.csv"),
    ("t.parquet", "relbench-files/races.parquet"),
    ("t.tfrecord", "gigl/node/story/data-00000-of-00001.tfrecord"),
    ("g.bin", "dgl/saved/one.bin"),
    ("x.pt", "torch/archive-2.5.1.pt"),
];

/// The golden files that a target begins with: in these folders, with these endings.
const SINGLE: &[(&str, &[&str], &[&str])] = &[
    ("dgl", &["dgl"], &[".dgl", ".bin"]),
    ("matrix_market", &["mtx"], &[".mtx", ".gz"]),
    ("ntriples", &["ntriples"], &[".nt", ".nq"]),
    (
        "numpy",
        &["ogb-binary", "mag240m", "torch", "igb"],
        &[".npy", ".npz"],
    ),
    (
        "parquet",
        &["relbench-files", "relbench-manifest"],
        &[".parquet"],
    ),
    ("text_proto", &["tfgnn"], &[".pbtxt"]),
    (
        "tfrecord",
        &["gigl", "tfgnn"],
        &["tfrecord", "-00002", ".gz"],
    ),
    (
        "torch",
        &[
            "torch",
            "pyg",
            "mag240m",
            "pandas",
            "tgb",
            "graphbolt-fused",
            "graphbolt-preprocessed",
        ],
        &[".pt", ".pkl"],
    ),
];

/// The golden datasets: the format, the place of the choice, the folder, and the file that names the
/// dataset, or nothing where the folder does.
const DATASETS: &[(&str, usize, &str, &str)] = &[
    ("dgl", 0, "dgl/part-graphbolt", "g.json"),
    ("dgl", 16, "dgl/part-graphbolt-no-ids", "g.json"),
    ("dgl", 0, "dgl/part-graphbolt-one-type", "g.json"),
    ("dgl", 0, "dgl/part-hetero", "g.json"),
    ("dgl", 0, "dgl/part-homogeneous", "g.json"),
    ("dgl", 0, "dgl/part-one", "g.json"),
    ("gigl", 15, "gigl", "frozen_gbml_config.yaml"),
    ("glt", 0, "glt/heterogeneous", ""),
    ("glt", 0, "glt/cached", ""),
    ("graphbolt", 6, "graphbolt-heterogeneous", ""),
    ("graphbolt", 0, "graphbolt-homogeneous", ""),
    ("graphbolt", 17, "graphbolt-fused", ""),
    ("graphbolt", 0, "graphbolt-fused-no-ids", ""),
    ("graphbolt", 6, "graphbolt-preprocessed", ""),
    ("graphbolt", 6, "graphbolt-torch", ""),
    ("igb", 4, "igb", ""),
    ("mag240m", 0, "mag240m", ""),
    ("ntriples", 0, "ntriples", ""),
    ("ogb", 0, "ogb-binary", ""),
    ("ogb", 0, "ogb-binary-types", ""),
    ("ogb", 2, "ogb-text", ""),
    ("ogb", 0, "ogb-text-types", ""),
    ("pyg", 0, "pyg-parts/heterogeneous", ""),
    ("pyg", 0, "pyg-parts/homogeneous", ""),
    ("pyg", 0, "pyg-parts/edge-times", ""),
    ("pyg", 13, "pyg/torch-2.5.1/dataset-heterogeneous", ""),
    ("relbench", 0, "relbench-files", ""),
    ("relbench", 0, "relbench-manifest", ""),
    ("tfgnn", 0, "tfgnn", ""),
    ("tgb", 0, "tgb/tgbl-coin", ""),
    ("tgb", 0, "tgb/tgbl-flight", ""),
    ("tgb", 18, "tgb/tgbl-wiki", ""),
    ("tgb", 0, "tgb/tgbn-genre", ""),
    ("tgb", 19, "tgb/tgbn-trade", ""),
    ("tgb", 0, "tgb/thgl-software", ""),
    ("tgb", 0, "tgb/tkgl-smallpedia", ""),
    ("tgl", 1, "tgl-edges", ""),
    ("tgl", 0, "tgl-features", ""),
];

fn golden(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("../../../tests/formats/golden").join(name)
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a folder, in the order of their names.
fn files_below(folder: &Path, prefix: &str, out: &mut Vec<Entry>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy();
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            files_below(&path, &format!("{name}/"), out);
        } else {
            out.push((name, read(&path)));
        }
    }
}

fn files_of(folder: &str) -> Vec<Entry> {
    let mut out = Vec::new();
    files_below(&golden(folder), "", &mut out);
    // What tests compare with is no input.
    out.retain(|(name, _)| !name.contains("expected") && name != "VERSIONS");
    out
}

/// The golden inputs of a target.
pub fn seeds(target: &str) -> Vec<Entry> {
    let named = |name: &str| name.replace('/', "-");
    if target == "dataset" {
        let packed = DATASETS.iter().map(|&(format, choice, folder, first)| {
            let mut files = files_of(folder);
            files.sort_by_key(|(name, _)| name != first);
            (
                named(folder),
                pack(format, choice, first.is_empty(), &files),
            )
        });
        return packed.collect();
    }
    let mut out = Vec::new();
    for (_, folders, endings) in SINGLE.iter().filter(|(name, _, _)| *name == target) {
        for folder in *folders {
            for (name, bytes) in files_of(folder) {
                if endings.iter().any(|ending| name.ends_with(ending)) {
                    out.push((named(&format!("{folder}/{name}")), bytes));
                }
            }
        }
    }
    out
}

/// The inputs of a target that the repository keeps.
pub fn corpus(target: &str) -> Vec<Entry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    let mut out = Vec::new();
    if folder.is_dir() {
        files_below(&folder, "", &mut out);
    }
    out
}

/// Puts [`FILES`] into a folder that lacks them.
pub fn put_files(folder: &Path) -> Result<(), Failure> {
    for (name, from) in FILES {
        let to = folder.join(name);
        if !to.exists() {
            fs::copy(golden(from), &to).map_err(|error| Failure::io(&to, &error))?;
        }
    }
    Ok(())
}
