use crate::foreign::drain::{self, golden, import};
use crate::foreign::recipe_of;

const FOLDERS: [&str; 2] = ["pyg/torch-2.2.1", "pyg/torch-2.5.1"];

#[test]
fn a_graph_without_types() {
    for folder in FOLDERS {
        for name in ["homogeneous.pt", "dataset-homogeneous"] {
            let found = import("pyg", &golden(&format!("{folder}/{name}")), &[]).unwrap();
            for (what, rows) in [
                ("nodes node", 7),
                ("edges node__to__node", 12),
                ("column node x", 7),
                ("column node turned", 7),
                ("column node__to__node time", 12),
            ] {
                assert_eq!(found.rows(what), Some(rows), "{folder}/{name}: {what}");
            }
            assert_eq!(found.added.len(), 1 + 1 + 5 + 3 + 3);
        }
    }
}

#[test]
fn types_keep_their_order() {
    for folder in FOLDERS {
        for name in ["heterogeneous.pt", "dataset-heterogeneous"] {
            let path = golden(&format!("{folder}/{name}"));
            import("pyg", &path, &[]).unwrap();
            let recipe = recipe_of("pyg", &path, &[]).unwrap();
            let nodes: Vec<_> = recipe.nodes.keys().collect();
            let edges: Vec<_> = recipe.edges.keys().collect();
            assert_eq!(nodes, ["paper", "author"]);
            assert_eq!(edges, ["author__writes_a__paper", "paper__cites__paper"]);
            let notes = recipe.notes.join("\n");
            assert!(notes.contains("\"made\" is left out"), "{notes}");
            assert!(notes.contains("is called \"author\""), "{notes}");
        }
    }
}

#[test]
fn what_gls_cannot_have() {
    let path = golden(&format!("{}/dataset-several", FOLDERS[0]));
    let message = recipe_of("pyg", &path, &[]).unwrap_err().message;
    assert!(message.contains("the dataset has 2 graphs"), "{message}");
    let path = golden(&format!("{}/splits.pt", FOLDERS[0]));
    let first = import("pyg", &path, &[]).unwrap();
    let second = import("pyg", &path, &["split=1"]).unwrap();
    assert_eq!(first.rows("set node train"), Some(3));
    assert_eq!(second.rows("set node train"), Some(2));
    assert!(import("pyg", &path, &["split=2"]).is_err());
    assert!(import("pyg", &path, &["split=x"]).is_err());
    let notes = recipe_of(
        "pyg",
        &golden(&format!("{}/homogeneous.pt", FOLDERS[1])),
        &[],
    );
    let notes = notes.unwrap().notes.join("\n");
    for name in ["name", "classes", "other"] {
        assert!(
            notes.contains(&format!("\"{name}\" is left out")),
            "{notes}"
        );
    }
}

#[test]
fn damaged_files() {
    let name = "pyg/torch-2.5.1/dataset-heterogeneous";
    drain::damage("pyg", name, &[], "processed/data.pt", 13, 400);
}

#[test]
fn parts_become_one_graph() {
    let found = import("pyg", &golden("pyg-parts/edge-times"), &[]).unwrap();
    for (what, rows) in [
        ("nodes node", 9),
        ("edges node__to__node", 20),
        ("column node x", 9),
        ("column node__to__node edge_attr", 20),
        ("column node__to__node edge_time", 20),
    ] {
        assert_eq!(found.rows(what), Some(rows), "{what}");
    }
    let found = import("pyg", &golden("pyg-parts/heterogeneous"), &[]).unwrap();
    assert_eq!(found.rows("edges user__follows__user"), Some(7));
    assert_eq!(found.rows("column item x"), Some(5));
    assert_eq!(found.rows("column item time"), Some(5));
    for file in ["META.json", "part_1/graph.pt", "part_0/node_feats.pt"] {
        drain::damage("pyg", "pyg-parts/heterogeneous", &[], file, 60, 20);
    }
}

/// A file of a dictionary with these tensors of int64.
fn file_of(tensors: &[(&str, &[u8], &[i64])]) -> Vec<u8> {
    use std::io::Write;
    let text = |text: &str| {
        [
            b"X",
            &(text.len() as u32).to_le_bytes()[..],
            text.as_bytes(),
        ]
        .concat()
    };
    let tuple = |numbers: &[u8]| {
        let inner: Vec<u8> = numbers.iter().flat_map(|&number| [b'K', number]).collect();
        [b"(", &inner[..], b"t"].concat()
    };
    let mut pickle = b"\x80\x02}(".to_vec();
    let mut members = Vec::new();
    for (key, (name, shape, numbers)) in tensors.iter().enumerate() {
        let key = key.to_string();
        let strides: Vec<u8> = (1..=shape.len())
            .map(|at| shape[at..].iter().product())
            .collect();
        pickle.extend(text(name));
        pickle.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        pickle.extend(text("storage"));
        pickle.extend(b"ctorch\nLongStorage\n");
        pickle.extend(text(&key));
        pickle.extend(text("cpu"));
        pickle.extend([b'K', numbers.len() as u8, b't', b'Q', b'K', 0]);
        pickle.extend(tuple(shape));
        pickle.extend(tuple(&strides));
        pickle.extend(b"\x89}tR");
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
        members.push((format!("a/data/{key}"), bytes.collect()));
    }
    pickle.extend(b"u.");
    members.push(("a/data.pkl".to_owned(), pickle));
    members.push(("a/byteorder".to_owned(), b"little".to_vec()));
    let stored = zip::CompressionMethod::Stored;
    let options = zip::write::SimpleFileOptions::default().compression_method(stored);
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        out.start_file(name, options).unwrap();
        out.write_all(&bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

#[test]
fn labels_of_the_graph_are_no_number_of_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pt");
    for (name, rows, nodes, is_column) in [
        ("y", 1, 3, false),
        ("y", 3, 3, true),
        ("y", 5, 5, true),
        ("of_node", 6, 6, true),
        ("of_node_index", 4, 4, false),
        ("other", 6, 3, false),
    ] {
        let numbers = vec![0; usize::from(rows)];
        let file = file_of(&[
            ("edge_index", &[2, 2], &[0, 2, 1, 0]),
            (name, &[rows], &numbers),
        ]);
        std::fs::write(&path, file).unwrap();
        let found = import("pyg", &path, &[]).unwrap();
        assert_eq!(found.rows("nodes node"), Some(nodes), "{name} {rows}");
        let column = found.rows(&format!("column node {name}"));
        assert_eq!(column.is_some(), is_column, "{name} {rows}");
    }
}
