use crate::arrays::torch::Loaded;
use crate::foreign::drain::{self, golden, import};
use crate::foreign::recipe_of;

#[test]
fn parts_become_one_graph() {
    let found = import("glt", &golden("glt/homogeneous"), &[]).unwrap();
    for (what, rows) in [
        ("nodes node", 11),
        ("edges node__to__node", 25),
        ("column node feat", 11),
        ("column node__to__node feat", 25),
        ("column node__to__node weight", 25),
    ] {
        assert_eq!(found.rows(what), Some(rows), "{what}");
    }
}

#[test]
fn types() {
    for name in ["glt/heterogeneous", "glt/heterogeneous-cached"] {
        let found = import("glt", &golden(name), &[]).unwrap();
        assert_eq!(found.rows("edges user__buys__item"), Some(9));
        assert_eq!(found.rows("column user__follows__user feat"), Some(7));
        assert_eq!(found.rows("column item feat"), Some(5));
    }
}

#[test]
fn a_cached_graph_without_edge_ids() {
    let path = golden("glt/cached");
    let found = import("glt", &path, &[]).unwrap();
    assert_eq!(found.rows("edges node__to__node"), Some(25));
    assert_eq!(found.rows("column node__to__node feat"), None);
    let notes = recipe_of("glt", &path, &[]).unwrap().notes.join("\n");
    assert!(notes.contains("edge features are left out"), "{notes}");
}

#[test]
fn books_of_ranges() {
    let book = Loaded::open(&golden("glt/ranges.pt")).unwrap();
    assert_eq!(super::count_of(&book).unwrap(), 11);
}

#[test]
fn damaged_files() {
    for (file, step) in [
        ("META", 3),
        ("node_pb.pt", 40),
        ("part1/graph/eids.pt", 40),
        ("part1/node_feat/ids.pkl", 40),
        ("part0/edge_feat/feats.pkl", 60),
    ] {
        drain::damage("glt", "glt/homogeneous", &[], file, step, 25);
    }
}

/// A pickle {"num_parts": parts, "data_cls": "homo"}.
fn meta(parts: i64) -> Vec<u8> {
    let mut out = b"\x80\x02}(X\x09\x00\x00\x00num_partsI".to_vec();
    out.extend(parts.to_string().bytes());
    out.extend(b"\nX\x08\x00\x00\x00data_clsX\x04\x00\x00\x00homou.");
    out
}

#[test]
fn more_parts_than_folders() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("part1")).unwrap();
    for (parts, good) in [
        (1, false),
        (2, true),
        (3, false),
        (1 << 40, false),
        (i64::MAX, false),
    ] {
        std::fs::write(folder.path().join("META"), meta(parts)).unwrap();
        let found = super::Meta::read(folder.path()).map(|meta| meta.parts);
        match found {
            Ok(found) => assert!(good && found == parts, "{parts}"),
            Err(error) => assert!(
                !good && error.message.contains("parts"),
                "{}",
                error.message
            ),
        }
    }
}
