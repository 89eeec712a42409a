//! Files that DGL wrote, against what they must hold.

use std::path::{Path, PathBuf};

use super::recorder::Recorder;
use crate::arrays::{npz, Array, Bytes};
use crate::failure::Failure;
use crate::foreign::recipe_of;
use crate::recipe::{read, run, write, Recipe, Role};

pub fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("tests/formats/golden/dgl")
}

pub fn import(path: &Path, choices: &[String]) -> Result<(Recipe, Recorder), Failure> {
    let recipe = recipe_of("dgl", path, choices)?;
    let mut recorder = Recorder::default();
    run(&recipe, Path::new(""), 2, &mut recorder)?;
    Ok((recipe, recorder))
}

fn bits(array: &Array) -> (String, Vec<i64>, Vec<u8>) {
    let array = array.clone().into_aligned().unwrap();
    (
        array.dtype.to_string(),
        array.shape.clone(),
        array.bytes().to_vec(),
    )
}

fn check(found: &Recorder, expected: &Path, place: &str) {
    let bytes = Bytes::map(expected).unwrap();
    let mut archive = npz::Archive::open(expected, &bytes).unwrap();
    let names = npz::names(&archive);
    let mut columns = 0;
    for name in &names {
        let array = npz::read(&mut archive, name).unwrap();
        let place = format!("{place}: {name}");
        let parts: Vec<&str> = name.split('/').collect();
        match parts[..] {
            ["nodes", kind, "count"] => {
                assert_eq!(
                    vec![found.counts[kind]],
                    array.to_i64s().unwrap(),
                    "{place}"
                );
            }
            ["nodes", kind, "sets", set] => {
                let ids = &found.sets[&format!("{kind}/{set}")];
                assert_eq!(*ids, array.to_i64s().unwrap(), "{place}");
                columns += 1;
            }
            ["nodes", kind, "columns", column] => {
                let (rows, _) = &found.node_columns[&format!("{kind}/{column}")];
                assert_eq!(bits(rows), bits(&array), "{place}");
                columns += 1;
            }
            ["edges", kind, "source"] => {
                assert_eq!(found.edges[kind].0, array.to_i64s().unwrap(), "{place}");
            }
            ["edges", kind, "target"] => {
                assert_eq!(found.edges[kind].1, array.to_i64s().unwrap(), "{place}");
            }
            ["edges", kind, "columns", column] => {
                let (rows, _) = &found.edge_columns[&format!("{kind}/{column}")];
                assert_eq!(bits(rows), bits(&array), "{place}");
                columns += 1;
            }
            _ => panic!("{name}"),
        }
    }
    let all = found.sets.len() + found.node_columns.len() + found.edge_columns.len();
    assert_eq!(columns, all, "{place}");
    let kinds = |kind: &str, last: &str| {
        let ends = |name: &&String| name.starts_with(kind) && name.ends_with(last);
        names.iter().filter(ends).count()
    };
    assert_eq!(kinds("nodes/", "/count"), found.counts.len(), "{place}");
    assert_eq!(kinds("edges/", "/source"), found.edges.len(), "{place}");
}

#[test]
fn saved_graphs_hold_what_dgl_saved() {
    let saved = folder().join("saved");
    for (name, graphs) in [
        ("coo.bin", 4),
        ("csc.bin", 3),
        ("csr.bin", 1),
        ("all.bin", 1),
        ("one.bin", 1),
    ] {
        for graph in 0..graphs {
            let choices = match graphs {
                1 => Vec::new(),
                _ => vec![format!("graph={graph}")],
            };
            let (recipe, found) = import(&saved.join(name), &choices).unwrap();
            let expected = saved.join(format!("expected-{graph}.npz"));
            check(&found, &expected, &format!("{name}, {graph}"));
            // The recipe may be kept and changed.
            assert_eq!(read(&write(&recipe).unwrap()).unwrap().edges, recipe.edges);
        }
    }
}

const PARTS: [&str; 7] = [
    "part-homogeneous",
    "part-one",
    "part-hetero",
    "part-metis",
    "part-graphbolt",
    "part-graphbolt-no-ids",
    "part-graphbolt-one-type",
];

#[test]
fn partitions_hold_the_whole_graph() {
    for name in PARTS {
        let folder = folder().join(name);
        let (recipe, found) = import(&folder.join("g.json"), &[]).unwrap();
        check(&found, &folder.join("expected.npz"), name);
        assert_eq!(read(&write(&recipe).unwrap()).unwrap().edges, recipe.edges);
        let ids_are_noted = recipe.notes.iter().any(|note| note.contains("renumbered"));
        assert!(ids_are_noted);
    }
}

#[test]
fn roles_and_notes() {
    let (recipe, found) = import(&folder().join("saved/coo.bin"), &["graph=0".into()]).unwrap();
    let role = |name: &str| found.node_columns[name].1;
    assert_eq!(role("node/feat"), Role::Feature);
    assert_eq!(role("node/label"), Role::Label);
    assert_eq!(role("node/year"), Role::Other);
    let role = |name: &str| found.edge_columns[name].1;
    assert_eq!(role("node__to__node/weight"), Role::Weight);
    assert_eq!(role("node__to__node/timestamp"), Role::Time);
    assert_eq!(
        recipe.notes,
        ["Labels of whole graphs are dropped: classes."]
    );
    let (recipe, _) = import(&folder().join("saved/coo.bin"), &["graph=3".into()]).unwrap();
    assert!(
        recipe.notes[0].contains("\"orig_id\""),
        "{:?}",
        recipe.notes
    );
}

#[test]
fn choices_are_checked() {
    let file = folder().join("saved/coo.bin");
    for (choices, expected) in [
        (
            vec![],
            "the file has 4 graphs; choose one by graph=0 to graph=3",
        ),
        (vec!["graph=4".to_owned()], "from 0 to 3"),
        (vec!["graph=x".to_owned()], "from 0 to 3"),
        (
            vec!["graph=0".to_owned(), "a=b".to_owned()],
            "no choice \"a\"",
        ),
    ] {
        let failure = recipe_of("dgl", &file, &choices).unwrap_err();
        assert!(failure.message.contains(expected), "{}", failure.message);
    }
    let failure = recipe_of("dgl", &folder(), &[]).unwrap_err();
    assert!(failure.message.contains("folder"), "{}", failure.message);
}
