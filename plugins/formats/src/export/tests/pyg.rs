use super::taken::take;
use super::*;
use crate::failure::Code;
use crate::foreign::recipe_of;

fn read(path: &Path) -> Taken {
    let recipe = recipe_of("pyg", path, &[]).unwrap();
    assert!(recipe.notes.is_empty(), "{:?}", recipe.notes);
    take(&recipe, Path::new(""))
}

#[test]
fn hetero_data_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pt");
    let mut mock = typed();
    add_codes(&mut mock);
    let bits = array(DType::BF16, &[5, 2], (0..20).collect());
    mock.column("paper", "bf", Role::Feature, bits.clone());
    write(&mock, "pyg", &path, &[]).unwrap();
    let found = read(&path);
    check_graph(&mock, &found, &[]);
    assert_eq!(
        found.nodes,
        [("paper".to_owned(), 5), ("author".to_owned(), 3)]
    );
    let bools = |set: &str| found.sets[&format!("paper.{set}")].clone();
    assert_eq!((bools("train"), bools("valid")), (vec![0, 4], vec![1]));
    assert_eq!(bools("test"), [2, 3]);
}

/// One type each; `edges` of 3 nodes.
fn single(edges: &[(i64, i64)]) -> Mock {
    let mut mock = Mock::default();
    mock.add_nodes("node", 3, None);
    mock.add_edges("node__to__node", edges, true);
    mock.column("node", "x", Role::Feature, f32s(&[3, 1], &[1.0, 2.0, 3.0]));
    mock.column("node", "y", Role::Label, i64s(&[2, 1, 0]));
    let weights = vec![0.5; edges.len()];
    let weights = f32s(&[edges.len() as i64], &weights);
    mock.column("node__to__node", "w", Role::Feature, weights);
    mock.set("node", "train", &[2]);
    mock
}

fn class_of(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let hetero = text.contains("HeteroData");
    if hetero { "HeteroData" } else { "Data" }.to_owned()
}

#[test]
fn one_type_becomes_data_where_names_are_clear() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pt");
    let edges = [(2, 1), (0, 1), (1, 0), (0, 0)];
    for (edges, choices, class) in [
        (&edges[..], &[][..], "Data"),
        (&edges[..], &["form=hetero"], "HeteroData"),
        (&edges[..3], &[], "HeteroData"),
        (&[], &["form=data"], "Data"),
    ] {
        let mock = single(edges);
        write(&mock, "pyg", &path, choices).unwrap();
        assert_eq!(class_of(&path), class);
        let found = read(&path);
        check_graph(&mock, &found, &[]);
        assert_eq!(found.sets["node.train"], [2]);
        assert_eq!(found.columns["node.y"].1, Role::Label);
        std::fs::remove_file(&path).unwrap();
    }
    for (name, expected) in [
        ("face", "\"face\" would be"),
        ("my_index", "\"my_index\" would be"),
        ("edge_weight", "\"edge_weight\" is of nodes"),
        ("edge_type", "\"edge_type\" is of nodes"),
    ] {
        let mut mock = single(&edges);
        mock.column("node", name, Role::Other, i64s(&[0, 1, 2]));
        write(&mock, "pyg", &path, &[]).unwrap();
        assert_eq!(class_of(&path), "HeteroData");
        check_graph(&mock, &read(&path), &[]);
        std::fs::remove_file(&path).unwrap();
        let failure = write(&mock, "pyg", &path, &["form=data"]).unwrap_err();
        assert!(failure.message.contains(expected), "{}", failure.message);
    }
    let failure = write(&single(&edges[..3]), "pyg", &path, &["form=data"]).unwrap_err();
    assert!(
        failure.message.contains("\"w\" has not"),
        "{}",
        failure.message
    );
    let failure = write(&typed(), "pyg", &path, &["form=graph"]).unwrap_err();
    assert!(
        failure.message.contains("data or hetero"),
        "{}",
        failure.message
    );
}

#[test]
fn storages_begin_at_multiples_of_64() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pt");
    write(&typed(), "pyg", &path, &[]).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    let mut zip = zip::ZipArchive::new(file).unwrap();
    let mut storages = 0;
    for at in 0..zip.len() {
        let member = zip.by_index_raw(at).unwrap();
        if member.name().unwrap().contains("/data/") {
            assert_eq!(member.data_start().unwrap() % 64, 0);
            storages += 1;
        }
    }
    assert_eq!(storages, 4 + 3 + 2 + 2);
}

#[test]
fn what_torch_cannot_have_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pt");
    for (name, column, expected) in [
        (
            "x",
            array(DType::U16, &[5], vec![0; 10]),
            "paper.x: torch has no uint16",
        ),
        ("num_nodes", i64s(&[0; 5]), "paper.num_nodes: "),
        ("num_edges", i64s(&[0; 5]), "paper.num_edges: "),
        (
            "val_mask",
            i64s(&[0; 5]),
            "paper.valid: the name \"val_mask\" is taken",
        ),
    ] {
        let mut mock = typed();
        mock.column("paper", name, Role::Feature, column);
        let failure = write(&mock, "pyg", &path, &[]).unwrap_err();
        assert_eq!(failure.code, Code::Unsupported);
        assert!(failure.message.starts_with(expected), "{}", failure.message);
    }
    let mut mock = typed();
    mock.set("paper", "more", &[5]);
    let failure = write(&mock, "pyg", &path, &[]).unwrap_err();
    assert!(failure.message.contains("there is no node 5"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
