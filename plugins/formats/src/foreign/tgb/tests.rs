use crate::foreign::drain::{damage, golden, import};
use crate::foreign::recipe_of;

#[test]
fn golden_datasets_are_read() {
    for (name, edges, column) in [
        ("tgbl-wiki", 60, "column node__to__node edge_feat"),
        ("tgbl-flight", 60, "column node__to__node split"),
        ("thgl-software", 60, "column node__to__node edge_type"),
    ] {
        let found = import("tgb", &golden("tgb").join(name), &[]).unwrap();
        assert_eq!(found.rows("edges node__to__node"), Some(edges), "{name}");
        assert_eq!(found.rows(column), Some(edges), "{name}");
    }
    let found = import("tgb", &golden("tgb").join("tgbn-genre"), &[]).unwrap();
    let labels = found.rows("edges label__of__node");
    assert!(labels.is_some_and(|rows| rows > 5));
    assert_eq!(found.rows("column label y"), labels);
    let without = ["labels=false".to_owned()];
    let recipe = recipe_of("tgb", &golden("tgb").join("tgbn-genre"), &without).unwrap();
    assert_eq!(recipe.nodes.len(), 1);
}

#[test]
fn damaged_files_are_no_panic() {
    damage("tgb", "tgb/tgbl-wiki", &[], "ml_tgbl-wiki.pkl", 1, 200);
    damage(
        "tgb",
        "tgb/tgbl-wiki",
        &[],
        "ml_tgbl-wiki_edge.pkl",
        13,
        200,
    );
    damage(
        "tgb",
        "tgb/tgbn-genre",
        &[],
        "ml_tgbn-genre_node.pkl",
        1,
        1500,
    );
}
