use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_select::take::take as take_rows;

use super::taken::take;
use super::*;
use crate::failure::Code;
use crate::foreign::recipe_of;

fn read(path: &Path) -> Taken {
    take(&recipe_of("dgl", path, &[]).unwrap(), Path::new(""))
}

/// DGL has no bools.
const BOOLS: &[&str] = &["paper.flag"];

fn check_but_bools(mock: &Mock, mut found: Taken) {
    let flag = found.columns.remove("paper.flag").unwrap().0;
    assert_eq!(&flag, &arrow(array(DType::U8, &[5], vec![1, 0, 0, 1, 1])));
    check_graph(mock, &found, BOOLS);
    assert_eq!(found.sets["paper.train"], [0, 4]);
    assert_eq!(found.sets["paper.valid"], [1]);
    assert_eq!(found.sets["paper.test"], [2, 3]);
}

fn mock_of_dgl() -> Mock {
    let mut mock = typed();
    add_codes(&mut mock);
    let bits = array(DType::BF16, &[5, 2], (0..20).collect());
    mock.column("paper", "bf", Role::Feature, bits);
    mock
}

#[test]
fn saved_graphs_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.bin");
    let mock = mock_of_dgl();
    write(&mock, "dgl", &path, &["form=graph"]).unwrap();
    check_but_bools(&mock, read(&path));
}

#[test]
fn one_part_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mock = mock_of_dgl();
    write(&mock, "dgl", &path, &[]).unwrap();
    check_but_bools(&mock, read(&path.join("graph.json")));
    assert!(!path.join("part0/orig_nids.dgl").exists());
}

/// The columns of the graph are those of the old ids.
fn check_moved(mock: &Mock, found: &Taken) {
    let original = |name: &str, count: usize| -> Vec<i64> {
        let known = found.columns.get(&format!("{name}.orig_id"));
        known.map_or((0..count as i64).collect(), |(ids, ..)| {
            ids.as_primitive::<Int64Type>().values().to_vec()
        })
    };
    for (edge, ends) in &mock.ends {
        let parts: Vec<&str> = edge.split("__").collect();
        let of_edges = original(edge, ends.len());
        let count = |name: &str| found.nodes.iter().find(|node| node.0 == name).unwrap().1;
        let sources = original(parts[0], count(parts[0]) as usize);
        let targets = original(parts[2], count(parts[2]) as usize);
        for (new, &(source, target)) in found.edges[edge].iter().enumerate() {
            let old = (sources[source as usize], targets[target as usize]);
            assert_eq!(old, ends[of_edges[new] as usize], "{edge} {new}");
        }
        assert_eq!(found.edges[edge].len(), ends.len());
    }
    let nodes = mock
        .node_types()
        .iter()
        .map(|node| (Which::NodeColumn, &node.name, &node.columns));
    let edges = mock
        .edge_types()
        .iter()
        .map(|edge| (Which::EdgeColumn, &edge.name, &edge.columns));
    for (which, of_type, columns) in nodes.chain(edges) {
        for column in columns {
            let full = format!("{of_type}.{}", column.name);
            if BOOLS.contains(&full.as_str()) {
                continue;
            }
            let ids = arrow(i64s(&original(of_type, column.shape[0] as usize)));
            let expected = arrow(mock.numbers(which, of_type, column));
            let expected = take_rows(&expected, &ids, None).unwrap();
            assert_eq!(&found.columns[&full].0, &expected, "{full}");
        }
    }
    let papers = original("paper", 5);
    let mut train: Vec<i64> = found.sets["paper.train"]
        .iter()
        .map(|&id| papers[id as usize])
        .collect();
    train.sort_unstable();
    assert_eq!(train, [0, 4]);
}

#[test]
fn parts_are_read_as_the_whole_graph() {
    let folder = tempfile::tempdir().unwrap();
    for parts in [2, 3, 7] {
        let mut mock = mock_of_dgl();
        let owner = |ids: &[i64]| i64s(&ids.iter().map(|id| id % parts).collect::<Vec<_>>());
        mock.column("paper", "part", Role::Other, owner(&[1, 0, 5, 1, 0]));
        mock.column("author", "part", Role::Other, owner(&[6, 1, 0]));
        let choice = format!("parts={parts}");
        for (name, choices) in [
            ("ranges", &[choice.as_str()][..]),
            ("owners", &[choice.as_str(), "owners=part"]),
        ] {
            let path = folder.path().join(format!("{name}{parts}"));
            write(&mock, "dgl", &path, choices).unwrap();
            let found = read(&path.join("graph.json"));
            let moved = found.columns.contains_key("paper.orig_id");
            assert_eq!(moved, name == "owners");
            check_moved(&mock, &found);
        }
    }
}

#[test]
fn names_of_a_graph_without_types_are_dgls() {
    let folder = tempfile::tempdir().unwrap();
    let mut mock = Mock::default();
    mock.add_nodes("node", 3, None);
    mock.add_edges("node__to__node", &[(2, 1), (0, 1), (1, 0)], true);
    mock.column(
        "node",
        "feat",
        Role::Feature,
        f32s(&[3, 1], &[1.0, 2.0, 3.0]),
    );
    for (name, choice) in [("graph", "form=graph"), ("parts", "form=partitions")] {
        let path = folder.path().join(name);
        write(&mock, "dgl", &path, &[choice]).unwrap();
        let read_from = if name == "parts" {
            path.join("graph.json")
        } else {
            path
        };
        check_graph(&mock, &read(&read_from), &[]);
        let text = std::fs::read(&read_from).unwrap();
        assert!(String::from_utf8_lossy(&text).contains("_N"));
    }
}

#[test]
fn wrong_choices_and_contents_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    for (choices, expected) in [
        (&["form=graphs"][..], "expected partitions or graph"),
        (&["parts=0"], "expected a number from 1"),
        (&["owners=label"], "owners needs parts=N"),
        (&["parts=2", "owners=feat"], "paper.feat is float32 [5, 3]"),
        (&["parts=2", "owners=label"], "author has no such column"),
        (&["form=graph", "parts=2"], "dgl has no choice \"parts\""),
    ] {
        let failure = write(&typed(), "dgl", &path, choices).unwrap_err();
        assert_eq!(failure.code, Code::Invalid);
        assert!(failure.message.contains(expected), "{}", failure.message);
    }
    let mut mock = typed();
    mock.column("author", "label", Role::Label, i64s(&[0, 0, 0]));
    let failure = write(&mock, "dgl", &path, &["parts=2", "owners=label"]).unwrap_err();
    let expected = "paper.label: the owner of node 0 is 3, expected 0 to 1";
    assert_eq!(failure.message, expected);
    mock.column(
        "paper",
        "x",
        Role::Other,
        array(DType::U64, &[5], vec![0; 40]),
    );
    let failure = write(&mock, "dgl", &path, &[]).unwrap_err();
    assert!(failure.message.starts_with("paper.x: DGL has no uint64"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
