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
