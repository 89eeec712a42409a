//! Damaged files end in an error or in a graph.

use std::fs;
use std::path::Path;

use super::golden::{folder, import};
use crate::arrays::dgl_graphs::GraphFile;
use crate::arrays::Bytes;

/// A small generator with a seed, as tests must repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

#[test]
fn every_cut_of_a_graph_is_an_error() {
    let whole = fs::read(folder().join("saved/csr.bin")).unwrap();
    let read = |bytes: &[u8]| {
        let path = Path::new("cut.bin");
        GraphFile::of_bytes(path, &Bytes::of_vec(bytes.to_vec()))?.graph(0)
    };
    assert!(read(&whole).is_ok());
    for size in 0..whole.len() {
        assert!(read(&whole[..size]).is_err(), "{size} bytes");
    }
}

#[test]
fn flips_of_a_graph_never_panic() {
    let folder_of_test = tempfile::tempdir().unwrap();
    let mut random = Random(1);
    for name in ["csr.bin", "all.bin", "csc.bin"] {
        let whole = fs::read(folder().join("saved").join(name)).unwrap();
        let path = folder_of_test.path().join(name);
        for _ in 0..100 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let at = if random.below(9) == 0 {
                    random.below(40)
                } else {
                    4096 + random.below(bytes.len() - 4096)
                };
                bytes[at] ^= 1 << random.below(8);
            }
            fs::write(&path, &bytes).unwrap();
            let choices = match name {
                "csc.bin" => vec![format!("graph={}", random.below(3))],
                _ => Vec::new(),
            };
            let _ = import_arrays(&path, &choices);
        }
    }
}

#[test]
fn flips_of_heads_never_panic() {
    let mut random = Random(3);
    let graphs = fs::read(folder().join("saved/csc.bin")).unwrap();
    let tensors = fs::read(folder().join("part-hetero/part0/node_feat.dgl")).unwrap();
    let path = Path::new("flipped");
    for _ in 0..1000 {
        let mut bytes = graphs.clone();
        for _ in 0..=random.below(2) {
            let at = 4096 + random.below(bytes.len() - 4096);
            bytes[at] = random.below(256) as u8;
        }
        if let Ok(file) = GraphFile::of_bytes(path, &Bytes::of_vec(bytes)) {
            for index in 0..file.count().min(5) {
                if let Ok(graph) = file.graph(index) {
                    assert!(graph
                        .arrays()
                        .iter()
                        .all(|(_, array)| array.count() < 1 << 20));
                }
            }
        }
        let mut bytes = tensors.clone();
        let at = random.below(bytes.len());
        bytes[at] = random.below(256) as u8;
        let _ = crate::arrays::dgl::tensors(path, &Bytes::of_vec(bytes));
    }
}

#[test]
fn flips_of_a_chunked_graph_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"{
        "node_type": ["a", "b"], "num_nodes_per_chunk": [[2, 1], [3]],
        "edge_type": ["a:r:b", "b:s:a"], "num_edges_per_chunk": [[1, 2], [0]],
        "edges": {
            "a:r:b": {"format": {"name": "csv", "delimiter": " "}, "data": ["1", "2"]},
            "b:s:a": {"format": {"name": "numpy"}, "data": ["3"]}
        },
        "node_data": {"a": {"x": {"format": {"name": "numpy"}, "data": ["4", "5"]}}}
    }"#;
    const LETTERS: &[u8] = b" 0-9x[]{}\",:a/.";
    for (file, rows) in [("4", 2), ("5", 1)] {
        let mut array = b"\x93NUMPY\x01\0\x37\0".to_vec();
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows},)}}");
        array.extend(header.bytes());
        array.resize(array.len() + 4 * rows, 0);
        fs::write(folder.path().join(file), array).unwrap();
    }
    fs::write(folder.path().join("1"), "0 0\n").unwrap();
    fs::write(folder.path().join("2"), "0 0\n1 0\n").unwrap();
    let path = folder.path().join("metadata.json");
    let mut random = Random(4);
    for case in 0..1000 {
        let mut bytes = text.as_bytes().to_vec();
        if case > 0 {
            let at = random.below(bytes.len());
            bytes[at] = LETTERS[random.below(LETTERS.len())];
        }
        fs::write(&path, &bytes).unwrap();
        let made = crate::foreign::recipe_of("dgl", &path, &[]);
        assert!(case > 0 || made.is_ok(), "{made:?}");
    }
}

/// As an import, without the recorder's walk through topologies, which trusts their numbers.
fn import_arrays(path: &Path, choices: &[String]) -> Result<(), crate::failure::Failure> {
    let mut recipe = crate::foreign::recipe_of("dgl", path, choices)?;
    for edge in recipe.edges.values_mut() {
        for topology in [edge.csc.take(), edge.csr.take()].into_iter().flatten() {
            edge.arrays = vec![topology.indices.clone(), topology.indices];
        }
    }
    let mut recorder = super::recorder::Recorder::default();
    crate::recipe::run(&recipe, Path::new(""), 1, &mut recorder)
}

