use crate::foreign::drain::{damage, golden, import};
use crate::foreign::recipe_of;

const HOMOGENEOUS: &str = "graphbolt-homogeneous";
const HETEROGENEOUS: &str = "graphbolt-heterogeneous";
const TASK: &[&str] = &["task=node_classification"];

#[test]
fn golden_datasets_are_read() {
    let found = import("graphbolt", &golden(HOMOGENEOUS), &[]).unwrap();
    for (what, rows) in [
        ("nodes node", 40),
        ("text node__to__node", 0),
        ("column node feat", 40),
        ("column node labels", 40),
        ("column node__to__node weight", 200),
        ("set node train", 20),
        ("set node valid", 10),
    ] {
        assert_eq!(found.rows(what), Some(rows), "{what}");
    }
    let found = import("graphbolt", &golden(HETEROGENEOUS), TASK).unwrap();
    assert_eq!(found.rows("edges paper__cites__paper"), Some(150));
    assert_eq!(found.rows("set paper test"), Some(5));
}

#[test]
fn one_of_several_tasks_is_chosen() {
    let refused = import("graphbolt", &golden(HETEROGENEOUS), &[]).err();
    assert!(refused.unwrap().message.contains("link_prediction"));
    let link = ["task=link_prediction".to_owned()];
    let recipe = recipe_of("graphbolt", &golden(HETEROGENEOUS), &link).unwrap();
    assert!(recipe.nodes["paper"].sets.is_empty());
    let notes = recipe.notes.join("\n");
    assert!(notes.contains("no single nodes as seeds"), "{notes}");
}

#[test]
fn damaged_files_are_no_panic() {
    damage("graphbolt", HOMOGENEOUS, &[], "metadata.yaml", 3, 300);
    damage("graphbolt", HETEROGENEOUS, TASK, "metadata.yaml", 13, 300);
    damage("graphbolt", HETEROGENEOUS, TASK, "paper.npy", 5, 200);
    let labels = "venue/train-labels.npy";
    damage("graphbolt", HETEROGENEOUS, TASK, labels, 3, 200);
}

#[test]
fn preprocessed_datasets_are_read() {
    let found = import("graphbolt", &golden("graphbolt-preprocessed"), TASK).unwrap();
    for (what, rows) in [
        ("nodes author", 30),
        ("edges author__writes__paper", 120),
        ("column paper mass", 50),
        ("column author__writes__paper position", 120),
        ("column paper__cites__paper probability", 150),
        ("set paper train", 20),
    ] {
        assert_eq!(found.rows(what), Some(rows), "{what}");
    }
    let recipe = recipe_of("graphbolt", &golden("graphbolt-fused-no-ids"), &[]).unwrap();
    assert!(recipe.edges["node__to__node"].columns.is_empty());
    assert!(recipe
        .notes
        .join("")
        .contains("\"weight\" of node__to__node are left out"));
}

#[test]
fn damaged_preprocessed_datasets_are_no_panic() {
    let graph = "preprocessed/fused_csc_sampling_graph.pt";
    damage("graphbolt", "graphbolt-preprocessed", TASK, graph, 101, 300);
    damage("graphbolt", "graphbolt-fused", &[], graph, 101, 300);
    let metadata = "preprocessed/metadata.yaml";
    damage("graphbolt", "graphbolt-fused", &[], metadata, 3, 300);
}