fn copy_of(name: &str) -> tempfile::TempDir {
    let out = tempfile::tempdir().unwrap();
    let from = folder().join(name);
    fs::copy(from.join("g.json"), out.path().join("g.json")).unwrap();
    for part in ["part0", "part1"] {
        fs::create_dir(out.path().join(part)).unwrap();
        for file in ["graph.dgl", "node_feat.dgl", "edge_feat.dgl"] {
            fs::copy(from.join(part).join(file), out.path().join(part).join(file)).unwrap();
        }
    }
    out
}

#[test]
fn flips_of_a_partition_never_panic() {
    let mut random = Random(2);
    for name in ["part-homogeneous", "part-metis"] {
        let copy = copy_of(name);
        for file in [
            "g.json",
            "part0/graph.dgl",
            "part1/node_feat.dgl",
            "part1/graph.dgl",
        ] {
            let path = copy.path().join(file);
            let whole = fs::read(&path).unwrap();
            for _ in 0..50 {
                let mut bytes = whole.clone();
                let begin = if file.ends_with("graph.dgl") { 4096 } else { 0 };
                let at = begin + random.below(bytes.len() - begin);
                bytes[at] ^= 1 << random.below(8);
                fs::write(&path, &bytes).unwrap();
                let _ = import(&copy.path().join("g.json"), &[]);
            }
            fs::write(&path, &whole).unwrap();
        }
        import(&copy.path().join("g.json"), &[]).unwrap();
    }
}

#[test]
fn damaged_parts_of_graphbolt_never_panic() {
    let mut random = Random(5);
    for name in ["part-graphbolt", "part-graphbolt-no-ids"] {
        let from = folder().join(name);
        let whole = fs::read(from.join("part0/fused_csc_sampling_graph.pt")).unwrap();
        let copy = tempfile::tempdir().unwrap();
        for part in ["part0", "part1"] {
            fs::create_dir(copy.path().join(part)).unwrap();
            for entry in fs::read_dir(from.join(part)).unwrap() {
                let entry = entry.unwrap().path();
                let file = entry.file_name().unwrap();
                fs::copy(&entry, copy.path().join(part).join(file)).unwrap();
            }
        }
        let book = copy.path().join("g.json");
        fs::copy(from.join("g.json"), &book).unwrap();
        let path = copy.path().join("part0/fused_csc_sampling_graph.pt");
        for size in (0..whole.len()).step_by(53) {
            fs::write(&path, &whole[..size]).unwrap();
            let failure = import(&book, &[]).err().unwrap();
            assert!(failure.message.contains("fused_csc"), "{}", failure.message);
        }
        for _ in 0..300 {
            let mut bytes = whole.clone();
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
            fs::write(&path, &bytes).unwrap();
            let _ = import(&book, &[]);
        }
        fs::write(&path, &whole).unwrap();
        import(&book, &[]).unwrap();
    }
}

#[test]
fn files_that_are_missing_or_cut_are_named() {
    for (file, size) in [
        ("part1/graph.dgl", Some(5000)),
        ("part1/graph.dgl", Some(0)),
        ("part0/node_feat.dgl", Some(100)),
        ("part0/edge_feat.dgl", Some(16)),
        ("part0/graph.dgl", None),
        ("part1/node_feat.dgl", None),
        ("g.json", Some(200)),
    ] {
        let copy = copy_of("part-homogeneous");
        let path = copy.path().join(file);
        match size {
            Some(size) => {
                let whole = fs::read(&path).unwrap();
                fs::write(&path, &whole[..size]).unwrap();
            }
            None => fs::remove_file(&path).unwrap(),
        }
        let failure = import(&copy.path().join("g.json"), &[]).err().unwrap();
        assert!(
            failure.message.contains(file),
            "{file}: {}",
            failure.message
        );
    }
}

#[test]
fn files_of_other_kinds_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.json");
    for text in [
        "",
        "[]",
        "{}",
        "{\"num_parts\": 1",
        "PK\x03\x04",
        "{\"node_map\": 1, \"num_parts\": 1}",
    ] {
        fs::write(&path, text).unwrap();
        assert!(import(&path, &[]).is_err(), "{text}");
    }
    let mut old = fs::read(super::golden::folder().join("saved/csr.bin")).unwrap();
    old[8] = 1;
    fs::write(&path, old).unwrap();
    let message = import(&path, &[]).err().unwrap().message;
    assert!(message.contains("0.4"), "{message}");
}
